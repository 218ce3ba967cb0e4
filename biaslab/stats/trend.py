"""Trends over runs in an order: a slope over numbers, or ranks where there is only an order."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import special

Floats = NDArray[np.float64]


def own_variances(of_differences: Floats) -> Floats:
    """Return each estimate's variance, by least squares, from those of all differences.

    - `of_differences`: shape (k, k), symmetric, 0 on the diagonal; k is at least 3.
    - Returns shape (k,): exact where the estimates are independent.
    """
    k = len(of_differences)
    sums = of_differences.sum(axis=1)
    return np.asarray((sums - sums.sum() / (2 * (k - 1))) / (k - 2))


def slope(
    x: Floats, y: Floats, of_differences: Floats, level: float, *, paired: bool
) -> tuple[float, float]:
    r"""Fit a line to estimates of runs, and return its slope with the interval's half-width.

    Runs scatter around the line by the error of their estimates and because no two runs are alike.
    Both are in the residuals, whose variance has k - 2 degrees of freedom (Student's t). What runs
    have in common is not: if each word drifts at a rate of its own, the residuals are small
    whatever other words would do. That part of the measured variance is added.

    Parameters
    ----------
    x, y : ndarray, shape (k,)
        Positions, and estimates; k is 3 or more.
    of_differences : ndarray, shape (k, k)
        Variance of the difference of each two estimates.
    level : float
    paired : bool
        Whether runs share observations: then all weigh the same. Else a run weighs by the inverse
        of its own variance and that of the scatter (DerSimonian and Laird's estimate of it).

    References
    ----------
    Knapp and Hartung (2003), "Improved tests for a random effects meta-regression with a single
    covariate", Statistics in Medicine 22.
    """
    k = len(x)
    own, scatter = np.maximum(own_variances(of_differences), 0.0), 0.0
    for _ in range(1 if paired else 2):
        weights = np.ones(k) if paired else 1 / np.maximum(own + scatter, 1e-12 * np.ptp(y) ** 2)
        if not np.isfinite(weights).all():
            weights = np.ones(k)
        away = x - np.average(x, weights=weights)
        per_unit = 1 / float((weights * away**2).sum())
        contrast = weights * away * per_unit
        hat = weights / weights.sum() + np.outer(away, contrast)
        residual = np.eye(k) - hat
        form = residual.T * weights @ residual
        squares = float(y @ form @ y)
        measured = -float((form * of_differences).sum()) / 2
        scatter = max(0.0, (squares - measured) / float(np.trace(form)))
    in_common = -float(contrast @ of_differences @ contrast) / 2 - measured / (k - 2) * per_unit
    t, z = special.stdtrit(k - 2, (1 + level) / 2), special.ndtri((1 + level) / 2)
    variance = squares / (k - 2) * per_unit
    half = np.sqrt(t**2 * variance + z**2 * max(0.0, in_common))
    return float(contrast @ y), float(half)


def rank_trend(y: Floats) -> tuple[float, float]:
    """Return Kendall's tau of estimates with their order, and its exact two-sided p.

    All orders of the k estimates are equally likely without a trend (Mann 1945); p is at least
    2 / k!.
    """
    k = len(y)
    above = int(np.sign(y[None, :] - y[:, None])[np.triu_indices(k, 1)].sum())
    pairs = k * (k - 1) // 2
    orders = np.ones(1)
    for n in range(2, k + 1):  # orders of n estimates by their number of inversions
        orders = np.convolve(orders, np.ones(n))
    score = pairs - 2 * np.arange(pairs + 1)
    p = orders[np.abs(score) >= abs(above)].sum() / orders.sum()
    return above / pairs, min(float(p), 1.0)
