"""Coverage of WEAT's 95 % intervals over words.

Cosines are drawn from a known truth: a difference of means of 0.1 between the two target lists,
words that differ in their association (SD 0.1 or 0), attribute words that differ in how they tell
the groups apart (SD 0.1 or 0), and residuals of every cosine (SD 0.1). Target words and attribute
words are both drawn anew in each simulation, 1,000 per row, 1,000 resamples each. The truth of the
difference is 0.1; that of the effect size is its value for endless lists of target and attribute
words, which short attribute lists understate, as the residuals add to the spread they divide by.
"""

from __future__ import annotations

import math

import numpy as np

from benchmarks.findings import Figure, Findings
from biaslab.probes.association.resampling import resampled_weat

NOTE = (
    "Resampling words of both kinds counts the residuals of cosines more than once: where they are "
    "all there is, the interval is wide."
)
RUNS, RESAMPLES, TRUTH, RESIDUAL = 1000, 1000, 0.1, 0.1
LENGTHS = (5, 8, 25)
SPREADS = ((0.1, 0.0), (0.1, 0.1), (0.0, 0.1), (0.0, 0.0))


def measure() -> Findings:
    """Simulate every case."""
    figures = []
    for n in LENGTHS:
        for of_words, of_attributes in SPREADS:
            difference, size = coverage(n, of_words, of_attributes)
            told = f"{100 * difference:.1f} %"
            if not math.isnan(size):
                told += f"; effect size {100 * size:.1f} %"
            figures.append(
                Figure(
                    f"{n} + {n} words, {n} + {n} attributes; SD of words {of_words}, of attribute "
                    f"words {of_attributes}",
                    told,
                )
            )
    return Findings(tuple(figures), (NOTE,))


def coverage(n: int, of_words: float, of_attributes: float) -> tuple[float, float]:
    """Share of intervals that hold the difference, and the effect size (NaN without a spread)."""
    rng = np.random.default_rng(n)
    side = np.repeat([0.5, -0.5], n)
    spread = math.sqrt(of_words**2 + TRUTH**2 / 4)
    truth = (TRUTH, TRUTH / spread if of_words else math.nan)
    held = np.zeros(2)
    for _ in range(RUNS):
        cosines = TRUTH * np.outer(side, side)
        cosines += np.outer(rng.normal(0, of_words, 2 * n), side)
        cosines += np.outer(side, rng.normal(0, of_attributes, 2 * n))
        cosines += rng.normal(0, RESIDUAL, cosines.shape)
        drawn = resampled_weat(cosines[None], (n, n), (n, n), 1, RESAMPLES, rng)
        for k, values in enumerate((drawn.statistic[0], drawn.effect_size[0])):
            low, high = np.quantile(values[np.isfinite(values)], [0.025, 0.975])
            held[k] += low <= truth[k] <= high
    difference, size = (held / RUNS).tolist()
    return difference, size if of_words else math.nan
