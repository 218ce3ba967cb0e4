"""Coverage of WEAT's 95 % intervals over words.

Cosines are drawn from a known truth: a difference of means between the two target lists, words that
differ in their association, attribute words that differ in how they distinguish the groups, and
residuals of every cosine. Target words and attribute words are both drawn anew in each simulation,
1,000 per row, 1,000 draws each. The effect size has two truths with an interval each: that for
lists as long as these, and that for endless ones. In parentheses: intervals wholly above the truth,
and wholly below it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.findings import Figure, Findings, Goal, judged
from biaslab.probes.association.word_draws import weat_intervals, word_draws

NOTE = (
    "The residuals of cosines count once; but where words or attribute words do not differ, or few "
    "of them must show how they do, intervals are wider than they need be. Two words beside a long "
    "list are assumed to vary about as much: with twice its SD they are covered less."
)
Floats = NDArray[np.float64]
RUNS, DRAWS = 1000, 1000
GOAL = Goal("93.5% or more", lambda share: share >= 0.935)


@dataclass(frozen=True)
class Case:
    """Lengths of X, Y, A and B, and what is true of their words."""

    lengths: tuple[int, int, int, int]
    of_words: float = 0.1
    of_attributes: float = 0.1
    difference: float = 0.1
    residual: float = 0.1
    wider: float = 1.0
    skewed: bool = False

    @property
    def name(self) -> str:
        """Words for the report."""
        n_x, n_y, n_a, n_b = self.lengths
        words = f"{self.of_words:.2g}" + (f" in X, times {self.wider:g}" if self.wider != 1 else "")
        return (
            f"{n_x} + {n_y} words, {n_a} + {n_b} attributes; difference {self.difference}; SD of"
            f"{' exponential' if self.skewed else ''} words {words}, of attribute words"
            f" {self.of_attributes}, of residuals {self.residual}"
        )

    @property
    def effect_size(self) -> float:
        """Of lists as long as these, with ddof 1."""
        n_x, n_y, n_a, n_b = self.lengths
        size = self._standardised(self.residual**2 * (1 / n_a + 1 / n_b))
        return math.sqrt(1 - 1 / (n_x + n_y)) * size

    @property
    def endless(self) -> float:
        """Of endless lists in these proportions; NaN without a spread of words."""
        return self._standardised(0.0) if self.of_words else math.nan

    def _standardised(self, of_residuals: float) -> float:
        """Divide the difference by the SD of associations with this variance of residuals."""
        share = self.lengths[0] / (self.lengths[0] + self.lengths[1])
        within = self.of_words**2 * (share * self.wider**2 + 1 - share) + of_residuals
        return self.difference / math.sqrt(within + share * (1 - share) * self.difference**2)

    def cosines(self, rng: np.random.Generator) -> Floats:
        """Draw a table of cosines, shape (n_x + n_y, n_a + n_b)."""
        n_x, n_y, n_a, n_b = self.lengths
        group, column = np.repeat([0.5, -0.5], [n_x, n_y]), np.repeat([0.5, -0.5], [n_a, n_b])
        wider = np.repeat([self.wider, 1], [n_x, n_y])
        words = rng.standard_exponential(n_x + n_y) - 1
        if not self.skewed:
            words = rng.standard_normal(n_x + n_y)
        table = self.difference * np.outer(group, column)
        table += np.outer(self.of_words * wider * words, column)
        table += np.outer(group, rng.normal(0, self.of_attributes, n_a + n_b))
        return np.asarray(table + rng.normal(0, self.residual, table.shape))


HARD = (
    Case((8, 8, 2, 2)),
    Case((3, 3, 3, 3)),
    Case((2, 2, 2, 2)),
    Case((2, 12, 8, 8)),
    Case((8, 8, 2, 12)),
    Case((4, 12, 8, 8), wider=2),
    Case((8, 8, 8, 8), 0.024, 0.01, residual=0.01),
    Case((25, 25, 8, 8), 0.05, 0.05, difference=0.3, residual=0.05),
    Case((8, 8, 8, 8), difference=0.3, skewed=True),
    Case((25, 25, 25, 25), difference=0.3, skewed=True),
    Case((3, 3, 3, 3), difference=0.0),
    Case((8, 8, 8, 8), difference=0.0),
)
"""Short and unequal lists, an effect size near its ceiling, skewed words, no difference."""
CASES = (
    *(
        Case((n, n, n, n), of_words, of_attributes)
        for n in (5, 8, 25)
        for of_words, of_attributes in ((0.1, 0.0), (0.1, 0.1), (0.0, 0.1), (0.0, 0.0))
    ),
    *HARD,
)


def measure() -> Findings:
    """Simulate every case."""
    return Findings(tuple(_line(case) for case in CASES), (NOTE,))


def _line(case: Case) -> Figure:
    missed = coverage(case)
    shares = 1 - missed.sum(axis=1)
    words = [
        f"{100 * share:.1f} % ({100 * above:.1f}, {100 * below:.1f})"
        for share, (above, below) in zip(shares, missed, strict=True)
    ]
    text = f"{words[0]}; effect size {words[1]}"
    if not math.isnan(case.endless):
        text += f"; endless lists {words[2]}"
    return Figure(case.name, text, *judged(GOAL, *shares[:2].tolist()))


def coverage(case: Case, runs: int = RUNS) -> Floats:
    """Shares of intervals above and below the truth, shape (3, 2).

    Of the difference, the effect size for lists as long as these, and that for endless lists.
    """
    n_x, n_y, n_a, n_b = case.lengths
    rng = np.random.default_rng(case.lengths)
    missed = np.zeros((3, 2))
    for _ in range(runs):
        drawn = word_draws(case.cosines(rng)[None], (n_x, n_y), (n_a, n_b), 1, DRAWS, rng)
        drawn_intervals = weat_intervals(np.zeros(1), np.zeros(1), drawn, 0.95, rng)
        for row, ((over_words, *_), truth) in enumerate(
            zip(drawn_intervals, (case.difference, case.effect_size, case.endless), strict=True)
        ):
            missed[row] += [over_words.low > truth, over_words.high < truth]
    return missed / runs
