"""Fits of many binomial curves at once, by Fisher scoring and Newton's method.

A model gives each of C curves the probabilities ``guess + (1 - guess - lapse) F(z)`` at L levels,
where ``z`` depends on a few shape parameters. All curves take a step together; a converged
one leaves the batch, one whose step went too far halves it. Estimated guess and lapse rates
carry a Beta(1, prior) density: the objective is the likelihood times that
density (the plain likelihood with ``prior=1`` or with fixed rates).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from biaslab.stats.curves.sigmoids import Floats, Sigmoid

Rows = NDArray[np.intp]

_ITERATIONS: Final = 150
_HALVINGS: Final = 40
# Expected gain in log-likelihood of another step below which a curve has arrived: at this value
# an estimate is within two millionths of its standard error.
_GAIN: Final = 1e-12
# A step that moves some z further leaves the region in which the expansion is valid.
_LONGEST_STEP: Final = 5.0
# Part of the promised gain that a step must bring, and the rounding of the likelihood.
_FAIR_PART: Final = 0.25
_ROUNDING: Final = 1e-13
# Rounds of scoring, which is safe far from the maximum, before Newton's method, which is fast near
# it.
_SCORING_ROUNDS: Final = 4
_RIDGE: Final = 1e-10
_TINY: Final = 1e-300
_SMALL: Final = 1e-150
_NEAR_BOUND: Final = 1e-4
# Parameters this close to a maximum, beside 1 or their size, are on its hill.
_SAME_HILL: Final = 0.03


def take_curves(values: Floats, rows: Rows) -> Floats:
    """Select curves, (C, L), in an order of memory by level, in which batches are quick."""
    return values.T.take(rows, axis=1).T


def _sums(first: Floats, second: Floats) -> Floats:
    """Sum products over levels, (C,)."""
    return np.asarray(np.einsum("cl,cl->c", first, second))


class Predictor(Protocol):
    """How the shape parameters of C curves give ``z`` at their levels."""

    def take(self, rows: Rows) -> Predictor:
        """Return the same for some of the curves."""

    def __call__(self, shape: Floats) -> tuple[Floats, list[Floats]]:
        """``z``, shape (C, L), and its derivative by each parameter, at `shape` of (C, S)."""

    def second(self, shape: Floats) -> Floats | None:
        """Second derivative of ``z`` by its only parameter, (C, L); None if ``z`` is linear."""


@dataclass(frozen=True)
class Linear:
    """``z = offset + sum_j shape[:, j] * design[j]``, all of shape (C, L)."""

    design: list[Floats]
    offset: Floats | None = None

    def take(self, rows: Rows) -> Linear:
        """Return the same for some of the curves."""
        offset = None if self.offset is None else take_curves(self.offset, rows)
        return Linear([take_curves(column, rows) for column in self.design], offset)

    def __call__(self, shape: Floats) -> tuple[Floats, list[Floats]]:
        """``z`` and its derivatives, which are the design."""
        z = 0.0 if self.offset is None else self.offset
        for j, column in enumerate(self.design):
            z = z + shape[:, j : j + 1] * column
        return np.asarray(z), self.design

    def second(self, shape: Floats) -> None:
        """None: it is linear."""


@dataclass(frozen=True)
class Rates:
    """Guess and lapse rates as a linear map of the R estimated rates.

    ``guess = guess_base + free @ guess_map``, and so for the lapse rate: a fixed rate has a zero
    map, two rates held equal share a column.

    Attributes
    ----------
    guess_base, lapse_base
        Shape (C,).
    guess_map, lapse_map
        Shape (R,).
    upper
        Upper bound of each estimated rate, shape (C, R); the lower one is 0.
    prior
        The second parameter of the Beta(1, prior) density of an estimated rate.
    """

    guess_base: Floats
    lapse_base: Floats
    guess_map: Floats
    lapse_map: Floats
    upper: Floats
    prior: float

    @property
    def n_free(self) -> int:
        """R."""
        return len(self.guess_map)

    def take(self, rows: Rows) -> Rates:
        """Return the same for some of the curves."""
        return replace(
            self,
            guess_base=self.guess_base[rows],
            lapse_base=self.lapse_base[rows],
            upper=self.upper[rows],
        )

    def repeat(self, times: int) -> Rates:
        """Return the same for the curves repeated as a block, `times` times."""
        return self.take(np.tile(np.arange(len(self.guess_base)), times))

    def guess(self, free: Floats) -> Floats:
        """Guess rates, shape (C,)."""
        return np.asarray(self.guess_base + free @ self.guess_map)

    def lapse(self, free: Floats) -> Floats:
        """Return lapse rates, shape (C,)."""
        return np.asarray(self.lapse_base + free @ self.lapse_map)

    def log_prior(self, free: Floats) -> Floats:
        """Return the log density of the estimated rates up to a constant, shape (...)."""
        return np.asarray((self.prior - 1) * np.log1p(-free).sum(axis=-1))


@dataclass(frozen=True)
class Model:
    """Responses of C curves at L levels and the model fitted to them.

    A parameter vector has the predictor's shape parameters first and the estimated rates after.
    """

    sigmoid: Sigmoid
    correct: Floats
    trials: Floats
    predictor: Predictor
    rates: Rates

    def take(self, rows: Rows) -> Model:
        """Return the same for some of the curves."""
        return Model(
            self.sigmoid,
            take_curves(self.correct, rows),
            take_curves(self.trials, rows),
            self.predictor.take(rows),
            self.rates.take(rows),
        )

    def loglik(self, theta: Floats) -> Floats:
        """Return the penalised log-likelihood without its constant, shape (C,)."""
        shape, free = self._split(theta)
        z, _ = self.predictor(shape)
        return self._binomial(*self._probabilities(*self.sigmoid.tails(z), free), free)

    def loglik_of_rates(self, shape: Floats, rates: Sequence[Floats]) -> list[Floats]:
        """`loglik` of one shape (C, S) with each of several free rates (C, R)."""
        z, _ = self.predictor(shape)
        below, above = self.sigmoid.tails(z)
        return [self._binomial(*self._probabilities(below, above, r), r) for r in rates]

    def _binomial(self, p: Floats, q: Floats, free: Floats) -> Floats:
        value = _sums(self.correct, np.log(np.maximum(p, _TINY)))
        value += _sums(self.trials - self.correct, np.log(np.maximum(q, _TINY)))
        return np.asarray(value + self.rates.log_prior(free) if self.rates.n_free else value)

    def derivatives(self, theta: Floats, *, observed: bool = False) -> Derivatives:
        """Return the derivatives of the log-likelihood at parameters of shape (C, P).

        Parameters
        ----------
        theta
        observed
            Whether the information is the observed one, and not the expected one.
        """
        shape, free = self._split(theta)
        z, by_shape = self.predictor(shape)
        below, above = self.sigmoid.tails(z)
        p, q = self._probabilities(below, above, free)
        wrong = self.trials - self.correct
        variance = np.maximum(p * q, _TINY)
        residual = self._residual(p, q)

        core = (1 - self.rates.guess(free) - self.rates.lapse(free))[:, None]
        density = self.sigmoid.pdf(z)
        slope = core * density
        columns = [slope * column for column in by_shape]
        if self.rates.n_free:
            maps = zip(self.rates.guess_map, self.rates.lapse_map, strict=True)
            columns += [guess * above - lapse * below for guess, lapse in maps]
        score = np.stack([_sums(residual, column) for column in columns], axis=-1)

        expected = _products(self.trials / variance, columns)
        information = expected
        if observed:
            at_least_p, at_least_q = (np.maximum(x, _SMALL) for x in (p, q))
            weight = self.correct / at_least_p**2 + wrong / at_least_q**2
            information = _products(weight, columns)
            bend = residual * core * self.sigmoid.pdf_slope(z)
            s = len(by_shape)
            information[:, :s, :s] -= _products(bend, by_shape)
            if (second := self.predictor.second(shape)) is not None:
                information[:, 0, 0] -= _sums(residual * slope, second)
            steeper = np.stack([_sums(residual * density, c) for c in by_shape], axis=-1)
            both = self.rates.guess_map + self.rates.lapse_map
            information[:, :s, s:] += steeper[:, :, None] * both
            information[:, s:, :s] += steeper[:, None, :] * both[:, None]

        for r in range(self.rates.n_free):
            at, left = shape.shape[1] + r, 1 - free[:, r]
            score[:, at] -= (self.rates.prior - 1) / left
            information[:, at, at] += (self.rates.prior - 1) / left**2
        diagonals = [np.abs(np.einsum("cii->ci", one)) for one in (expected, information)]
        return Derivatives(score, information, np.sqrt(np.maximum(*diagonals)), by_shape)

    def rise(self, theta: Floats, change: Floats) -> Floats:
        """Return how the log-likelihood grows, (C,), where ``z`` grows by `change`, (C, L)."""
        shape, free = self._split(theta)
        z, _ = self.predictor(shape)
        residual = self._residual(*self._probabilities(*self.sigmoid.tails(z), free))
        core = 1 - self.rates.guess(free) - self.rates.lapse(free)
        return core * _sums(residual * self.sigmoid.pdf(z), change)

    def _residual(self, p: Floats, q: Floats) -> Floats:
        wrong = self.trials - self.correct
        return np.asarray((self.correct * q - wrong * p) / np.maximum(p * q, _TINY))

    def core(self, theta: Floats) -> Floats:
        """Return ``F(z)`` at the levels, shape (C, L)."""
        shape, _ = self._split(theta)
        return self.sigmoid.cdf(self.predictor(shape)[0])

    def _split(self, theta: Floats) -> tuple[Floats, Floats]:
        n_shape = theta.shape[1] - self.rates.n_free
        return theta[:, :n_shape], theta[:, n_shape:]

    def _probabilities(self, below: Floats, above: Floats, free: Floats) -> tuple[Floats, Floats]:
        guess, lapse = self.rates.guess(free)[:, None], self.rates.lapse(free)[:, None]
        core = 1 - guess - lapse
        return guess + core * below, lapse + core * above


def _products(weight: Floats, columns: Sequence[Floats]) -> Floats:
    """Return weighted sums over levels of products of columns, (C, number, number)."""
    sums = np.empty((len(weight), len(columns), len(columns)))
    for i, first in enumerate(columns):
        weighted = weight * first
        for j, second in enumerate(columns[: i + 1]):
            sums[:, i, j] = sums[:, j, i] = _sums(weighted, second)
    return sums


@dataclass(frozen=True)
class Derivatives:
    """Derivatives of C penalised log-likelihoods.

    Attributes
    ----------
    score
        Shape (C, P).
    information
        Shape (C, P, P).
    size
        Scale of the parameters' information: root of its diagonal, or of that of the expected
        information if larger, shape (C, P).
    by_shape
        Derivatives of ``z`` by each shape parameter, shape (C, L).
    """

    score: Floats
    information: Floats
    size: Floats
    by_shape: list[Floats]


@dataclass(frozen=True)
class Optimum:
    """End point of a climb.

    Attributes
    ----------
    theta
        Parameters, shape (C, P).
    loglik
        Penalised log-likelihood there, without its constant, shape (C,).
    converged
        Whether no further step would gain anything, shape (C,).
    """

    theta: Floats
    loglik: Floats
    converged: NDArray[np.bool_]


def maximise(
    model: Model,
    start: Floats,
    lower: Floats,
    upper: Floats,
    known: Optimum | None = None,
    *,
    scoring_rounds: int = _SCORING_ROUNDS,
) -> Optimum:
    """Climb from `start` to a maximum of the penalised likelihood within bounds.

    Parameters
    ----------
    model
        C curves.
    start, lower, upper
        Parameters and their bounds, shape (C, P).
    known
        Maxima reached before. A climb that comes close to its curve's is on the same hill, and
        ends there.
    scoring_rounds
        Rounds before Newton's method: none from a start near the maximum.
    """
    theta = np.clip(start, lower, upper)
    value = model.loglik(theta)
    converged = np.zeros(len(theta), dtype=bool)
    active = np.arange(len(theta))
    part = model
    for iteration in range(_ITERATIONS):
        if known is not None and active.size:
            there = known.theta[active]
            near = np.abs(theta[active] - there) <= _SAME_HILL * (1 + np.abs(there))
            same = near.all(axis=-1) & known.converged[active]
            at = active[same]
            theta[at], value[at], converged[at] = known.theta[at], known.loglik[at], True
            if same.any():
                active, part = active[~same], part.take(np.flatnonzero(~same))
        if not active.size:
            break
        here, low, high = theta[active], lower[active], upper[active]
        newton = iteration >= scoring_rounds
        step, slope, gain = _direction(part, here, low, high, newton)
        arrived = gain < _GAIN
        reached, reached_value, moved = _ascend(part, here, value[active], step, slope, low, high)
        theta[active], value[active] = reached, reached_value
        converged[active] = arrived
        going = ~arrived & moved
        if not going.all():
            active, part = active[going], part.take(np.flatnonzero(going))
    return Optimum(theta, value, converged)


def _direction(
    model: Model, theta: Floats, low: Floats, high: Floats, newton: bool
) -> tuple[Floats, Floats, Floats]:
    """Return the scoring step (C, P), the slope along it and its expected gain, (C,).

    A parameter at a bound (or all but there) that wants to leave the box is put on the bound and
    taken out of the system, so that the others' step stays an ascent.
    """
    derivatives = model.derivatives(theta, observed=newton)
    score = derivatives.score
    to_low, to_high = low - theta, high - theta
    near = _NEAR_BOUND * np.minimum(1, high - low)
    leaving_low = (score < 0) & (-to_low <= near)
    leaving_high = (score > 0) & (to_high <= near)
    pinned = leaving_low | leaving_high
    free_score = np.where(pinned, 0.0, score)
    step = _solve(derivatives, free_score, pinned)
    inner = (free_score * step).sum(axis=-1)
    step = np.where(leaving_low, to_low, np.where(leaving_high, to_high, step))
    outer = np.where(pinned, score * step, 0.0).sum(axis=-1)

    change = sum(step[:, j : j + 1] * column for j, column in enumerate(derivatives.by_shape))
    longest = np.abs(change).max(axis=-1)
    shrink = np.minimum(1, _LONGEST_STEP / np.maximum(longest, _TINY))
    return step * shrink[:, None], shrink * (inner + outer), inner / 2 + outer


def _solve(derivatives: Derivatives, score: Floats, pinned: NDArray[np.bool_]) -> Floats:
    """Solve for the step of the free parameters; a singular system is damped.

    Away from the maximum the observed information may have negative curvature: its directions are
    climbed as if it were positive.
    """
    free = ~pinned
    size = np.where(free & (derivatives.size > _SMALL**0.5), derivatives.size, 1.0)
    matrix = np.where(free[:, :, None] & free[:, None, :], derivatives.information, 0.0)
    matrix = matrix / (size[:, :, None] * size[:, None, :])
    np.einsum("cii->ci", matrix)[...] += pinned + _RIDGE
    target = score / size
    scaled = np.linalg.solve(matrix, target[..., None])[..., 0]
    down = ~((scaled * target).sum(axis=-1) >= 0)
    if down.any():
        curvature, axes = np.linalg.eigh(matrix[down])
        along = np.einsum("cij,ci->cj", axes, target[down])
        along /= np.maximum(np.abs(curvature), _RIDGE)
        scaled[down] = np.einsum("cij,cj->ci", axes, along)
    return np.asarray(scaled / size)


def _ascend(
    model: Model,
    theta: Floats,
    value: Floats,
    step: Floats,
    slope: Floats,
    low: Floats,
    high: Floats,
) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """Take each curve's step, halved until it gains a fair part of its promise.

    Accepting any step that is not worse would let a curve hop across its maximum, back and forth.
    """
    theta, value = theta.copy(), value.copy()
    moved = np.zeros(len(theta), dtype=bool)
    slack = _ROUNDING * (1 + np.abs(value))
    waiting = np.arange(len(theta))
    part, length = model, 1.0
    for _ in range(_HALVINGS):
        target = np.clip(theta[waiting] + length * step[waiting], low[waiting], high[waiting])
        reached = part.loglik(target)
        required = value[waiting] + _FAIR_PART * length * slope[waiting] - slack[waiting]
        better = reached >= required
        theta[waiting[better]], value[waiting[better]] = target[better], reached[better]
        moved[waiting[better]] = True
        if better.all():
            break
        worse = np.flatnonzero(~better)
        waiting, part, length = waiting[worse], part.take(worse), length / 2
    return theta, value, moved
