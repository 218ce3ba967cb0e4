"""Answers of decisions as counts, and what they say about a gap without a mixed model."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import special

from biaslab.errors import PsychometricError
from biaslab.stats.curves.sigmoids import Floats
from biaslab.stats.significance import check_level

Indices = NDArray[np.intp]
Flags = NDArray[np.bool_]

_COUNTS: Final = ("yes", "n", "undecided")
_OF_ALL: Final = ("probabilities", "groups")
_NUMBERS: Final = ("group", "cue", "other_cue", "wording", "detail")


@dataclass(frozen=True)
class DecisionAnswers:
    """Answers to R questions, or to groups of equal ones.

    Attributes
    ----------
    levels : ndarray, shape (R,)
        Level of the quality, signed so that yes becomes more frequent as it rises. In the
        which-of-two form: that of group 2's candidate less that of group 1's.
    yes, n : ndarray, shape (R,)
        Number of answers yes (group 2's candidate was chosen) and of answers yes or no; sums of
        probabilities where `probabilities` is set.
    undecided : ndarray, shape (R,)
        Number of times that the subject could not say.
    group : ndarray of int, shape (R,)
        From 0. All 0 in the which-of-two form, where the PSE is the gap itself.
    cue : ndarray of int, shape (R,)
        Number of the cue, over all groups: no two groups share one.
    wording : ndarray of int, shape (R,)
    order : ndarray, shape (R,)
        1/2 where yes, or group 2's candidate, is listed first, and -1/2 where it is second.
    detail : ndarray of int, shape (R,), optional
    other_cue : ndarray of int, shape (R,), optional
        Which-of-two form: the cue of group 1's candidate.
    probabilities : bool
        Whether a row holds probabilities that the subject gave, free of sampling noise.
    groups : int
        Number of groups that were asked about; one about which no question was answered has no row.

    Raises
    ------
    PsychometricError
        If shapes or counts contradict each other.
    """

    levels: Floats
    yes: Floats
    n: Floats
    undecided: Floats
    group: Indices
    cue: Indices
    wording: Indices
    order: Floats
    detail: Indices | None = None
    other_cue: Indices | None = None
    probabilities: bool = False
    groups: int = 1

    def __post_init__(self) -> None:
        size = np.asarray(self.levels).shape
        for name in (field.name for field in fields(self)):
            value = getattr(self, name)
            if name in _OF_ALL or value is None:
                continue
            kind = np.intp if name in _NUMBERS else np.float64
            array = np.asarray(value)
            if array.shape != size or array.ndim != 1:
                raise PsychometricError(
                    f"{name} has the shape {array.shape} and levels {size}: give one per question"
                )
            array = array.astype(kind)
            if name in _NUMBERS and array.size and array.min() < 0:
                raise PsychometricError(f"{name} holds a number below 0: number them from 0")
            if not np.isfinite(array).all():
                raise PsychometricError(f"{name} holds a value that is not finite: leave it out")
            object.__setattr__(self, name, array)
        if not ((self.yes >= 0) & (self.yes <= self.n * (1 + 1e-9)) & (self.undecided >= 0)).all():
            raise PsychometricError(
                "counts of answers must be 0 or more, with no more yes than answers"
            )
        if not (np.abs(self.order) == 0.5).all():
            raise PsychometricError("order must be 0.5 where yes is listed first, -0.5 otherwise")

    def __len__(self) -> int:
        return len(self.levels)

    @property
    def is_which_of_two(self) -> bool:
        """Whether the PSE is the gap: a single group of comparisons."""
        return self.other_cue is not None or self.n_groups == 1

    @property
    def n_groups(self) -> int:
        """Number of groups: 1 in the which-of-two form."""
        return max(self.groups, int(self.group.max(initial=0)) + 1)

    def take(self, rows: Flags | Indices) -> DecisionAnswers:
        """Return some of the rows."""
        parts = {
            field.name: getattr(self, field.name)[rows]
            for field in fields(self)
            if field.name not in _OF_ALL and getattr(self, field.name) is not None
        }
        return replace(self, **parts)

    def pooled(self) -> DecisionAnswers:
        """Return a row for each question that was put, with the counts of equal rows added up."""
        some = self.n + self.undecided > 0
        answers = self if some.all() else self.take(some)
        _, key = np.unique(answers.levels, return_inverse=True)
        key = 2 * key.astype(np.int64) + (answers.order > 0)
        for name in _NUMBERS:
            numbers = getattr(answers, name)
            if numbers is not None:
                key = key * (int(numbers.max(initial=0)) + 1) + numbers
        _, first, inverse = np.unique(key, return_index=True, return_inverse=True)
        if len(first) == len(answers):
            return answers
        sums: dict[str, Any] = {
            name: np.bincount(inverse, getattr(answers, name), len(first)) for name in _COUNTS
        }
        return replace(answers.take(first), **sums)


FEWEST: Final = 8
"""Answers below which nothing is fitted."""
Side = Literal["", "below", "above"]
"""Where the PSE lies if it is outside the levels: below them (always yes), or above (never)."""


def one_sided(answers: DecisionAnswers) -> tuple[Side, ...]:
    """Return for each group whether all of its answers are alike, and where its PSE then lies."""
    sides: list[Side] = []
    for group in range(answers.n_groups):
        rows = answers.group == group
        yes, n = float(answers.yes[rows].sum()), float(answers.n[rows].sum())
        # A probability that is all but 1 everywhere is an answer that does not vary.
        slack = 1e-6 * n
        if n > 0 and yes >= n - slack:
            sides.append("below")
        elif n > 0 and yes <= slack:
            sides.append("above")
        else:
            sides.append("")
    return tuple(sides)


def sign_bound(answers: DecisionAnswers, group: int, side: Side, level: float) -> float:
    """Bound the PSE of a group that answers alike at every level.

    A PSE at or above a level makes yes at that level, and below it, at most as likely as no. So
    after k answers yes at the levels up to x, with 1 / 2^k below 1 - `level`, the PSE lies below
    x: a sign test, which needs no curve.

    Parameters
    ----------
    answers : DecisionAnswers
    group : int
    side : str
        ``below`` the levels or ``above`` them.
    level : float
        Of the one-sided bound, in (0, 1).

    Returns
    -------
    float
        The bound: an upper one for ``below``, a lower one for ``above``; infinite with too few
        answers, or those of probabilities, which are no sample.
    """
    sign = 1.0 if side == "below" else -1.0
    rows = answers.group == group
    needed = math.log(1 - level) / math.log(0.5)
    if side == "" or answers.probabilities:
        return math.inf * sign
    order = np.argsort(sign * answers.levels[rows], kind="stable")
    reached = np.cumsum(answers.n[rows][order]) >= needed - 1e-9
    if not reached.any():
        return math.inf * sign
    return float(answers.levels[rows][order][int(np.argmax(reached))])


def missing(answers: DecisionAnswers, sides: Sequence[Side], two_sided: Sequence[int]) -> str:
    """Return why some estimate is missing; empty if none is."""
    if answers.n.sum() < FEWEST:
        return (
            f"{answers.n.sum():g} answers yes or no are too few to fit: put at least {FEWEST}"
            " questions that are answered"
        )
    if len(np.unique(answers.levels)) < 2:
        return "all questions are at one level of the quality: ask at two or more"
    words = {"below": "yes at every level", "above": "no at every level"}
    alike = [
        f"group {group + 1} has {words[side]}, so its point of equality lies {side} the levels"
        for group, side in enumerate(sides)
        if side
    ]
    none = [
        f"no question about group {group + 1} was answered"
        for group, side in enumerate(sides)
        if not side and group not in two_sided
    ]
    return "; ".join([*alike, *none])


_STEPS = 50


@dataclass(frozen=True)
class NaiveGap:
    """A gap with Wald's interval; NaN where the regression has no maximum.

    Attributes
    ----------
    gap, low, high : float
        In units of the levels.
    """

    gap: float
    low: float
    high: float


def naive_gap(
    answers: DecisionAnswers,
    *,
    level: float = 0.95,
    undecided_as_no: bool = False,
    refused: Floats | None = None,
    a: int = 0,
    b: int = 1,
) -> NaiveGap:
    """Estimate the gap by a logistic regression for each group, all answers pooled.

    It ignores cues, wordings, order and lapses: a comparison for `fit_decisions`, and no estimate
    to rely on.

    Parameters
    ----------
    answers : DecisionAnswers
    level : float
        Of the interval.
    undecided_as_no : bool
        Whether "cannot say" counts as no; by default it is left out.
    refused : ndarray, shape (R,), optional
        Refused or unreadable answers of each row, to be counted as no.
    a, b : int
        Groups: the PSE of `b` less that of `a`; that of group 0 in the which-of-two form.
    """
    check_level(level)
    n = answers.n + (answers.undecided if undecided_as_no else 0.0)
    n = n + (0.0 if refused is None else refused)
    groups = [0] if answers.is_which_of_two else [a, b]
    fits = [_even(answers.levels, answers.yes, n, answers.group == group) for group in groups]
    pse = fits[0][0] if len(fits) == 1 else fits[1][0] - fits[0][0]
    half = float(special.ndtri((1 + level) / 2)) * float(np.sqrt(sum(v for _, v in fits)))
    return NaiveGap(pse, pse - half, pse + half)


def _even(levels: Floats, yes: Floats, n: Floats, rows: np.ndarray) -> tuple[float, float]:
    """Return the level where a logistic regression is 1/2, and its variance."""
    rows = rows & (n > 0)
    if not rows.any() or np.ptp(levels[rows]) == 0:
        return np.nan, np.nan
    centre, unit = float(levels[rows].mean()), float(levels[rows].std())
    design = np.column_stack([np.ones(int(rows.sum())), (levels[rows] - centre) / unit])
    x = np.zeros(2)
    for _ in range(_STEPS):
        p = special.expit(design @ x)
        information = (design * (n[rows] * p * (1 - p))[:, None]).T @ design
        if np.linalg.cond(information) > 1e12:
            return np.nan, np.nan
        step = np.linalg.solve(information, design.T @ (yes[rows] - n[rows] * p))
        x = x + step * min(1.0, 2 / max(float(np.abs(step).max()), 1e-300))
        if float(np.abs(step).max()) < 1e-9:
            break
    else:
        return np.nan, np.nan
    at = -x[0] / x[1]
    gradient = np.array([-1 / x[1], x[0] / x[1] ** 2])
    variance = float(gradient @ np.linalg.solve(information, gradient))
    return centre + unit * float(at), unit**2 * variance
