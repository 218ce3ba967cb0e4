"""Covariance of a hierarchical model's parameters, and degrees of freedom of what follows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from biaslab.stats.laplace import Mode
from biaslab.stats.rate_settings import HIGHEST_RATE
from biaslab.stats.restricted_likelihood import SCALE, RestrictedLikelihood
from biaslab.stats.row_likelihood import Settings
from biaslab.stats.sigmoids import Floats

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
        for place, name in enumerate(search.names):
            if name in ("guess", "lapse", "rate"):
                hessian[place, place] += _UNIFORM * SCALE**2
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
