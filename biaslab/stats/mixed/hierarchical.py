r"""A hierarchical psychometric model: observers have curves of their own around a common one.

Observer o answers cue 2 to level t with probability :math:`\gamma + (1-\gamma-\lambda) F(z)`,

.. math:: z = e^{v_o} \big( s\,(t - \bar t) + a + d\,c + u_o + \ldots \big), \qquad
          u_o \sim N(0, \kappa^2), \quad v_o \sim N(0, \omega^2),

with c = 1/2 where cue 1 was offered first and -1/2 where it was second. So PSEs are normal over
observers with SD :math:`\kappa / s`, and :math:`-d / s` is how far the PSE moves with the order.
Cue pairs have effects too, at random or fixed, and several answers to one question are
beta-binomial (`biaslab.stats.mixed.laplace`).

SDs, dispersion and asymptotes maximise the restricted likelihood of
`biaslab.stats.mixed.laplace`. The SD of an effect carries the density
:math:`1 / \sqrt{\kappa^2 + \epsilon^2}`, with :math:`\epsilon` the sampling error of one
observer's PSE: flat where the data cannot tell it from 0, so that its estimate is never 0
(Chung et al. 2013), and Jeffreys' where they can. The covariance of all
estimates includes the uncertainty of these parameters; quantiles of t have Satterthwaite's degrees
of freedom.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from biaslab.stats.curves.jnd import Convention
from biaslab.stats.curves.sigmoids import Floats
from biaslab.stats.mixed.fitted_curves import BlurredCurve, LevelResiduals, Ratio, level_residuals
from biaslab.stats.mixed.laplace import Mode, Settings
from biaslab.stats.mixed.restricted_likelihood import (
    HIGHEST_DISPERSION,
    SCALE,
    Answers,
    FreeRates,
    ParameterSpread,
    RestrictedLikelihood,
)
from biaslab.stats.quantiles import chi2_quantile, t_quantile

FEWEST_FOR_OWN: Final = 200
"""Trials of several observers that tell a typical one's own curve from the spread of their PSEs."""
_CLEAR = 0.05
_STEEPEST = 5.0
"""Logarithm of the largest factor by which a slope is changed in search of an end."""
_CLOSE = 1e-3
_FEWEST_DF = 0.5
"""Degrees of freedom below which a scaled chi-square says nothing: its ends lie anywhere."""


@dataclass(frozen=True)
class HierarchicalFit:
    """The fitted model: estimates with intervals, in units of the levels.

    Attributes
    ----------
    answers : Answers
    curve : BlurredCurve
        Of the population, without asymptotes.
    settings : Settings
        SDs, dispersion and asymptotes.
    mode : Mode
        Coefficients (slope, intercepts, order), with the effects integrated out, and effects.
    converged : bool
    """

    answers: Answers
    curve: BlurredCurve
    settings: Settings
    mode: Mode
    converged: bool
    _search: RestrictedLikelihood
    _weights: Floats
    """Of the intercepts in the population's."""
    _free: Floats
    """Optimum of the search."""

    @cached_property
    def _spread(self) -> ParameterSpread:
        return ParameterSpread.around(self._search, self._free, self.mode)

    @property
    def slope(self) -> float:
        """Slope of z."""
        return float(self.mode.x[0])

    @cached_property
    def _slope_z(self) -> float:
        """Signed root of the likelihood ratio against a slope of 0.

        Unlike the slope over its standard error, it stays large where answers are nearly a step:
        there the slope may be larger by any amount, but is not 0.
        """
        return float(np.copysign(np.sqrt(self._likelihood_ratio(0.0)), self.slope))

    def _likelihood_ratio(self, slope: float) -> float:
        """Twice the log-density that another slope loses, with the settings as they are."""
        model, here, settings = self._search.model, self.mode.x, self.settings
        other = self._search.at_slope(slope)
        there = other.density(other.mode(settings, here[1:]).x, settings)
        there -= model.ridge[0] * slope**2 / 2
        return max(2 * (model.density(here, settings) - float(there)), 0.0)

    @property
    def slope_p(self) -> float:
        """Two-sided p-value of a slope of 0, by the likelihood ratio."""
        _, df = self._spread.variance(self._row(0))
        return float(2 * special.stdtr(df, -abs(self._slope_z)))

    def _row(self, index: int) -> Floats:
        row = np.zeros(self._spread.size)
        row[index] = 1
        return row

    def _even(self, settings: Settings) -> float:
        """Return the z at which the population's curve, with its asymptotes, is 1/2."""
        core = (0.5 - settings.guess) / (1 - settings.guess - settings.lapse)
        return float(self._blurred(self.mode.x, settings).z_quantile(core))

    def _blurred(self, x: Floats, settings: Settings) -> BlurredCurve:
        return _population(self._search, self._weights, x, settings)

    @property
    def pse(self) -> float:
        """Level at which the population answers both cues equally often."""
        t = self.curve.centre + (self._even(self.settings) - self.curve.intercept) / self.slope
        return float(self.curve.sigmoid.from_axis(t))

    @cached_property
    def _contrast(self) -> Floats:
        """Gradient of ``intercept - even`` by coefficients and free parameters."""
        row = np.zeros(self._spread.size)
        row[self._search.intercepts] = self._weights
        row[self._search.model.n_fixed :] = -self._spread.gradient(self._even)
        return row

    def _ratio(self, row: Floats, value: float) -> Ratio:
        """Return minus a linear combination over the slope, as a ratio with an interval."""
        slope, spread = self._row(0), self._spread
        at = -value / self.slope
        offset = row + at * slope
        variance, df = spread.variance(offset)
        # As much as a slope is clear by its likelihood, its variance may not hide.
        of_slope = spread.covariance_of(slope, slope)
        shrink = min(1.0, abs(self.slope / (self._slope_z or 1e-9)) / np.sqrt(of_slope))
        cross = shrink * spread.covariance_of(offset, slope)
        return Ratio(at, self.slope, variance, cross, shrink**2 * of_slope, df)

    @cached_property
    def _pse_ratio(self) -> Ratio:
        return self._ratio(self._contrast, self.curve.intercept - self._even(self.settings))

    def pse_interval(self, level: float) -> tuple[float, float]:
        """Fieller's interval of the PSE; without an end where the slope is not clear."""
        ends = np.array(self._pse_ratio.interval(level))
        low, high = self.curve.sigmoid.from_axis(self.curve.centre + ends)
        return float(low), float(high)

    def p_value(self, level: float) -> float:
        """Two-sided p-value of a PSE at a level, also where the slope is not clear or falls."""
        at = float(self.curve.sigmoid.to_axis(level)) - self.curve.centre
        if self.slope > 0 and self.slope_p < _CLEAR:
            return self._pse_ratio.p_value(at)
        row = self._contrast + at * self._row(0)
        away = self.curve.intercept - self._even(self.settings) + self.slope * at
        variance, df = self._spread.variance(row)
        return float(2 * special.stdtr(df, -abs(away) / np.sqrt(variance)))

    def share_interval(self, levels: ArrayLike, coverage: float) -> Floats:
        """Return the population's share of cue 2 at levels, and its pointwise interval.

        Parameters
        ----------
        levels : array_like
        coverage : float
            Of the interval, in (0, 1).

        Returns
        -------
        ndarray, shape (3, ...)
            Share, low and high end; the guess rate below a logarithmic axis.
        """
        at = np.asarray(self.curve.sigmoid.to_axis(levels)) - self.curve.centre
        below = np.isnan(at)
        at = np.where(below, 0.0, at)
        rows = np.zeros((*at.shape, self._spread.size))
        rows[..., self._search.intercepts] = self._weights
        rows[..., 0] = at
        variance, df = self._spread.variances(rows)
        half = t_quantile(df, (1 + coverage) / 2) * np.sqrt(variance)
        z = self.curve.intercept + self.slope * at
        guess, room = self.settings.guess, 1 - self.settings.guess - self.settings.lapse
        shares = self.curve.core(np.stack([z, z - half, z + half]))
        return np.asarray(guess + room * np.where(below, 0.0, shares))

    def jnd(self, convention: Convention) -> float:
        """JND of the population's curve, which includes the spread of PSEs."""
        return self.curve.jnd(convention)

    def jnd_interval(self, convention: Convention, level: float) -> tuple[float, float]:
        """Interval of `jnd`: a scaled chi-square of its square, by its own variance."""
        spread, fixed = self._spread, self._search.model.n_fixed

        def log_jnd(x: Floats, settings: Settings) -> float:
            return float(np.log(self._blurred(x, settings).jnd(convention)))

        row = np.zeros(spread.size)
        row[fixed:] = spread.gradient(lambda settings: log_jnd(self.mode.x, settings))
        row[:fixed] = _by_coefficients(lambda x: log_jnd(x, self.settings), self.mode.x, fixed)
        variance = max(spread.covariance_of(row, row), 1e-12)
        df = 1 / (2 * variance)
        if df < 1:
            return 0.0, np.inf
        width = self.jnd(convention)
        low, high = (
            width * np.sqrt(df / float(chi2_quantile(df, p)))
            for p in ((1 + level) / 2, (1 - level) / 2)
        )
        return float(low), float(high)

    def own_jnd(self, convention: Convention) -> float:
        """JND of a single typical observer."""
        return replace(self.curve, spread=0.0, slope_sd=0.0).jnd(convention)

    def own_jnd_interval(self, convention: Convention, level: float) -> tuple[float, float]:
        """Interval of `own_jnd`, by the likelihood ratio of the slope.

        NaN of several observers with fewer than `FEWEST_FOR_OWN` trials: it would hold too seldom.
        Answers of few trials are nearly a step, whose slope may be larger by any amount, and
        standard errors of its logarithm promise too much. The ratio is that of known settings; it
        counts for less by as much as the settings' uncertainty adds to the slope's variance.
        """
        from scipy import optimize

        if self.answers.n_observers > 1 and self.answers.trials.sum() < FEWEST_FOR_OWN:
            return np.nan, np.nan
        variance, df = self._spread.variance(self._row(0))
        known = float(np.linalg.inv(self.mode.precision)[0, 0])
        limit = float(t_quantile(df, (1 + level) / 2)) ** 2 * variance / known

        def beyond(steeper: float) -> float:
            return self._likelihood_ratio(self.slope * float(np.exp(steeper))) - limit

        low, high = 0.0, np.inf
        if beyond(_STEEPEST) > 0:
            low = float(np.exp(-optimize.brentq(beyond, 0.0, _STEEPEST, xtol=_CLOSE)))
        if beyond(-_STEEPEST) > 0:
            high = float(np.exp(-optimize.brentq(beyond, -_STEEPEST, 0.0, xtol=_CLOSE)))
        width = self.own_jnd(convention)
        return width * low, width * high

    @property
    def has_orders(self) -> bool:
        """Whether cues were offered in both orders."""
        return self._search.order is not None

    @property
    def order_effect(self) -> float:
        """PSE where cue 1 is offered first, less that where it is second; NaN with one order."""
        if self._search.order is None:
            return np.nan
        return -float(self.mode.x[self._search.order]) / self.slope * self._unit

    def order_interval(self, level: float) -> tuple[float, float, float]:
        """Return the interval of `order_effect` (Fieller's) and its p-value; NaN with one order."""
        index = self._search.order
        if index is None:
            return np.nan, np.nan, np.nan
        ratio = self._ratio(self._row(index), float(self.mode.x[index]))
        low, high = (end * self._unit for end in ratio.interval(level))
        return low, high, ratio.p_value(0.0)

    @property
    def _unit(self) -> float:
        """Levels per unit of the axis: 1, and the PSE on a logarithmic axis."""
        return self.pse if self.curve.sigmoid.log_axis else 1.0

    @property
    def pse_sd(self) -> float:
        """SD of PSEs over observers; NaN with one observer."""
        if not self._search.has_observers:
            return np.nan
        return self.settings.sds[0] / self.slope * self._unit

    def pse_sd_interval(self, level: float) -> tuple[float, float]:
        """Interval of `pse_sd`: of the sum of its square and a PSE's sampling variance.

        The sum is a scaled chi-square, with degrees of freedom of the observers, fewer for a slope
        that is not known; the sampling variance is then taken off.
        """
        if not self._search.has_observers:
            return np.nan, np.nan
        sd, count = self.settings.sds[0], self.answers.n_observers
        start = self._search.model.n_fixed
        precision = np.diag(self.mode.precision)[start : start + count]
        sampling = float(np.mean(sd**2 / np.maximum(precision - 1, 1e-12)))
        row = self._row(0)
        of_slope = self._spread.covariance_of(row, row) / self.slope**2
        df = 1 / (1 / (count - 1) + 2 * of_slope)
        if df < _FEWEST_DF:
            return 0.0, np.inf
        ends = [
            max((sd**2 + sampling) * df / float(chi2_quantile(df, p)) - sampling, 0.0)
            for p in ((1 + level) / 2, (1 - level) / 2)
        ]
        low, high = (float(np.sqrt(end)) / self.slope * self._unit for end in ends)
        return low, high

    def observer_pses(self) -> Floats:
        """Return each observer's PSE, shrunken toward the population's, shape (O,)."""
        sigmoid, settings = self.curve.sigmoid, self.settings
        core = (0.5 - settings.guess) / (1 - settings.guess - settings.lapse)
        effects = np.zeros(self.answers.n_observers)
        if self._search.has_observers:
            start = self._search.model.n_fixed
            effects = settings.sds[0] * self.mode.x[start : start + len(effects)]
        z = float(sigmoid.ppf(core)) - self.curve.intercept - effects
        return sigmoid.from_axis(self.curve.centre + z / self.slope)

    def residuals(self) -> LevelResiduals:
        """Compare the answers to each level with the observers' curves."""
        return level_residuals(
            self._search.model,
            self._search.likelihood,
            self.mode,
            self.settings,
            self.answers.levels,
            one_rate="rate" in self._search.names,
        )

    @property
    def has_dispersion(self) -> bool:
        """Whether some question was answered several times, so that dispersion can be told."""
        return "dispersion" in self._search.names

    def dispersion_interval(self, level: float) -> tuple[float, float]:
        """Profile-likelihood interval of the dispersion; NaN without `has_dispersion`."""
        from scipy import optimize

        if not self.has_dispersion:
            return np.nan, np.nan
        index = self._search.names.index("dispersion")
        along = self._spread.ridge(index)
        start = self.mode.x
        best = self._search.value(self._free, start)
        room = float(special.chdtri(1, 1 - level)) / 2

        def loss(value: float) -> float:
            moved = self._free + along * (value / SCALE - self._free[index])
            return best - self._search.value(self._search.clipped(moved), start) - room

        estimate = self.settings.dispersion
        low, high = 0.0, HIGHEST_DISPERSION
        if estimate > 0 and loss(0.0) > 0:
            low = float(optimize.brentq(loss, 0.0, estimate, xtol=1e-5))
        if loss(high) > 0:
            high = float(optimize.brentq(loss, estimate, high, xtol=1e-5))
        return low, high


def fit_hierarchical(
    answers: Answers,
    *,
    family: str = "normal",
    rates: FreeRates = "none",
    pairs: Literal["random", "fixed"] = "random",
    weights: Floats | None = None,
) -> HierarchicalFit:
    """Fit the model by restricted maximum likelihood.

    Parameters
    ----------
    answers : Answers
        At two levels or more; some answers of either kind.
    family : str
        Of F, see `biaslab.stats.curves.sigmoids`; levels above 0 for ``weibull``.
    rates : str
        Guess and lapse rate: ``free`` in [0, 0.45], ``equal`` (fitted as one), ``none`` (0).
    pairs : str
        Whether cue pairs have random effects (a sample of pairs) or an intercept each.
    weights : ndarray, shape (K,), optional
        Of fixed cue pairs in the population's curve; default equal.
    """
    from scipy import optimize  # late: it takes long to import

    search = RestrictedLikelihood.of(answers, family, rates, pairs)
    count = len(search.intercepts)
    share = np.full(count, 1 / count) if weights is None or count == 1 else weights
    search.prepare()
    free, is_finite = search.start, True
    if search.bounds:  # one observer of one pair has no variance to search for
        optimum = optimize.minimize(
            search.loss,
            search.start,
            method="L-BFGS-B",
            jac=True,
            bounds=search.bounds,
            options={"maxiter": 100, "ftol": 1e-9, "gtol": 1e-3},
        )
        free = search.clipped(np.asarray(optimum.x, dtype=np.float64))
        is_finite = bool(np.isfinite(optimum.fun))
    settings, joint = search.settings(free), search.mode(free)
    mode = search.model.marginal(joint, settings)
    converged = bool(joint.converged and is_finite and mode.x[0] > 0)
    curve = _population(search, share, mode.x, settings)
    return HierarchicalFit(answers, curve, settings, mode, converged, search, share, free)


def _population(
    search: RestrictedLikelihood, weights: Floats, x: Floats, settings: Settings
) -> BlurredCurve:
    intercepts = x[search.intercepts]
    middle = float(weights @ intercepts)
    between = float(weights @ (intercepts - middle) ** 2)
    spread = float(np.sqrt(np.sum(np.square(settings.sds)) + between))
    return BlurredCurve(
        search.likelihood.sigmoid, search.centre, float(x[0]), middle, spread, settings.slope_sd
    )


def _by_coefficients(function: Callable[[Floats], float], x: Floats, fixed: int) -> Floats:
    """Return the gradient by the first `fixed` values of x."""
    gradient = np.empty(fixed)
    for j in range(fixed):
        step = 1e-4 * max(abs(x[j]), 0.1)
        ahead, behind = x.copy(), x.copy()
        ahead[j] += step
        behind[j] -= step
        gradient[j] = (function(ahead) - function(behind)) / (2 * step)
    return gradient
