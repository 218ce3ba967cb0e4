"""Coverage of the occupations view's nominal 95 % intervals.

Simulated words with known truth. Crossed cues: a word's PSE differs by cue of list 1 and of list 2
(SD 0.05 each), by their combination (0.03), and with 32 corpora also from corpus to corpus (0.03),
with cues in it (0.01 each) and with combinations (0.02). Its pooled interval is held against the
PSE over all such cues under a fresh corpus. The reference takes the combinations as independent
pairs, which they are not: they share cues. Correlations: tables of n words from four distributions,
the interval held against the correlation of 400,000 such words. The reference is the textbook's
interval (Fisher's z; for Spearman Bonett and Wright's).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from benchmarks.findings import Figure, Findings, Goal, coverage, judged
from biaslab.probes.psychometrics.curves import pooled
from biaslab.stats.correlation import Kind, correlate, ranks
from biaslab.stats.crossed.effects import Crossing, crossing_of

Floats = NDArray[np.float64]
Draw = Callable[[int, int, np.random.Generator], tuple[Floats, Floats]]
WORDS, TABLES, MANY = 3_000, 1_500, 400_000
SIZES = (15, 30, 60)
GOAL = Goal("PSE 93% to 98%", lambda share: 0.93 <= share <= 0.98)
KINDS: tuple[Kind, ...] = ("pearson", "spearman")


def measure() -> Findings:
    """Simulate crossings and tables."""
    shapes = ((8, 8, 0), (4, 4, 0), (8, 3, 0), (2, 8, 0), (8, 8, 4))
    crossed = [_crossing(*shape, b) for b in (1, 32) for shape in shapes]
    tables = [_tables(name, draw, kind) for name, draw in TABLES_OF.items() for kind in KINDS]
    return Findings(
        (*crossed, *tables),
        (
            "Two cues in a list say little about the spread of such cues: take four or more.",
            (
                "With heavy tails on both sides no interval of Pearson's r reaches its level at "
                "these sizes; Spearman stands beside it."
            ),
        ),
    )


def crossed_shares(
    n1: int, n2: int, missing: int, corpora: int, words: int = WORDS
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Shares of intervals of PSE and JND that hold the truth; then with pairs as independent."""
    rng = np.random.default_rng([n1, n2, missing, corpora])
    normal = rng.standard_normal
    on = float(corpora > 1)
    pse = rng.uniform(0.3, 0.7, words)
    table = pse[:, None, None] + 0.05 * normal((words, n1, 1)) + 0.05 * normal((words, 1, n2))
    table = table + 0.03 * normal((words, n1, n2))
    shared = 0.03 * on * normal((corpora + 1, words))
    inside = 0.01 * normal((corpora, words, n1, 1)) + 0.01 * normal((corpora, words, 1, n2))
    inside = on * (inside + 0.02 * normal((corpora, words, n1, n2)))
    keep = [i * n2 + j for i in range(n1) for j in range(n2) if not (i == j and i < missing)]
    balance = (table + shared[:corpora, :, None, None] + inside).reshape(corpora, words, -1)
    pairs = [(f"a{i // n2}", f"c{i % n2}") for i in keep]
    truth = pse + shared[-1]
    spread = float(np.sqrt(2 * 0.05**2 + 0.03**2 + on * (0.03**2 + 2 * 0.01**2 + 0.02**2)))

    def shares(crossing: Crossing | None) -> tuple[float, float]:
        weights = np.full(len(keep), 1 / len(keep))
        estimates = pooled(
            balance[:, :, keep], 0.0, "normal", "sd", 0.95, "resampled", weights, crossing
        )
        return coverage(estimates.corpus, truth), coverage(estimates.jnd_interval, spread)

    return shares(crossing_of(pairs)), shares(None)


def _crossing(n1: int, n2: int, missing: int, corpora: int) -> Figure:
    two_way, independent = crossed_shares(n1, n2, missing, corpora)
    lost = f", {missing} missing" if missing else ""
    corpus = "1 embedding" if corpora == 1 else f"{corpora} corpora"
    usual = min(n1, n2) > 2
    return Figure(
        f"{n1} x {n2} cues{lost}, {corpus}",
        f"PSE {two_way[0]:.1%}, JND {two_way[1]:.1%}",
        *judged(GOAL if usual else None, two_way[0]),
        f"as independent pairs PSE {independent[0]:.1%}, JND {independent[1]:.1%}",
    )


def _normal(sets: int, n: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    x = rng.standard_normal((sets, n))
    return x, -0.75 * x + np.sqrt(1 - 0.75**2) * rng.standard_normal((sets, n))


def _bounded(sets: int, n: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    x = 100 * rng.beta(0.6, 0.6, (sets, n))
    return x, 0.7 - 0.003 * x + 0.09 * rng.standard_normal((sets, n))


def _growing(sets: int, n: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    x = 100 * rng.beta(0.6, 0.6, (sets, n))
    spread = 0.02 + 0.002 * np.abs(x - 50)
    return x, 0.7 - 0.003 * x + spread * rng.standard_normal((sets, n))


def _heavy(sets: int, n: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    x = rng.lognormal(0, 0.8, (sets, n))
    return x, 0.5 * x + 0.5 * rng.lognormal(0, 0.8, (sets, n))


TABLES_OF: dict[str, Draw] = {
    "normal, rho = -0.75": _normal,
    "shares that pile up at 0 and 100": _bounded,
    "the same, spread growing to both ends": _growing,
    "heavy tails on both sides": _heavy,
}


def _tables(name: str, draw: Draw, kind: Kind) -> Figure:
    rng = np.random.default_rng([len(name), len(kind)])
    truth = true_correlation(*draw(1, MANY, rng), kind)
    held: dict[str, list[float]] = {"jackknife": [], "fisher": []}
    for n in SIZES:
        x, y = draw(TABLES, n, rng)
        for method, shares in held.items():
            ends = correlate(x, y, kind, method=method).interval  # type: ignore[arg-type]
            shares.append(coverage(ends, truth))
    return Figure(
        f"{kind.capitalize()}, {name}: n = 15, 30, 60",
        ", ".join(f"{s:.1%}" for s in held["jackknife"]),
        reference="textbook " + ", ".join(f"{s:.1%}" for s in held["fisher"]),
    )


def true_correlation(x: Floats, y: Floats, kind: Kind) -> float:
    """Correlation of one very large table."""
    a, b = (ranks(v[0]) if kind == "spearman" else v[0] for v in (x, y))
    return float(np.corrcoef(a, b)[0, 1])
