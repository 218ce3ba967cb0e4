"""Mean over clusters of unequal size, with an interval that holds for few of them.

A score over attributes with 100, 5 and 5 pairs rests on three attributes. Its variance is that of
the attributes' means (each corrected for its own weight in the mean, as in the variance estimator
CR2 of Bell and McCaffrey 2002), and its degrees of freedom are Satterthwaite's of that estimator:
few, where few clusters carry the weight.

With two or three clusters their means can agree by chance, and the variance would be near 0. The
items put a floor under it: clusters cannot vary less than their items make them vary. A share's
floor is p (1 - p) / n for each cluster of n items.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from biaslab.stats.levels import check_level
from biaslab.stats.sigmoids import Floats

Whole = NDArray[np.int64]
Counting: TypeAlias = Literal["clusters", "items"]

_ROUNDING = 1e-9
"""Share of a variance that counts as rounding: designs often make two variances equal."""


@dataclass(frozen=True)
class ClusteredMean:
    """A weighted mean over clusters.

    Attributes
    ----------
    estimate : float
        NaN without items.
    variance : float
        Of the estimate, had other clusters and items been drawn; NaN with fewer than two clusters.
    df : float
        Degrees of freedom of that variance, at least 1.
    clusters : float
        Number of clusters of equal weight that would count as much, not above the number of
        crossed clusters.
    """

    estimate: float
    variance: float
    df: float
    clusters: float

    def limits(self, level: float = 0.95) -> tuple[float, float]:
        """Ends of Student's interval; NaN where nothing varies.

        Parameters
        ----------
        level : float
            In (0, 1).
        """
        check_level(level)
        if not self.variance > 0:
            return math.nan, math.nan
        reach = self._t(level) * math.sqrt(self.variance)
        return self.estimate - reach, self.estimate + reach

    def share_limits(self, level: float = 0.95) -> tuple[float, float]:
        """Ends of Wilson's interval with the number of trials that the variance is worth.

        With Student's quantile in place of the normal one (Kott and Carr 1997). Where all items
        agree, each cluster counts as one trial.

        Parameters
        ----------
        level : float
            In (0, 1).
        """
        check_level(level)
        p = self.estimate
        if math.isnan(self.variance):
            return math.nan, math.nan
        if 0 < p < 1 and self.variance > 0:
            z, n = self._t(level), p * (1 - p) / self.variance
        else:
            z, n = float(special.ndtri((1 + level) / 2)), self.clusters
        middle = (p + z**2 / (2 * n)) / (1 + z**2 / n)
        half = z / (1 + z**2 / n) * math.sqrt(max(p * (1 - p), 0) / n + z**2 / (4 * n**2))
        # Exact at the ends, where rounding would leave 1e-17.
        return 0.0 if p <= 0 else middle - half, 1.0 if p >= 1 else middle + half

    def _t(self, level: float) -> float:
        return float(special.stdtrit(self.df, (1 + level) / 2))


def clustered_mean(
    values: ArrayLike,
    clusters: ArrayLike,
    *,
    weighting: Counting = "clusters",
    crossed: ArrayLike | None = None,
    strata: ArrayLike | None = None,
    share: bool = False,
) -> ClusteredMean:
    """Mean of the clusters' means, or of the items.

    Parameters
    ----------
    values : array_like, shape (n,)
        One number per item.
    clusters : array_like, shape (n,)
        To which cluster each item belongs: numbers or names.
    weighting : {"clusters", "items"}
        Whether each cluster counts alike, or each item.
    crossed : array_like, shape (n,), optional
        Clusters of another kind that items also share, such as the frames of sentences.
    strata : array_like, shape (n,), optional
        Parts of the design that are chosen and not drawn; each cluster lies in one. How far the
        means of the parts lie apart is no uncertainty. They are ignored where they leave no
        cluster to compare, or nothing that varies.
    share : bool
        Whether values are 0 and 1.

    Returns
    -------
    ClusteredMean

    Raises
    ------
    ValueError
        If the weighting is unknown.
    """
    if weighting not in get_args(Counting):
        raise ValueError(f"weighting is {weighting!r}; choose 'clusters' or 'items'.")
    y, row = np.asarray(values, dtype=float), _numbered(clusters)
    if not len(y):
        return ClusteredMean(math.nan, math.nan, 1.0, 0.0)
    sizes = np.bincount(row)
    k = len(sizes)
    weights = np.full(k, 1 / k) if weighting == "clusters" else sizes / len(y)
    means = np.bincount(row, y) / sizes
    # An exact sum is 1 where all means are 1, however many weights of 1 / k are added.
    estimate = math.fsum(weights * means) / math.fsum(weights)
    effective = 1 / math.fsum(weights**2)
    other = None if crossed is None else _numbered(crossed)
    if other is not None and 0 < other.max() < len(y) - 1:
        effective = min(effective, int(other.max()) + 1)
    if k < 2:
        return ClusteredMean(estimate, math.nan, 1.0, effective)
    of_cluster = np.zeros(k, dtype=np.int64)
    if strata is not None:
        of_cluster[row] = _numbered(strata)
    found = _variance(y, row, other, weights, of_cluster, share)
    # Rounding leaves 1e-33 where every part agrees.
    if strata is not None and not found[0] > (_ROUNDING * np.abs(y).max()) ** 2:
        found = _variance(y, row, other, weights, np.zeros(k, dtype=np.int64), share)
    return ClusteredMean(estimate, *found, effective)


def _variance(
    y: Floats, row: Whole, other: Whole | None, weights: Floats, strata: Whole, share: bool
) -> tuple[float, float]:
    """Variance of the weighted mean, and its degrees of freedom."""
    sizes = np.bincount(row)
    means = np.bincount(row, y) / sizes
    part = weights / np.bincount(strata, weights)[strata]
    centre = np.bincount(strata, part * means)[strata]
    squares = np.bincount(strata, part**2)[strata]
    # Share of a cluster's own variance that is left in its deviation from the weighted mean.
    left = 1 - 2 * part + squares
    corrected = np.divide(weights**2, left, out=np.zeros(len(left)), where=left > _ROUNDING)
    df = _satterthwaite(corrected, part, strata)
    if share:
        of_items = centre * (1 - centre)
    else:
        within = len(y) - len(sizes)
        spread = math.fsum((y - means[row]) ** 2) / within if within else 0.0
        of_items = np.full(len(sizes), spread)
    floor = math.fsum(weights**2 * of_items / sizes)
    if df <= 0:
        return math.nan, 1.0
    between = math.fsum(corrected * (means - centre) ** 2)
    # Where the floor is taken for a small variance by chance, that chance is allowed for: over the
    # chi-square distribution near 0 the root of the variance is df / (df + 1) of its limit.
    variance = max(between, (df / (df + 1)) ** 2 * floor)
    unsure = variance**2 / df
    if other is not None and 0 < (last := int(other.max())) < len(y) - 1:
        influence = (y - centre[row]) * (weights / sizes)[row]
        sums = np.bincount(other, influence)
        crossed = math.fsum(sums**2) * (last + 1) / last
        if crossed - floor > _ROUNDING * crossed:
            variance += crossed - floor
            unsure += crossed**2 / last
    return variance, max(variance**2 / unsure, 1.0) if unsure > 0 else 1.0


def _satterthwaite(corrected: Floats, part: Floats, strata: Whole) -> float:
    """Degrees of freedom of a sum of corrected squares of deviations, were clusters alike.

    Of the matrix D - v d' - d v' + S v v' of each stratum, where d (the diagonal of D) are the
    corrections, v the weights and S the sum of d: the square of its trace over the trace of its
    square.
    """
    trace = square = 0.0
    for stratum in np.unique(strata):
        d, v = corrected[strata == stratum], part[strata == stratum]
        s, vv, vd = d.sum(), v @ v, v @ d
        trace += float(s - 2 * vd + s * vv)
        square += float(
            (d @ d) * (1 + 2 * vv)
            + (s * vv) ** 2
            - 4 * (d**2 @ v)
            + 2 * s * (d @ v**2)
            + 2 * vd**2
            - 4 * s * vv * vd
        )
    return trace**2 / square if square > 0 else 0.0


def _numbered(labels: ArrayLike) -> Whole:
    """The labels as 0, 1, ... without gaps."""
    return np.asarray(np.unique(np.asarray(labels), return_inverse=True)[1].ravel(), dtype=np.int64)
