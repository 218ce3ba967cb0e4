"""Differences of two groups' means where answers come in clusters, and their ratio."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from biaslab.stats.clustered_mean import ClusteredMean, clustered_mean
from biaslab.stats.curves.sigmoids import Floats


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
        As of `clustered_mean`.
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
    strata = at if _is_nested(at, cluster) else None
    mean = clustered_mean(influence, cluster, weighting="items", crossed=crossed, strata=strata)
    one, two = np.log(means) if log else means
    return replace(mean, estimate=float(two - one))


def two_sided_p(mean: ClusteredMean) -> float:
    """p-value of Student's t that the mean is 0; NaN where nothing varies."""
    if not mean.variance > 0:
        return math.nan
    return float(2 * special.stdtr(mean.df, -abs(mean.estimate) / math.sqrt(mean.variance)))


def _is_nested(group: Floats, cluster: Floats) -> bool:
    """Whether each cluster has items of one group only, and each group has two clusters."""
    pairs = np.unique(np.stack([cluster, group]), axis=1)
    return bool(
        pairs.shape[1] == len(np.unique(cluster)) and np.bincount(pairs[1], minlength=2).min() > 1
    )
