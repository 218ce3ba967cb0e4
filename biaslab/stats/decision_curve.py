"""The mixed curve of decisions, whose rows differ by their level and by few kinds of questions.

Thousands of rows are about some hundred combinations of cue, wording, order and detail: given its
combination, z of a row is linear in the level. So sums over rows of products of derivatives are
sums over combinations, which take a tenth of the time of a product of matrices with a row for each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from biaslab.stats.decision_likelihood import DecisionLikelihood, DecisionSettings
from biaslab.stats.laplace import Curved, Indices, MixedCurve
from biaslab.stats.sigmoids import Floats

_DAMPING = 1e-8


class DecisionCurve(MixedCurve[DecisionSettings]):
    r"""Rows with :math:`z = k_g (s\,t + a_c)`: sensitivity of the group, level, combination.

    Parameters
    ----------
    likelihood : DecisionLikelihood
    levels : ndarray, shape (R,)
        t.
    design : ndarray, shape (R, P - 1)
        Of the coefficients other than the slope, which comes first.
    factors : sequence of (ndarray of int of shape (R,), int)
        Level of each row, and number of levels.
    ridge : ndarray, shape (P,)
        Precision of a normal density of each coefficient around 0; 0 for a flat one.
    steepness : (float, float), optional
        Mean and SD of a normal density of the logarithm of the slope, which then is above 0. Curves
        with asymptotes of their own have modes that are nearly steps, with the volume of a sliver.
    """

    def __init__(
        self,
        likelihood: DecisionLikelihood,
        levels: Floats,
        design: Floats,
        factors: Sequence[tuple[Indices, int]],
        ridge: Floats,
        steepness: tuple[float, float] | None = None,
    ) -> None:
        super().__init__(likelihood, np.column_stack([levels, design]), factors, None, ridge)
        self.levels, self.steepness = levels, steepness
        self._group = likelihood.group
        self._known: tuple[DecisionSettings, Floats, Floats | float] | None = None
        key = np.zeros(len(levels), dtype=np.int64)
        for column in design.T:
            values, place = np.unique(column, return_inverse=True)
            key = key * len(values) + place
        for place, size in factors:
            key = key * size + place
        _, first, self._cell = np.unique(key, return_index=True, return_inverse=True)
        columns = [design[first]]
        columns += [level[first][:, None] == np.arange(size) for level, size in factors]
        self._of_cell = np.hstack(columns).astype(np.float64)
        sizes = [self.n_fixed, *(size for _, size in factors)]
        self.factor_of = np.repeat(np.arange(-1, len(factors)), sizes)

    def flat(self) -> DecisionCurve:
        """Return the curve without its slope, which the answers then do not change from 0."""
        ridge = np.append(1.0, np.zeros(self.n_fixed - 1))
        design = self.design[:, 1:]
        assert isinstance(self.likelihood, DecisionLikelihood)  # noqa: S101 - as it was given
        return DecisionCurve(self.likelihood, 0 * self.levels, design, self.factors, ridge)

    def scale(self, settings: DecisionSettings) -> Floats:
        """Return the SD of each effect, and 1 of each coefficient, shape (D,)."""
        return self._at(settings)[0]

    def sensitivity(self, settings: DecisionSettings) -> Floats | float:
        """Return the factor by which each row's curve is steeper, shape (R,), or 1 for all."""
        return self._at(settings)[1]

    def _at(self, settings: DecisionSettings) -> tuple[Floats, Floats | float]:
        """Return both, computed once for all steps toward a mode."""
        if self._known is None or self._known[0] is not settings:
            scale = np.array([*settings.sds, 1.0])[self.factor_of]
            own = np.array(settings.sensitivity)
            steeper = own[self._group] if (own != 1).any() else 1.0
            self._known = settings, scale, steeper
        return self._known[1:]

    def predictor(self, x: Floats, settings: DecisionSettings) -> tuple[Floats, Floats]:
        """Return z of each row, and the factor by which its curve is steeper."""
        scaled = self.scale(settings) * x
        z = scaled[0] * self.levels + (self._of_cell @ scaled[1:])[self._cell]
        steeper = self.sensitivity(settings)
        return steeper * z, np.broadcast_to(steeper, z.shape)

    def columns(self, settings: DecisionSettings) -> Floats:
        """Return the derivatives of z by coefficients and scaled effects, shape (R, D)."""
        every = np.column_stack([self.levels, self._of_cell[self._cell]])
        return np.asarray(np.broadcast_to(self.sensitivity(settings), len(every))[:, None] * every)

    def gathered(self, weights: Floats, settings: DecisionSettings) -> Floats:
        """Return the sum of weighted rows of `columns`, shape (D,)."""
        weights = self.sensitivity(settings) * weights
        found = np.empty(self.size)
        found[0] = weights @ self.levels
        found[1:] = np.bincount(self._cell, weights, len(self._of_cell)) @ self._of_cell
        return found

    def products(self, weights: Floats, settings: DecisionSettings) -> Floats:
        """Return the products of `columns`, summed over weighted rows, shape (D, D)."""
        weights = self.sensitivity(settings) ** 2 * weights
        count = len(self._of_cell)
        by_level = weights * self.levels
        sums = np.bincount(self._cell, weights, count)
        mixed = np.bincount(self._cell, by_level, count) @ self._of_cell
        found = np.empty((self.size, self.size))
        found[0, 0] = by_level @ self.levels
        found[0, 1:] = found[1:, 0] = mixed
        found[1:, 1:] = (self._of_cell.T * sums) @ self._of_cell
        return found

    def quadratic(self, matrix: Floats, settings: DecisionSettings) -> Floats:
        """Return the quadratic form of each row of `columns` with a matrix (D, D), shape (R,)."""
        own = np.einsum("cd,cd->c", self._of_cell @ matrix[1:, 1:], self._of_cell)
        mixed = 2 * self._of_cell @ matrix[1:, 0]
        t = self.levels
        form = own[self._cell] + t * (mixed[self._cell] + matrix[0, 0] * t)
        return np.asarray(self.sensitivity(settings) ** 2 * form)

    def density(self, x: Floats, settings: DecisionSettings) -> float:
        """Return the joint log-density of answers, coefficients and effects."""
        if self.steepness is None:
            return super().density(x, settings)
        if x[0] <= 0:
            return -np.inf
        mean, sd = self.steepness
        return super().density(x, settings) - (float(np.log(x[0])) - mean) ** 2 / (2 * sd**2)

    def derivatives(self, x: Floats, settings: DecisionSettings) -> tuple[Floats, Curved]:
        """Return the gradient of `density`, and its curvature."""
        z, _ = self.predictor(x, settings)
        first, second, expected = self.likelihood.slopes(z, settings)
        gradient = self.scale(settings) * self.gathered(first, settings) - self.ridge * x
        if self.steepness is not None:
            mean, sd = self.steepness
            gradient[0] -= (float(np.log(x[0])) - mean) / sd**2 / x[0]
        return gradient, DecisionCurvature(self, x, settings, second, expected)


@dataclass(frozen=True)
class DecisionCurvature:
    """Curvature of the log-density of a `DecisionCurve` at a point.

    Attributes
    ----------
    curve : DecisionCurve
    x : ndarray, shape (D,)
    settings : DecisionSettings
    second, expected : ndarray, shape (R,)
        Second derivative of the log-likelihood by z, and the information about z.
    """

    curve: DecisionCurve
    x: Floats
    settings: DecisionSettings
    second: Floats
    expected: Floats

    def exact(self) -> Floats:
        """Return minus the Hessian."""
        return self._of(-self.second, exact=True)

    def definite(self) -> Floats:
        """Return what is expected of minus the Hessian, which is positive definite."""
        return self._of(self.expected, exact=False)

    def _of(self, weights: Floats, *, exact: bool) -> Floats:
        scale = self.curve.scale(self.settings)
        added = self.curve.ridge + _DAMPING
        if self.curve.steepness is not None:
            mean, sd = self.curve.steepness
            away = (float(np.log(self.x[0])) - mean) / sd**2 if exact else 0.0
            added[0] += (1 / sd**2 - away) / self.x[0] ** 2
        products = self.curve.products(weights, self.settings)
        return np.asarray(scale[:, None] * products * scale + np.diag(added))
