r"""The Laplace approximation of a mixed model, for any likelihood of its rows.

The answers of row r have a likelihood of :math:`z_r`, with

.. math:: z_r = e^{\omega w_{o(r)}} \Big( x_r^T \beta + \sum_f \kappa_f b_{f, l_f(r)} \Big),

standard normal effects b of the levels of each factor f, and w of observers' log-slopes. Given
the SDs :math:`\kappa, \omega` and the other settings, the coefficients and all effects are at the
mode of their joint density (Newton's method), and integrated out around it, the coefficients under
a flat density: a restricted likelihood (REML).

How answers follow from z is a `RowLikelihood`: counts of one answer between asymptotes
(`CurveCounts`), or decisions with asymptotes by row and a third answer. Counts may be
beta-binomial: a question's own probability is drawn from a beta distribution with mean p; its m
answers are binomial given that. Their variance is :math:`m p (1-p) (1 + (m-1) \rho)`, with the
dispersion :math:`\rho` the correlation between two answers to one question (Williams 1975). With
:math:`\varphi = \rho / (1 - \rho)` and q = 1 - p,

.. math:: P(k) = \binom{m}{k} \prod_{j<k} (p + j \varphi) \prod_{j<m-k} (q + j \varphi) \Big/
                 \prod_{j<m} (1 + j \varphi),

which is binomial, without any cancellation, at :math:`\varphi = 0`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final, Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from biaslab.stats.curves.sigmoids import Floats, Sigmoid

Counts = NDArray[np.int64]
_TINY = 1e-300


class BetaBinomial:
    """Counts of R questions, with the log-likelihood of their probabilities.

    Parameters
    ----------
    hits, trials : ndarray of int, shape (R,)
        How often the answer was the one that counts, and of how many trials.
    """

    def __init__(self, hits: Counts, trials: Counts) -> None:
        self.hits = hits
        self.misses = trials - hits
        self._hits, self._misses, self._trials = (
            _steps(count) for count in (hits, self.misses, trials)
        )

    def loglik(self, p: Floats, q: Floats, dispersion: float) -> Floats:
        """Return the log-likelihood without its constant, shape (R,).

        Parameters
        ----------
        p, q : ndarray, shape (R,)
            Mean probability of a hit and of a miss; they sum to 1.
        dispersion : float
            In [0, 1).
        """
        p, q = np.maximum(p, _TINY), np.maximum(q, _TINY)
        if dispersion == 0:
            return np.asarray(self.hits * np.log(p) + self.misses * np.log(q))
        phi = dispersion / (1 - dispersion)
        size = len(p)
        total = np.zeros(size)
        for (row, step), base in ((self._hits, p), (self._misses, q)):
            total += np.bincount(row, np.log(base[row] + phi * step), size)
        row, step = self._trials
        return np.asarray(total - np.bincount(row, np.log1p(phi * step), size))

    def slopes(
        self, p: Floats, q: Floats, slope: Floats, curvature: Floats, dispersion: float
    ) -> tuple[Floats, Floats]:
        """Return the first and second derivative of `loglik` by z, shape (R,).

        Parameters
        ----------
        p, q, dispersion
            As of `loglik`.
        slope, curvature : ndarray, shape (R,)
            First and second derivative of p by z.
        """
        p, q = np.maximum(p, _TINY), np.maximum(q, _TINY)
        first, second = np.zeros(len(p)), np.zeros(len(p))
        for sign, counts, (row, step), base in (
            (1, self.hits, self._hits, p),
            (-1, self.misses, self._misses, q),
        ):
            # A ratio of two small numbers, and not the square of one, which may be 0.
            if dispersion == 0:
                ratio = slope / base
                first += sign * counts * ratio
                second += counts * (sign * curvature / base - ratio**2)
                continue
            below = base[row] + dispersion / (1 - dispersion) * step
            ratio = slope[row] / below
            first += sign * np.bincount(row, ratio, len(p))
            second += np.bincount(row, sign * curvature[row] / below - ratio**2, len(p))
        return first, second

    def information(self, p: Floats, q: Floats, slope: Floats, dispersion: float) -> Floats:
        """Return the information about z: of binomial answers, less what their dispersion takes.

        Exact without dispersion and for single trials; that of the mean and variance otherwise.

        Parameters
        ----------
        p, q, slope, dispersion
            As of `slopes`.
        """
        p, q = np.maximum(p, _TINY), np.maximum(q, _TINY)
        trials = self.hits + self.misses
        effective = trials / (1 + (trials - 1) * dispersion)
        return np.asarray(effective * (slope / p) * (slope / q))


def _steps(counts: Counts) -> tuple[NDArray[np.intp], Floats]:
    """Return the row of each answer, and 0, 1, ... within its row."""
    row = np.repeat(np.arange(len(counts)), counts)
    start = np.cumsum(counts) - counts
    return row, (np.arange(len(row)) - start[row]).astype(np.float64)


@dataclass(frozen=True)
class Settings:
    """Parameters beside the coefficients.

    Attributes
    ----------
    sds : tuple of float
        SD on the scale of z of each factor's effects.
    slope_sd : float
        SD of the observers' log-slopes.
    dispersion : float
        Correlation between answers to one question, in [0, 1).
    guess, lapse : float
        Asymptotes.
    """

    sds: tuple[float, ...]
    slope_sd: float = 0.0
    dispersion: float = 0.0
    guess: float = 0.0
    lapse: float = 0.0


S_contra = TypeVar("S_contra", bound=Settings, contravariant=True)


class RowLikelihood(Protocol[S_contra]):
    """Log-likelihood of each of R rows as a function of its z, without constants."""

    def loglik(self, z: Floats, settings: S_contra) -> Floats:
        """Return the log-likelihood, shape (R,)."""

    def slopes(self, z: Floats, settings: S_contra) -> tuple[Floats, Floats, Floats]:
        """Return first and second derivative by z and the expected information, each (R,)."""


@dataclass(frozen=True)
class CurveCounts:
    r"""Beta-binomial counts of mean probability :math:`\gamma + (1 - \gamma - \lambda) F(z)`.

    Attributes
    ----------
    sigmoid : Sigmoid
        F.
    counts : BetaBinomial
    """

    sigmoid: Sigmoid
    counts: BetaBinomial

    def share(self, z: Floats, settings: Settings) -> tuple[Floats, Floats]:
        """Return the probability of a hit and its derivative by z, shape (R,)."""
        room = 1 - settings.guess - settings.lapse
        return settings.guess + room * self.sigmoid.cdf(z), room * self.sigmoid.pdf(z)

    def loglik(self, z: Floats, settings: Settings) -> Floats:
        """Return the log-likelihood, shape (R,)."""
        return self.counts.loglik(*self._both(z, settings), settings.dispersion)

    def slopes(self, z: Floats, settings: Settings) -> tuple[Floats, Floats, Floats]:
        """Return first and second derivative by z and the expected information, each (R,)."""
        p, q = self._both(z, settings)
        room = 1 - settings.guess - settings.lapse
        slope, bend = room * self.sigmoid.pdf(z), room * self.sigmoid.pdf_slope(z)
        first, second = self.counts.slopes(p, q, slope, bend, settings.dispersion)
        return first, second, self.counts.information(p, q, slope, settings.dispersion)

    def _both(self, z: Floats, settings: Settings) -> tuple[Floats, Floats]:
        """Return the probabilities of a hit and of a miss, each accurate where it is small."""
        room = 1 - settings.guess - settings.lapse
        p = settings.guess + room * self.sigmoid.cdf(z)
        return p, np.asarray(settings.lapse + room * self.sigmoid.sf(z))


Indices = NDArray[np.intp]
S = TypeVar("S", bound=Settings)

_ITERATIONS: Final = 100
_HALVINGS: Final = 30
_GAIN: Final = 1e-11
"""Expected gain in log-density below which Newton's method has arrived."""
_LONGEST_STEP: Final = 4.0
_ROUNDING: Final = 1e-12
_DAMPING: Final = 1e-8
_SHIFT: Final = 0.1
_FARTHEST: Final = 0.5
"""Longest move of the coefficients' mode, in standard errors."""


@dataclass(frozen=True)
class Mode:
    """Mode of coefficients and effects.

    Attributes
    ----------
    x : ndarray, shape (D,)
        Coefficients, then the factors' effects, then the slopes' effects.
    precision : ndarray, shape (D, D)
        Expected curvature of the log-density there (Fisher's information and the effects' own).
        With asymptotes or slopes of their own minus the Hessian may be all but singular, and the
        integral around the mode would seem to be without bound.
    loglik : float
        Restricted log-likelihood of the settings, without constants.
    converged : bool
    """

    x: Floats
    precision: Floats
    loglik: float
    converged: bool


class Curved(Protocol):
    """Curvature of a log-density at a point, exact and expected."""

    def exact(self) -> Floats:
        """Return minus the Hessian, shape (D, D)."""

    def definite(self) -> Floats:
        """Return what is expected of minus the Hessian, which is positive definite."""


class MixedCurve(Generic[S]):
    """Answers of R rows and the model of this module.

    Parameters
    ----------
    likelihood : RowLikelihood
        Of the answers of each row, given its z.
    design : ndarray, shape (R, P)
        Of the coefficients.
    factors : sequence of (ndarray of int of shape (R,), int)
        Level of each row, and number of levels.
    slopes : (ndarray of int of shape (R,), int), optional
        The same of the observers with log-slopes of their own.
    ridge : ndarray, shape (P,)
        Precision of a normal density of each coefficient around 0; 0 for a flat one.
    offset : float or ndarray, shape (R,)
        Known part of z, before an observer's slope makes it steeper.
    """

    def __init__(
        self,
        likelihood: RowLikelihood[S],
        design: Floats,
        factors: Sequence[tuple[Indices, int]],
        slopes: tuple[Indices, int] | None,
        ridge: Floats,
        offset: float | Floats = 0.0,
    ) -> None:
        self.likelihood, self.design, self.factors = likelihood, design, factors
        self.slopes, self._offset = slopes, offset
        rows, fixed = design.shape
        self.n_fixed = fixed
        self.starts = np.cumsum([fixed, *(size for _, size in factors)])
        self.slope_start = int(self.starts[-1])
        self.size = self.slope_start + (slopes[1] if slopes else 0)
        places = [np.full(rows, j) for j in range(fixed)]
        places += [start + level for start, (level, _) in zip(self.starts, factors, strict=False)]
        if slopes:
            places.append(self.slope_start + slopes[0])
        self._places = np.array(places)
        first, second = np.triu_indices(len(places))
        self.column_pairs = first, second
        self._ridge = np.concatenate([ridge, np.ones(self.size - fixed)])

    def predictor(self, x: Floats, settings: S) -> tuple[Floats, Floats]:
        """Return z of each row, and the factor by which its observer's slope is steeper."""
        z = self._offset + self.design @ x[: self.n_fixed]
        for start, (level, _), sd in zip(self.starts, self.factors, settings.sds, strict=False):
            z = z + sd * x[start + level]
        steeper = np.ones(len(z))
        if self.slopes:
            steeper = np.exp(settings.slope_sd * x[self.slope_start + self.slopes[0]])
        return steeper * z, steeper

    @cached_property
    def _bins(self) -> Indices:
        """Element of the precision to which each product of derivatives belongs."""
        first, second = self.column_pairs
        return np.asarray((self._places[first] * self.size + self._places[second]).ravel())

    @property
    def ridge(self) -> Floats:
        """Precision of the density of coefficients and effects around 0, shape (D,)."""
        return self._ridge

    def z_by_x(self, x: Floats, settings: S) -> tuple[Floats, Floats]:
        """Return z of each row, shape (R,), and its derivatives by x, shape (R, D)."""
        z, steeper = self.predictor(x, settings)
        rows = np.arange(len(z))
        by = np.zeros((len(z), self.size))
        for place, column in zip(self._places, self._by(z, steeper, settings), strict=True):
            by[rows, place] += column
        return z, by

    def density(self, x: Floats, settings: S) -> float:
        """Return the joint log-density of answers, coefficients and effects."""
        z, _ = self.predictor(x, settings)
        value = self.likelihood.loglik(z, settings).sum() - self._ridge @ x**2 / 2
        return float(value)

    def _by(self, z: Floats, steeper: Floats, settings: S) -> Floats:
        """Return the derivatives of z by its columns, (columns, R)."""
        by = np.empty((len(self._places), len(z)))
        by[: self.n_fixed] = steeper * self.design.T
        for f, sd in enumerate(settings.sds):
            by[self.n_fixed + f] = sd * steeper
        if self.slopes:
            by[-1] = settings.slope_sd * z
        return by

    def derivatives(self, x: Floats, settings: S) -> tuple[Floats, Curved]:
        """Return the gradient of `density`, and its curvature."""
        z, steeper = self.predictor(x, settings)
        first, second, expected = self.likelihood.slopes(z, settings)
        by = self._by(z, steeper, settings)
        weights = (first * by).ravel()
        gradient = np.bincount(self._places.ravel(), weights, self.size) - self._ridge * x
        return gradient, Curvature(self, by, first, second, expected, settings.slope_sd)

    def mode(self, settings: S, start: Floats) -> Mode:
        """Climb to the mode by Newton's method from a `start` of shape (D,)."""
        x = start.copy()
        value = self.density(x, settings)
        for _ in range(_ITERATIONS):
            gradient, curvature = self.derivatives(x, settings)
            factor = _cholesky(curvature.exact())
            if factor is None:
                factor = _cholesky(curvature.definite())
            if factor is None:
                break
            step = linalg.cho_solve(factor, gradient)
            promise = float(gradient @ step)
            if promise < _GAIN:
                return self._arrived(x, value, curvature)
            step = step * min(1.0, _LONGEST_STEP / max(np.abs(step).max(), 1e-300))
            length = 1.0
            for _ in range(_HALVINGS):
                reached = self.density(x + length * step, settings)
                if reached >= value - _ROUNDING * (1 + abs(value)):
                    break
                length /= 2
            else:
                break
            x, value = x + length * step, reached
        return Mode(x, self.derivatives(x, settings)[1].definite(), -np.inf, False)

    def _arrived(self, x: Floats, value: float, curvature: Curved) -> Mode:
        """Integrate around a mode."""
        precision = curvature.definite()
        factor = _cholesky(precision)
        if factor is None:
            return Mode(x, precision, -np.inf, False)
        return Mode(x, precision, value - float(np.log(np.diag(factor[0])).sum()), True)

    def marginal(self, mode: Mode, settings: S, *, jeffreys: bool = True) -> Mode:
        """Return a mode moved to that of the coefficients alone, the effects integrated out.

        At the joint mode slopes are too flat where levels of a factor have few answers, as with
        penalised quasi-likelihood (Breslow and Lin 1995). One Newton step on what integration adds,
        minus half the log determinant of the effects' precision, takes that away.

        Parameters
        ----------
        mode : Mode
            Of coefficients and effects.
        settings : Settings
        jeffreys : bool
            Whether the coefficients carry Jeffreys' density, as half the log determinant of their
            information: it takes the first order off their bias, by which slopes are too steep
            (Firth 1993).
        """
        fixed, precision, x = self.n_fixed, mode.precision, mode.x
        follow = np.linalg.solve(precision[fixed:, fixed:], precision[fixed:, :fixed])
        covariance = np.linalg.inv(precision)[:fixed, :fixed]

        def added(there: Floats) -> float:
            curvature = self.derivatives(there, settings)[1].definite()
            of_effects = float(np.linalg.slogdet(curvature[fixed:, fixed:])[1])
            if not jeffreys:
                return -of_effects / 2
            return float(np.linalg.slogdet(curvature)[1]) / 2 - of_effects

        gradient = np.empty(fixed)
        for j in range(fixed):
            step = np.zeros(fixed)
            step[j] = _SHIFT * np.sqrt(covariance[j, j])
            change = np.concatenate([step, -follow @ step])
            gradient[j] = (added(x + change) - added(x - change)) / (2 * step[j])
        move = covariance @ gradient
        # Where answers are nearly a step the expansion says no more than the direction.
        move = move * min(1.0, _FARTHEST / max(float(np.sqrt(gradient @ move)), 1e-300))
        return replace(mode, x=x + np.concatenate([move, -follow @ move]))

    def matrix(self, products: Floats) -> Floats:
        """Return the precision from products of derivatives, (pairs of columns, R)."""
        upper = np.bincount(self._bins, products.ravel(), self.size**2)
        upper = upper.reshape(self.size, self.size)
        return np.asarray(upper + np.triu(upper, 1).T + np.diag(self._ridge))


@dataclass(frozen=True)
class Curvature:
    """Curvature of the log-density at a point.

    Attributes
    ----------
    model : MixedCurve
    by : ndarray, shape (columns, R)
        Derivatives of z by its columns.
    first, second : ndarray, shape (R,)
        Derivatives of the log-likelihood by z.
    expected : ndarray, shape (R,)
        Information about z.
    slope_sd : float
    """

    model: MixedCurve[Any]
    by: Floats
    first: Floats
    second: Floats
    expected: Floats
    slope_sd: float

    def exact(self) -> Floats:
        """Return minus the Hessian."""
        products = self._weighted(-self.second)
        if self.model.slopes:
            # z bends in the log-slopes, and the other columns grow with them.
            left, right = self.model.column_pairs
            with_slope = right == len(self.by) - 1
            products[with_slope] -= self.first * self.slope_sd * self.by[left[with_slope]]
        return self.model.matrix(products)

    def definite(self) -> Floats:
        """Return what is expected of minus the Hessian, which is positive definite."""
        stand_in = self.model.matrix(self._weighted(self.expected))
        return np.asarray(stand_in + _DAMPING * np.eye(len(stand_in)))

    def _weighted(self, weights: Floats) -> Floats:
        left, right = self.model.column_pairs
        return np.asarray(weights * self.by[left] * self.by[right])


def _cholesky(matrix: Floats) -> tuple[Floats, bool] | None:
    try:
        return linalg.cho_factor(matrix, lower=True)
    except (linalg.LinAlgError, ValueError):
        return None
