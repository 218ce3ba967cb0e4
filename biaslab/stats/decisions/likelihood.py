r"""The likelihood of decisions: lapses, a share that position alone decides, and indecision.

With z of a question, a fraction :math:`\lambda_y + \lambda_n` of the answers is yes or no whatever
the stimulus, a fraction :math:`|\beta|` takes the option that is listed first
(:math:`\beta > 0`) or second (:math:`\beta < 0`), and the rest follows the curve:

.. math:: P(\text{yes}) = \lambda_y + |\beta| f + \rho F(z - \tau), \quad
          P(\text{neither}) = \rho (F(z + \tau) - F(z - \tau)), \quad
          \rho = 1 - \lambda_y - \lambda_n - |\beta|,

with f = 1 where yes has the preferred position. Groups may have lapses of their own. The subject
is undecided where its impression is within :math:`\pm\tau`: the indecision model of García-Pérez
and Alcalá-Quintana (2017), "The indecision model of psychophysical performance in
dual-presentation tasks", Frontiers in Psychology 8:1142. F is symmetrical.

Thousands of rows are about some hundred combinations of cue, wording, order and detail: given its
combination, z of a row is linear in the level. So sums over rows of products of derivatives are
sums over combinations, which take a tenth of the time of a product of matrices with a row for each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from biaslab.stats.curves.sigmoids import Floats, Sigmoid
from biaslab.stats.mixed.laplace import Curved, Indices, MixedCurve, Settings

_TINY: Final = 1e-300


@dataclass(frozen=True)
class DecisionSettings(Settings):
    """Settings of decisions; `guess` and `lapse` are not used, since groups have their own.

    Attributes
    ----------
    yes, no : tuple of float, length G
        Lapses of each group: shares of its answers that are yes, or no, whatever the level.
    sensitivity : tuple of float, length G
        How much steeper the curve of each group is than that of all.
    position : float
        Share of the answers by position alone, in [0, 1).
    prefers_first : bool
        Whether these take the option that is listed first.
    indecision : float
        Half the width of the range of indecision on the scale of z, at least 0.
    """

    yes: tuple[float, ...] = (0.0,)
    no: tuple[float, ...] = (0.0,)
    sensitivity: tuple[float, ...] = (1.0,)
    position: float = 0.0
    prefers_first: bool = True
    indecision: float = 0.0

    @property
    def least_room(self) -> float:
        """Share of the answers that follow the quality, in the group with the fewest."""
        lapses = [yes + no for yes, no in zip(self.yes, self.no, strict=True)]
        return 1 - self.position - max(lapses)


@dataclass(frozen=True)
class Categories:
    """Probabilities of K answers to R questions, with derivatives by z.

    Attributes
    ----------
    p, slope, bend : ndarray, shape (K, R)
        Probability, and its first and second derivative.
    core : ndarray, shape (K, R)
        Probability of those answers that follow the quality.
    room : ndarray, shape (R,)
        Share of the answers that do.
    favoured : ndarray, shape (K, R)
        1 for the answer that has the preferred position.
    by_indecision, slope_by_indecision : ndarray, shape (K, R)
        Derivatives of p and of its slope by the indecision; 0 where there are two answers.
    """

    p: Floats
    slope: Floats
    bend: Floats
    core: Floats
    room: Floats
    favoured: Floats
    by_indecision: Floats
    slope_by_indecision: Floats


@dataclass(frozen=True)
class DecisionLikelihood:
    """Counts of yes, no and, with a range of indecision, neither.

    Attributes
    ----------
    sigmoid : Sigmoid
        F, symmetrical.
    counts : ndarray, shape (2, R) or (3, R)
        Answers yes, no, and neither.
    is_first : ndarray of bool, shape (R,)
        Whether yes is listed first.
    group : ndarray of int, shape (R,)
    weight : float
        Of each answer: 1 over the dispersion.
    """

    sigmoid: Sigmoid
    counts: Floats
    is_first: NDArray[np.bool_]
    group: NDArray[np.intp]
    weight: float = 1.0

    @cached_property
    def total(self) -> Floats:
        """Answers of each row, weighted, shape (R,)."""
        return np.asarray(self.weight * self.counts.sum(axis=0))

    def probabilities(self, z: Floats, settings: DecisionSettings) -> Floats:
        """Return the probability of each answer, shape (K, R)."""
        core, extra, room = self._parts(z, settings)
        return np.maximum(extra + room * core, _TINY)

    def loglik(self, z: Floats, settings: DecisionSettings) -> Floats:
        """Return the log-likelihood, shape (R,)."""
        logs = self.counts * np.log(self.probabilities(z, settings))
        return np.asarray(self.weight * logs.sum(axis=0))

    def slopes(self, z: Floats, settings: DecisionSettings) -> tuple[Floats, Floats, Floats]:
        """Return first and second derivative by z and the expected information, each (R,)."""
        core, extra, room = self._parts(z, settings)
        p = np.maximum(extra + room * core, _TINY)
        slope, bend = self._derivatives(z, core, room, settings.indecision)
        ratio = slope / p
        share = self.counts / p
        first = (share * slope).sum(axis=0)
        second = (share * (bend - ratio * slope)).sum(axis=0)
        expected = self.total * (ratio * slope).sum(axis=0)
        return self.weight * first, self.weight * second, expected

    def categories(self, z: Floats, settings: DecisionSettings) -> Categories:
        """Return the probabilities with what their derivatives follow from."""
        core, extra, room = self._parts(z, settings)
        slope, bend = self._derivatives(z, core, room, settings.indecision)
        by, slope_by = np.zeros((2, *core.shape))
        if len(core) > 2:
            by = np.stack([-slope[0], slope[1], slope[0] - slope[1]])
            slope_by = np.stack([-bend[0], bend[1], bend[0] - bend[1]])
        p = np.maximum(extra + room * core, _TINY)
        return Categories(p, slope, bend, core, room, self._favoured(settings), by, slope_by)

    def _parts(self, z: Floats, settings: DecisionSettings) -> tuple[Floats, Floats, Floats]:
        """Return the curve's part of each answer, what comes on top, and the room, (R,)."""
        share = settings.position
        yes, no = np.array(settings.yes)[self.group], np.array(settings.no)[self.group]
        extra = np.zeros(self.counts.shape)
        extra[0], extra[1] = yes, no
        if share:
            extra += share * self._favoured(settings)
        room = 1 - yes - no - share
        core = np.empty(self.counts.shape)
        if len(core) == 2:
            core[0], core[1] = self.sigmoid.tails(z)
            return core, extra, room
        tau = settings.indecision
        low, high = self.sigmoid.tails(z - tau), self.sigmoid.tails(z + tau)
        core[0], core[1] = low[0], high[1]
        core[2] = np.where(z > 0, low[1] - high[1], high[0] - low[0])
        return core, extra, room

    def _derivatives(
        self, z: Floats, core: Floats, room: Floats, tau: float
    ) -> tuple[Floats, Floats]:
        """Return first and second derivative of the probabilities by z, (K, R)."""
        slope, bend = np.empty(core.shape), np.empty(core.shape)
        if len(core) == 2:
            slope[0], bend[0] = room * self.sigmoid.pdf(z), room * self.sigmoid.pdf_slope(z)
            slope[1], bend[1] = -slope[0], -bend[0]
            return slope, bend
        slope[0], slope[1] = room * self.sigmoid.pdf(z - tau), -room * self.sigmoid.pdf(z + tau)
        bend[0] = room * self.sigmoid.pdf_slope(z - tau)
        bend[1] = -room * self.sigmoid.pdf_slope(z + tau)
        slope[2], bend[2] = -slope[0] - slope[1], -bend[0] - bend[1]
        return slope, bend

    def _favoured(self, settings: DecisionSettings) -> Floats:
        """Return which answer has the preferred position, shape (K, R)."""
        return self._first if settings.prefers_first else self._second

    @cached_property
    def _first(self) -> Floats:
        """Which answer is listed first, shape (K, R)."""
        return self._listed(self.is_first)

    @cached_property
    def _second(self) -> Floats:
        return self._listed(~self.is_first)

    def _listed(self, yes: NDArray[np.bool_]) -> Floats:
        listed = np.zeros(self.counts.shape)
        listed[0], listed[1] = yes, ~yes
        return listed


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
            sensitivity = np.array(settings.sensitivity)
            steeper = sensitivity[self._group] if (sensitivity != 1).any() else 1.0
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
        sums = np.empty(self.size)
        sums[0] = weights @ self.levels
        sums[1:] = np.bincount(self._cell, weights, len(self._of_cell)) @ self._of_cell
        return sums

    def products(self, weights: Floats, settings: DecisionSettings) -> Floats:
        """Return the products of `columns`, summed over weighted rows, shape (D, D)."""
        weights = self.sensitivity(settings) ** 2 * weights
        count = len(self._of_cell)
        by_level = weights * self.levels
        sums = np.bincount(self._cell, weights, count)
        mixed = np.bincount(self._cell, by_level, count) @ self._of_cell
        products = np.empty((self.size, self.size))
        products[0, 0] = by_level @ self.levels
        products[0, 1:] = products[1:, 0] = mixed
        products[1:, 1:] = (self._of_cell.T * sums) @ self._of_cell
        return products

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
