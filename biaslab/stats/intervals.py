"""Intervals of the PSE and the JND of fitted curves.

Three methods, with one interface:

``"profile"``
    the values that a likelihood-ratio test against the best fit does not reject;
``"bootstrap"``
    parametric: curves refitted to responses simulated from the fit, bias-corrected quantiles;
``"posterior"``
    equal-tailed, by integration on a grid.

Priors of the posterior, on the family's axis (the logarithm of the level for Weibull):

- the PSE is uniform over the range of the levels, extended by half of it on either side;
- the logarithm of the scale is uniform from a tenth of the smallest distance of two levels to
  twice their range;
- an estimated guess or lapse rate is Beta(1, `rate_prior`), as in the fit; fixed ones are fixed.

The grid covers the priors first and then, twice, the region of most mass.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product, repeat
from typing import Final, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import special

from biaslab.errors import PsychometricError
from biaslab.stats.curves.curve_fit import CurveFit, Start, Status, fit_curves
from biaslab.stats.curves.jnd import Convention, Parameter, check_convention, from_line, to_line
from biaslab.stats.curves.profile import profile_limits
from biaslab.stats.curves.scoring import Rates
from biaslab.stats.curves.sigmoids import Floats
from biaslab.stats.psychometric import PsychometricFit, Seed, curve_rates

# Points of each parameter in the three passes, by the number of parameters.
_POINTS: Final = {2: (25, 25, 61), 3: (17, 17, 31), 4: (13, 13, 21)}
# Log-density below the maximum at which a grid point stops to matter.
_DEPTH: Final = 12.0


def posterior_limits(
    fit: PsychometricFit,
    parameter: Parameter,
    convention: Convention,
    level: float,
    inflation: Floats,
) -> tuple[Floats, Floats]:
    """Return equal-tailed limits of the PSE or JND of a flat fit, shape (C,).

    Curves with fewer than two levels have none: the priors need a range.
    """
    low, high = np.full(fit.shape, np.nan), np.full(fit.shape, np.nan)
    tails = np.array([(1 - level) / 2, (1 + level) / 2])
    usable = (fit.status != Status.EMPTY) & (np.ptp(fit.levels, axis=-1) > 0)
    for row in np.flatnonzero(usable):
        values, mass = _posterior(fit[row : row + 1], parameter, convention, inflation[row])
        low[row], high[row] = _quantiles(values, mass, tails)
    return from_line(fit.sigmoid, parameter, low), from_line(fit.sigmoid, parameter, high)


def _posterior(
    fit: PsychometricFit, parameter: Parameter, convention: Convention, inflation: float
) -> tuple[Floats, Floats]:
    """Return values of the parameter (on the real line) and their mass, for one curve."""
    positions = fit.sigmoid.to_axis(fit.levels)[0]
    rates = curve_rates(fit)
    lows, highs = _prior_box(positions, rates)
    axes: list[Floats] = []
    mass = np.ones(())
    for points in _POINTS[len(lows)]:
        axes = list(map(np.linspace, lows, highs, repeat(points)))
        log_density = _log_density(fit, positions, rates, axes, inflation)
        mass = np.exp(log_density - log_density.max())
        lows, highs = _holding_mass(axes, log_density)

    by_curve = mass.sum(axis=tuple(range(2, mass.ndim)))
    if parameter == "pse":
        return axes[0], by_curve.sum(axis=1)
    if not fit.sigmoid.log_axis:
        scale = np.exp(axes[1])
        values = to_line(fit.sigmoid, "jnd", convention, np.zeros_like(scale), scale)
        return values, by_curve.sum(axis=0)
    pse, scale = np.meshgrid(axes[0], np.exp(axes[1]), indexing="ij")
    location = pse - scale * fit.sigmoid.median
    values = to_line(fit.sigmoid, "jnd", convention, location, scale).ravel()
    order = np.argsort(values)
    return values[order], by_curve.ravel()[order]


def _prior_box(positions: Floats, rates: Rates) -> tuple[list[float], list[float]]:
    """Return bounds of the priors of the PSE, the log scale, and the free rates."""
    span = float(np.ptp(positions))
    gaps = np.diff(positions)
    smallest = float(gaps[gaps > 0].min())
    lows = [positions[0] - span / 2, np.log(smallest / 10), *np.zeros(rates.n_free)]
    highs = [positions[-1] + span / 2, np.log(2 * span), *rates.upper[0]]
    return lows, highs


def _log_density(
    fit: PsychometricFit, positions: Floats, rates: Rates, axes: list[Floats], inflation: float
) -> Floats:
    """Return the log posterior on the grid, tempered by the inflation."""
    sigmoid = fit.sigmoid
    correct, wrong = fit.correct[0], fit.trials[0] - fit.correct[0]
    pse, scale = axes[0][:, None, None], np.exp(axes[1])[None, :, None]
    z = sigmoid.median + (positions - pse) / scale
    above, below = sigmoid.tails(z)

    combinations = np.array(list(product(*axes[2:])))
    every = rates.take(np.zeros(len(combinations), dtype=np.intp))
    pairs = zip(every.guess(combinations), every.lapse(combinations), strict=True)
    loglik = np.empty((*z.shape[:2], len(combinations)))
    for i, (guess, lapse) in enumerate(pairs):
        core = 1 - guess - lapse
        hits = special.xlogy(correct, guess + core * above)
        misses = special.xlogy(wrong, lapse + core * below)
        loglik[..., i] = (hits + misses).sum(axis=-1)
    density = loglik / inflation + rates.log_prior(combinations)
    return np.asarray(density.reshape([len(axis) for axis in axes]))


def _holding_mass(axes: list[Floats], log_density: Floats) -> tuple[list[float], list[float]]:
    """Return the bounding box of grid points with mass, one cell wider on each side."""
    matters = log_density > log_density.max() - _DEPTH
    lows, highs = [], []
    for j, axis in enumerate(axes):
        others = tuple(i for i in range(len(axes)) if i != j)
        inside = np.flatnonzero(matters.any(axis=others))
        lows.append(float(axis[max(inside[0] - 1, 0)]))
        highs.append(float(axis[min(inside[-1] + 1, len(axis) - 1)]))
    return lows, highs


def _quantiles(values: Floats, mass: Floats, at: Floats) -> Floats:
    """Return quantiles of a distribution on ascending grid points."""
    reached = np.cumsum(mass) - mass / 2
    return np.asarray(np.interp(at * mass.sum(), reached, values))


# Relative tolerance of equal scales, within the precision of the fit.
_EQUAL: Final = 1e-7
# Curves refitted together: enough to keep numpy busy, few enough for a few tens of megabytes.
_TOGETHER: Final = 50_000


def refits(
    fit: PsychometricFit, rows: NDArray[np.intp], draws: int, seed: Seed
) -> Iterator[tuple[NDArray[np.intp], Floats, CurveFit]]:
    """Simulate responses from curves and refit them, some curves at a time.

    Parameters
    ----------
    fit
        Flat fit.
    rows
        Which of its curves.
    draws
        D, simulations per curve.
    seed
        Integer seed, generator, or None.

    Yields
    ------
    rows, correct, refit
        c of the curves, simulated responses of shape (D, c, L), and their fits of shape (D * c).

    Raises
    ------
    PsychometricError
        If trials are not whole numbers, or there are no draws.
    """
    if draws < 1:
        raise PsychometricError(f"draws is {draws}: use at least 1, such as 999")
    if (fit.trials[rows] % 1 != 0).any():
        raise PsychometricError(
            "responses can only be simulated for whole numbers of trials: use method='profile' or"
            " 'posterior'"
        )
    rng = np.random.default_rng(seed)
    at_once = max(1, _TOGETHER // draws)
    for begin in range(0, len(rows), at_once):
        part = rows[begin : begin + at_once]
        curves = fit[part]
        trials = np.broadcast_to(curves.trials, (draws, *curves.trials.shape))
        correct = rng.binomial(trials.astype(np.int64), curves.predict()).astype(np.float64)
        positions = curves.sigmoid.to_axis(curves.levels)
        flat = (draws * len(part), -1)
        yield (
            part,
            correct,
            fit_curves(
                curves.sigmoid,
                np.broadcast_to(positions, trials.shape).reshape(flat),
                correct.reshape(flat),
                trials.reshape(flat),
                curve_rates(curves).repeat(draws),
                Start(np.tile(curves.location, draws), np.tile(curves.scale, draws)),
                covariance=False,
            ),
        )


def bootstrap_limits(
    fit: PsychometricFit,
    parameter: Parameter,
    convention: Convention,
    level: float,
    inflation: Floats,
    draws: int,
    seed: Seed,
) -> tuple[Floats, Floats]:
    """Return bias-corrected bootstrap limits of a flat fit, shape (C,).

    A refit without a PSE or JND (all simulated responses equal) counts as beyond both limits, so
    that it can widen an interval but not narrow it.
    """
    low, high = np.full(fit.shape, -np.inf), np.full(fit.shape, np.inf)
    low[fit.status == Status.EMPTY] = high[fit.status == Status.EMPTY] = np.nan
    estimate = to_line(fit.sigmoid, parameter, convention, fit.location, fit.scale)
    for rows, _, refit in refits(fit, np.flatnonzero(fit.converged), draws, seed):
        drawn = to_line(fit.sigmoid, parameter, convention, refit.location, refit.scale)
        equal = _EQUAL * np.maximum(np.abs(estimate[rows]), fit.scale[rows])
        low[rows], high[rows] = _bias_corrected(
            drawn.reshape(draws, len(rows)), estimate[rows], equal, level, inflation[rows]
        )
    return from_line(fit.sigmoid, parameter, low), from_line(fit.sigmoid, parameter, high)


def _bias_corrected(
    drawn: Floats, estimate: Floats, equal: Floats, level: float, inflation: Floats
) -> tuple[Floats, Floats]:
    """Return quantiles of draws (D, C), corrected for median bias (Efron's BC).

    Other responses may have just the same estimate, as mirrored ones have: draws within `equal` of
    it, shape (C,), count half.
    """
    draws = len(drawn)
    defined = ~np.isnan(drawn)
    below = (drawn < estimate - equal).sum(axis=0)
    above = (drawn > estimate + equal).sum(axis=0)
    count = defined.sum(axis=0)
    share = ((count + below - above) / 2 + 0.5) / (count + 1)
    bias = special.ndtri(share)
    width = special.ndtri((1 + level) / 2)
    ordered_low = np.sort(np.where(defined, drawn, -np.inf), axis=0)
    ordered_high = np.sort(np.where(defined, drawn, np.inf), axis=0)
    # A whole number stays itself under rounding in either direction.
    low_at = np.floor(special.ndtr(2 * bias - width) * (draws + 1) + 1e-9).astype(np.intp) - 1
    high_at = np.ceil(special.ndtr(2 * bias + width) * (draws + 1) - 1e-9).astype(np.intp) - 1
    columns = np.arange(drawn.shape[1])
    low = ordered_low[np.clip(low_at, 0, draws - 1), columns]
    high = ordered_high[np.clip(high_at, 0, draws - 1), columns]
    stretch = np.sqrt(inflation)
    return estimate + stretch * (low - estimate), estimate + stretch * (high - estimate)


Method: TypeAlias = Literal["profile", "bootstrap", "posterior"]
Overdispersion: TypeAlias = Literal["none", "quasi"]

_METHODS: Final[dict[Method, str]] = {
    "profile": "profile likelihood",
    "bootstrap": "parametric bootstrap, bias-corrected",
    "posterior": "posterior on a grid",
}
_NEEDS_FIT: Final = "the bootstrap needs a converged fit, use method='profile': "
_NO_DF: Final = "overdispersion needs more levels than parameters: no widening was possible"


@dataclass(frozen=True)
class CurveIntervals:
    """Intervals of one parameter of many curves.

    Attributes
    ----------
    low, high
        Ends, in units of the level, of the batch's shape; infinite (or, for a JND, 0) if the
        responses do not bound the parameter, NaN if there are none. If all answers are alike the
        likelihood ratio still bounds the PSE on the side of the levels.
    level
        Nominal level.
    parameter
        ``"pse"`` (of the curve without guesses and lapses) or ``"jnd"``.
    convention
        Of the JND; empty for the PSE.
    method
        In words; ends in ``", quasi-binomial"`` if widened for overdispersion.
    inflation
        Factor by which variances were widened for overdispersion: 1, or more.
    reason
        Why an interval is missing or of lower quality; empty otherwise.
    """

    low: Floats
    high: Floats
    level: float
    parameter: Parameter
    convention: str
    method: str
    inflation: Floats
    reason: NDArray[np.str_]


def interval(
    fit: PsychometricFit,
    parameter: Parameter = "pse",
    method: Method = "profile",
    *,
    level: float = 0.95,
    convention: Convention = "quartile",
    overdispersion: Overdispersion = "none",
    draws: int = 1999,
    seed: Seed = None,
) -> CurveIntervals:
    """Compute an interval of the PSE or JND of each curve.

    Parameters
    ----------
    fit
        Fitted curves.
    parameter
        ``"pse"`` (where the curve without guesses and lapses is 1/2) or ``"jnd"``.
    method
        ``"profile"``, ``"bootstrap"`` or ``"posterior"``.
    level
        In (0, 1).
    convention
        Of the JND, see `biaslab.stats.curves.jnd`.
    overdispersion
        ``"quasi"`` widens the interval as if variances were Pearson's chi-square / df times the
        binomial ones where that exceeds 1, with an F distribution on df for the uncertainty of
        that factor (quasi-binomial); ``"none"`` takes the responses as binomial. It mends much
        but not all: with 9 levels, nominal 95 % profile intervals of the PSE cover 82 % without
        it and 93 % with it where variances are twice the binomial ones, 54 % and 83 % where they
        are 6.6 times those.
    draws
        Number of bootstrap refits per curve.
    seed
        Of the bootstrap.

    Raises
    ------
    PsychometricError
        If an option is unknown or out of range, or a bootstrap of fractional trials is requested.
    """
    _check_options(parameter, method, level, overdispersion)
    check_convention(convention)
    curves = fit.flat()
    reason = curves.reason.astype(object)

    inflation = np.ones(len(reason))
    if overdispersion == "quasi":
        inflation = quasi_inflation(curves, level)
        reason[(curves.df == 0) & curves.converged] = _NO_DF

    if method == "profile":
        low, high = profile_limits(curves, parameter, convention, level, inflation)
    elif method == "posterior":
        low, high = posterior_limits(curves, parameter, convention, level, inflation)
    else:
        low, high = bootstrap_limits(curves, parameter, convention, level, inflation, draws, seed)
        failed = ~curves.converged & (curves.status != Status.EMPTY)
        reason[failed] = [_NEEDS_FIT + sentence for sentence in reason[failed]]

    name = _METHODS[method] + (", quasi-binomial" if overdispersion == "quasi" else "")
    return CurveIntervals(
        low=low.reshape(fit.shape),
        high=high.reshape(fit.shape),
        level=level,
        parameter=parameter,
        convention=convention if parameter == "jnd" else "",
        method=name,
        inflation=inflation.reshape(fit.shape),
        reason=reason.astype(np.str_).reshape(fit.shape),
    )


def quasi_inflation(fit: PsychometricFit, level: float) -> Floats:
    """Return the variance inflation of quasi-binomial intervals, at least 1.

    Pearson's chi-square / df, but not below 1, times the ratio of the F(1, df) and chi-square(1)
    quantiles.
    """
    df = np.maximum(fit.df, 1)
    dispersion = np.maximum(pearson(fit) / df, 1)
    quantile = special.fdtri(1, df, level) / special.chdtri(1, 1 - level)
    return np.where((fit.df > 0) & fit.converged, dispersion * quantile, 1.0)


def pearson(fit: PsychometricFit) -> Floats:
    """Return Pearson's chi-square of each curve."""
    expected = fit.predict()
    variance = fit.trials * expected * (1 - expected)
    squares = (fit.correct - fit.trials * expected) ** 2
    terms = np.divide(squares, variance, out=np.zeros_like(squares), where=variance > 0)
    return np.asarray(terms.sum(axis=-1))


def _check_options(parameter: str, method: str, level: float, overdispersion: str) -> None:
    for name, value, known in (
        ("parameter", parameter, ("pse", "jnd")),
        ("method", method, tuple(_METHODS)),
        ("overdispersion", overdispersion, ("none", "quasi")),
    ):
        if value not in known:
            raise PsychometricError(f"{name} is {value!r}: choose one of {', '.join(known)}")
    if not 0 < level < 1:
        raise PsychometricError(f"level is {level}: it must lie between 0 and 1, such as 0.95")
