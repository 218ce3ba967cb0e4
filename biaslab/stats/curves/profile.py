"""Profile-likelihood limits of the PSE and the JND.

For each trial value of the parameter of interest the others are refitted; the limits are where
twice the loss of log-likelihood reaches the chi-square quantile. The search goes outward from the
estimate until the loss is past its target, and then closes in by the loss's slope, both sides of
all curves together. Each refit begins where the last one ended, which is quick but may miss another
maximum: at the limits the refit begins in other places too, and where it ends higher, the search is
repeated with all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import special

from biaslab.stats.curves.curve_fit import Axis, Status, higher, standard_axis
from biaslab.stats.curves.jnd import (
    Convention,
    Parameter,
    from_line,
    jnd_at_unit_location,
    to_line,
    unit_jnd,
)
from biaslab.stats.curves.scoring import Linear, Model, Predictor, Rows, maximise
from biaslab.stats.curves.sigmoids import Floats, Sigmoid
from biaslab.stats.psychometric import PsychometricFit, curve_rates, free_rate_values

# Root of twice the loss of log-likelihood at values of some curves (by their rows), and its slope;
# the last argument says whether refits begin in several places.
Loss: TypeAlias = Callable[[Floats, Rows, bool], tuple[Floats, Floats]]

_DOUBLINGS: Final = 30
_REFINEMENTS: Final = 25
_HALVE_EACH: Final = 4
# So near the target the loss is a line for all purposes: the slope gives the rest.
_CLOSE: Final = 1e-3
# The first step is so many standard errors for each of the target, the next ones so much further
# than the slope says: most searches then have the limit between two values at once. Steps grow in
# any case, as a loss that levels off would never be passed.
_FIRST_STEP: Final = 1.1
_PAST: Final = 1.1
_LEAST_GROWTH: Final = 1.2
# A loss that falls by so much with other starts was not the least.
_LESS: Final = 1e-4
_TINY: Final = 1e-100


def search_limits(loss: Loss, begin: Floats, step: Floats, end: Floats, target: Floats) -> Floats:
    """Search the nearest values where the loss reaches the target, with each step's sign.

    Refits are quick, and thorough in a second search where these end higher.
    """
    result = _outward(lambda value, rows: loss(value, rows, False), begin, step, end, target)
    rows = np.flatnonzero(np.isfinite(result))
    least, _ = loss(result[rows], rows, True)
    again = rows[least < target[rows] - _LESS]
    if again.size:
        result[again] = _outward(
            lambda value, rows: loss(value, again[rows], True),
            begin[again], step[again], end[again], target[again],
        )  # fmt: skip
    return result


def _outward(
    loss: Callable[[Floats, Rows], tuple[Floats, Floats]],
    begin: Floats,
    step: Floats,
    end: Floats,
    target: Floats,
) -> Floats:
    """Go outward, where the target is by the slope or in doubling steps, and then close in."""
    forward = np.sign(step)
    inner, outer = _Ends.at(begin), _Ends.at(begin)
    length = _FIRST_STEP * np.abs(step) * target
    result = forward * np.inf
    rows: NDArray[np.intp] = np.arange(len(begin))
    bracketed = np.zeros(len(begin), dtype=bool)
    for _ in range(_DOUBLINGS):
        ahead = outer.value[rows] + forward[rows] * length[rows]
        beyond = forward[rows] * (ahead - end[rows]) >= 0
        value = np.where(beyond, end[rows], ahead)
        outer.put(rows, value, *loss(value, rows))
        crossed = outer.loss[rows] >= target[rows]
        bracketed[rows[crossed]] = True
        rows = rows[~crossed & ~beyond]
        if not rows.size:
            break
        inner.put(rows, outer.value[rows], outer.loss[rows], outer.slope[rows])
        further = _PAST * (target[rows] - outer.loss[rows])
        rise = np.maximum(forward[rows] * outer.slope[rows], _TINY)
        length[rows] *= np.clip(further / rise / length[rows], _LEAST_GROWTH, 2)

    rows = np.flatnonzero(bracketed)
    result[rows] = _close_in(loss, rows, inner.take(rows), outer.take(rows), target[rows])
    return result


@dataclass(frozen=True)
class _Ends:
    """One end of each bracket: values, the root losses there and their slopes, shape (C,)."""

    value: Floats
    loss: Floats
    slope: Floats

    @classmethod
    def at(cls, value: Floats) -> _Ends:
        """Estimates, where nothing is lost."""
        return cls(value.copy(), np.zeros_like(value), np.zeros_like(value))

    def put(self, rows: Rows, value: Floats, loss: Floats, slope: Floats) -> None:
        """Replace some."""
        self.value[rows], self.loss[rows], self.slope[rows] = value, loss, slope

    @property
    def parts(self) -> tuple[Floats, Floats, Floats]:
        """All three."""
        return self.value, self.loss, self.slope

    def take(self, rows: Rows) -> _Ends:
        """Copy some."""
        return _Ends(self.value[rows], self.loss[rows], self.slope[rows])


def _close_in(
    loss: Callable[[Floats, Rows], tuple[Floats, Floats]],
    rows: NDArray[np.intp],
    inner: _Ends,
    outer: _Ends,
    target: Floats,
) -> Floats:
    """Close in on the crossing between two values by Newton's steps from the end nearer to it.

    A step that would leave the bracket, and every fourth one, halves the bracket instead: the loss
    may jump where another maximum takes over.
    """
    result = outer.value.copy()
    open_: NDArray[np.intp] = np.arange(len(rows))
    for refinement in range(_REFINEMENTS):
        if not open_.size:
            break
        below, above, wanted = inner.take(open_), outer.take(open_), target[open_]
        from_inner = wanted - below.loss < above.loss - wanted
        at, lost, slope = (
            np.where(from_inner, one, other)
            for one, other in zip(below.parts, above.parts, strict=True)
        )
        with np.errstate(divide="ignore", invalid="ignore"):
            value = at + (wanted - lost) / slope
        low, high = np.minimum(below.value, above.value), np.maximum(below.value, above.value)
        halve = ~((value > low) & (value < high)) | (refinement % _HALVE_EACH == _HALVE_EACH - 1)
        value = np.where(halve, (low + high) / 2, value)
        here, slope = loss(value, rows[open_])
        close = np.abs(here - wanted) <= _CLOSE
        with np.errstate(divide="ignore", invalid="ignore"):
            rest = np.where(close, (wanted - here) / slope, 0.0)
        result[open_] = np.clip(value + np.nan_to_num(rest), low, high)
        under = here < wanted
        for side, chosen in ((inner, under), (outer, ~under)):
            side.put(open_[chosen], value[chosen], here[chosen], slope[chosen])
        open_ = open_[~close]
    return result


_UNUSABLE: Final = (Status.EMPTY, Status.ONE_LEVEL)
# Any scale does: only the PSE is bounded, on the side of the levels.
_ALIKE: Final = (Status.NONE_CORRECT, Status.ALL_CORRECT)
# A PSE this many ranges of levels away, or a scale this many times the range, is out of sight.
_FARTHEST: Final = 1e3
_FLATTEST_LOG_SLOPE: Final = 0.02
_WIDEST_LOG_SCALE: Final = 10.0


def profile_limits(
    fit: PsychometricFit,
    parameter: Parameter,
    convention: Convention,
    level: float,
    inflation: Floats,
) -> tuple[Floats, Floats]:
    """Return lower and upper limits of the PSE or JND of a flat fit, shape (C,).

    Parameters
    ----------
    fit
        C curves.
    parameter
        ``"pse"`` or ``"jnd"``.
    convention
        Of the JND.
    level
        Confidence level.
    inflation
        Of the variance, shape (C,).
    """
    low, high = np.full(fit.shape, -np.inf), np.full(fit.shape, np.inf)
    low[fit.status == Status.EMPTY] = high[fit.status == Status.EMPTY] = np.nan

    unusable = _UNUSABLE if parameter == "pse" else (*_UNUSABLE, *_ALIKE)
    rows = np.flatnonzero(~np.isin(fit.status, unusable))
    if rows.size:
        both = np.tile(rows, 2)
        curves = _Curves.of(fit[both])
        side = np.repeat([-1.0, 1.0], rows.size)
        target = np.sqrt(special.chdtri(1, 1 - level) * inflation[both])
        if parameter == "pse":
            limits = _pse_limits(curves, side, target)
        else:
            limits = _jnd_limits(curves, side, convention, target)
        low[rows], high[rows] = np.split(limits, 2)
    return from_line(fit.sigmoid, parameter, low), from_line(fit.sigmoid, parameter, high)


@dataclass(frozen=True)
class _Curves:
    """Data of the searches, one on each side of each curve: fits, levels on both axes, last refits.

    Attributes
    ----------
    free
        Estimated rates of the fit, shape (C, R).
    last
        Shape parameter, in its unit, and rates of each curve's last refit, shape (C, 1 + R); the
        first is NaN before.
    """

    fit: PsychometricFit
    positions: Floats
    axis: Axis
    free: Floats
    last: Floats

    @classmethod
    def of(cls, fit: PsychometricFit) -> _Curves:
        positions = fit.sigmoid.to_axis(fit.levels)
        free = free_rate_values(fit)
        last = np.column_stack([np.full(len(free), np.nan), free])
        return cls(fit, positions, standard_axis(positions, fit.trials), free, last)

    @property
    def span(self) -> Floats:
        """Range of the levels on the family's axis, or the unit of a single level, shape (C,)."""
        span = np.ptp(self.positions, axis=-1)
        return np.where(span > 0, span, self.axis.unit)

    def root_loss(
        self,
        predictor: Predictor,
        by_value: Callable[[Floats], Floats],
        rows: Rows,
        starts: Starts,
        *,
        everywhere: bool,
    ) -> tuple[Floats, Floats]:
        """Return the root of twice the loss, and its slope, for one free shape parameter.

        Parameters
        ----------
        predictor
        by_value
            Gives the derivative of ``z`` by the value, (C, L), at a shape parameter of (C, 1).
        rows
        starts
        everywhere
        """
        fit = self.fit[rows]
        rates = curve_rates(fit)
        model = Model(fit.sigmoid, fit.correct, fit.trials, predictor, rates)
        lower = np.column_stack([starts.low, np.zeros_like(rates.upper)])
        upper = np.column_stack([starts.high, rates.upper])
        last = self.last[rows]
        shape = np.where(np.isnan(last[:, 0]), starts.shapes[0], starts.unit * last[:, 0])
        begin = np.column_stack([shape, last[:, 1:]])
        best = maximise(model, begin, lower, upper, scoring_rounds=0)
        if everywhere:
            for other in starts.shapes:
                begin = np.column_stack([other, self.free[rows]])
                best = higher(best, maximise(model, begin, lower, upper, known=best))
        self.last[rows] = np.column_stack([best.theta[:, 0] / starts.unit, best.theta[:, 1:]])
        loss = np.sqrt(np.maximum(2 * (fit.loglik - best.loglik), 0))
        # The refitted parameters are at their best: only the value's own effect is left.
        fall = -model.rise(best.theta, by_value(best.theta[:, :1]))
        return loss, fall / np.maximum(loss, _TINY)


@dataclass(frozen=True)
class Starts:
    """Where a refit begins, and its shape parameter's unit and bounds, each of shape (C,)."""

    shapes: list[Floats]
    unit: Floats
    low: Floats
    high: Floats


def _pse_limits(curves: _Curves, side: Floats, target: Floats) -> Floats:
    sigmoid, axis, fit = curves.fit.sigmoid, curves.axis, curves.fit
    shallow = 4 * axis.unit / curves.span
    with np.errstate(divide="ignore"):
        fitted = np.clip(axis.unit / fit.scale, 0.1 * shallow, axis.steepest / 4)
    fitted = np.where(np.isnan(fit.scale), axis.steepest / 4, fitted)

    def loss(value: Floats, rows: Rows, everywhere: bool) -> tuple[Floats, Floats]:
        position = (value - axis.centre[rows]) / axis.unit[rows]
        away = axis.levels[rows] - position[:, None]
        predictor = Linear([away], np.full_like(away, sigmoid.median))
        first, last = curves.positions[rows, 0], curves.positions[rows, -1]
        # From far away even a shallow curve is flat at the levels, and no start to climb from.
        beyond = np.maximum(np.maximum(first - value, value - last), 0) / curves.span[rows]
        shapes = [fitted[rows], shallow[rows] / (1 + beyond)]
        ones, zeros = np.ones(len(value)), np.zeros(len(value))
        starts = Starts(shapes, ones, zeros, axis.steepest[rows])
        per_unit = np.broadcast_to(-1 / axis.unit[rows, None], away.shape)
        return curves.root_loss(
            predictor, lambda shape: shape * per_unit, rows, starts, everywhere=everywhere
        )

    estimate = to_line(sigmoid, "pse", "quartile", fit.location, fit.scale)
    inside = np.isfinite(estimate)
    # If the responses do not rise, the PSE is at infinity: search outward from the levels' end.
    end = np.where(estimate > 0, curves.positions[:, -1], curves.positions[:, 0])
    begin = np.where(inside, estimate, end + np.sign(estimate) * _FARTHEST * curves.span)
    variance = _variance(fit, np.array([1.0, sigmoid.median]))
    step = np.where(variance > 0, np.sqrt(variance), 0.1 * curves.span)
    reach = _FARTHEST * curves.span
    lowest = np.minimum(begin, curves.positions[:, 0]) - reach
    highest = np.maximum(begin, curves.positions[:, -1]) + reach
    limits = search_limits(loss, begin, side * step, np.where(side < 0, lowest, highest), target)
    return np.where(estimate == side * np.inf, estimate, limits)


def _jnd_limits(curves: _Curves, side: Floats, convention: Convention, target: Floats) -> Floats:
    """Search limits in the logarithm of the JND."""
    fit, axis, sigmoid = curves.fit, curves.axis, curves.fit.sigmoid
    narrowest = axis.unit / axis.steepest
    scale = np.clip(fit.scale, narrowest, _FARTHEST * curves.span)
    loss: Loss
    if sigmoid.log_axis:
        location = np.clip(fit.location, curves.positions[:, 0], curves.positions[:, -1])
        begin = to_line(sigmoid, "jnd", convention, fit.location, fit.scale)
        inside = to_line(sigmoid, "jnd", convention, location, np.minimum(scale, _WIDEST_LOG_SCALE))
        begin = np.where(np.isfinite(begin), begin, inside)
        smallest = to_line(sigmoid, "jnd", convention, location, narrowest)
        largest = np.log(_FARTHEST) + curves.positions[:, -1]
        loss = _log_axis_loss(curves, convention, scale, begin)
    else:
        unit = np.log(unit_jnd(fit.family, convention))
        begin = np.log(scale) + unit
        smallest, largest = np.log(narrowest) + unit, np.log(_FARTHEST * curves.span) + unit
        loss = _scale_loss(curves, unit)
    variance = _variance(fit, np.array([0.0, 1.0])) / scale**2
    step = np.where(variance > 0, np.minimum(np.sqrt(variance), 1.0), 0.5)
    end = np.where(side < 0, np.minimum(smallest, begin), np.maximum(largest, begin))
    limits = search_limits(loss, begin, side * step, end, target)
    endless = np.where(side < 0, fit.scale == 0, np.isinf(fit.scale))
    return np.where(endless, side * np.inf, limits)


def _scale_loss(curves: _Curves, log_unit_jnd: float) -> Loss:
    """Return the loss at values of the log JND when it is a multiple of the scale."""
    axis = curves.axis
    position = (curves.fit.location - axis.centre) / axis.unit
    within = np.clip(position, axis.levels[:, 0], axis.levels[:, -1])
    middle = (axis.levels[:, 0] + axis.levels[:, -1]) / 2

    def loss(value: Floats, rows: Rows, everywhere: bool) -> tuple[Floats, Floats]:
        slope = axis.unit[rows] / np.exp(value - log_unit_jnd)
        levels = axis.levels[rows]
        predictor = Linear([np.ones_like(levels)], slope[:, None] * levels)
        unbounded = np.full(len(value), np.inf)
        shapes = [-slope * within[rows], -slope * middle[rows]]
        starts = Starts(shapes, slope, -unbounded, unbounded)
        flatter = -slope[:, None] * levels
        return curves.root_loss(predictor, lambda _: flatter, rows, starts, everywhere=everywhere)

    return loss


@dataclass(frozen=True)
class _AtJnd:
    """``z`` of a curve on a logarithmic axis with a given JND, by slope.

    With slope b the location is ``log(jnd) - log g(1 / b)``, where g is the JND at location 0.
    """

    sigmoid: Sigmoid
    convention: Convention
    positions: Floats
    log_jnd: Floats

    def take(self, rows: Rows) -> _AtJnd:
        return _AtJnd(self.sigmoid, self.convention, self.positions[rows], self.log_jnd[rows])

    def __call__(self, shape: Floats) -> tuple[Floats, list[Floats]]:
        slope = shape[:, 0]
        away = self.positions - self.log_jnd[:, None]
        width = 1e-5 * slope
        change = (self._shift(slope + width) - self._shift(slope - width)) / (2 * width)
        z = slope[:, None] * away + self._shift(slope)[:, None]
        return z, [away + change[:, None]]

    def second(self, shape: Floats) -> Floats:
        slope = shape[:, 0]
        width = 1e-3 * slope
        outer = self._shift(slope + width) + self._shift(slope - width)
        change = (outer - 2 * self._shift(slope)) / width**2
        return np.broadcast_to(change[:, None], self.positions.shape)

    def _shift(self, slope: Floats) -> Floats:
        unit = jnd_at_unit_location(self.sigmoid, 1 / slope, self.convention)
        return np.asarray(slope * np.log(unit))


def _log_axis_loss(
    curves: _Curves, convention: Convention, scale: Floats, estimate: Floats
) -> Loss:
    """Return the loss at values of the log JND of curves on a logarithmic axis."""
    fit = curves.fit
    steepest = curves.axis.steepest / curves.axis.unit

    def loss(value: Floats, rows: Rows, everywhere: bool) -> tuple[Floats, Floats]:
        predictor = _AtJnd(fit.sigmoid, convention, curves.positions[rows], value)
        flattest = np.full(len(value), _FLATTEST_LOG_SLOPE)
        # The slope that preserves the location, and gentler and steeper ones.
        clipped = np.exp(np.clip(estimate[rows] - value, -7, 7)) / scale[rows]
        shapes = [np.clip(clipped * by, flattest, steepest[rows]) for by in (1.0, 0.3, 3.0)]
        starts = Starts(shapes, np.ones(len(value)), flattest, steepest[rows])
        shift = np.full_like(predictor.positions, -1.0)
        return curves.root_loss(
            predictor, lambda slope: slope * shift, rows, starts, everywhere=everywhere
        )

    return loss


def _variance(fit: PsychometricFit, weights: Floats) -> Floats:
    """Return the variance of a weighted sum of location and scale; 0 if unknown."""
    block = fit.covariance[:, :2, :2]
    variance = np.nan_to_num(np.einsum("i,cij,j->c", weights, block, weights), nan=0.0, posinf=0.0)
    return np.asarray(variance)
