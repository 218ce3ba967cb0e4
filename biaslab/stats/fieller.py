"""Ratios with a slope below, with intervals and tests that know how clear the slope is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import special

from biaslab.stats.quantiles import t_quantile


@dataclass(frozen=True)
class Ratio:
    """A ratio with a slope below, around its estimate (Fieller 1954).

    Attributes
    ----------
    estimate, slope : float
    variance : float
        Of the numerator's distance from the estimated ratio.
    cross, of_slope : float
        Its covariance with the slope, and the slope's variance.
    df : float
        Degrees of freedom.
    """

    estimate: float
    slope: float
    variance: float
    cross: float
    of_slope: float
    df: float

    def interval(self, level: float) -> tuple[float, float]:
        """Return the ratios that are not refused, on the side of the estimate."""
        t2 = float(t_quantile(self.df, (1 + level) / 2)) ** 2
        square = self.slope**2 - t2 * self.of_slope
        linear, constant = -t2 * self.cross, -t2 * self.variance
        root = linear**2 - square * constant
        if root < 0:
            return -np.inf, np.inf
        one, two = sorted((-linear + sign * np.sqrt(root)) / square for sign in (-1, 1))
        if square > 0:
            return self.estimate + one, self.estimate + two
        return (self.estimate + two, np.inf) if two < 0 else (-np.inf, self.estimate + one)

    def p_value(self, value: float) -> float:
        """Two-sided p-value of a ratio."""
        return float(2 * special.stdtr(self.df, -abs(self._t(value))))

    def p_at_least(self, value: float) -> float:
        """One-sided p-value of ratios of `value` or more: small where the estimate is below."""
        return float(special.stdtr(self.df, -self._t(value)))

    def p_at_most(self, value: float) -> float:
        """One-sided p-value of ratios of `value` or less: small where the estimate is above."""
        return float(special.stdtr(self.df, self._t(value)))

    def _t(self, value: float) -> float:
        """How far a value lies above the estimate, in standard errors."""
        away = value - self.estimate
        variance = self.variance + 2 * away * self.cross + away**2 * self.of_slope
        return float(self.slope * away / np.sqrt(max(variance, 1e-300)))
