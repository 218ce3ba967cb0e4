"""Means and covariances of switch points, for thousands of items at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from biaslab.threads import spread_portions

Floats = NDArray[np.float64]

_CACHED: Final = 200_000
"""Switch points per block: with a copy, 1.6 MB in single precision, which stays in the cache."""
_PASSES: Final = 4
"""Times that a switch point goes through all sums."""
_THREADLESS: Final = 8000
"""Largest number of elements of a matrix that a product with a vector starts no threads for."""


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
    of_mean, square = np.zeros(n), np.zeros(n)
    scale, both = weights.astype(x.dtype), np.outer(weights, weights).reshape(-1, 1)
    block = min(n, max(1, min(_CACHED // b, _THREADLESS) // k))

    def add(starts: range) -> None:
        buffers = [np.empty((b, block, k), dtype=x.dtype) for _ in range(2)]
        for start in starts:
            part = x[:, start : start + block]
            m = part.shape[1]
            at = slice(start, start + m)
            y, twin = (buffer[:, :m] for buffer in buffers)
            with np.errstate(invalid="ignore"):
                np.subtract(part, part[0], out=y)
                mean = y.mean(axis=0)
                y -= mean
                means[at] = part[0].astype(float) + mean
                if b == 1:
                    continue
                of_replicate = y @ scale
                # Numpy multiplies an array with itself by a routine that is slow for small ones.
                np.copyto(twin, y)
                covariances = y.transpose(1, 2, 0) @ twin.transpose(1, 0, 2)
            of_mean[at] = np.einsum("bm,bm->m", of_replicate, of_replicate)
            variances[at] = np.einsum("mkk->mk", covariances)
            covariances *= covariances
            squares = covariances.reshape(m, 1, k * k).astype(float)
            # Item by item, which starts no threads either.
            square[at] = (squares @ both)[:, 0, 0]

    spread_portions(add, n, block, _PASSES * x.size)
    nu = max(b - 1, 1)
    variances /= nu
    trace = np.einsum("nk,k->n", variances, weights)
    means[~np.isfinite(means)] = np.nan
    return PairMoments(means, variances, of_mean / nu, trace, square / nu**2)
