r"""The restricted likelihood of decisions, with its gradient.

With :math:`\hat x(\theta)` the mode of coefficients and effects given the other parameters, h the
exact and A the expected curvature there, the gradient of
:math:`L = f(\hat x, \theta) - \tfrac12 \log |A|` is analytic: f is stationary in x, and
:math:`d\hat x / d\theta = H^{-1} \, \partial^2 f / \partial x \partial \theta`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from biaslab.stats.bounded_search import minimize
from biaslab.stats.decision_model import DecisionModel
from biaslab.stats.decision_surroundings import Surroundings
from biaslab.stats.laplace import Mode
from biaslab.stats.sigmoids import Floats

_STEP: Final = 0.02
_LEAST_ROOM: Final = 0.01
"""Share of the answers that must follow the quality."""
_NOTHING: Final = 1e10
_SHALLOWEST: Final = 0.1
_NEAR: Final = 1.0
"""Change of the free parameters up to which the mode is taken to follow them linearly."""
_FARTHEST: Final = 0.5
"""Longest move of the coefficients' mode, in standard errors."""


@dataclass(frozen=True)
class Point:
    """The restricted likelihood at one value of the free parameters.

    Attributes
    ----------
    free : ndarray, shape (M,)
    mode : Mode
        Of coefficients and effects.
    value : float
        Penalised log-likelihood.
    gradient : ndarray, shape (M,)
    follow : ndarray, shape (D, M)
        Derivative of the mode by the free parameters.
    covariance : ndarray, shape (D, D)
        Of coefficients and effects, given these.
    """

    free: Floats
    mode: Mode
    value: float
    gradient: Floats
    follow: Floats
    covariance: Floats


class DecisionSearch:
    """Search of the restricted likelihood of one model.

    Parameters
    ----------
    model : DecisionModel
    """

    def __init__(self, model: DecisionModel) -> None:
        self.model = model
        self.low, self.high = model.bounds()
        self._at = np.zeros(model.curve.size)
        self._at[0] = 1.0
        self._last: Point | None = None
        self.floors = self._sampling_errors()

    def _sampling_errors(self) -> Floats:
        """Return the sampling error of an effect of each factor, from one curve for all."""
        model, curve = self.model, self.model.curve
        if not model.factors:
            return np.zeros(0)
        settings = model.settings(np.clip(self.start(), self.low, self.high))
        alike = replace(settings, sds=(0.0,) * len(settings.sds))
        self._at = curve.mode(alike, self._at).x
        expected = model.likelihood.slopes(curve.predictor(self._at, alike)[0], alike)[2]
        information = np.maximum(curve.gathered(expected, alike), 1e-6)
        sizes: dict[str, list[float]] = {}
        for f, factor in enumerate(model.factors):
            of_factor = information[curve.factor_of == f]
            sizes.setdefault(factor.sd_name, []).append(float(np.mean(of_factor)))
        return np.array([np.sqrt(1 / np.mean(sizes[name])) for name in model.sd_names])

    def start(self) -> Floats:
        """Return where a search begins that knows nothing, shape (M,)."""
        preference = self.model.preference
        return np.array([parameter.start(preference) for parameter in self.model.parameters])

    def point(self, free: Floats) -> Point:
        """Return the penalised likelihood and all that follows from the mode."""
        model, curve = self.model, self.model.curve
        settings = model.settings(free)
        mode = curve.mode(settings, self._at) if settings.least_room > _LEAST_ROOM else None
        if mode is None or not mode.converged:
            empty = Mode(self._at, np.eye(curve.size), -np.inf, False) if mode is None else mode
            none, shape = np.zeros(len(free)), (curve.size, len(free))
            return Point(free, empty, -_NOTHING, none, np.zeros(shape), np.eye(curve.size))
        self._at = mode.x
        around = Surroundings(model, free, mode)
        direct, sides = around.by_parameters()
        exact = around.exact()
        solved = np.linalg.solve(exact, np.column_stack([sides, around.bend]))
        follow = np.asarray(solved[:, :-1], dtype=np.float64)
        gradient = direct - around.bend @ follow
        value, names = mode.loglik, model.sd_names
        for m, parameter in enumerate(model.parameters):
            floor = self.floors[names.index(parameter.name)] if parameter.kind == "sd" else 0.0
            log, slope = parameter.density(float(free[m]), float(floor))
            value += log
            gradient[m] += slope
        # A flat density of coefficients on the scale of z would prefer steep curves: that of the
        # PSEs, the shift and the logarithm of the slope is flat.
        steepness = max(float(mode.x[0]), _SHALLOWEST)
        value -= curve.n_fixed * float(np.log(steepness))
        if mode.x[0] > _SHALLOWEST:
            gradient -= curve.n_fixed * follow[0] / steepness
        return Point(free, mode, value, np.asarray(gradient), follow, around.covariance)

    def marginal(self, point: Point) -> Floats:
        """Return the mode of the coefficients alone, with the effects that follow, shape (D,).

        As `MixedCurve.marginal`, with Jeffreys' density, by an analytic gradient.
        """
        curve, settings = self.model.curve, self.model.settings(point.free)
        fixed, precision, x = curve.n_fixed, point.mode.precision, point.mode.x
        cats = self.model.likelihood.categories(curve.predictor(x, settings)[0], settings)
        ratio = cats.slope / cats.p
        steeper = (ratio * (2 * cats.bend - ratio * cats.slope)).sum(axis=0)
        scale, of_effects = curve.scale(settings), precision[fixed:, fixed:]
        added = point.covariance / 2
        added[fixed:, fixed:] -= np.linalg.inv(of_effects)
        leverage = curve.quadratic(scale[:, None] * added * scale, settings)
        follow = np.linalg.solve(of_effects, precision[fixed:, :fixed])
        weights = self.model.likelihood.total * steeper * leverage
        sums = scale * curve.gathered(weights, settings)
        gradient = sums[:fixed] - sums[fixed:] @ follow
        move = point.covariance[:fixed, :fixed] @ gradient
        # Where answers are nearly a step the expansion says no more than the direction.
        move = move * min(1.0, _FARTHEST / max(float(np.sqrt(gradient @ move)), 1e-300))
        return np.asarray(x + np.concatenate([move, -follow @ move]))

    def loss(self, free: Floats) -> tuple[float, Floats]:
        """Return minus the penalised likelihood, and its gradient."""
        last = self._last
        if last is not None and np.abs(free - last.free).max(initial=0) < _NEAR:
            ahead = last.mode.x + last.follow @ (free - last.free)
            self._at = ahead if ahead[0] > 0 else last.mode.x
        self._last = self.point(free)
        return -self._last.value, -self._last.gradient

    def best(
        self, start: Floats | None = None, hessian: Floats | None = None
    ) -> tuple[Point, bool]:
        """Return the maximum, from a start that may be known, and whether it was reached."""
        free = np.clip(self.start() if start is None else start, self.low, self.high)
        if not len(free):
            point = self.point(free)
            return point, point.mode.converged
        at = self._at
        if hessian is None:
            first = self.point(free)
            hessian = definite(self.around(first, np.arange(len(free)))[0], 1.0)
        found = minimize(self.loss, free, self.low, self.high, hessian=hessian)
        if not found.converged:
            self._at = at
            again = minimize(self.loss, self.start(), self.low, self.high)
            found = again if again.value < found.value else found
        last = self._last
        reached = last is not None and np.array_equal(last.free, found.x)
        point = last if last is not None and reached else self.point(found.x)
        return point, bool(found.converged and point.mode.converged)

    def around(self, point: Point, inside: NDArray[np.intp]) -> tuple[Floats, Floats]:
        """Return the Hessian and the change of the covariance, by differences along `inside`."""
        free, count = point.free, len(point.free)
        hessian = np.eye(count)
        changes = np.zeros((count, *point.covariance.shape))
        for m in inside:
            moved = free.copy()
            step = _STEP if free[m] + _STEP < self.high[m] else -_STEP
            moved[m] += step
            self._at = point.mode.x + step * point.follow[:, m]
            there = self.point(moved)
            hessian[m] = (point.gradient - there.gradient) / step
            changes[m] = (there.covariance - point.covariance) / step
        self._at = point.mode.x
        block = hessian[np.ix_(inside, inside)]
        hessian = np.eye(count)
        hessian[np.ix_(inside, inside)] = (block + block.T) / 2
        return hessian, changes


def definite(matrix: Floats, least: float = 0.1) -> Floats:
    """Return a symmetric matrix without directions of little or negative curvature."""
    if not len(matrix):
        return matrix
    values, vectors = np.linalg.eigh(matrix)
    return np.asarray((vectors * np.maximum(values, least)) @ vectors.T)
