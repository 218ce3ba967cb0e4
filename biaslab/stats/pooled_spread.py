r"""Spread of a pooled curve: moments of its switch points, and its interval over other cue pairs.

The variance of pooled switch points is the mean variance within pairs plus the variance between
them. Pairs spread unequally, so the mean within other pairs is uncertain even where each pair's own
variance is known: intervals that take variances as equal cover 40 to 85 %. Variances are therefore
log-normal over pairs. The logarithm of their mean is :math:`\mu + \tau^2/2`, and its interval
combines those of the two terms (Zou, Taleban and Huo 2009, Computational Statistics & Data Analysis
53:3755). The noise of each variance, a chi-square over replicates that pairs share, is taken off
:math:`\tau^2`. A few pairs cannot bound :math:`\tau` from above, and need not: it is at most 2, so
that most pairs' standard deviations lie within a factor of seven of the median (in the bundled
ensemble :math:`\tau` is 1.1). The two variances combine in the same way (Graybill and Wang 1980,
Journal of the American Statistical Association 75:869).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import special

from biaslab.stats.crossed.effects import Part, satterthwaite
from biaslab.stats.quantiles import chi2_quantile, t_quantile
from biaslab.threads.cores import spread_portions

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

    - `x`, ndarray, shape (B, n, K): switch points. A single replicate has no covariance: it is set
      to zero.
    - `weights`, ndarray, shape (K,): weight of each pair; sums to 1.
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


PairParts = Callable[[Floats], tuple[list[Part], list[Part]]]
"""From a value per pair (n, K): the variance of their mean, and that of a new pair."""
_LEAST: Final = 1e-12
"""Share of the mean variance that a pair without any spread counts as having."""
_MOST_VARIED: Final = 2.0
"""Largest tau."""


def spread_ratio(
    moments: PairMoments,
    replicates: int,
    weights: Floats,
    between: Sequence[Part],
    pair_parts: PairParts,
    level: float,
) -> Floats:
    """Return the interval's ends in units of the pooled SD, shape (n, 2).

    - `moments`: of n items and K pairs.
    - `replicates`: B, two or more.
    - `weights`: ndarray, shape (K,).
    - `between`, sequence of (ndarray of shape (n,), degrees of freedom): parts of the variance
      between pairs.
    """
    within = moments.trace
    low, high = _within(moments, replicates, weights, pair_parts, level)
    of_pairs, pairs_low, pairs_high = _interval(between, level)
    # What varies within pairs also moves their means apart.
    effective = 1 / np.sum(weights**2)
    twice = (within - moments.of_mean) * effective / (effective - 1) / replicates
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(within > 0, np.clip(1 - twice / within, 0, 1), 1.0)
        centre = share * within + of_pairs
        lower = centre - np.hypot(share * (within - low), of_pairs - pairs_low)
        upper = centre + np.hypot(share * (high - within), pairs_high - of_pairs)
        ratio = np.stack([lower, upper], axis=-1) / (within + of_pairs)[:, None]
    return np.sqrt(np.maximum(ratio, 0))


def _within(
    moments: PairMoments, replicates: int, weights: Floats, pair_parts: PairParts, level: float
) -> tuple[Floats, Floats]:
    """Return the interval of the mean variance within pairs like these."""
    mean = moments.trace
    logs = np.maximum(moments.variances, _LEAST * mean[:, None])
    logs[~(np.isfinite(mean) & (mean > 0))] = 1
    np.log(logs, out=logs)
    noise = float(special.polygamma(1, (replicates - 1) / 2))
    shared = _shared(moments, replicates, weights)
    own = noise * (1 - shared)
    of_mean, of_pair = pair_parts(logs)
    # Noise of known size adds to the variance over pairs; the rest is estimated.
    varied, low, high = (np.clip(v - own, 0, _MOST_VARIED**2) for v in _interval(of_pair, level))
    seen = np.sum([variance for variance, _ in of_pair], axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        per_mean = np.where(
            seen > 0, np.sum([v for v, _ in of_mean], axis=0) / seen, weights @ weights
        )
        estimated = per_mean * varied
        total, most = (per_mean * (v + own) + noise * shared for v in (varied, _MOST_VARIED**2))
        df = np.where(estimated > 0, _df(of_mean) * (total / estimated) ** 2, np.inf)
    upper = (1 + level) / 2
    reach = np.minimum(
        t_quantile(np.minimum(df, 1e9), upper) ** 2 * total, special.ndtri(upper) ** 2 * most
    )
    down = np.sqrt(reach + ((varied - low) / 2) ** 2)
    up = np.sqrt(reach + ((high - varied) / 2) ** 2)
    return mean * np.exp(-down), mean * np.exp(up)


def _shared(moments: PairMoments, replicates: int, weights: Floats) -> Floats:
    """Return the mean squared correlation of two pairs over replicates, less its bias."""
    own = np.einsum("nk,k->n", moments.variances**2, weights**2)
    nu = replicates - 1
    with np.errstate(divide="ignore", invalid="ignore"):
        squared = (moments.square - own) / (moments.trace**2 - own)
        unbiased = (squared - 1 / nu) / (1 - 1 / nu) if nu > 1 else squared
    return np.asarray(np.clip(np.nan_to_num(unbiased), 0, 1))


def _interval(parts: Sequence[Part], level: float) -> tuple[Floats, Floats, Floats]:
    """Return a sum of variances with its chi-square interval."""
    total = np.sum([variance for variance, _ in parts], axis=0)
    df = _df(parts)
    ends = [df / chi2_quantile(df, p) for p in ((1 + level) / 2, (1 - level) / 2)]
    low, high = (np.where(total > 0, total * end, 0.0) for end in ends)
    return total, low, high


def _df(parts: Sequence[Part]) -> Floats:
    """Return degrees of freedom of a sum of variances; 1 without variance."""
    total = np.sum([variance for variance, _ in parts], axis=0)
    return np.where(total > 0, satterthwaite(parts), 1.0)
