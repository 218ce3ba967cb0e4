"""The gap by plain logistic regression: what is done where nothing else is kept apart."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import special

from biaslab.stats.decision_answers import DecisionAnswers
from biaslab.stats.levels import check_level
from biaslab.stats.sigmoids import Floats

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
    found = [_even(answers.levels, answers.yes, n, answers.group == group) for group in groups]
    pse = found[0][0] if len(found) == 1 else found[1][0] - found[0][0]
    half = float(special.ndtri((1 + level) / 2)) * float(np.sqrt(sum(v for _, v in found)))
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
