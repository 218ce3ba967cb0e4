"""Differences of two groups' means where answers come in clusters, and their ratio."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from biaslab.stats.clustered_mean import ClusteredMean
from biaslab.stats.curves.sigmoids import Floats

Whole = NDArray[np.int64]


def difference_of_means(
    values: ArrayLike,
    is_second: ArrayLike,
    clusters: ArrayLike | None = None,
    crossed: Sequence[ArrayLike] = (),
    *,
    log: bool = False,
) -> ClusteredMean:
    """Mean of the second group less that of the first, or the difference of their logarithms.

    Its variance is that of the items' influence, by clusters: a cluster in which both groups
    occur compares them within itself.

    Parameters
    ----------
    values : array_like, shape (n,)
    is_second : array_like of bool, shape (n,)
    clusters : array_like, shape (n,), optional
        Cluster of each item; by default each is by itself.
    crossed : sequence of array_like, shape (n,) each
        Clusters of other kinds that items also share, such as wordings.
    log : bool
        Of the logarithms of the means, whose difference is that of a ratio.

    Returns
    -------
    ClusteredMean
        NaN where a group has no items, or a logarithm none.
    """
    y, second = np.asarray(values, dtype=float), np.asarray(is_second, dtype=bool)
    n, sizes = len(y), (int((~second).sum()), int(second.sum()))
    if min(sizes) == 0:
        return ClusteredMean(math.nan, math.nan, 1.0, 0.0)
    means = np.array([y[~second].mean(), y[second].mean()])
    if log and means.min() <= 0:
        return ClusteredMean(math.nan, math.nan, 1.0, 0.0)
    at = second.astype(int)
    influence = (y - means[at]) * np.where(second, 1, -1) * n / np.array(sizes)[at]
    if log:
        influence /= means[at]
    cluster = np.arange(n) if clusters is None else np.unique(clusters, return_inverse=True)[1]
    variance, df = clustered_variance(influence / n, at, cluster, crossed)
    one, two = np.log(means) if log else means
    return ClusteredMean(float(two - one), variance, df, float(len(np.unique(cluster))))


def clustered_variance(
    influence: Floats, group: Whole, clusters: ArrayLike, crossed: Sequence[ArrayLike] = ()
) -> tuple[float, float]:
    """Variance of a number by the influence of each item on it, and its degrees of freedom.

    Parameters
    ----------
    influence : ndarray, shape (n,)
        How much each item moves the number; the sum over each group is 0.
    group : ndarray of int, shape (n,)
        0 or 1. Clusters that lie in one group each are compared within it.
    clusters : array_like, shape (n,)
    crossed : sequence of array_like, shape (n,) each
        Clusters of other kinds. A kind adds its variance beyond that of single items (Cameron,
        Gelbach and Miller 2011), and never takes any away.

    Returns
    -------
    variance, df : float
        NaN and 1 where a group has a single cluster.
    """
    variance, df = _variance(influence, np.unique(clusters, return_inverse=True)[1].ravel(), group)
    unsure = variance**2 / df
    items = _variance(influence, np.arange(len(influence)), group)[0]
    for kind in crossed:
        own, free = _variance(influence, np.unique(kind, return_inverse=True)[1].ravel(), group)
        if own > items:
            variance += own - items
            unsure += own**2 / free
    return variance, max(variance**2 / unsure, 1.0) if unsure > 0 else 1.0


def _variance(influence: Floats, cluster: Whole, group: Whole) -> tuple[float, float]:
    """Variance of a sum of influences by clusters, and its degrees of freedom."""
    k = int(cluster.max()) + 1
    sums = np.bincount(cluster, influence)
    owner = np.full(k, -1)
    owner[cluster] = group
    is_nested = bool((owner[cluster] == group).all())
    variance, freedom = 0.0, 0.0
    for part in (owner == 0, owner == 1) if is_nested else (np.full(k, True),):
        size = int(part.sum())
        if size == 0:
            continue
        if size < 2:
            return math.nan, 1.0
        own = size / (size - 1) * float((sums[part] ** 2).sum())
        variance += own
        freedom += own**2 / (size - 1)
    return variance, variance**2 / freedom if freedom > 0 else 1.0


def two_sided_p(mean: ClusteredMean) -> float:
    """p-value of Student's t that the mean is 0; NaN where nothing varies."""
    if not mean.variance > 0:
        return math.nan
    return float(2 * special.stdtr(mean.df, -abs(mean.estimate) / math.sqrt(mean.variance)))


def separated_p(is_second: ArrayLike, clusters: ArrayLike) -> float:
    """Two-sided p-value by permutation, where answers differ between groups and nowhere else.

    Clusters in which both groups occur swap them; others are dealt to the groups anew.

    Parameters
    ----------
    is_second : array_like of bool, shape (n,)
    clusters : array_like, shape (n,)

    Examples
    --------
    >>> separated_p([0, 0, 0, 1, 1, 1], range(6))
    0.1
    """
    second, cluster = np.asarray(is_second, dtype=bool), np.asarray(clusters)
    one, two = set(cluster[~second].tolist()), set(cluster[second].tolist())
    both = len(one & two)
    ways = 2**both if both else math.comb(len(one) + len(two), len(one))
    return min(2 / ways, 1.0)
