"""Effects of a model of decisions: random ones of cues and wordings, fixed ones of traits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from biaslab.errors import PsychometricError
from biaslab.stats.decision_answers import DecisionAnswers, Indices
from biaslab.stats.sigmoids import Floats


@dataclass(frozen=True)
class Factor:
    """A random effect.

    Attributes
    ----------
    name : str
        ``cue``, ``other_cue``, ``wording``, ``wording by group``, ``detail`` or ``group``.
    numbers : ndarray of int, shape (L,)
        What its levels are numbered in the answers.
    place : ndarray of int, shape (R,)
        Level of each row.
    """

    name: str
    numbers: Indices
    place: Indices

    @property
    def sd_name(self) -> str:
        """The SD that it has, which both candidates' cues share."""
        return "cue" if self.name == "other_cue" else self.name


def intercepts_of(groups: int, traits: Sequence[ArrayLike] | None) -> Floats:
    """Return how each group's intercept follows from coefficients, shape (G, K)."""
    if traits is None:
        return np.eye(groups)
    columns = [np.ones(groups)]
    for trait in traits:
        labels, place = np.unique(np.asarray(trait), return_inverse=True)
        if place.shape != (groups,):
            raise PsychometricError(
                f"a trait has {place.size} labels for {groups} groups: give one for each group"
            )
        columns += [(place == level).astype(float) for level in range(1, len(labels))]
    rows = np.column_stack(columns)
    if np.linalg.matrix_rank(rows) < rows.shape[1]:
        raise PsychometricError(
            "the traits of the groups do not vary independently: leave one trait out"
        )
    return rows


def factors_of(answers: DecisionAnswers, *, pooled: bool) -> list[Factor]:
    """Return the random effects that the answers can show."""
    groups = len(np.unique(answers.group))
    found = []
    for name, numbers, fewest in (
        ("cue", answers.cue, groups + 1),
        ("other_cue", answers.other_cue, 2),
        ("wording", answers.wording, 2),
        ("detail", answers.detail, 2),
        ("group", answers.group if pooled else None, 3),
    ):
        if numbers is None:
            continue
        unique, place = np.unique(numbers, return_inverse=True)
        if len(unique) >= fewest:
            found.append(Factor(name, unique, place))
    if groups > 1 and any(factor.name == "wording" for factor in found):
        cell = answers.wording * answers.n_groups + answers.group
        unique, place = np.unique(cell, return_inverse=True)
        found.append(Factor("wording by group", unique, place))
    return found
