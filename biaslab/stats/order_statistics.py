"""Quantiles and intervals from ordered values, whatever distribution they come from.

The upper end of an interval is the lower end of that of the mirrored values, to the last digit:
`numpy.quantile` rounds the place of an upper quantile in another way than that of the lower one. So
an interval of x and one of -x can differ, and where many values are equal by more than rounding.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from biaslab.stats.sigmoids import Floats


def opposite_quantiles(values: Floats, tail: float) -> tuple[float, float]:
    """Return values with a share `tail` of all below the one and above the other.

    Linear between neighbours, as `numpy.quantile`. Those of ``-values`` are exactly ``-high`` and
    ``-low``.

    Parameters
    ----------
    values : ndarray, shape (n,)
        At least one.
    tail : float
        In [0, 0.5].

    Returns
    -------
    low, high : float
    """
    ordered = np.sort(values)
    place = tail * (len(ordered) - 1)
    below = min(int(place), len(ordered) - 1)
    above = min(below + 1, len(ordered) - 1)
    share = place - below
    low = ordered[below] + (ordered[above] - ordered[below]) * share
    high = ordered[-1 - below] + (ordered[-1 - above] - ordered[-1 - below]) * share
    return float(low), float(high)


def quantile(ordered: Floats, p: float) -> Floats:
    """Quantile of ordered values (n, ...) over the first axis, nearly unbiased for its median.

    Type 8 of Hyndman and Fan (1996), "Sample quantiles in statistical packages".
    """
    n = len(ordered)
    place = np.clip((n + 1 / 3) * p + 1 / 3, 1, n)
    below = min(int(place), max(n - 1, 1))
    share = place - below
    above = min(below, n - 1)
    return np.asarray(ordered[below - 1] * (1 - share) + ordered[above] * share)


def median_interval(ordered: Floats, level: float) -> Floats:
    """Confidence interval of the median of the distribution that values come from.

    Exact between order statistics, and interpolated between two of these for the level asked for
    (Hettmansperger and Sheather 1986, "Confidence intervals based on interpolated order
    statistics").

    Parameters
    ----------
    ordered : ndarray, shape (n, ...)
        Ascending over the first axis.
    level : float
        In (0, 1).

    Returns
    -------
    ndarray, shape (..., 2)
        NaN with so few values that all of them together do not reach the level.
    """
    place = _median_place(len(ordered), level)
    if place is None:
        return np.full((*ordered.shape[1:], 2), np.nan)
    outer, share = place

    def low(values: Floats) -> Floats:
        return np.asarray((1 - share) * values[outer - 1] + share * values[outer])

    return np.stack([low(ordered), -low(-ordered[::-1])], axis=-1)


@lru_cache(maxsize=256)
def _median_place(n: int, level: float) -> tuple[int, float] | None:
    """The outer order statistic, counted from 1, and the share of the next inner one."""
    places = np.arange(1, n // 2 + 1)
    reached = 1 - 2 * special.bdtr(places - 1, n, 0.5)
    if not (reached >= level).any():
        return None
    k = int(places[reached >= level].max())
    outer = float(reached[k - 1])
    inner = float(reached[k]) if k < len(reached) else 0.0
    part = (outer - level) / (outer - inner)
    return k, (n - k) * part / (k + (n - 2 * k) * part)


def next_value(ordered: Floats, p: float) -> Floats:
    """Bound below which one more value lies with probability `p`.

    Between order statistics on a line: the chance that one more value lies below the i-th of n is
    i / (n + 1). Beyond the outermost the distribution is taken to end exponentially, at the rate of
    the outermost sqrt(n) values.

    Parameters
    ----------
    ordered : ndarray, shape (n, ...)
        Ascending over the first axis; two or more.
    p : float
        In (0, 1).

    Returns
    -------
    ndarray, shape (...)
    """
    if p > 0.5:
        return -_lower_value(-ordered[::-1], 1 - p)
    return _lower_value(ordered, p)


def next_value_interval(ordered: Floats, level: ArrayLike) -> Floats:
    """Interval that one more value lies in with probability `level`, shape (..., 2).

    Parameters
    ----------
    ordered : ndarray, shape (n, ...)
        Ascending over the first axis; two or more.
    level : array_like
        In [0, 1); one for all, or one for each of (...).
    """
    tail = (1 - np.asarray(level, dtype=float)) / 2
    return np.stack([_lower_value(ordered, tail), -_lower_value(-ordered[::-1], tail)], axis=-1)


def _lower_value(ordered: Floats, p: ArrayLike) -> Floats:
    """`next_value` for p in (0, 0.5]; one for all, or one for each of (...)."""
    n = len(ordered)
    place = np.broadcast_to(np.asarray(p, dtype=float) * (n + 1), ordered.shape[1:])
    below = place.astype(np.intp)
    share = place - below
    left, right = (
        np.take_along_axis(ordered, np.clip(at, 0, n - 1)[None], axis=0)[0]
        for at in (below - 1, below)
    )
    if (below >= 1).all():
        return np.asarray((1 - share) * left + share * right)
    beyond = ordered[0] + tail_length(ordered) * np.log(place)
    return np.asarray(np.where(below >= 1, (1 - share) * left + share * right, beyond))


def tail_length(ordered: Floats) -> Floats:
    """Mean length of the lower tail: how far the outermost sqrt(n) values lie below the next."""
    count = min(max(2, round(math.sqrt(len(ordered)))), len(ordered) - 1)
    return np.asarray((ordered[count] - ordered[:count]).mean(axis=0))
