"""Quantiles of Student's t and of chi-squared for thousands of degrees of freedom.

Scipy inverts the distribution function for each of them. The logarithm of a quantile is a
smooth function of the logarithm of the degrees of freedom, so for long arrays it is interpolated
by a Chebyshev polynomial through exact values, to a relative error below 1e-9 (a test measures
it).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import ArrayLike
from scipy import special

from biaslab.stats.sigmoids import Floats

_DEGREE: Final = 40
_WIDEST: Final = 1000.0
"""Largest ratio of degrees of freedom that the polynomial spans."""
_FEWEST: Final = 0.5
"""Below this many degrees of freedom the quantiles grow too steeply."""


def t_quantile(df: ArrayLike, p: float) -> Floats:
    """Return a quantile of Student's t; NaN if the degrees of freedom are.

    Parameters
    ----------
    df : array_like
        Degrees of freedom, above 0; any shape.
    p : float
        Probability, in (0.5, 1).
    """
    return _interpolated(lambda v: np.asarray(special.stdtrit(v, p), dtype=np.float64), df)


def chi2_quantile(df: ArrayLike, p: float) -> Floats:
    """Return a quantile of chi-squared, likewise; `p` in (0, 1)."""
    return _interpolated(lambda v: np.asarray(special.chdtri(v, 1 - p), dtype=np.float64), df)


def _interpolated(exact: Callable[[Floats], Floats], df: ArrayLike) -> Floats:
    values = np.asarray(df, dtype=np.float64)
    usable = np.isfinite(values) & (values > 0)
    low = values.min(initial=np.inf, where=usable)
    high = values.max(initial=0.0, where=usable)
    if usable.all() and low == high:
        return np.full(values.shape, exact(np.asarray(low)))
    if usable.sum() <= 4 * _DEGREE or low < _FEWEST or high > _WIDEST * low:
        return exact(values)
    middle, half = np.log(low * high) / 2, max(np.log(high / low) / 2, 1e-9)
    nodes = chebyshev.chebpts1(_DEGREE + 1)
    heights = np.log(exact(np.exp(middle + half * nodes)))
    series = chebyshev.chebfit(nodes, heights, _DEGREE)
    at = (np.log(np.where(usable, values, low)) - middle) / half
    interpolated = np.exp(chebyshev.chebval(at, series))
    if not usable.all():
        interpolated = np.where(usable, interpolated, exact(values))
    return np.asarray(interpolated)
