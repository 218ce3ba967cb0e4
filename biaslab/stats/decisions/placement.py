"""Adaptive placement of decisions: which group, level and order to ask next.

The next question is the one
whose answer is expected to tell most about its group's PSE and the scale, the rates integrated out,
as in the psi-marginal method (`biaslab.stats.curves.adaptive`).

>>> placement = DecisionPlacement(2, np.linspace(0, 16, 33), width=2.0, budget=400)
>>> group, level, yes_first = placement.next_questions(8)
>>> placement.update(group, level, yes_first, yes=level > 6)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from biaslab.errors import PsychometricError
from biaslab.stats.curves.grid import CurveGrid
from biaslab.stats.curves.sigmoids import Floats, get_sigmoid
from biaslab.stats.decisions.posterior import (
    Criterion,
    DecisionGrid,
    DecisionPosterior,
    QuestionStates,
    branched,
    quantiles,
    question_states,
)
from biaslab.stats.quantiles import t_quantile
from biaslab.stats.significance import check_level

Stop = Literal["", "width", "margin", "budget"]


def look_level(level: float, information: float) -> float:
    """Return the level of an interval at one of many looks, which hold the truth all at once.

    The verdict may be read at each look: the chance that any look misses the truth is 1 - `level`.
    Critical values fall with the fourth root of the information, between those of Pocock and of
    O'Brien and Fleming (Wang and Tsiatis 1987); half the error is that of the last look. For 25
    looks at equal steps this is exact, with fewer looks too wide.

    Parameters
    ----------
    level : float
        Of all looks together, in (0, 1).
    information : float
        Variance at the last look over the present one, above 0; beyond 1 it counts as 1. Of
        independent answers it is the share of the budget that is used.

    Returns
    -------
    float
        Below 1.
    """
    last = float(t_quantile(np.inf, (3 + level) / 4))
    return float(special.erf(last / min(information, 1.0) ** 0.25 / np.sqrt(2)))


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

    def stopped(self, count: int, intervals: Sequence[tuple[float, float]]) -> Stop:
        """Return why no more questions are needed; empty while they are."""
        if count:
            if self.width is not None and all(h - w <= self.width for w, h in intervals):
                return "width"
            if self.margin is not None and all(self._decides(*ends) for ends in intervals):
                return "margin"
        return "budget" if self.budget is not None and count >= self.budget else ""

    def remaining(
        self, count: int, own: tuple[float, float], intervals: Sequence[tuple[float, float]]
    ) -> float:
        """Estimate how many more questions reach the width, or a decision against the margin.

        Parameters
        ----------
        count : int
        own : (float, float)
            The interval for just these cues and wordings, whose variance falls with trials.
        intervals : sequence of (float, float)
            Those that are to become narrow: what the variance of the widest has beyond that stays.
        """
        left = np.inf if self.budget is None else float(max(self.budget - count, 0))
        if not count or (self.width is None and self.margin is None):
            return left if np.isfinite(left) else np.nan
        if self.stopped(count, intervals):
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
        return float(min(np.ceil(count * max(of_trials / room - 1, 0.0)), left))

    def _decides(self, low: float, high: float) -> bool:
        """Whether an interval lies within the margin or outside it."""
        assert self.margin is not None  # noqa: S101 - only called where there is one
        below, above = self.margin
        return (below <= low and high <= above) or high < below or low > above


def _width(ends: tuple[float, float]) -> float:
    return ends[1] - ends[0]


_TINY: Final = 1e-300
_TIE: Final = 1e-9
_SAME_LEVEL: Final = 1e-9


class DecisionPlacement:
    """Questions chosen by what the answers so far say about the gap.

    Parameters
    ----------
    groups : int
        G; 1 in the which-of-two form, whose levels are differences.
    levels : array_like, shape (L,)
        Levels that may be asked, ascending, signed so that yes becomes more frequent.
    family : str
        A symmetrical one of `biaslab.stats.curves.sigmoids`.
    orders : bool
        Whether yes can be listed first or second; then a preference for a position is fitted.
    indecision : bool
        Whether "cannot say" is an answer between the two, with a range of its own.
    width : float, optional
        Stop when the interval of every gap to the first group is at most so wide.
    margin : (float, float), optional
        Stop when the interval lies within this margin, or outside it.
    budget : int, optional
        Stop after so many questions, unanswered ones included.
    level : float
        Of the intervals.
    criterion : str
        What answers shall tell about: ``marginal``: PSE and scale; ``pse``; ``joint``: PSE, scale
        and rates. ``variance``: narrow the PSE alone. This needs the fewest answers where
        questions are of two candidates, but slopes are then estimated too steep, and intervals of
        a fit are too narrow.
    grid : CurveGrid, optional
        A fixed grid of one curve in place of one that follows the posterior.

    Attributes
    ----------
    levels : ndarray, shape (L,)
    goal : PlacementGoal
    posterior : DecisionPosterior
    asked : int
        Questions so far.
    """

    def __init__(
        self,
        groups: int,
        levels: ArrayLike,
        *,
        family: str = "logistic",
        orders: bool = True,
        indecision: bool = False,
        width: float | None = None,
        margin: tuple[float, float] | None = None,
        budget: int | None = None,
        level: float = 0.95,
        criterion: Criterion = "marginal",
        grid: CurveGrid | None = None,
    ) -> None:
        self.goal = PlacementGoal(width, margin, budget, level)
        sigmoid = get_sigmoid(family)
        self.levels = np.asarray(levels, dtype=float)
        if sigmoid.log_axis or abs(sigmoid.median) > _SAME_LEVEL:
            raise PsychometricError(
                f"decisions need a symmetrical curve, not {family}: choose logistic or normal"
            )
        if self.levels.ndim != 1 or len(self.levels) < 2 or (np.diff(self.levels) <= 0).any():
            raise PsychometricError("placement needs two or more levels, in ascending order")
        if groups < 1:
            raise PsychometricError(f"{groups} groups: give 1 (which of two) or more")
        points = (
            DecisionGrid.over(sigmoid, groups, self.levels, orders=orders, indecision=indecision)
            if grid is None
            else DecisionGrid.of_curves(grid, groups)
        )
        self._orders = (True, False) if orders else (True,)
        self._criterion = criterion
        self.posterior = DecisionPosterior(points, self.levels, follows=grid is None)
        self._trials = np.zeros((groups, len(self.levels)))
        self._answered = np.zeros((groups, len(self.levels)))
        self._orders_used = np.zeros((groups, len(self._orders)))
        self.asked = 0

    @property
    def counts(self) -> Floats:
        """Answers so far by group, level, order (yes first, second) and answer: (G, L, 2, K)."""
        return self.posterior.counts

    @property
    def groups(self) -> int:
        """G."""
        return len(self.counts)

    def next_questions(self, count: int = 1) -> tuple[NDArray[np.intp], Floats, NDArray[np.bool_]]:
        """Choose a batch, whose questions are asked without knowing each other's answers.

        Each next question is the best on average over the answers to those before; within a batch,
        answers about one group say nothing about another. Of equally good ones the one with the
        fewest trials in its group, then the lowest level comes first.

        The level is the best one over both orders, which take turns: were each order asked at
        levels of its own, the shift of the curve by order could not be separated from the PSE.

        Returns
        -------
        group : ndarray of int, shape (count,)
        level : ndarray, shape (count,)
        yes_first : ndarray of bool, shape (count,)
        """
        states = [self._states(group) for group in range(self.groups)]
        branches = [(state.mass[None], np.ones(1)) for state in states]
        gains = [self._gain(g, states[g], *branches[g]) for g in range(self.groups)]
        chosen = np.empty((count, 3), dtype=np.intp)
        spent, orders = self._trials.sum(axis=1), self._orders_used.copy()
        for i in range(count):
            best = max(float(gain.max()) for gain in gains)
            able = [g for g in range(self.groups) if float(gains[g].max()) >= best - _TIE]
            group = min(able, key=lambda g: (spent[g], g))
            place = int(np.argmax(gains[group] >= best - _TIE))
            order = int(np.argmin(orders[group]))
            chosen[i] = group, place, order
            spent[group] += 1
            orders[group, order] += 1
            if i + 1 < count:
                share = states[group].share[:, :, order * len(self.levels) + place]
                branches[group] = branched(*branches[group], share)
                gains[group] = self._gain(group, states[group], *branches[group])
        first = np.array(self._orders)[chosen[:, 2]]
        return chosen[:, 0], self.levels[chosen[:, 1]], first

    def update(
        self,
        group: ArrayLike,
        level: ArrayLike,
        yes_first: ArrayLike,
        yes: ArrayLike,
        n: ArrayLike = 1,
        undecided: ArrayLike = 0,
        refused: ArrayLike = 0,
    ) -> None:
        """Take in answers.

        Parameters
        ----------
        group, level, yes_first : array_like, shape (A,)
            Questions; levels among those of the placement.
        yes, n : array_like, shape (A,)
            Number of answers yes, and of answers yes or no.
        undecided : array_like, shape (A,)
            Number of times that the subject could not say: an answer with `indecision`.
        refused : array_like, shape (A,)
            Questions without a readable answer. They count toward the budget and say nothing
            about the curve; a level that has some is chosen less readily.

        Raises
        ------
        PsychometricError
            If a level is not among the placement's, or counts contradict each other.
        """
        at = np.atleast_1d(np.asarray(level, dtype=float))
        places = np.clip(np.searchsorted(self.levels, at - _SAME_LEVEL), 0, len(self.levels) - 1)
        if not (np.abs(self.levels[places] - at) <= _SAME_LEVEL).all():
            raise PsychometricError("a level that was asked is not among the levels of placement")
        who, first = (
            np.broadcast_to(np.asarray(values), at.shape) for values in (group, yes_first)
        )
        hits, answers, none, lost = (
            np.broadcast_to(np.asarray(counts, dtype=float), at.shape)
            for counts in (yes, n, undecided, refused)
        )
        if not ((hits >= 0) & (hits <= answers) & (none >= 0) & (lost >= 0)).all():
            raise PsychometricError("counts must be 0 or more, with no more yes than answers")
        if not ((who >= 0) & (who < self.groups)).all():
            raise PsychometricError(f"groups are numbered from 0 to {self.groups - 1}")
        three = self.posterior.grid.answers > 2
        for i, place in enumerate(places):
            counts = [hits[i], answers[i] - hits[i]]
            counts += [none[i]] if three else []
            order = 0 if first[i] or len(self._orders) == 1 else 1
            self._trials[who[i], place] += answers[i] + none[i] + lost[i]
            self._orders_used[who[i], order] += answers[i] + none[i] + lost[i]
            self._answered[who[i], place] += answers[i] + (none[i] if three else 0)
            self.posterior.update(int(who[i]), int(place), order, np.array(counts))
        self.asked += int(np.sum(answers + none + lost))
        self.posterior.settle()

    def gap(self, a: int = 0, b: int = 1) -> float:
        """Return the median of the PSE of `b` less that of `a`; with one group its PSE."""
        return float(self.posterior.gap_quantiles(np.array([0.5]), a, b)[0])

    def gap_interval(self, a: int = 0, b: int = 1) -> tuple[float, float]:
        """Return the equal-tailed interval of the gap, for just these cues and wordings."""
        tails = np.array([(1 - self.goal.level) / 2, (1 + self.goal.level) / 2])
        low, high = self.posterior.gap_quantiles(tails, a, b)
        return float(low), float(high)

    def pse_interval(self, group: int) -> tuple[float, float]:
        """Return the equal-tailed interval of a group's PSE."""
        mass = self.posterior.mass(group).sum(axis=(1, 2))
        tails = np.array([(1 - self.goal.level) / 2, (1 + self.goal.level) / 2])
        low, high = quantiles(self.posterior.grid.pse[group], mass, tails)
        return float(low), float(high)

    def ridge(self) -> Floats:
        """Return where the next questions go: expected information by group and level.

        Returns
        -------
        ndarray, shape (G, L)
            The mean over orders; sums to 1 over all groups and levels. Even before any answer.
        """
        size = (self.groups, len(self.levels))
        if not self.asked:
            return np.full(size, 1 / (size[0] * size[1]))
        information = np.empty(size)
        for group in range(self.groups):
            states = self._states(group)
            gain = self._gain(group, states, states.mass[None], np.ones(1))
            information[group] = np.maximum(gain, 0)
        return information / max(float(information.sum()), _TINY)

    def stopped(self, interval: tuple[float, float] | None = None) -> Stop:
        """Return why no more questions are needed; empty while they are.

        Parameters
        ----------
        interval : (float, float), optional
            Of the gap, such as that of `fit_decisions` for other cues and wordings; by default the
            placement's own, of every group against the first.
        """
        intervals = [interval] if interval is not None else self._intervals()
        return self.goal.stopped(self.asked, intervals)

    def remaining(self, interval: tuple[float, float] | None = None) -> float:
        """Estimate how many more questions reach the width, or a decision against the margin.

        The variance that trials leave falls with their number; what an `interval` for other cues
        and wordings has beyond it stays.

        Returns
        -------
        float
            At most what is left of the budget; infinite where more trials of these cues and
            wordings cannot reach it; NaN before the first answer, or without a width and margin.
        """
        every = self._intervals()
        own = max(every, key=lambda ends: ends[1] - ends[0])
        return self.goal.remaining(self.asked, own, every if interval is None else [interval])

    def _intervals(self) -> list[tuple[float, float]]:
        return [self.gap_interval(0, b) for b in range(1, self.groups)] or [self.gap_interval()]

    def _states(self, group: int) -> QuestionStates:
        return question_states(self.posterior, group, self._orders, self._criterion)

    def _gain(self, group: int, states: QuestionStates, mass: Floats, weight: Floats) -> Floats:
        """Return the gain at each level over both orders, times the chance of an answer, (L,)."""
        trials, answered = self._trials[group], self._answered[group]
        chance = np.where(trials > answered, (answered + 1) / (trials + 2), 1.0)
        gain = states.gain(mass, weight).reshape(len(self._orders), -1).mean(axis=0)
        return np.asarray(gain * chance)
