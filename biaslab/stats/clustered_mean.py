"""Mean over items in clusters: an interval for few clusters, and a bootstrap of crossed ones.

A score over attributes with 100, 5 and 5 pairs rests on three attributes. Its variance is that of
the attributes' means (each corrected for its own weight in the mean, as in the variance estimator
CR2 of Bell and McCaffrey 2002), and its degrees of freedom are Satterthwaite's of that estimator:
few, where few clusters carry the weight.

With two or three clusters their means can agree by chance, and the variance would be near 0. The
items put a floor under it: clusters cannot vary less than their items make them vary. A share's
floor is p (1 - p) / n for each cluster of n items.

The bootstrap is for crossed clusters. Items of one attribute are correlated, and so are items of
the same frame. Resampling attributes and frames at once, by products of weights, counts the
variance of single items three times (Owen 2007), and resampling items within resampled attributes
counts it twice. So each source is resampled separately and contributes only the variance beyond
that of single items. The parts add up to the variance by two-way clusters of Cameron, Gelbach and
Miller (2011).

Its totals are summed as whole numbers, whose sums are the same in any order and on any machine,
from the middle of the values' range, so that y and 1 - y have exactly opposite totals.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from biaslab.stats.curves.sigmoids import Floats
from biaslab.stats.quantiles import opposite_quantiles
from biaslab.stats.significance import check_level

Whole = NDArray[np.int64]
Counting: TypeAlias = Literal["clusters", "items"]

_ROUNDING = 1e-9
"""Share of a variance that counts as rounding: designs often make two variances equal."""
_NOTHING = 1e-14
"""Variance of values of up to 1 that is rounding: a mean of ones may be below 1 by 1e-16."""


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
    sides: ArrayLike | None = None,
    crossed: Sequence[ArrayLike] = (),
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
    sides : array_like, shape (n,), optional
        Parts of the design that count alike, however many clusters each has: clusters count alike
        within a side. Each cluster lies in one.
    crossed : sequence of array_like, shape (n,) each
        Clusters of other kinds that items also share, such as the frames of sentences. A kind
        that is nested in another one adds nothing to it and is left out by the caller.
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
    weights = _weights(row, sizes, weighting, sides)
    means = np.bincount(row, y) / sizes
    # An exact sum is 1 where all means are 1, however many weights of 1 / k are added.
    estimate = math.fsum(weights * means) / math.fsum(weights)
    effective = 1 / math.fsum(weights**2)
    # One cluster, or as many as items, adds no information.
    others = [kind for kind in map(_numbered, crossed) if 0 < kind.max() < len(y) - 1]
    effective = min([effective, *(int(kind.max()) + 1 for kind in others)])
    if k < 2:
        return ClusteredMean(estimate, math.nan, 1.0, effective)
    of_cluster = np.zeros(k, dtype=np.int64)
    if strata is not None:
        of_cluster[row] = _numbered(strata)
    variance = _variance(y, row, others, weights, of_cluster, share)
    if strata is not None and not variance[0] > _NOTHING * np.abs(y).max() ** 2:
        variance = _variance(y, row, others, weights, np.zeros(k, dtype=np.int64), share)
    return ClusteredMean(estimate, *variance, effective)


def item_weights(
    clusters: ArrayLike, *, weighting: Counting = "clusters", sides: ArrayLike | None = None
) -> Floats:
    """Return each item's weight in a `clustered_mean`, shape (n,); they add up to 1.

    Parameters
    ----------
    clusters, weighting, sides
        As of `clustered_mean`.
    """
    row = _numbered(clusters)
    sizes = np.bincount(row)
    return np.asarray((_weights(row, sizes, weighting, sides) / sizes)[row])


def _weights(row: Whole, sizes: Whole, weighting: Counting, sides: ArrayLike | None) -> Floats:
    """Weight of each cluster."""
    k = len(sizes)
    if sides is not None:
        side = np.zeros(k, dtype=np.int64)
        side[row] = _numbered(sides)
        return np.asarray((1 / np.bincount(side))[side] / (side.max() + 1))
    return np.full(k, 1 / k) if weighting == "clusters" else sizes / len(row)


def _variance(
    y: Floats, row: Whole, others: Sequence[Whole], weights: Floats, strata: Whole, share: bool
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
    influence = (y - centre[row]) * (weights / sizes)[row]
    for kind in others:
        last = int(kind.max())
        crossed = math.fsum(np.bincount(kind, influence) ** 2) * (last + 1) / last
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


_AT_ONCE = 4_000_000
"""Numbers that are in memory at a time."""
_IN_A_TAIL = 10
"""Smallest number of resamples beyond an end; with fewer the end is Student's."""
_BITS = 62
"""Of the largest total that can be drawn; one more is for its sign."""
_FINEST = 48
"""Bits of one item: finer digits are below the precision of the mean."""
_NO_EXCESS = 1e-9
"""Share of a variance that counts as rounding: designs often make two variances equal."""


@dataclass(frozen=True)
class ClusterBootstrap:
    """Resampled deviations of a weighted mean.

    Attributes
    ----------
    estimate : float
        The mean; NaN without items.
    deviations : ndarray, shape (R,)
        Of resampled means from the estimate.
    variance : float
        Of the estimate, by clusters.
    df : float
        Degrees of freedom of that variance (Satterthwaite); infinite if it is 0.
    clusters : tuple of int
        Number of different clusters of each kind.
    """

    estimate: float
    deviations: Floats
    variance: float
    df: float
    clusters: tuple[int, ...]

    def limits(self, level: float = 0.95, *, share: bool = False) -> tuple[float, float]:
        """Return the ends of an interval: percentiles, widened for few clusters.

        The tails are those of Student's t with `df` degrees of freedom, said in the normal
        distribution's terms (Hesterberg 2015, the expanded percentile interval).

        Parameters
        ----------
        level : float
            In (0, 1).
        share : bool
            The mean is a share: the deviations are taken on the logit scale, so that the ends stay
            in [0, 1].

        Returns
        -------
        low, high : float
            NaN without variance, or without items.
        """
        if not math.isfinite(self.estimate) or self.variance <= 0:
            return math.nan, math.nan
        t = float(special.stdtrit(max(self.df, 1.0), (1 - level) / 2))
        tail = float(special.ndtr(t))
        if tail * len(self.deviations) >= _IN_A_TAIL:
            low, high = opposite_quantiles(self.deviations, tail)
        else:  # few clusters ask for tails farther out than these many resamples reach
            low, high = t * math.sqrt(self.variance), -t * math.sqrt(self.variance)
        if not share:
            return self.estimate + low, self.estimate + high
        at = self.estimate
        slope = at * (1 - at)
        if slope <= 0:
            return math.nan, math.nan
        centre = special.logit(at)
        return (
            float(special.expit(centre + low / slope)),
            float(special.expit(centre + high / slope)),
        )


def cluster_bootstrap(
    values: ArrayLike,
    clusters: Sequence[ArrayLike],
    *,
    weights: ArrayLike | None = None,
    strata: ArrayLike | None = None,
    resamples: int = 2000,
    rng: np.random.Generator,
) -> ClusterBootstrap:
    """Resample a mean over items that belong to clusters of one or more kinds.

    Parameters
    ----------
    values : array_like, shape (n,)
        One number per item.
    clusters : sequence of array_like, shape (n,) each
        To which cluster each item belongs: numbers or names, one array per kind.
    weights : array_like, shape (n,), optional
        Weights of the items in the mean; by default equal.
    strata : array_like, shape (n,), optional
        Part of the design of each item. Parts are fixed and not sampled, as the two
        lists of a spec are: how far their means lie apart is no uncertainty of the mean.
    resamples : int
        R.
    rng : numpy.random.Generator

    Returns
    -------
    ClusterBootstrap
    """
    y = np.asarray(values, dtype=float)
    w = np.ones(len(y)) if weights is None else np.asarray(weights, dtype=float)
    total = math.fsum(w)
    if len(y) == 0 or total <= 0:
        return ClusterBootstrap(math.nan, np.zeros(resamples), 0.0, math.inf, (0,) * len(clusters))
    middle = float(y.min() + y.max()) / 2
    y = y - middle
    estimate = middle + math.fsum(w * y) / total
    parts = np.zeros(len(y), dtype=np.int64) if strata is None else _numbered(strata)
    kinds = [_numbered(kind) for kind in clusters]
    influence, unit = _influence(y, w, parts, kinds)
    unit /= total
    n = len(y)
    cluster_variance = _total_variance(influence, parts) * unit**2
    deviations = np.zeros(resamples)
    if cluster_variance > 0:
        scale = math.sqrt(cluster_variance / _squares(influence))
        deviations += _resampled_totals(influence, resamples, rng) * scale
    variance, unsure, counts = (
        cluster_variance,
        cluster_variance**2 / max(n - int(parts.max()) - 1, 1),
        [],
    )
    for index in kinds:
        sums = _sums(influence, index)
        counts.append(len(sums))
        nested = len(np.unique(np.stack([index, parts]), axis=1).T) == len(sums)
        of_part = np.zeros(len(sums), dtype=np.int64)
        if nested:
            of_part[index] = parts
        free = len(sums) - len(np.unique(of_part))
        whole = _total_variance(sums, of_part) * unit**2
        excess = whole - cluster_variance
        # One cluster, or as many as items, adds no information.
        if excess <= _NO_EXCESS * whole or free < 1 or len(sums) == n:
            continue
        deviations += _resampled_totals(sums, resamples, rng) * math.sqrt(excess / _squares(sums))
        variance += excess
        unsure += whole**2 / free
    df = variance**2 / unsure if unsure > 0 else math.inf
    return ClusterBootstrap(estimate, deviations, variance, df, tuple(counts))


def _influence(y: Floats, w: Floats, parts: Whole, kinds: Sequence[Whole]) -> tuple[Whole, float]:
    """Return weighted deviations from the means of parts, and their unit."""
    means = np.array(
        [math.fsum((w * y)[parts == p]) / math.fsum(w[parts == p]) for p in range(parts.max() + 1)]
    )
    # No deviation exceeds twice the largest value, measured from the middle of the range.
    largest = 2 * float(w.max()) * float(np.abs(y).max())
    if largest <= 0:
        return np.zeros(len(y), dtype=np.int64), 0.0
    sizes = [np.bincount(index) for index in kinds]
    drawn = max([len(y), *(len(size) * int(size.max()) for size in sizes)])
    bits = min(_BITS - drawn.bit_length(), _FINEST)
    unit = math.ldexp(1.0, math.frexp(largest)[1] - bits)
    return np.rint(w * (y - means[parts]) / unit).astype(np.int64), unit


def _sums(influence: Whole, index: Whole) -> Whole:
    sums = np.zeros(int(index.max()) + 1, dtype=np.int64)
    np.add.at(sums, index, influence)
    return sums


def _squares(sums: Whole) -> float:
    """Sum of squares, rounded once."""
    return math.fsum(np.square(sums.astype(np.float64)))


def _total_variance(sums: Whole, parts: Whole) -> float:
    """Return the variance of a total of independent terms, centred by part."""
    k, free = len(sums), len(sums) - len(np.unique(parts))
    return _squares(sums) * k / free if free > 0 else 0.0


def _resampled_totals(parts: Whole, resamples: int, rng: np.random.Generator) -> Whole:
    """Return totals of parts resampled with replacement, shape (resamples,)."""
    k = len(parts)
    rows = max(1, _AT_ONCE // k)
    return np.concatenate(
        [
            parts[rng.integers(0, k, size=(min(rows, resamples - start), k))].sum(axis=1)
            for start in range(0, resamples, rows)
        ]
    )
