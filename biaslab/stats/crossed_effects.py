r"""Effects of crossed groups from differences between cells, with partial pooling over items.

A difference between two cells is :math:`y = \theta_{c} - \theta_{c'} + e`, for an item and an
observer (a frame). From the differences of one item and one observer, each contrast of the cells
is estimated by least squares; these estimates form a table of items by observers. Its mean has an
interval over other items and other observers (`biaslab.stats.clustered_mean`). An item's own effect
is its mean over observers, drawn toward the mean of all items (`biaslab.stats.partial_pooling`);
what observers add to all items alike widens all intervals alike.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import special

from biaslab.stats.clustered_mean import clustered_mean
from biaslab.stats.partial_pooling import FEWEST, partial_pooling
from biaslab.stats.quantiles import t_quantile
from biaslab.stats.sigmoids import Floats

Whole = NDArray[np.int64]
FEWEST_OBSERVERS: Final = 2
_ROUNDING: Final = 1e-9


@dataclass(frozen=True)
class EffectEstimate:
    """One contrast of cells, over all items and for each.

    Attributes
    ----------
    mean, low, high : float
        Over items, with the interval over other items and observers.
    sd, sd_low, sd_high : float
        Between items: median of its posterior and equal-tailed interval.
    items : ndarray, shape (n,)
        Each item's effect, drawn toward the mean; NaN where it has fewer than two observers.
    item_intervals : ndarray, shape (n, 2)
    """

    mean: float
    low: float
    high: float
    sd: float
    sd_low: float
    sd_high: float
    items: Floats
    item_intervals: Floats


def contrasts_by_unit(
    values: Floats, design: Floats, item: Whole, observer: Whole, contrasts: Floats
) -> tuple[Floats, Whole, Whole]:
    """Estimate contrasts of cells for each item and observer.

    Parameters
    ----------
    values : ndarray, shape (J,)
        Differences between two cells; NaN is left out.
    design : ndarray, shape (J, C)
        1 at the first cell of each difference and -1 at the second.
    item, observer : ndarray of int, shape (J,)
    contrasts : ndarray, shape (E, C)
        Each row sums to 0.

    Returns
    -------
    estimates : ndarray, shape (U, E)
        For the U units in which there is a value; NaN in a contrast that a unit's differences do
        not determine.
    items, observers : ndarray of int, shape (U,)
    """
    known = np.isfinite(values)
    values, design, item, observer = values[known], design[known], item[known], observer[known]
    units, unit_of = np.unique(np.column_stack([item, observer]), axis=0, return_inverse=True)
    order = np.argsort(unit_of.ravel(), kind="stable")
    ends = np.cumsum(np.bincount(unit_of.ravel(), minlength=len(units)))
    solved: dict[bytes, Floats] = {}
    estimates = np.empty((len(units), len(contrasts)))
    for u, rows in enumerate(np.split(order, ends[:-1]) if len(units) else []):
        key = design[rows].tobytes()
        if key not in solved:
            solved[key] = _solution(design[rows], contrasts)
        estimates[u] = solved[key] @ values[rows]
    return estimates, units[:, 0].astype(np.int64), units[:, 1].astype(np.int64)


def effect_estimate(
    values: Floats, item: Whole, observer: Whole, n_items: int, level: float
) -> EffectEstimate:
    """Estimate one contrast from its values by item and observer.

    Parameters
    ----------
    values : ndarray, shape (U,)
        One for each item and observer; finite.
    item, observer : ndarray of int, shape (U,)
    n_items : int
        Items are numbered from 0 to this, exclusive.
    level : float
        Of the intervals, in (0, 1).

    Raises
    ------
    ValueError
        With fewer than three items that have two observers or more.
    """
    counts = np.bincount(item, minlength=n_items)
    if (counts >= FEWEST_OBSERVERS).sum() < FEWEST:
        raise ValueError(
            f"Effects over items need {FEWEST} items with {FEWEST_OBSERVERS} observers or more;"
            f" there are {int((counts >= FEWEST_OBSERVERS).sum())}. Pass more items or frames."
        )
    whole = clustered_mean(values, item, crossed=observer)
    low, high = whole.limits(level)
    means, errors, shared = _item_means(values, item, observer, counts, level)
    pooled = partial_pooling(means, errors, level)
    reach = float(special.ndtri((1 + level) / 2)) * math.sqrt(shared)
    half = np.hypot(pooled.intervals - pooled.estimates[:, None], reach)
    intervals = pooled.estimates[:, None] + half * [-1, 1]
    return EffectEstimate(
        whole.estimate, low, high, pooled.sd, float(pooled.sd_interval[0]),
        float(pooled.sd_interval[1]), pooled.estimates, intervals,
    )  # fmt: skip


def crossed_contrasts(sizes: Sequence[int]) -> list[tuple[tuple[int, ...], Floats]]:
    """Return contrasts of the cells of a full crossing: main effects, then pairs of factors.

    A factor of two levels has one contrast, their difference; one of more has the difference of
    each level from the mean of all. Factors that a contrast is not about are averaged.

    Parameters
    ----------
    sizes : sequence of int
        Numbers of levels, each 2 or more.

    Returns
    -------
    list of (factors, ndarray of shape (rows, C))
        Cells in row-major order.
    """
    own = [np.array([[1.0, -1.0]]) if n == 2 else np.eye(n) - 1 / n for n in sizes]
    mean = [np.full((1, n), 1 / n) for n in sizes]
    about: list[tuple[int, ...]] = [(i,) for i in range(len(sizes))]
    about += [(i, j) for i in range(len(sizes)) for j in range(i + 1, len(sizes))]
    made = []
    for factors in about:
        rows = np.ones((1, 1))
        for i in range(len(sizes)):
            rows = np.kron(rows, own[i] if i in factors else mean[i])
        made.append((factors, rows))
    return made


def _solution(design: Floats, contrasts: Floats) -> Floats:
    """Return the weights of the differences in each contrast; NaN in an undetermined one."""
    inverse = np.linalg.pinv(design)
    left = contrasts - contrasts @ inverse @ design
    weights = contrasts @ inverse
    weights[np.abs(left).max(axis=1) > _ROUNDING**0.5] = np.nan
    return np.asarray(weights)


def _item_means(
    values: Floats, item: Whole, observer: Whole, counts: Whole, level: float
) -> tuple[Floats, Floats, float]:
    """Return items' means, their own standard errors, and the variance that all share."""
    enough = counts >= FEWEST_OBSERVERS
    n = int(enough.sum())
    means = np.full(len(counts), np.nan)
    np.divide(np.bincount(item, values, len(counts)), counts, out=means, where=enough)
    used = enough[item]
    y, row = values[used] - means[item[used]], item[used]
    column = np.unique(observer[used], return_inverse=True)[1].ravel()
    by_observer = np.bincount(column)
    leaning = np.bincount(column, y) / by_observer
    rest = y - leaning[column]
    # The observers' leanings are estimated from n items and take a share of the spread along.
    squares = np.bincount(row, rest**2, len(counts)) * n / (n - 1)
    variance = np.zeros(len(counts))
    np.divide(squares, counts - 1, out=variance, where=enough)
    own = np.full(len(counts), np.nan)
    np.divide(variance, counts, out=own, where=enough)
    floor = _ROUNDING * max(float(np.abs(values).max()), 1e-3)
    normal = float(special.ndtri((1 + level) / 2))
    wider = np.array([float(t_quantile(max(k - 1, 1), (1 + level) / 2)) / normal for k in counts])
    errors = np.maximum(np.sqrt(own), floor) * wider
    between = float(np.var(leaning, ddof=1)) if len(leaning) > 1 else 0.0
    noise = float(np.mean(variance[enough])) / n
    shared = max(0.0, between - noise) / len(leaning)
    return means, errors, shared
