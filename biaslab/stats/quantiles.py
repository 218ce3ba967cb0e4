"""Quantiles: of samples, with intervals, and of Student's t and chi-squared.

Scipy inverts the distribution function of t and of chi-squared for each of thousands of degrees of
freedom. From one degree of freedom to any number, the logarithm of a t quantile is a smooth
function of 1/df, and that of a chi-squared quantile over df one of its root. For long arrays both
are interpolated by a polynomial through exact values, to a relative error below 1e-11 (a test
measures it).

Of samples, whatever distribution they come from, the upper end of an interval is the lower end of
that of the mirrored values, to the last digit: `numpy.quantile` rounds the place of an upper
quantile in another way than that of the lower one. So an interval of x and one of -x can differ,
and where many values are equal by more than rounding.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Final, Literal

import numpy as np
from numpy.polynomial import chebyshev, polynomial
from numpy.typing import ArrayLike
from scipy import special

from biaslab.stats.curves.sigmoids import Floats

_FEWEST: Final = 200
"""Shorter arrays are not worth a polynomial."""
_DEGREE: Final = 40
_LEFT_OUT: Final = 1e-12
"""Largest sum of the coefficients that are left out: they bound the relative error."""
_UNCONVERGED: Final = 1e-11
"""Sum of the last five coefficients above which the polynomial misses the function."""
_EXACT: Final[dict[str, Callable[[Floats, float], Floats]]] = {
    "t": lambda df, p: np.asarray(special.stdtrit(df, p), dtype=np.float64),
    "chi2": lambda df, p: np.asarray(special.chdtri(df, 1 - p), dtype=np.float64),
}


def t_quantile(df: ArrayLike, p: float) -> Floats:
    """Return a quantile of Student's t; NaN if the degrees of freedom are.

    Parameters
    ----------
    df : array_like
        Degrees of freedom, above 0; any shape.
    p : float
        Probability, in (0.5, 1).
    """
    return _quantile("t", df, p)


def chi2_quantile(df: ArrayLike, p: float) -> Floats:
    """Return a quantile of chi-squared, likewise; `p` in (0, 1)."""
    return _quantile("chi2", df, p)


def _quantile(of: Literal["t", "chi2"], df: ArrayLike, p: float) -> Floats:
    values = np.asarray(df, dtype=np.float64)
    exact = _EXACT[of]
    if values.size < _FEWEST:
        return exact(values, p)
    usable = np.isfinite(values) & (values >= 1)
    low = values.min(initial=np.inf, where=usable)
    if low == values.max(initial=0.0, where=usable):
        quantiles = np.full(values.shape, exact(np.asarray(low), p))
    elif (series := _series(of, p)) is not None:
        inverse = np.divide(1, values, out=np.zeros(values.shape), where=usable)
        at = 2 * (inverse if of == "t" else np.sqrt(inverse)) - 1
        quantiles = np.exp(polynomial.polyval(at, series))
        if of == "chi2":
            quantiles *= values
    else:
        return exact(values, p)
    if not usable.all():
        quantiles[~usable] = exact(values[~usable], p)
    return np.asarray(quantiles)


@lru_cache(maxsize=64)
def _series(of: Literal["t", "chi2"], p: float) -> Floats | None:
    """Return coefficients of the logarithm of a quantile; None where they do not converge."""
    nodes = chebyshev.chebpts1(_DEGREE + 1)
    inverse = (1 + nodes) / 2
    df = 1 / inverse if of == "t" else 1 / inverse**2
    values = _EXACT[of](df, p)
    with np.errstate(divide="ignore", invalid="ignore"):
        heights = np.log(values if of == "t" else values / df)
    if not np.isfinite(heights).all():
        return None
    series = chebyshev.chebfit(nodes, heights, _DEGREE)
    left_out = np.cumsum(np.abs(series[::-1]))[::-1]
    if left_out[-5] > _UNCONVERGED:
        return None
    needed = int(np.sum(left_out > _LEFT_OUT))
    return np.asarray(chebyshev.cheb2poly(series[:needed]))


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
    position = tail * (len(ordered) - 1)
    below = min(int(position), len(ordered) - 1)
    above = min(below + 1, len(ordered) - 1)
    share = position - below
    low = ordered[below] + (ordered[above] - ordered[below]) * share
    high = ordered[-1 - below] + (ordered[-1 - above] - ordered[-1 - below]) * share
    return float(low), float(high)


def quantile(ordered: Floats, p: float) -> Floats:
    """Quantile of ordered values (n, ...) over the first axis, nearly unbiased for its median.

    Type 8 of Hyndman and Fan (1996), "Sample quantiles in statistical packages".
    """
    n = len(ordered)
    position = np.clip((n + 1 / 3) * p + 1 / 3, 1, n)
    below = min(int(position), max(n - 1, 1))
    share = position - below
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


def next_value_interval(ordered: Floats, level: ArrayLike) -> Floats:
    """Interval that one more value lies in with probability `level`, shape (..., 2).

    Between order statistics on a line: the chance that one more value lies below the i-th of n is
    i / (n + 1). Beyond the outermost the distribution is taken to end exponentially, at the rate of
    the outermost sqrt(n) values.

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
    """Bound below which one more value lies with probability p in (0, 0.5]."""
    n = len(ordered)
    position = np.broadcast_to(np.asarray(p, dtype=float) * (n + 1), ordered.shape[1:])
    below = position.astype(np.intp)
    share = position - below
    left, right = (
        np.take_along_axis(ordered, np.clip(at, 0, n - 1)[None], axis=0)[0]
        for at in (below - 1, below)
    )
    if (below >= 1).all():
        return np.asarray((1 - share) * left + share * right)
    beyond = ordered[0] + tail_length(ordered) * np.log(position)
    return np.asarray(np.where(below >= 1, (1 - share) * left + share * right, beyond))


def tail_length(ordered: Floats) -> Floats:
    """Mean length of the lower tail: how far the outermost sqrt(n) values lie below the next."""
    count = min(max(2, round(math.sqrt(len(ordered)))), len(ordered) - 1)
    return np.asarray((ordered[count] - ordered[:count]).mean(axis=0))
