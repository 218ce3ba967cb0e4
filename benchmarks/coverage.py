"""Coverage of nominal 95 % intervals.

Simulated observers with known truth: switch points of B replicates are drawn from a distribution
with a chosen PSE (its median, 0.3 to 0.7) and JND (0.03 to 0.12), and the intervals that
`two_afc` gives for them are held against it. PSE: the Monte Carlo interval holds the true PSE.
JND: its interval holds the true JND. Corpus: the interval holds the switch point of one fresh
corpus. Measured are 100,000 observers (pooled and grids: 20,000), where chance moves a figure by
0.1 points. Pooled over cue pairs, a word's PSE differs from pair to pair, from corpus to corpus,
and from corpus to corpus in each pair. Last, why no binomial curve is fitted to the answers on a
grid of stimuli: the same replicates answer every level, and such a fit counts them anew at each.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from benchmarks.findings import HOLDS, Figure, Findings, Goal, coverage, judged
from biaslab.observers import JND_OF_UNIT_SCALE
from biaslab.observers.psychometric import Distribution
from biaslab.probes.psychometrics.curves import Estimates, PairsAs, per_pair, pooled
from biaslab.stats.curves.jnd import Convention
from biaslab.stats.curves.replicates import Family
from biaslab.stats.psychometric import fit

OBSERVERS, WORDS = 100_000, 20_000
LEVEL = 0.95
JND: Convention = "quartile"
PAIRS = 8
BETWEEN_PAIRS, CORPUS, CORPUS_IN_PAIR = 0.05, 0.04, 0.04
GRIDS = (9, 21, 51)
GRID_JND = 0.1

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Case:
    """A distribution of switch points, the curve fitted to them, and the number of replicates."""

    distribution: Distribution
    curve: Family
    replicates: int
    goal: bool = False

    @property
    def name(self) -> str:
        """Words for the report."""
        return f"{self.distribution} α*, {self.curve} curve, B = {self.replicates}"


CASES = (
    Case("normal", "normal", 32, goal=True),
    Case("normal", "normal", 8),
    Case("logistic", "logistic", 32, goal=True),
    Case("logistic", "logistic", 8),
    Case("logistic", "normal", 32),
    Case("skewed", "normal", 32),
    Case("skewed", "normal", 8),
    Case("skewed", "gumbel", 32),
)


def measure() -> Findings:
    """Simulate all cases."""
    return Findings(
        (*map(_case_line, CASES), _pooled_line("resampled"), _pooled_line("fixed"), *_grid_lines()),
        (
            (
                "With skewed α* (an exponential distribution, long tail upwards) a normal curve "
                "has its PSE at the mean, while the truth here is the median, and its JND from the "
                "SD: its intervals of these miss, the more replicates the more surely. So does "
                "the JND of any curve of the wrong family. The corpus interval, on which verdicts "
                "rest, holds."
            ),
            (
                f"Pooled: {PAIRS} pairs, SD {BETWEEN_PAIRS} between pairs, {CORPUS} between "
                f"corpora, {CORPUS_IN_PAIR} between corpora within a pair. Pairs as a sample: the "
                "corpus interval is held against all such pairs under a fresh corpus; pairs as all "
                "there are: against the same pairs under a fresh corpus. The JND's interval is "
                "somewhat narrow in the first case and wide in the second."
            ),
        ),
    )


def _case_line(case: Case) -> Figure:
    """Shares of observers whose intervals hold the truth."""
    rng = np.random.default_rng(12)
    pse = rng.uniform(0.3, 0.7, (OBSERVERS, 1))
    jnd = rng.uniform(0.03, 0.12, (OBSERVERS, 1))
    scale = jnd / JND_OF_UNIT_SCALE[case.distribution][JND]
    drawn = _draws(case.distribution, (case.replicates + 1, OBSERVERS, 1), rng)
    switch = pse + scale * drawn
    estimates = per_pair(switch[:-1], 0.0, case.curve, JND, LEVEL)
    return _line(case.name, estimates, pse, jnd, switch[-1], HOLDS if case.goal else None)


def _draws(distribution: Distribution, shape: tuple[int, ...], rng: np.random.Generator) -> Floats:
    """Draws of median 0 and unit scale."""
    if distribution == "normal":
        return rng.standard_normal(shape)
    if distribution == "logistic":
        return rng.logistic(size=shape)
    return np.asarray(rng.exponential(size=shape) - np.log(2))


def _pooled_line(pairs_as: PairsAs) -> Figure:
    how = "a sample" if pairs_as == "resampled" else "all there are"
    name = f"pooled, {PAIRS} cue pairs as {how}, B = 32"
    rng = np.random.default_rng(22)
    pse = rng.uniform(0.3, 0.7, WORDS)
    of_pair = BETWEEN_PAIRS * rng.standard_normal((WORDS, PAIRS))
    of_corpus = CORPUS * rng.standard_normal((33, WORDS))
    within = CORPUS_IN_PAIR * rng.standard_normal((33, WORDS, PAIRS))
    switch = pse[:, None] + of_pair + of_corpus[..., None] + within
    weights = np.full(PAIRS, 1 / PAIRS)
    estimates = pooled(switch[:-1], 0.0, "normal", JND, LEVEL, pairs_as, weights)
    variance = CORPUS**2 + CORPUS_IN_PAIR**2
    if pairs_as == "resampled":
        fresh, variance_of_pairs = pse + of_corpus[-1], np.full(WORDS, BETWEEN_PAIRS**2)
    else:
        fresh, variance_of_pairs = switch[-1].mean(axis=1), of_pair.var(axis=1)
    jnd = np.sqrt(variance + variance_of_pairs) * ndtri(0.75)
    return _line(name, estimates, pse + of_pair.mean(axis=1), jnd, fresh)


def _grid_lines() -> Iterator[Figure]:
    """Binomial fits to the answers of 32 replicates on grids of stimuli, with Wald intervals."""
    rng = np.random.default_rng(31)
    pse = rng.uniform(0.3, 0.7, WORDS)
    sd = GRID_JND / JND_OF_UNIT_SCALE["normal"][JND]
    switch = pse + sd * rng.standard_normal((32, WORDS))
    ours = coverage(per_pair(switch, 0.0, "normal", JND, LEVEL).monte_carlo, pse)
    for levels in GRIDS:
        grid = np.linspace(0, 1, levels)
        yes = (switch[..., None] <= grid).sum(axis=0).astype(float)
        curves = fit(grid, yes, 32, family="normal")
        half = ndtri((1 + LEVEL) / 2) * np.sqrt(curves.covariance[:, 0, 0])
        ends = np.stack([curves.location - half, curves.location + half], axis=-1)
        yield Figure(
            f"not used: binomial fit on a grid of {levels} levels, PSE",
            _percent(coverage(ends, pse)),
            reference=f"from the switch points {_percent(ours)}",
        )


def _line(
    name: str,
    estimates: Estimates,
    pse: Floats,
    jnd: Floats,
    corpus: Floats,
    goal: Goal | None = None,
) -> Figure:
    held = {
        "PSE": coverage(estimates.monte_carlo, pse),
        "JND": coverage(estimates.jnd_interval, jnd),
        "corpus": coverage(estimates.corpus, corpus),
    }
    words = ", ".join(f"{what} {_percent(share)}" for what, share in held.items())
    return Figure(name, words, *judged(goal, *held.values()))


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"
