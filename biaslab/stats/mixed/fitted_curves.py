r"""Curves of a fitted mixed model: ratios to a slope, the population's curve, residuals.

The residual of a level is its mean answer less the mean of the probabilities that the observers'
own curves give. With V the (beta-)binomial covariance of the counts, J their derivative by the D
coefficients, effects and asymptotes, and A the precision of these,

.. math:: \mathrm{Cov}(e) = V - J A^{-1} J^T,

to first order: what fitting takes from the scatter of counts around their probabilities. A curve
that is wrong in the same way for all observers stands out; one observer does not
show whether its curve is wrong or its answers vary more than binomially: the dispersion fits both.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from biaslab.stats.curves.jnd import Convention
from biaslab.stats.curves.sigmoids import Floats, Sigmoid
from biaslab.stats.mixed.laplace import CurveCounts, MixedCurve, Mode, Settings
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
    apart : (float, float), optional
        A part of the variance, with degrees of freedom of its own: `df` are those of the rest. Each
        has a quantile of its own, since an average (Satterthwaite) holds too seldom where the
        larger part has one degree of freedom.
    """

    estimate: float
    slope: float
    variance: float
    cross: float
    of_slope: float
    df: float
    apart: tuple[float, float] | None = None

    @property
    def reach(self) -> float:
        """Half the width of the 95 % interval around it, as if the slope were known."""
        return float(np.sqrt(self._t2(0.95) * self.variance)) / abs(self.slope)

    def _t2(self, level: float) -> float:
        """Return the square of the quantile for an interval, averaged over parts."""
        t2 = float(t_quantile(self.df, (1 + level) / 2)) ** 2
        if self.apart is None:
            return t2
        share, of_part = self.apart[0] / self.variance, t_quantile(self.apart[1], (1 + level) / 2)
        return (1 - share) * t2 + share * float(of_part) ** 2

    def interval(self, level: float) -> tuple[float, float]:
        """Return the ratios that are not refused, on the side of the estimate."""
        t2 = self._t2(level)
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

    def _t(self, value: float) -> float:
        """How far a value lies above the estimate, in standard errors."""
        away = value - self.estimate
        variance = self.variance + 2 * away * self.cross + away**2 * self.of_slope
        return float(self.slope * away / np.sqrt(max(variance, 1e-300)))


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
        """Return the JND in a convention of `biaslab.stats.curves.jnd`."""
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


_TINY = 1e-300


@dataclass(frozen=True)
class LevelResiduals:
    """Mean answers to L levels against their curve.

    Attributes
    ----------
    levels : ndarray, shape (L,)
        Ascending.
    mean, residual : ndarray, shape (L,)
        Mean answer (share of cue 2), and the same less the curve.
    weight : ndarray, shape (L,)
        Share of the trials.
    covariance : ndarray, shape (L, L)
        Of the residuals, if the curve is right.
    predicted : ndarray, shape (L,)
        Variance of the mean answer of as many new observers in as many trials around the curve.
    """

    levels: Floats
    mean: Floats
    residual: Floats
    weight: Floats
    covariance: Floats
    predicted: Floats

    @property
    def misfit(self) -> float:
        """Root mean square of the residuals over trials, less what the scatter of counts adds."""
        square = np.sum(self.weight * (self.residual**2 - np.diag(self.covariance)))
        return math.sqrt(max(float(square), 0.0))

    @property
    def p_value(self) -> float:
        """Chance of residuals as large if the curve is right.

        The weighted sum of squares is a quadratic form in normal residuals, by a chi-square with
        its mean and variance (Satterthwaite 1946).
        """
        root = np.sqrt(self.weight)
        form = root[:, None] * self.covariance * root
        trace, square = float(np.trace(form)), float(np.sum(form**2))
        if trace <= 0:
            return np.nan
        total = float(self.weight @ self.residual**2)
        return float(special.chdtrc(trace**2 / square, total * trace / square))


def level_residuals(
    model: MixedCurve[Settings],
    likelihood: CurveCounts,
    mode: Mode,
    settings: Settings,
    levels: Floats,
    *,
    one_rate: bool = False,
) -> LevelResiduals:
    """Compare the answers to each level with a fitted model.

    Parameters
    ----------
    model : MixedCurve
    likelihood : CurveCounts
        Its own.
    mode : Mode
        Of its coefficients and effects.
    settings : Settings
    levels : ndarray, shape (R,)
        Level of each row of the model.
    one_rate : bool
        Whether guess and lapse rate were fitted as one.
    """
    counts = likelihood.counts
    trials = (counts.hits + counts.misses).astype(np.float64)
    z, by_x = model.z_by_x(mode.x, settings)
    p, slope = likelihood.share(z, settings)
    core = likelihood.sigmoid.cdf(z)
    by_rates = np.column_stack([1 - core, -core])[:, [settings.guess > 0, settings.lapse > 0]]
    if one_rate:
        by_rates = by_rates.sum(axis=1, keepdims=True)
    by = np.column_stack([by_x * slope[:, None], by_rates])
    each = p * (1 - p) * (1 + (trials - 1) * settings.dispersion)
    ridge = np.r_[model.ridge, np.zeros(by_rates.shape[1])]
    effects = slice(model.n_fixed, model.size)
    return residuals_by_level(levels, counts.hits, trials, p, by, each, ridge, effects)


def residuals_by_level(
    levels: Floats,
    hits: NDArray[Any],
    trials: Floats,
    p: Floats,
    by: Floats,
    each: Floats,
    ridge: Floats,
    effects: slice,
) -> LevelResiduals:
    """Compare counts with fitted probabilities, level by level.

    Parameters
    ----------
    levels, hits, trials, p : ndarray, shape (R,)
        Level, counts and fitted probability of a hit of each row.
    by : ndarray, shape (R, K)
        Derivatives of p by what was fitted.
    each : ndarray, shape (R,)
        Variance of a single answer: that of a row's count is `trials` times as large.
    ridge : ndarray, shape (K,)
        Precision of what was fitted before the answers.
    effects : slice
        Those of the K that are random effects.
    """
    scatter_of = each * trials
    weighted = by * (trials**2 / np.maximum(scatter_of, _TINY))[:, None]
    precision = np.diag(ridge) + by.T @ np.where(scatter_of[:, None] > 0, weighted, 0.0)
    covariance = np.linalg.pinv(precision, hermitian=True)

    unique, inverse = np.unique(levels, return_inverse=True)
    share = (inverse == np.arange(len(unique))[:, None]) * trials
    total = share.sum(axis=1)
    share /= total[:, None]
    of_level = share @ by
    scatter = (share / trials) ** 2 @ scatter_of
    kept = np.delete(np.arange(len(covariance)), effects)
    of_effects, of_curve = of_level[:, effects], of_level[:, kept]
    uncertain = np.einsum("li,ij,lj->l", of_curve, covariance[np.ix_(kept, kept)], of_curve)
    return LevelResiduals(
        unique,
        share @ (hits / trials),
        share @ (hits / trials - p),
        total / total.sum(),
        np.diag(scatter) - of_level @ covariance @ of_level.T,
        scatter + np.sum(of_effects**2, axis=1) + uncertain,
    )
