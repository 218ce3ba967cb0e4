"""The just noticeable difference: its three conventions, and its scale beside the PSE's.

The conventions differ by a constant factor for a symmetric curve, so a JND means nothing without
its convention (the values are those of a cumulative normal of standard deviation sigma):

``"quartile"``
    from the 50 % to the 75 % point, 0.6745 sigma: the usual one, and the default;
``"eq6"``
    the width around the PSE over which the curve rises by one half, 1.349 sigma: eq. 6 of Liang
    and Acuna (2020), "Artificial mental phenomena";
``"sd"``
    the standard deviation of the distribution whose cumulative is the curve, sigma: what the
    caption of their Fig. 2 calls the JND.

All are of the curve without guesses and lapses, and in the units of the levels.

Searches, quantiles and grids work on scales that run over the whole real line: the PSE on the
family's axis (its logarithm for Weibull), the JND by its logarithm.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Final, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from biaslab.errors import PsychometricError
from biaslab.stats.curves.sigmoids import Floats, Sigmoid, get_sigmoid

Convention: TypeAlias = Literal["quartile", "eq6", "sd"]
CONVENTIONS: Final[tuple[Convention, ...]] = ("quartile", "eq6", "sd")

_BISECTIONS: Final = 60


def jnd(
    family: str,
    scale: ArrayLike,
    convention: Convention = "quartile",
    location: ArrayLike | None = None,
) -> Floats:
    """Return the JND of curves of a family.

    Parameters
    ----------
    family
        See `biaslab.stats.curves.sigmoids`.
    scale
        Scale of each curve, at least 0, any shape.
    convention
        ``"quartile"``, ``"eq6"`` or ``"sd"``.
    location
        Location of each curve, broadcastable with `scale`. Only the Weibull family needs it: on
        its axis a scale is a ratio, and the JND grows with the level.

    Returns
    -------
    ndarray
        In the units of the levels, of the broadcast shape.

    Raises
    ------
    PsychometricError
        If the family or convention is unknown, or a Weibull curve comes without location.
    """
    sigmoid = get_sigmoid(family)
    check_convention(convention)
    sigma = np.asarray(scale, dtype=np.float64)
    if not sigmoid.log_axis:
        return np.asarray(sigma * unit_jnd(family, convention))
    if location is None:
        raise PsychometricError(f"the JND of a {family} curve depends on its location: pass it too")
    mu, sigma = np.broadcast_arrays(np.asarray(location, dtype=np.float64), sigma)
    with np.errstate(invalid="ignore", over="ignore"):
        return np.asarray(np.exp(mu) * jnd_at_unit_location(sigmoid, sigma, convention))


def check_convention(convention: str) -> None:
    """Raise `PsychometricError` unless the convention is a known one."""
    if convention not in CONVENTIONS:
        raise PsychometricError(
            f"no JND convention {convention!r}: choose one of {', '.join(CONVENTIONS)}"
        )


@cache
def unit_jnd(family: str, convention: Convention) -> float:
    """Return the JND at scale 1 on a family's axis (Weibull: logarithmic)."""
    sigmoid = get_sigmoid(family)
    if convention == "sd":
        return sigmoid.sd
    if convention == "quartile":
        return float(sigmoid.ppf(0.75)) - sigmoid.median
    half = np.asarray(sigmoid.median)
    widest = np.asarray(2 * (float(sigmoid.ppf(0.95)) - float(sigmoid.ppf(0.05))))

    def rise(width: Floats) -> Floats:
        return np.asarray(sigmoid.cdf(half + width / 2) - sigmoid.cdf(half - width / 2))

    return float(_where_rising_half(rise, widest))


def jnd_at_unit_location(sigmoid: Sigmoid, scale: Floats, convention: Convention) -> Floats:
    """Return the JND of a curve on a logarithmic axis with location 0.

    Multiply it by ``exp(location)`` for other locations.
    """
    if convention == "sd":
        mean = special.gamma(1 + scale)
        return np.asarray(np.sqrt(np.maximum(special.gamma(1 + 2 * scale) - mean**2, 0)))
    pse = np.exp(scale * sigmoid.median)
    if convention == "quartile":
        return np.asarray(np.exp(scale * float(sigmoid.ppf(0.75))) - pse)

    def rise(width: Floats) -> Floats:
        # A width of 2 reaches from the PSE down to level 0, where the curve is 0.
        with np.errstate(divide="ignore", invalid="ignore"):
            upper = sigmoid.cdf(sigmoid.median + np.log1p(width / 2) / scale)
            lower = sigmoid.cdf(sigmoid.median + np.log1p(-width / 2) / scale)
        return np.asarray(upper - lower)

    relative = _where_rising_half(rise, np.full(scale.shape, 2.0))
    return np.asarray(np.where(np.isfinite(scale), pse * relative, scale))


def _where_rising_half(rise: Callable[[Floats], Floats], widest: Floats) -> Floats:
    """Bisect for the width over which the curve rises by 1/2."""
    low, high = np.zeros_like(widest), widest.copy()
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        short = rise(middle) < 0.5
        low, high = np.where(short, middle, low), np.where(short, high, middle)
    return np.asarray((low + high) / 2)


Parameter: TypeAlias = Literal["pse", "jnd"]


def to_line(
    sigmoid: Sigmoid, parameter: Parameter, convention: Convention, location: Floats, scale: Floats
) -> Floats:
    """Map PSE or JND to the real line; infinite at its limits, or NaN."""
    with np.errstate(invalid="ignore", divide="ignore"):
        if parameter == "jnd":
            return np.log(jnd(sigmoid.name, scale, convention, location))
        pse = location + scale * sigmoid.median
    return np.where(np.isinf(location), location, pse)


def from_line(sigmoid: Sigmoid, parameter: Parameter, values: Floats) -> Floats:
    """Invert `to_line`, in units of the level."""
    return np.exp(values) if parameter == "jnd" else sigmoid.from_axis(values)
