"""Classification into two classes: logistic regression, ROC curve, calibration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import special
from scipy.special import expit

Floats = NDArray[np.float64]
_STEPS: Final = 100
_SMALL: Final = 1e-10


@dataclass(frozen=True)
class Logistic:
    """Weights, shape (d,), and intercept."""

    weights: Floats
    intercept: float


def logistic_regression(
    points: Floats, labels: Floats, penalty: float = 1.0, *, penalise_intercept: bool = False
) -> Logistic:
    """Return weights that minimise the log loss plus an L2 penalty.

    Parameters
    ----------
    points : ndarray, shape (n, d)
    labels : ndarray, shape (n,)
        0 or 1, both present.
    penalty : float
        Above 0: the minimum then exists and is unique, also for separable points.
    penalise_intercept : bool
        Whether the intercept counts as a weight in the penalty.

    Returns
    -------
    Logistic
    """
    n, d = points.shape
    design = np.hstack([points, np.ones((n, 1))])
    ridge = np.full(d + 1, penalty)
    ridge[d] = penalty if penalise_intercept else 0.0
    at = np.zeros(d + 1)
    loss = _loss(design, labels, ridge, at)
    for _ in range(_STEPS):
        p = expit(design @ at)
        slope = design.T @ (p - labels) + ridge * at
        curve = (design * (p * (1 - p))[:, None]).T @ design + np.diag(ridge)
        # Sure points have next to no curvature, and a free intercept has no penalty to add some.
        curve[d, d] += _SMALL
        step = np.linalg.solve(curve, slope)
        size = 1.0
        # An increase of the loss by rounding does not stop the last steps.
        most = loss + _SMALL * abs(loss)
        while (lower := _loss(design, labels, ridge, at - size * step)) > most and size > _SMALL:
            size /= 2
        at = at - size * step
        if np.abs(size * step).max() < _SMALL * max(1.0, float(np.abs(at).max())):
            break
        loss = lower
    return Logistic(at[:d], float(at[d]))


def probabilities(fitted: Logistic, points: Floats) -> Floats:
    """Return the probability of label 1, shape (n,)."""
    return np.asarray(expit(points @ fitted.weights + fitted.intercept))


def _loss(design: Floats, labels: Floats, ridge: Floats, at: Floats) -> float:
    score = design @ at
    return float((np.logaddexp(0, score) - labels * score).sum() + (ridge * at**2).sum() / 2)


@dataclass(frozen=True)
class Auc:
    """An area under the ROC curve.

    Attributes
    ----------
    value : float
        Probability that a positive scores above a negative (ties count half), 0 to 1.
    low, high : float
        Interval of `level`: normal, on the scale of the logit, with DeLong's variance; it covers
        which texts were drawn and not how training varies. NaN where the value is 0 or 1.
    level : float
        Coverage.
    n : int
        Number of scores.
    """

    value: float
    low: float
    high: float
    level: float
    n: int


@dataclass(frozen=True)
class CalibrationBin:
    """Cases of similar probability: the mean probability, and how often it came true.

    Attributes
    ----------
    probability, share : float
        Mean predicted probability, and share of positives.
    low, high : float
        95 % interval of the share (Wilson).
    n : int
        Cases.
    """

    probability: float
    share: float
    low: float
    high: float
    n: int


def auc(positive: NDArray[np.bool_], scores: NDArray[np.floating], level: float = 0.95) -> Auc:
    """Compute the area under the ROC curve of one set of scores.

    Parameters
    ----------
    positive : ndarray of bool, shape (n,)
        Which cases are positive; both kinds must occur at least twice.
    scores : ndarray, shape (n,)
        Higher is more positive.
    level : float
        Coverage of the interval.

    References
    ----------
    DeLong, DeLong and Clarke-Pearson (1988), Biometrics 44, 837-845.
    """
    value, variance = _delong(positive, scores)
    return _with_interval(value, variance, level, len(scores))


def cross_validated_auc(
    positive: NDArray[np.bool_],
    scores: NDArray[np.floating],
    folds: NDArray[np.integer],
    level: float = 0.95,
) -> Auc:
    """Average the folds' areas: scores of different folds come from different models.

    Parameters
    ----------
    positive, scores, folds : ndarray, shape (n,)
        Each case with the score of the model that did not see it, and its fold.
    level : float
        Coverage of the interval.

    References
    ----------
    LeDell, Petersen and van der Laan (2015), Electronic Journal of Statistics 9, 1583-1607: the
    variance is that of the folds' areas, each within its fold.
    """
    parts = [_delong(positive[folds == k], scores[folds == k]) for k in np.unique(folds)]
    value = float(np.mean([part[0] for part in parts]))
    variance = float(np.sum([part[1] for part in parts])) / len(parts) ** 2
    return _with_interval(value, variance, level, len(scores))


def calibration(
    positive: NDArray[np.bool_], probabilities: NDArray[np.floating], bins: int = 10
) -> list[CalibrationBin]:
    """Compute a calibration curve over bins with equally many cases.

    Parameters
    ----------
    positive : ndarray of bool, shape (n,)
        Observed outcomes.
    probabilities : ndarray, shape (n,)
        Predicted probabilities.
    bins : int
        Number of bins; fewer if there are fewer cases.
    """
    order = np.argsort(probabilities, kind="stable")
    out = []
    for rows in np.array_split(order, min(bins, len(order))):
        n, share = len(rows), float(positive[rows].mean())
        z = 1.959963984540054
        middle = (share + z * z / (2 * n)) / (1 + z * z / n)
        half = z * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n)
        out.append(
            CalibrationBin(
                float(probabilities[rows].mean()), share, float(middle - half),
                float(middle + half), n,
            )
        )  # fmt: skip
    return out


def expected_calibration_error(curve: Sequence[CalibrationBin]) -> float:
    """Return the mean distance between probability and share, weighted by cases."""
    gaps = [abs(each.probability - each.share) * each.n for each in curve]
    return float(sum(gaps) / sum(each.n for each in curve))


def _delong(positive: NDArray[np.bool_], scores: NDArray[np.floating]) -> tuple[float, float]:
    """Return the area and its variance."""
    high, low = scores[positive], scores[~positive]
    m, n = len(high), len(low)
    if m < 2 or n < 2:
        raise ValueError(f"An AUC needs at least two cases of each kind, not {m} and {n}.")
    within_high, within_low = _midranks(high), _midranks(low)
    ranks = _midranks(np.concatenate([high, low]))
    of_high = (ranks[:m] - within_high) / n
    of_low = 1 - (ranks[m:] - within_low) / m
    variance = of_high.var(ddof=1) / m + of_low.var(ddof=1) / n
    return float(of_high.mean()), float(variance)


def _midranks(values: NDArray[np.floating]) -> Floats:
    """Return ranks from 1; equal values share their mean rank."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    ranks: Floats = (ends - (counts - 1) / 2)[inverse]
    return ranks


def _with_interval(value: float, variance: float, level: float, n: int) -> Auc:
    if not 0 < value < 1:
        return Auc(value, float("nan"), float("nan"), level, n)
    half = special.ndtri(0.5 + level / 2) * np.sqrt(variance) / (value * (1 - value))
    low, high = special.expit(special.logit(value) + np.array([-half, half]))
    return Auc(value, float(low), float(high), level, n)
