"""When placed questions are enough: a width, a decision against a margin, or a budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from biaslab.errors import PsychometricError
from biaslab.stats.levels import check_level
from biaslab.stats.quantiles import t_quantile

Stop = Literal["", "width", "margin", "budget"]


@dataclass(frozen=True)
class PlacementGoal:
    """When to stop.

    Attributes
    ----------
    width : float or None
        Of the interval of every gap, above 0.
    margin : (float, float) or None
        Finite ends, within which an interval may lie, or outside which.
    budget : int or None
        Questions at most.
    level : float
        Of the intervals, in (0, 1).

    Raises
    ------
    PsychometricError
        If one of them is out of range.
    """

    width: float | None
    margin: tuple[float, float] | None
    budget: int | None
    level: float

    def __post_init__(self) -> None:
        check_level(self.level)
        if self.width is not None and not 0 < self.width < np.inf:
            raise PsychometricError(f"width is {self.width}: give a finite width above 0")
        if self.margin is not None:
            if not np.isfinite(self.margin).all():
                raise PsychometricError(f"margin is {self.margin}: give two finite ends")
            if not self.margin[0] < self.margin[1]:
                raise PsychometricError(
                    f"margin is {self.margin}: give its low end, then its high end"
                )
        if self.budget is not None and self.budget < 1:
            raise PsychometricError(f"the budget is {self.budget} questions: allow at least 1")

    def stopped(self, asked: int, intervals: Sequence[tuple[float, float]]) -> Stop:
        """Return why no more questions are needed; empty while they are."""
        if asked:
            if self.width is not None and all(h - w <= self.width for w, h in intervals):
                return "width"
            if self.margin is not None and all(self._decides(*ends) for ends in intervals):
                return "margin"
        return "budget" if self.budget is not None and asked >= self.budget else ""

    def remaining(
        self, asked: int, own: tuple[float, float], intervals: Sequence[tuple[float, float]]
    ) -> float:
        """Estimate how many more questions reach the width, or a decision against the margin.

        Parameters
        ----------
        asked : int
        own : (float, float)
            The interval for just these cues and wordings, whose variance falls with trials.
        intervals : sequence of (float, float)
            Those that are to become narrow: what the variance of the widest has beyond that stays.
        """
        left = np.inf if self.budget is None else float(max(self.budget - asked, 0))
        if not asked or (self.width is None and self.margin is None):
            return left if np.isfinite(left) else np.nan
        if self.stopped(asked, intervals):
            return 0.0
        wide = max(intervals, key=_width)
        quantile = float(t_quantile(np.inf, (1 + self.level) / 2))
        wanted = [] if self.width is None else [self.width]
        if self.margin is not None:
            middle = (wide[0] + wide[1]) / 2
            wanted.append(2 * min(abs(middle - edge) for edge in self.margin))
        of_trials = ((own[1] - own[0]) / 2 / quantile) ** 2
        stays = max(((wide[1] - wide[0]) / 2 / quantile) ** 2 - of_trials, 0.0)
        room = (max(wanted) / 2 / quantile) ** 2 - stays
        if room <= 0 or not np.isfinite(of_trials):
            return np.inf
        return float(min(np.ceil(asked * max(of_trials / room - 1, 0.0)), left))

    def _decides(self, low: float, high: float) -> bool:
        """Whether an interval lies within the margin or outside it."""
        assert self.margin is not None  # noqa: S101 - only called where there is one
        below, above = self.margin
        return (below <= low and high <= above) or high < below or low > above


def _width(ends: tuple[float, float]) -> float:
    return ends[1] - ends[0]
