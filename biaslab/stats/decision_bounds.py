"""Answers that fix no PSE: why there is none, and what they say about it without a curve."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, Literal

import numpy as np

from biaslab.stats.decision_answers import DecisionAnswers

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
