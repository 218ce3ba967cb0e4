"""The curve of a population whose members' thresholds and slopes differ."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from biaslab.stats.jnd import Convention
from biaslab.stats.sigmoids import Floats, Sigmoid

_BISECTIONS: Final = 48
_SLOPES, _SLOPE_WEIGHTS = np.polynomial.hermite_e.hermegauss(9)
_SLOPE_WEIGHTS = _SLOPE_WEIGHTS / _SLOPE_WEIGHTS.sum()
_PLACES = np.linspace(-5.5, 5.5, 67)
_PLACE_WEIGHTS = np.exp(-(_PLACES**2) / 2) / np.exp(-(_PLACES**2) / 2).sum()
_SHARES = (np.arange(120) + 0.5) / 120
"""Levels at which quantiles give the SD of a curve on a logarithmic axis."""


@dataclass(frozen=True)
class BlurredCurve:
    r"""Mean of ``F(exp(slope_sd w) (z + spread u))`` over standard normal u and w.

    Here ``z = slope (t - centre) + intercept``, with t the level on the family's axis.

    Attributes
    ----------
    sigmoid : Sigmoid
        F.
    centre, slope, intercept : float
        Of z; a slope above 0.
    spread, slope_sd : float
        SD of the thresholds on the scale of z, and of the log-slopes.
    """

    sigmoid: Sigmoid
    centre: float
    slope: float
    intercept: float
    spread: float = 0.0
    slope_sd: float = 0.0

    def core(self, z: ArrayLike) -> Floats:
        """Return the curve at values of z."""
        at = np.asarray(z, dtype=np.float64)[..., None]
        steeper, weights = np.ones(1), np.ones(1)
        if self.slope_sd > 0:
            steeper, weights = np.exp(self.slope_sd * _SLOPES), _SLOPE_WEIGHTS
        if self.sigmoid.name == "normal":
            shares = special.ndtr(steeper * at / np.sqrt(1 + (steeper * self.spread) ** 2))
        elif self.spread == 0:
            shares = self.sigmoid.cdf(steeper * at)
        else:
            moved = at[..., None] + self.spread * _PLACES
            shares = self.sigmoid.cdf(steeper[:, None] * moved) @ _PLACE_WEIGHTS
        return np.asarray(shares @ weights)

    def share(self, level: ArrayLike) -> Floats:
        """Return the curve at levels; 0 below a logarithmic axis."""
        t = self.sigmoid.to_axis(level)
        z = self.slope * (t - self.centre) + self.intercept
        return np.where(np.isnan(t), 0.0, self.core(np.nan_to_num(z)))

    def z_quantile(self, p: ArrayLike) -> Floats:
        """Return the z at which the curve reaches shares `p`."""
        p = np.asarray(p, dtype=np.float64)
        reach = 40 * np.hypot(1.0, self.spread) * np.exp(3 * self.slope_sd)
        low, high = np.full(p.shape, -reach), np.full(p.shape, reach)
        if self.sigmoid.name == "normal" and self.slope_sd == 0:
            return np.asarray(special.ndtri(p) * np.hypot(1.0, self.spread))
        return _bisected(lambda z: self.core(z) < p, low, high)

    def quantile(self, p: ArrayLike) -> Floats:
        """Return the level at which the curve reaches shares `p`."""
        return self.sigmoid.from_axis(self._t(self.z_quantile(p)))

    def jnd(self, convention: Convention) -> float:
        """Return the JND in a convention of `biaslab.stats.jnd`."""
        if convention == "quartile":
            low, high = self.quantile(np.array([0.5, 0.75]))
            return float(high - low)
        if convention == "sd":
            if self.sigmoid.log_axis:
                return float(np.std(self.quantile(_SHARES)))
            own = self.sigmoid.sd * np.exp(self.slope_sd**2)
            return float(np.hypot(own, self.spread) / self.slope)
        middle, widest = float(self.quantile(0.5)), self.quantile(np.array([0.001, 0.999]))
        width = _bisected(
            lambda w: self.share(middle + w / 2) - self.share(middle - w / 2) < 0.5,
            np.zeros(1),
            np.array([2 * float(np.ptp(widest))]),
        )
        return float(width[0])

    def _t(self, z: Floats) -> Floats:
        return np.asarray(self.centre + (z - self.intercept) / self.slope)


def _bisected(is_short: Callable[[Floats], NDArray[np.bool_]], low: Floats, high: Floats) -> Floats:
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        short = is_short(middle)
        low, high = np.where(short, middle, low), np.where(short, high, middle)
    return np.asarray((low + high) / 2)
