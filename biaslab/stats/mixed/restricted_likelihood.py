"""The restricted likelihood of the hierarchical psychometric model, and its curvature."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from biaslab.stats.curves.curve_fit import HIGHEST_RATE
from biaslab.stats.curves.sigmoids import Floats, get_sigmoid
from biaslab.stats.mixed.laplace import (
    BetaBinomial,
    CurveCounts,
    Indices,
    MixedCurve,
    Mode,
    Settings,
)

FreeRates = Literal["free", "equal", "none"]

HIGHEST_DISPERSION: Final = 0.9
SCALE: Final = 0.1
"""Of dispersion and rates in the search, where the other parameters are logarithms."""
_STEEPEST: Final = 6.0
"""Rise of z over the smallest step of the levels from which on a slope becomes improbable."""
_FINEST: Final = 0.01
"""Smallest step of the levels that counts, as a share of their range."""
_MOST_OBSERVERS_ALIKE: Final = 5
"""With up to so many observers all slopes are taken as one."""
_SD_BOUNDS: Final = (-5.0, 3.0)
_SLOPE_SD_BOUNDS: Final = (-4.0, 1.0)
_DIFFERENCE: Final = 1e-4


@dataclass(frozen=True)
class Answers:
    """Answers to R questions.

    Attributes
    ----------
    levels : ndarray, shape (R,)
        Stimulus levels.
    hits, trials : ndarray of int, shape (R,)
        How often the answer was cue 2, and of how many.
    observer, pair : ndarray of int, shape (R,)
        Numbers from 0 of observers and cue pairs, without gaps.
    order : ndarray, shape (R,)
        1/2 where cue 1 was offered first, -1/2 where it was second.
    """

    levels: Floats
    hits: NDArray[np.int64]
    trials: NDArray[np.int64]
    observer: Indices
    pair: Indices
    order: Floats

    @property
    def n_observers(self) -> int:
        """Number of observers."""
        return int(self.observer.max()) + 1

    @property
    def n_pairs(self) -> int:
        """Number of cue pairs."""
        return int(self.pair.max()) + 1


class RestrictedLikelihood:
    """The restricted likelihood as a function of the free parameters.

    These are logarithms of SDs, and dispersion and rates divided by a scale.
    """

    def __init__(
        self,
        model: MixedCurve[Settings],
        likelihood: CurveCounts,
        centre: float,
        names: Sequence[str],
        *,
        n_intercepts: int,
        has_order: bool,
        has_observers: bool,
    ) -> None:
        self.model, self.centre, self.names = model, centre, tuple(names)
        self.likelihood = likelihood
        self.intercepts = np.arange(1, 1 + n_intercepts)
        self.order = 1 + n_intercepts if has_order else None
        self.has_observers = has_observers
        self._floors = np.full(sum(name.startswith("sd") for name in names), 0.1)
        self._at = np.zeros(model.size)
        self._at[0] = 1.0

    @classmethod
    def of(
        cls, answers: Answers, family: str, rates: FreeRates, pairs: Literal["random", "fixed"]
    ) -> RestrictedLikelihood:
        """Set the model up."""
        sigmoid = get_sigmoid(family)
        t = sigmoid.to_axis(answers.levels)
        centre = float(np.average(t, weights=answers.trials))
        observers, cue_pairs = answers.n_observers, answers.n_pairs
        fixed_pairs = cue_pairs > 1 and pairs == "fixed"
        intercepts = np.ones((len(t), 1))
        if fixed_pairs:
            intercepts = (answers.pair[:, None] == np.arange(cue_pairs)).astype(float)
        has_order = bool(np.ptp(answers.order) > 0)
        columns = [(t - centre)[:, None], intercepts]
        columns += [answers.order[:, None]] if has_order else []
        factors: list[tuple[Indices, int]] = []
        if observers > 1:
            factors.append((answers.observer, observers))
        if cue_pairs > 1 and not fixed_pairs:
            factors.append((answers.pair, cue_pairs))
        if observers > 1 and cue_pairs > 1:
            _, cell = np.unique(answers.observer * cue_pairs + answers.pair, return_inverse=True)
            factors.append((cell, int(cell.max()) + 1))
        own_slopes = observers > _MOST_OBSERVERS_ALIKE
        design = np.hstack(columns)
        steps = np.diff(np.unique(t))
        step = max(float(steps.min()), _FINEST * float(np.ptp(t)))
        ridge = np.zeros(design.shape[1])
        ridge[0] = (step / _STEEPEST) ** 2
        likelihood = CurveCounts(sigmoid, BetaBinomial(answers.hits, answers.trials))
        model = MixedCurve(
            likelihood,
            design,
            factors,
            (answers.observer, observers) if own_slopes else None,
            ridge,
        )
        names = [f"sd{f}" for f in range(len(factors))]
        names += ["slope_sd"] if own_slopes else []
        names += ["dispersion"] if (answers.trials > 1).any() else []
        names += {"free": ["guess", "lapse"], "equal": ["rate"], "none": []}[rates]
        return cls(
            model, likelihood, centre, names, n_intercepts=intercepts.shape[1],
            has_order=has_order, has_observers=observers > 1,
        )  # fmt: skip

    def prepare(self) -> None:
        """Find the sampling errors of effects, from a fit of one curve to all answers."""
        start = self.settings(self.start)
        alone = replace(start, sds=(0.0,) * len(start.sds), slope_sd=0.0)
        mode = self.model.mode(alone, self._at)
        self._at = mode.x
        unit = replace(alone, sds=(1.0,) * len(start.sds))
        _, curvature = self.model.derivatives(mode.x, unit)
        information = np.maximum(np.diag(curvature.definite()) - 1, 1e-6)
        starts = self.model.starts
        for f in range(len(start.sds)):
            self._floors[f] = np.sqrt(1 / information[starts[f] : starts[f + 1]].mean())

    def at_slope(self, slope: float) -> MixedCurve[Settings]:
        """Return the model with a known slope."""
        model = self.model
        return MixedCurve(
            model.likelihood, model.design[:, 1:], model.factors, model.slopes,
            np.zeros(model.n_fixed - 1), slope * model.design[:, 0],
        )  # fmt: skip

    @property
    def start(self) -> Floats:
        """Where to search from."""
        begin = {"slope_sd": np.log(0.1), "dispersion": 0.1}
        return np.array(
            [np.log(0.4) if n.startswith("sd") else begin.get(n, 0.2) for n in self.names]
        )

    @property
    def bounds(self) -> list[tuple[float, float]]:
        """Bounds of the free parameters."""
        of = {"slope_sd": _SLOPE_SD_BOUNDS, "dispersion": (0.0, HIGHEST_DISPERSION / SCALE)}
        rate = (0.0, HIGHEST_RATE / SCALE)
        return [_SD_BOUNDS if n.startswith("sd") else of.get(n, rate) for n in self.names]

    def clipped(self, free: Floats) -> Floats:
        """Return parameters within their bounds."""
        low, high = np.array(self.bounds).reshape(-1, 2).T
        return np.asarray(np.clip(free, low, high))

    def settings(self, free: Floats) -> Settings:
        """Return the settings that free parameters mean."""
        by_name = dict(zip(self.names, free.tolist(), strict=True))
        sds = tuple(float(np.exp(v)) for name, v in by_name.items() if name.startswith("sd"))
        slope_sd = np.exp(by_name["slope_sd"]) if "slope_sd" in by_name else 0.0
        both = by_name.get("rate", 0.0)
        dispersion, guess, lapse = (
            SCALE * by_name.get(name, default)
            for name, default in (("dispersion", 0.0), ("guess", both), ("lapse", both))
        )
        return Settings(sds, float(slope_sd), dispersion, guess, lapse)

    def mode(self, free: Floats) -> Mode:
        """Return the mode of coefficients and effects."""
        mode = self.model.mode(self.settings(free), self._at)
        if mode.converged:
            self._at = mode.x
        return mode

    def penalised(self, free: Floats, mode: Mode) -> float:
        """Return the log-likelihood with the densities of the SDs of effects.

        Dispersion makes the coefficients less certain, and so their integral larger: that is taken
        off, or it would grow wherever answers say nothing about it, as those of a step.
        """
        settings, counts = self.settings(free), self.likelihood.counts
        sds = np.array(settings.sds)
        densities = float(np.sum(np.log(sds) - np.log(np.hypot(sds, self._floors))))
        repeats = float((counts.hits + counts.misses).mean()) - 1
        wider = self.model.n_fixed / 2 * float(np.log1p(repeats * settings.dispersion))
        return float(mode.loglik + densities - wider)

    def value(self, free: Floats, start: Floats | None = None) -> float:
        """Return the penalised log-likelihood; very low where there is none.

        Curves with asymptotes can have several modes: it begins at `start`, by default at the mode
        that was found last.
        """
        if start is not None:
            self._at = start
        value = self.penalised(free, self.mode(free))
        return value if np.isfinite(value) else -1e10

    def loss(self, free: Floats) -> tuple[float, Floats]:
        """Return minus `value` and its gradient, by differences within the bounds."""
        here = self.value(free)
        gradient = np.empty(len(free))
        for j, (_, high) in enumerate(self.bounds):
            step = _DIFFERENCE if free[j] + _DIFFERENCE <= high else -_DIFFERENCE
            moved = free.copy()
            moved[j] += step
            gradient[j] = (here - self.value(moved)) / step
        return -here, gradient


_AT_BOUND: Final = 1e-3
_STEP: Final = 0.05
_UNIFORM: Final = 12 / HIGHEST_RATE**2
"""Precision of a rate of which nothing is known."""


@dataclass(frozen=True)
class ParameterSpread:
    """Covariance of coefficients and free parameters, and what its own uncertainty does.

    Attributes
    ----------
    covariance : ndarray, shape (P + M, P + M)
        Of the P coefficients and the M free parameters; of those at a bound 0.
    search : RestrictedLikelihood
    free : ndarray, shape (M,)
    steps : ndarray, shape (M,)
        Of the differences; 0 for parameters at a bound.
    changes : ndarray, shape (M, P, P)
        Derivative of the coefficients' covariance by each.
    """

    covariance: Floats
    search: RestrictedLikelihood
    free: Floats
    steps: Floats
    changes: Floats

    @property
    def size(self) -> int:
        """P + M."""
        return len(self.covariance)

    @classmethod
    def around(cls, search: RestrictedLikelihood, free: Floats, mode: Mode) -> ParameterSpread:
        """Return the covariance at the optimum, by differences around it."""
        fixed, count = search.model.n_fixed, len(free)
        inner = _inverse(mode.precision)[:fixed, :fixed]
        steps = _steps(search, free)
        inside = np.flatnonzero(steps)
        value = search.penalised(free, mode)
        shifts = np.zeros((fixed, count))
        changes = np.zeros((count, fixed, fixed))
        hessian = np.zeros((count, count))
        ahead = np.zeros(count)
        for j in inside:
            sides = []
            for sign in (1, -1):
                moved = free.copy()
                moved[j] += sign * steps[j]
                there = search.mode(moved)
                sides.append((there, search.penalised(moved, there)))
            (one, up), (two, down) = sides
            ahead[j] = up
            shifts[:, j] = (one.x[:fixed] - two.x[:fixed]) / (2 * steps[j])
            covariances = [_inverse(m.precision)[:fixed, :fixed] for m in (one, two)]
            changes[j] = (covariances[0] - covariances[1]) / (2 * steps[j])
            hessian[j, j] = -(up - 2 * value + down) / steps[j] ** 2
        for count_before, j in enumerate(inside):
            for k in inside[:count_before]:
                moved = free.copy()
                moved[[j, k]] += steps[[j, k]]
                both = search.penalised(moved, search.mode(moved))
                cross = -(both - ahead[j] - ahead[k] + value) / (steps[j] * steps[k])
                hessian[j, k] = hessian[k, j] = cross
        for index, name in enumerate(search.names):
            if name in ("guess", "lapse", "rate"):
                hessian[index, index] += _UNIFORM * SCALE**2
        of_free = np.zeros((count, count))
        of_free[np.ix_(inside, inside)] = _definite_inverse(hessian[np.ix_(inside, inside)])
        covariance = np.zeros((fixed + count, fixed + count))
        covariance[:fixed, :fixed] = inner + shifts @ of_free @ shifts.T
        covariance[:fixed, fixed:] = shifts @ of_free
        covariance[fixed:, :fixed] = covariance[:fixed, fixed:].T
        covariance[fixed:, fixed:] = of_free
        return cls(covariance, search, free, steps, changes)

    def covariance_of(self, one: Floats, two: Floats) -> float:
        """Return the covariance of two linear combinations."""
        return float(one @ self.covariance @ two)

    def variance(self, row: Floats) -> tuple[float, float]:
        """Return the variance of a linear combination, and Satterthwaite's degrees of freedom."""
        variance, df = self.variances(row)
        return float(variance), float(df)

    def variances(self, rows: Floats) -> tuple[Floats, Floats]:
        """Return the same of many combinations, shape (..., P + M)."""
        start = self.search.model.n_fixed
        variance = np.maximum(np.einsum("...a,ab,...b->...", rows, self.covariance, rows), 1e-300)
        fixed = rows[..., :start]
        change = np.einsum("jab,...a,...b->...j", self.changes, fixed, fixed)
        of_free = self.covariance[start:, start:]
        noise = np.einsum("...j,jk,...k->...", change, of_free, change)
        with np.errstate(divide="ignore"):
            df = np.where(noise > 0, np.maximum(2 * variance**2 / noise, 1.0), np.inf)
        return variance, df

    def gradient(self, function: Callable[[Settings], float]) -> Floats:
        """Return the gradient of a function of the settings by the free parameters, shape (M,)."""
        gradient = np.zeros(len(self.free))
        for j in np.flatnonzero(self.steps):
            sides = []
            for sign in (1, -1):
                moved = self.free.copy()
                moved[j] += sign * self.steps[j]
                sides.append(function(self.search.settings(moved)))
            gradient[j] = (sides[0] - sides[1]) / (2 * self.steps[j])
        return gradient

    def ridge(self, place: int) -> Floats:
        """Return how the parameters at their best move with one of them, shape (M,)."""
        start = self.search.model.n_fixed
        column = self.covariance[start:, start + place]
        along = column / column[place] if column[place] > 0 else np.zeros(len(self.free))
        along[place] = 1.0
        return np.asarray(along)


def _steps(search: RestrictedLikelihood, free: Floats) -> Floats:
    """Steps of the differences, within the bounds; 0 at a bound."""
    low, high = np.array(search.bounds).reshape(-1, 2).T
    room = np.minimum(free - low, high - free)
    return np.where(room > _AT_BOUND, np.minimum(_STEP, room / 2), 0.0)


def _inverse(matrix: Floats) -> Floats:
    return np.asarray(np.linalg.pinv(matrix, hermitian=True))


def _definite_inverse(matrix: Floats) -> Floats:
    """Return the inverse, with directions of no curvature as if they were known badly."""
    if not len(matrix):
        return matrix
    values, vectors = np.linalg.eigh(matrix)
    return np.asarray((vectors / np.maximum(values, 0.1)) @ vectors.T)
