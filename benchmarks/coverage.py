"""Coverage of nominal 95 % intervals.

Simulated observers with known truth: switch points of B replicates are drawn from a distribution
with a chosen PSE (its median, 0.3 to 0.7) and JND (0.03 to 0.12), and the intervals that
`two_afc` gives for them are held against it. PSE: the Monte Carlo interval holds the true PSE.
JND: its interval holds the true JND. Corpus: the interval holds the switch point of one fresh
corpus. Measured are 2,000 observers; the reference column repeats it with 100,000 (pooled:
20,000), where chance moves a figure by 0.1 points rather than 0.5. Pooled over cue pairs, a word's
PSE differs from pair to pair, from corpus to corpus, and from corpus to corpus in each pair. Last,
why no binomial curve is fitted to the answers on a grid of stimuli: the same replicates answer
every level, and such a fit counts them anew at each.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

import biaslab as bl
from benchmarks.findings import Figure, Findings, judged
from benchmarks.intervals import GOAL, coverage
from biaslab.observers import JND_OF_UNIT_SCALE
from biaslab.observers.psychometric import Distribution
from biaslab.probes.psychometrics.curves import PairsAs, per_pair, pooled
from biaslab.stats.curves.jnd import Convention
from biaslab.stats.curves.replicates import Family
from biaslab.stats.psychometric import fit

OBSERVERS, MANY = 2_000, 100_000
LEVEL = 0.95
JND: Convention = "quartile"
PAIRS = 8
BETWEEN_PAIRS, CORPUS, CORPUS_IN_PAIR = 0.05, 0.04, 0.04
GRIDS = (9, 21, 51)
GRID_JND = 0.1
CHECKED = 60

Floats = NDArray[np.float64]
Shares = dict[str, float]


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
    """Simulate all cases; compare some with `bl.two_afc` on simulated subjects."""
    return Findings(
        (
            *map(_case_line, CASES),
            _pooled_line("resampled"),
            _pooled_line("fixed"),
            *_grid_lines(),
        ),
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
            (
                "On subjects made by `bl.observers.embedding`, `bl.two_afc` gives the same "
                f"intervals as the simulation: {CHECKED} words each of normal and skewed α* differ "
                f"by at most {_largest_difference():.0e}."
            ),
        ),
    )


def _case_line(case: Case) -> Figure:
    few, many = _case(case, OBSERVERS, 11), _case(case, MANY, 12)
    return _line(case.name, few, many, goal=case.goal)


def _case(case: Case, observers: int, seed: int) -> Shares:
    """Shares of observers whose intervals hold the truth."""
    rng = np.random.default_rng(seed)
    pse = rng.uniform(0.3, 0.7, (observers, 1))
    jnd = rng.uniform(0.03, 0.12, (observers, 1))
    scale = jnd / JND_OF_UNIT_SCALE[case.distribution][JND]
    drawn = _draws(case.distribution, (case.replicates + 1, observers, 1), rng)
    switch = pse + scale * drawn
    found = per_pair(switch[:-1], 0.0, case.curve, JND, LEVEL)
    return {
        "PSE": coverage(found.monte_carlo, pse),
        "JND": coverage(found.jnd_interval, jnd),
        "corpus": coverage(found.corpus, switch[-1]),
    }


def _draws(distribution: Distribution, shape: tuple[int, ...], rng: np.random.Generator) -> Floats:
    """Draws of median 0 and unit scale."""
    if distribution == "normal":
        return rng.standard_normal(shape)
    if distribution == "logistic":
        return rng.logistic(size=shape)
    return np.asarray(rng.exponential(size=shape) - np.log(2))


def _pooled_line(pairs_as: PairsAs) -> Figure:
    words = "a sample" if pairs_as == "resampled" else "all there are"
    few, many = _pooled(pairs_as, OBSERVERS, 21), _pooled(pairs_as, MANY // 5, 22)
    return _line(f"pooled, {PAIRS} cue pairs as {words}, B = 32", few, many)


def _pooled(pairs_as: PairsAs, words: int, seed: int) -> Shares:
    rng = np.random.default_rng(seed)
    pse = rng.uniform(0.3, 0.7, words)
    of_pair = BETWEEN_PAIRS * rng.standard_normal((words, PAIRS))
    of_corpus = CORPUS * rng.standard_normal((33, words))
    within = CORPUS_IN_PAIR * rng.standard_normal((33, words, PAIRS))
    switch = pse[:, None] + of_pair + of_corpus[..., None] + within
    weights = np.full(PAIRS, 1 / PAIRS)
    found = pooled(switch[:-1], 0.0, "normal", JND, LEVEL, pairs_as, weights)
    variance = CORPUS**2 + CORPUS_IN_PAIR**2
    if pairs_as == "resampled":
        fresh, variance_of_pairs = pse + of_corpus[-1], np.full(words, BETWEEN_PAIRS**2)
    else:
        fresh, variance_of_pairs = switch[-1].mean(axis=1), of_pair.var(axis=1)
    jnd = np.sqrt(variance + variance_of_pairs) * ndtri(0.75)
    return {
        "PSE": coverage(found.monte_carlo, pse + of_pair.mean(axis=1)),
        "JND": coverage(found.jnd_interval, jnd),
        "corpus": coverage(found.corpus, fresh),
    }


def _grid_lines() -> Iterator[Figure]:
    """Binomial fits to the answers of 32 replicates on grids of stimuli, with Wald intervals."""
    rng = np.random.default_rng(31)
    pse = rng.uniform(0.3, 0.7, OBSERVERS)
    sd = GRID_JND / JND_OF_UNIT_SCALE["normal"][JND]
    switch = pse + sd * rng.standard_normal((32, OBSERVERS))
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


def _line(name: str, few: Shares, many: Shares, *, goal: bool = False) -> Figure:
    goal_of = judged(GOAL if goal else None, *few.values())
    return Figure(name, _percents(few), *goal_of, _percents(many))


def _percents(shares: Shares) -> str:
    return ", ".join(f"{what} {_percent(share)}" for what, share in shares.items())


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _largest_difference() -> float:
    """Largest difference of interval ends between two_afc on subjects and the simulation."""
    largest = 0.0
    distributions: tuple[Literal["normal"], Literal["skewed"]] = ("normal", "skewed")
    for distribution in distributions:
        words = {f"word {i}": p for i, p in enumerate(np.linspace(0.3, 0.7, CHECKED))}
        subject = bl.observers.embedding(words, 0.05, distribution=distribution, seed=41)
        found = bl.two_afc(subject, list(words), subject.truth.cues).by_pair
        direct = per_pair(subject.truth.alpha_star, 0.0, "normal", JND, LEVEL)
        for name in ("corpus", "monte_carlo", "jnd_interval"):
            apart = np.abs(getattr(found, name) - getattr(direct, name)).max()
            largest = max(largest, float(apart))
    return largest
