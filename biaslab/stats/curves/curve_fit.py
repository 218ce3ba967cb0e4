"""Fit location and scale of many curves, with guess and lapse rates fixed, free or equal.

Curves are standardised, started, optimised and diagnosed, as flat arrays of C curves by L levels,
on the family's axis (``log x`` for Weibull). The public side is `biaslab.stats.psychometric`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from itertools import product
from typing import Final, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from biaslab.errors import PsychometricError
from biaslab.stats.curves.scoring import Linear, Model, Optimum, Rates, maximise
from biaslab.stats.curves.sigmoids import Floats, Sigmoid

FreeRates: TypeAlias = Literal["none", "guess", "lapse", "both", "equal"]

HIGHEST_RATE: Final = 0.45
"""Upper bound of an estimated guess or lapse rate."""
_RATE_MAPS: Final[dict[FreeRates, tuple[list[float], list[float]]]] = {
    "none": ([], []),
    "guess": ([1.0], [0.0]),
    "lapse": ([0.0], [1.0]),
    "both": ([1.0, 0.0], [0.0, 1.0]),
    "equal": ([1.0], [1.0]),
}


def make_rates(guess: Floats, lapse: Floats, free: FreeRates, prior: float) -> Rates:
    """Return rates of C curves from their fixed values, (C,) (0 for the free ones)."""
    guess_map, lapse_map = (np.asarray(column) for column in _RATE_MAPS[free])
    room = np.minimum(HIGHEST_RATE, 0.9 * (1 - guess - lapse))
    upper = np.repeat(room[:, None], len(guess_map), axis=1)
    return Rates(guess, lapse, guess_map, lapse_map, upper, prior)


def read_rates(
    guess: ArrayLike | str, lapse: ArrayLike | str, prior: float, batch: tuple[int, ...]
) -> tuple[Rates, FreeRates]:
    """Parse the `guess`, `lapse` and `rate_prior` of `biaslab.stats.psychometric.fit`."""
    if not (np.isfinite(prior) and prior >= 1):
        raise PsychometricError(f"rate_prior is {prior}: it must be 1 (no density) or more")
    free: FreeRates = "none"
    if isinstance(lapse, str) and lapse == "equal":
        free, lapse = ("equal", 0.0) if isinstance(guess, str) else ("none", guess)
    elif isinstance(lapse, str):
        free = "both" if isinstance(guess, str) else "lapse"
    elif isinstance(guess, str):
        free = "guess"
    base_guess = _read_rate("guess", guess, ("free",), batch)
    base_lapse = _read_rate("lapse", lapse, ("free", "equal"), batch)
    if (base_guess + base_lapse >= 1).any():
        raise PsychometricError("guess and lapse together reach 1: the curve has no room to rise")
    return make_rates(base_guess, base_lapse, free, float(prior)), free


def _read_rate(
    name: str, value: ArrayLike | str, words: tuple[str, ...], batch: tuple[int, ...]
) -> Floats:
    """Return flat values of a fixed rate; 0 for one of the words, which the caller handles."""
    if isinstance(value, str):
        if value not in words:
            options = " or ".join(repr(word) for word in words)
            raise PsychometricError(f"{name} is {value!r}: give a rate, or {options}")
        value = 0.0
    return per_curve(name, value, batch, lowest=0.0)


def per_curve(
    name: str, value: ArrayLike, batch: tuple[int, ...], lowest: float = -np.inf
) -> Floats:
    """Return one checked value per curve, flat."""
    try:
        values = np.broadcast_to(np.asarray(value, dtype=np.float64), batch).ravel()
    except ValueError:
        raise PsychometricError(
            f"{name} must be a number, or one per curve: the curves have shape {batch}"
        ) from None
    if not (np.isfinite(values) & (values >= lowest)).all():
        rule = "finite" if lowest == -np.inf else f"a finite number, {lowest:g} or more"
        raise PsychometricError(f"{name} must be {rule}")
    return values


class Status(IntEnum):
    """How the fit of a curve ended."""

    CONVERGED = 0
    EMPTY = 1
    ONE_LEVEL = 2
    NONE_CORRECT = 3
    ALL_CORRECT = 4
    NOT_RISING = 5
    STEP = 6
    SATURATED = 7
    NOT_SETTLED = 8

    @property
    def reason(self) -> str:
        """The status in words, empty for a converged fit."""
        return _REASONS[self]


_REASONS: Final = {
    Status.CONVERGED: "",
    Status.EMPTY: "no trials: there is nothing to fit",
    Status.ONE_LEVEL: "only one level has trials: location and scale need two or more",
    Status.NONE_CORRECT: "no response is 1: the curve lies above the levels, add higher ones",
    Status.ALL_CORRECT: "every response is 1: the curve lies below the levels, add lower ones",
    Status.NOT_RISING: (
        "the responses do not rise with the level: if they fall, fit trials - correct instead"
    ),
    Status.STEP: (
        "the responses step from one plateau to the other: the location lies at the step, the"
        " scale is too small to be estimated; add levels near the step"
    ),
    Status.SATURATED: (
        "all responses lie on one plateau of the curve: the location is beyond the levels"
    ),
    Status.NOT_SETTLED: "the estimate did not converge: fix the guess or lapse rate, or add trials",
}

_PLATEAU: Final = 1e-5
# Smallest slope per spread of the levels beyond rounding.
_FLATTEST: Final = 1e-7
# Steepest curve considered, in z per smallest distance of two levels: by then it is a step.
_STEEPEST: Final = 60.0
_START_PLACES: Final = np.linspace(-0.1, 1.1, 9)
# Scales relative to the range of the levels: a step, steep ones, shallow ones.
_START_WIDTHS: Final = ((0.03,), (0.07,), (0.15, 0.5))
_START_RATES: Final = (0.02, 0.15)
_EQUAL: Final = 1e-9
"""Tolerance, absolute or relative, between log-likelihoods of two climbs to one maximum."""


@dataclass(frozen=True)
class Axis:
    """A curve's axis with mean 0 and spread 1 of its levels: ``(t - centre) / unit``.

    Attributes
    ----------
    levels
        Levels on it, shape (C, L).
    centre, unit
        Shape (C,).
    steepest
        Upper bound of the slope of ``z`` on it, shape (C,).
    """

    levels: Floats
    centre: Floats
    unit: Floats
    steepest: Floats


@dataclass(frozen=True)
class CurveFit:
    """Estimates of C curves.

    Attributes
    ----------
    location, scale
        On the family's axis, shape (C,); for curves without an estimate the limit, else NaN.
    rates
        Estimated rates, shape (C, R).
    loglik
        Penalised log-likelihood without its constant, shape (C,).
    expected
        Probabilities at the levels, shape (C, L).
    status
        `Status` codes, shape (C,).
    covariance
        Of location, scale and the estimated rates, shape (C, 2 + R, 2 + R); NaN unless converged.
        A rate at its bound counts as known.
    """

    location: Floats
    scale: Floats
    rates: Floats
    loglik: Floats
    expected: Floats
    status: NDArray[np.int8]
    covariance: Floats


@dataclass(frozen=True)
class Start:
    """Where to climb from: location and scale, shape (C,), and perhaps the free rates (C, R).

    With rates it is the maximum of a curve nearby; NaN where that has none.
    """

    location: Floats
    scale: Floats
    rates: Floats | None = None


def standard_axis(positions: Floats, trials: Floats) -> Axis:
    """Standardise the levels of each curve by their trials."""
    total = np.maximum(trials.sum(axis=-1), 1e-300)
    centre = (trials * positions).sum(axis=-1) / total
    away = positions - centre[:, None]
    spread = np.sqrt((trials * away**2).sum(axis=-1) / total)
    unit = np.where(spread > 0, spread, 1.0)
    levels = away / unit[:, None]
    gaps = np.diff(levels, axis=-1)
    smallest = np.where(gaps > 0, gaps, np.inf).min(axis=-1, initial=np.inf)
    steepest = _STEEPEST / np.where(np.isfinite(smallest), smallest, 1.0)
    return Axis(levels, centre, unit, steepest)


def fit_curves(
    sigmoid: Sigmoid,
    positions: Floats,
    correct: Floats,
    trials: Floats,
    rates: Rates,
    start: Start | None = None,
    *,
    covariance: bool = True,
) -> CurveFit:
    """Fit location, scale and the free rates of C curves.

    Parameters
    ----------
    sigmoid
        Family.
    positions
        Levels on the family's axis, ascending, shape (C, L).
    correct, trials
        Counts, shape (C, L).
    rates
        Fixed and free rates.
    start
        Where to start from; by default found from the data.
    covariance
        Whether it is wanted; refits to simulated responses do without (it is NaN then).
    """
    # In memory by level: then sums over levels and factors of curves run along the batch.
    correct, trials = np.asfortranarray(correct), np.asfortranarray(trials)
    axis = standard_axis(np.asfortranarray(positions), trials)
    predictor = Linear([np.ones_like(axis.levels), axis.levels])
    model = Model(sigmoid, correct, trials, predictor, rates)

    unbounded = np.full(len(positions), np.inf)
    none = np.zeros(len(positions))
    lower = np.column_stack([-unbounded, none, np.zeros_like(rates.upper)])
    upper = np.column_stack([unbounded, axis.steepest, rates.upper])
    starts = _starts(model, axis, start)
    best = maximise(model, starts[0], lower, upper)
    for begin in starts[1:]:
        best = higher(best, maximise(model, begin, lower, upper, known=best))

    intercept, slope, free = best.theta[:, 0], best.theta[:, 1], best.theta[:, 2:]
    core = model.core(best.theta)
    status = _diagnose(correct, trials, core, slope, best.converged)
    with np.errstate(divide="ignore", invalid="ignore"):
        location = axis.centre - axis.unit * intercept / slope
        scale = axis.unit / slope
    location, scale = _limits(location, scale, status, positions, core, trials, sigmoid, intercept)

    guess, lapse = rates.guess(free), rates.lapse(free)
    expected = guess[:, None] + (1 - guess - lapse)[:, None] * core
    converged = np.flatnonzero(status == Status.CONVERGED) if covariance else np.empty(0, np.intp)
    spread = _covariance(model, best.theta, axis, converged, lower, upper)
    return CurveFit(location, scale, free, best.loglik, expected, status, spread)


def _from_guess(start: Start, axis: Axis, rates: Rates) -> Floats:
    slope = axis.unit / np.maximum(start.scale, axis.unit / axis.steepest)
    intercept = (axis.centre - start.location) / axis.unit * slope
    free = np.minimum(_START_RATES[0] if start.rates is None else start.rates, rates.upper)
    return np.column_stack([intercept, slope, free])


def higher(best: Optimum, other: Optimum) -> Optimum:
    """Select the higher optimum of each curve; the first of equal ones, as mirrored ones are."""
    higher = other.loglik > best.loglik + _EQUAL * (1 + np.abs(best.loglik))
    return Optimum(
        np.where(higher[:, None], other.theta, best.theta),
        np.where(higher, other.loglik, best.loglik),
        np.where(higher, other.converged, best.converged),
    )


def _starts(model: Model, axis: Axis, start: Start | None) -> list[Floats]:
    """Return start parameters of the optimiser.

    Without guesses and lapses the likelihood has one maximum, and any start leads there. With
    them it may have several (a step that takes all odd responses for guesses is a common one), so
    the best steep and the best shallow curves of a coarse grid are tried too, unless a start is
    given. One with rates of its own comes from the maximum of a curve nearby, and is the only one.
    """
    rates = model.rates
    first = _least_squares(model, axis)
    given = None if start is None else _from_guess(start, axis, rates)
    if start is not None and given is not None and start.rates is not None:
        return [np.where(np.isfinite(given).all(axis=-1, keepdims=True), given, first)]
    if rates.n_free == 0 and not (rates.guess_base.any() or rates.lapse_base.any()):
        return [first if given is None else given]
    if given is not None:
        return [first, given]
    return [first, *(_best_of_grid(model, axis, widths) for widths in _START_WIDTHS)]


def _best_of_grid(model: Model, axis: Axis, widths: tuple[float, ...]) -> Floats:
    rates = model.rates
    lowest, highest = axis.levels[:, 0], axis.levels[:, -1]
    span = np.where(highest > lowest, highest - lowest, 1.0)
    chosen = np.zeros((len(span), 2 + rates.n_free))
    value = np.full(len(span), -np.inf)
    initial = _START_RATES if rates.n_free else _START_RATES[:1]
    free = [np.minimum(rate, rates.upper) for rate in initial]
    for place, width in product(_START_PLACES, widths):
        slope = np.minimum(1 / (width * span), axis.steepest)
        shape = np.column_stack([-(lowest + place * span) * slope, slope])
        for rate, reached in zip(free, model.loglik_of_rates(shape, free), strict=True):
            better = reached > value
            trial = np.column_stack([shape, rate])
            chosen, value = np.where(better[:, None], trial, chosen), np.maximum(reached, value)
    return chosen


def _least_squares(model: Model, axis: Axis) -> Floats:
    n, rates = model.trials, model.rates
    free = np.minimum(_START_RATES[0], rates.upper)
    guess, lapse = rates.guess(free)[:, None], rates.lapse(free)[:, None]
    fraction = (model.correct + 0.5) / (n + 1)
    core = np.clip((fraction - guess) / (1 - guess - lapse), 0.02, 0.98)
    z = model.sigmoid.ppf(core)
    total = np.maximum(n.sum(axis=-1), 1e-300)
    slope = np.clip((n * axis.levels * z).sum(axis=-1) / total, 0.1, axis.steepest)
    return np.column_stack([(n * z).sum(axis=-1) / total, slope, free])


def _diagnose(
    correct: Floats, trials: Floats, core: Floats, slope: Floats, converged: NDArray[np.bool_]
) -> NDArray[np.int8]:
    used = trials > 0
    n_used = used.sum(axis=-1)
    floor = (core < _PLATEAU) | ~used
    ceiling = (core > 1 - _PLATEAU) | ~used
    between = (~floor & ~ceiling).sum(axis=-1)
    cases = [
        (n_used == 0, Status.EMPTY),
        (~(correct > 0).any(axis=-1), Status.NONE_CORRECT),
        (~(correct < trials).any(axis=-1), Status.ALL_CORRECT),
        (n_used == 1, Status.ONE_LEVEL),
        (slope <= _FLATTEST, Status.NOT_RISING),
        (floor.all(axis=-1) | ceiling.all(axis=-1), Status.SATURATED),
        (between <= 1, Status.STEP),
        (~converged, Status.NOT_SETTLED),
    ]
    conditions, codes = zip(*cases, strict=True)
    return np.asarray(np.select(conditions, codes, Status.CONVERGED), dtype=np.int8)


def _limits(
    location: Floats,
    scale: Floats,
    status: NDArray[np.int8],
    positions: Floats,
    core: Floats,
    trials: Floats,
    sigmoid: Sigmoid,
    intercept: Floats,
) -> tuple[Floats, Floats]:
    """Replace estimates that do not exist by the limit of the ascent, or NaN."""
    location, scale = location.copy(), scale.copy()

    flat = status == Status.NOT_RISING
    location[flat] = np.where(intercept[flat] < sigmoid.median, np.inf, -np.inf)
    scale[flat] = np.inf

    saturated = status == Status.SATURATED
    location[saturated] = np.where(core[saturated, 0] < 0.5, np.inf, -np.inf)
    location[status == Status.NONE_CORRECT] = np.inf
    location[status == Status.ALL_CORRECT] = -np.inf
    unknown = [Status.EMPTY, Status.ONE_LEVEL]
    location[np.isin(status, unknown)] = np.nan
    beyond = [Status.SATURATED, Status.NONE_CORRECT, Status.ALL_CORRECT]
    scale[np.isin(status, unknown + beyond)] = np.nan

    step = status == Status.STEP
    location[step] = _step_places(location[step], positions[step], core[step], trials[step])
    scale[step] = 0.0
    return location, scale


def _step_places(location: Floats, positions: Floats, core: Floats, trials: Floats) -> Floats:
    """Return the position of a step: between the plateaus, or at the level there."""
    used = trials > 0
    floor, ceiling = used & (core < _PLATEAU), used & (core > 1 - _PLATEAU)
    last_low = np.where(floor, positions, -np.inf).max(axis=-1, initial=-np.inf)
    first_high = np.where(ceiling, positions, np.inf).min(axis=-1, initial=np.inf)
    with np.errstate(invalid="ignore"):
        midway = (last_low + first_high) / 2
    # A level between the plateaus has the step next to it, as in the fit.
    return np.where((used & ~floor & ~ceiling).any(axis=-1), location, midway)


def _covariance(
    model: Model, theta: Floats, axis: Axis, rows: NDArray[np.intp], lower: Floats, upper: Floats
) -> Floats:
    """Return the inverse information of location and scale."""
    size = theta.shape[1]
    covariance = np.full((len(theta), size, size), np.nan)
    theta, unit = theta[rows], axis.unit[rows]
    information = model.take(rows).derivatives(theta).information

    known = (theta <= lower[rows]) | (theta >= upper[rows])
    free = ~known[:, :, None] & ~known[:, None, :]
    inverse = np.linalg.pinv(np.where(free, information, 0.0), hermitian=True)

    intercept, slope = theta[:, 0], theta[:, 1]
    jacobian = np.zeros((len(rows), size, size))
    jacobian[:, 0, 0] = -unit / slope
    jacobian[:, 0, 1] = unit * intercept / slope**2
    jacobian[:, 1, 1] = -unit / slope**2
    jacobian[:, range(2, size), range(2, size)] = 1.0
    covariance[rows] = jacobian @ inverse @ jacobian.transpose(0, 2, 1)
    return covariance
