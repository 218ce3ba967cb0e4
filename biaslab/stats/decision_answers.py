"""Decisions to be fitted: counts of yes, no and neither at levels of a quality."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from biaslab.errors import PsychometricError
from biaslab.stats.sigmoids import Floats

Indices = NDArray[np.intp]
Flags = NDArray[np.bool_]

_COUNTS: Final = ("yes", "n", "undecided")
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

    def __post_init__(self) -> None:
        size = np.asarray(self.levels).shape
        for name in (field.name for field in fields(self)):
            value = getattr(self, name)
            if name == "probabilities" or value is None:
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
        return self.other_cue is not None or not (self.group > 0).any()

    @property
    def n_groups(self) -> int:
        """Number of groups: 1 in the which-of-two form."""
        return int(self.group.max(initial=0)) + 1

    def take(self, rows: Flags | Indices) -> DecisionAnswers:
        """Return some of the rows."""
        parts = {
            field.name: getattr(self, field.name)[rows]
            for field in fields(self)
            if field.name != "probabilities" and getattr(self, field.name) is not None
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
        _, first, place = np.unique(key, return_index=True, return_inverse=True)
        if len(first) == len(answers):
            return answers
        sums: dict[str, Any] = {
            name: np.bincount(place, getattr(answers, name), len(first)) for name in _COUNTS
        }
        return replace(answers.take(first), **sums)
