"""Means and covariances of switch points, for thousands of items at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_BLOCK = 2048
"""Items per block: with 32 replicates and 8 pairs 2 MB, which stays in the cache."""


@dataclass(frozen=True)
class PairMoments:
    """Moments of an item's switch points under K cue pairs; NaN if any is NaN.

    Attributes
    ----------
    means, variances : ndarray, shape (n, K)
        Of each pair.
    of_mean : ndarray, shape (n,)
        Variance of the weighted mean over pairs, from replicate to replicate.
    trace : ndarray, shape (n,)
        tr(S), with S the covariance of the pairs, each weighted: the mean variance within pairs.
    square : ndarray, shape (n,)
        tr(S²).
    """

    means: Floats
    variances: Floats
    of_mean: Floats
    trace: Floats
    square: Floats


def pair_moments(x: NDArray[np.floating], weights: Floats) -> PairMoments:
    """Return moments of switch points; sums of squares keep the precision of `x`.

    Parameters
    ----------
    x : ndarray, shape (B, n, K)
        Switch points. A single replicate has no covariance: it is set to zero.
    weights : ndarray, shape (K,)
        Weight of each pair; sums to 1.
    """
    b, n, k = x.shape
    means, variances = np.empty((n, k)), np.zeros((n, k))
    of_mean, trace, square = np.zeros(n), np.zeros(n), np.zeros(n)
    scale = weights.astype(x.dtype)
    for start in range(0, n, _BLOCK):
        at = slice(start, start + _BLOCK)
        # Items last: they are many, and every sum below runs over the other axes.
        y = x[:, at].transpose(2, 0, 1).copy()
        with np.errstate(invalid="ignore"):
            first = y[:, 0].astype(float)
            y -= y[:, :1].copy()
            mean = y.mean(axis=1)
            y -= mean[:, None]
        means[at] = (first + mean).T
        if b == 1:
            continue
        of_replicate = np.einsum("k,kbm->bm", scale, y)
        of_mean[at] = np.einsum("bm,bm->m", of_replicate, of_replicate)
        y *= np.sqrt(scale)[:, None, None]
        for i in range(k):
            covariance = np.einsum("bm,kbm->km", y[i], y[i:]).astype(float)
            variances[at, i] = covariance[0] / weights[i]
            trace[at] += covariance[0]
            # S is symmetric: its off-diagonal part counts twice.
            square[at] += 2 * (covariance**2).sum(axis=0) - covariance[0] ** 2
    nu = max(b - 1, 1)
    means[~np.isfinite(means)] = np.nan
    return PairMoments(means, variances / nu, of_mean / nu, trace / nu, square / nu**2)
