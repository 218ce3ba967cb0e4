"""To which group words lean, one by one or all of them taken together."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from biaslab.probes.psychometrics.result import TwoAFCResult
from biaslab.stats.multiple import holm

Adjust = Literal["none", "holm"]


class LeanCounts(NamedTuple):
    """How many words lean to group 1, to group 2, have no clear lean, have no interval."""

    group_1: int
    group_2: int
    undecided: int
    unknown: int

    @property
    def total(self) -> int:
        """All words."""
        return sum(self)


def leans(asked: TwoAFCResult, adjust: Adjust = "none") -> NDArray[np.int8]:
    """1: leans to group 1; -1: to group 2; 0: no clear lean; shape (n,).

    With ``holm`` a word leans only if its p-value holds among those of all words: at level 0.95 the
    chance that any of the leans is none is then at most 5 %.
    """
    found = asked.pooled
    if adjust == "none":
        return np.asarray(found.lean)
    if adjust != "holm":
        raise ValueError(f"adjust is {adjust!r}; choose 'none' or 'holm'.")
    told = np.nan_to_num(holm(found.p_value), nan=1.0) < 1 - asked.level
    return np.where(told, np.where(found.pse > 0.5, 1, -1), 0).astype(np.int8)


def lean_counts(asked: TwoAFCResult, adjust: Adjust = "none") -> LeanCounts:
    """Count a contrast's leans."""
    lean = leans(asked, adjust)
    told = np.isfinite(asked.pooled.corpus).all(axis=1)
    return LeanCounts(
        int((lean == 1).sum()),
        int((lean == -1).sum()),
        int((told & (lean == 0)).sum()),
        int((~told).sum()),
    )
