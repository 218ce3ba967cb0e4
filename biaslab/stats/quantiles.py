"""Quantiles of Student's t and of chi-squared for thousands of degrees of freedom.

Scipy inverts the distribution function for each of them. From one degree of freedom to any number,
the logarithm of a t quantile is a smooth function of 1/df, and that of a chi-squared quantile over
df one of its root. For long arrays both are interpolated by a polynomial through exact values, to a
relative error below 1e-11 (a test measures it).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Final, Literal

import numpy as np
from numpy.polynomial import chebyshev, polynomial
from numpy.typing import ArrayLike
from scipy import special

from biaslab.stats.sigmoids import Floats

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
        found = np.full(values.shape, exact(np.asarray(low), p))
    elif (series := _series(of, p)) is not None:
        inverse = np.divide(1, values, out=np.zeros(values.shape), where=usable)
        at = 2 * (inverse if of == "t" else np.sqrt(inverse)) - 1
        found = np.exp(polynomial.polyval(at, series))
        if of == "chi2":
            found *= values
    else:
        return exact(values, p)
    if not usable.all():
        found[~usable] = exact(values[~usable], p)
    return np.asarray(found)


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
