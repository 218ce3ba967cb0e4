"""To which group words lean, one by one or all of them taken together."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from biaslab.probes.psychometrics.result import TwoAFCResult
from biaslab.stats.significance import holm

Adjust = Literal["none", "holm"]


class LeanCounts(NamedTuple):
    """Numbers of words by lean: group 1, group 2, no clear lean, no interval."""

    group_1: int
    group_2: int
    undecided: int
    unknown: int

    @property
    def total(self) -> int:
        """All words."""
        return sum(self)


def leans(result: TwoAFCResult, adjust: Adjust = "none") -> NDArray[np.int8]:
    """Return each word's lean, (n,): 1 to group 1, -1 to group 2, 0 no clear lean.

    With ``holm`` a word leans only if it remains significant among all words: at level 0.95 the
    chance that any of the leans is none is then at most 5 %.
    """
    estimates = result.pooled
    if adjust == "none":
        return np.asarray(estimates.lean)
    if adjust != "holm":
        raise ValueError(f"adjust is {adjust!r}; choose 'none' or 'holm'.")
    significant = np.nan_to_num(holm(estimates.p_value), nan=1.0) < 1 - result.level
    return np.where(significant, np.where(estimates.pse > 0.5, 1, -1), 0).astype(np.int8)


def lean_counts(result: TwoAFCResult, adjust: Adjust = "none") -> LeanCounts:
    """Count a contrast's leans."""
    lean = leans(result, adjust)
    estimated = np.isfinite(result.pooled.corpus).all(axis=1)
    return LeanCounts(
        int((lean == 1).sum()),
        int((lean == -1).sum()),
        int((estimated & (lean == 0)).sum()),
        int((~estimated).sum()),
    )
