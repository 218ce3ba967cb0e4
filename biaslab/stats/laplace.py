r"""The Laplace approximation of a binomial mixed model with a psychometric curve.

The answers of row r have a likelihood of :math:`z_r` (`biaslab.stats.row_likelihood`), with

.. math:: z_r = e^{\omega w_{o(r)}} \Big( x_r^T \beta + \sum_f \kappa_f b_{f, l_f(r)} \Big),

standard normal effects b of the levels of each factor f, and w of observers' log-slopes. Given
the SDs :math:`\kappa, \omega` and the other settings, the coefficients and all effects are at the
mode of their joint density (Newton's method), and integrated out around it, the coefficients under
a flat density: a restricted likelihood (REML).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final, Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from biaslab.stats.row_likelihood import RowLikelihood, Settings
from biaslab.stats.sigmoids import Floats

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
