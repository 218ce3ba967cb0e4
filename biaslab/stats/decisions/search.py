r"""The restricted likelihood of decisions, with its gradient and its curvature.

With :math:`\hat x(\theta)` the mode of coefficients and effects given the other parameters, h the
exact and A the expected curvature there, the gradient of
:math:`L = f(\hat x, \theta) - \tfrac12 \log |A|` is analytic: f is stationary in x, and
:math:`d\hat x / d\theta = H^{-1} \, \partial^2 f / \partial x \partial \theta`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from biaslab.stats.curves.curve_fit import HIGHEST_RATE
from biaslab.stats.curves.sigmoids import Floats
from biaslab.stats.decisions.likelihood import Categories, DecisionCurvature
from biaslab.stats.decisions.model import DecisionModel, Factor, Parameter
from biaslab.stats.mixed.bounded_search import minimize
from biaslab.stats.mixed.laplace import Mode

_LAPSES: Final = {"yes": [0], "no": [1], "lapse": [0, 1]}
"""Answers that lapses of a kind are."""


class Surroundings:
    """What a mode says about the parameters beside the coefficients.

    Parameters
    ----------
    model : DecisionModel
    free : ndarray, shape (M,)
    mode : Mode
        At these free parameters.

    Attributes
    ----------
    covariance : ndarray, shape (D, D)
        Of coefficients and effects, given the settings.
    bend : ndarray, shape (D,)
        Derivative of half the log determinant of the precision by coefficients and effects.
    """

    def __init__(self, model: DecisionModel, free: Floats, mode: Mode) -> None:
        settings = model.settings(free)
        self._model, self._free, self._settings, self._mode = model, free, settings, mode
        curve, likelihood = model.curve, model.likelihood
        self._scale = curve.scale(settings)
        self._z, _ = curve.predictor(mode.x, settings)
        self._cats = likelihood.categories(self._z, settings)
        cats = self._cats
        self._share = likelihood.weight * likelihood.counts / cats.p
        self._ratio = cats.slope / cats.p
        self._first = (self._share * cats.slope).sum(axis=0)
        self._second = (self._share * (cats.bend - self._ratio * cats.slope)).sum(axis=0)
        by_slope = likelihood.total * self._ratio
        self._expected = (by_slope * cats.slope).sum(axis=0)
        self._steeper = (by_slope * (2 * cats.bend - self._ratio * cats.slope)).sum(axis=0)
        self.covariance = np.asarray(np.linalg.inv(mode.precision), dtype=np.float64)
        scaled = self._scale[:, None] * self.covariance * self._scale
        self._leverage = curve.quadratic(scaled, settings)
        self.bend = self._gathered(self._steeper * self._leverage) / 2
        if curve.steepness is not None:
            self.bend[0] -= self.covariance[0, 0] / curve.steepness[1] ** 2 / mode.x[0] ** 3

    def exact(self) -> Floats:
        """Return minus the Hessian of the joint density, shape (D, D)."""
        return DecisionCurvature(
            self._model.curve, self._mode.x, self._settings, self._second, self._expected
        ).exact()

    def by_parameters(self) -> tuple[Floats, Floats]:
        """Return derivatives by the logarithms of the free parameters, at a mode that stays.

        Returns
        -------
        direct : ndarray, shape (M,)
            Of the restricted likelihood, without densities.
        sides : ndarray, shape (D, M)
            Of the gradient by coefficients and effects.
        """
        parameters = self._model.parameters
        direct, sides = np.zeros(len(parameters)), np.zeros((len(self._scale), len(parameters)))
        for m, parameter in enumerate(parameters):
            if parameter.kind == "sd":
                direct[m], sides[:, m] = self._by_sd(parameter.name)
            elif parameter.kind == "sensitivity":
                direct[m], sides[:, m] = self._by_sensitivity(parameter)
            else:
                direct[m], sides[:, m] = self._by_rate(parameter, float(np.exp(self._free[m])))
        return direct, sides

    def _by_sd(self, name: str) -> tuple[float, Floats]:
        curve, x = self._model.curve, self._mode.x
        members = np.array([factor.sd_name == name for factor in self._model.factors])
        own = np.append(members, False)[curve.factor_of]
        moved, _ = curve.predictor(np.where(own, x, 0.0), self._settings)
        direct = self._first @ moved - (self._steeper * moved) @ self._leverage / 2
        direct -= np.sum(1 - np.diag(self.covariance)[own])
        return float(direct), self._gathered(self._second * moved) + np.where(own, x, 0.0)

    def _by_sensitivity(self, parameter: Parameter) -> tuple[float, Floats]:
        own = self._model.contrasts[:, parameter.group][self._model.answers.group]
        moved = own * self._z
        curvature = self._steeper * moved + 2 * own * self._expected
        direct = self._first @ moved - curvature @ self._leverage / 2
        return float(direct), self._gathered(self._second * moved + own * self._first)

    def _by_rate(self, parameter: Parameter, value: float) -> tuple[float, Floats]:
        if parameter.kind == "indecision":
            return self._by_indecision(value)
        share, ratio = self._share, self._ratio
        room_lost, of_first, of_expected = self._by_room
        if parameter.kind == "position":
            listed = self._cats.favoured
            gained = (share * listed).sum(axis=0)
            first = of_first - (share * ratio * listed).sum(axis=0)
            expected = of_expected - (ratio**2 * listed).sum(axis=0)
        else:
            kinds = _LAPSES[parameter.kind]
            gained = share[kinds].sum(axis=0)
            first = len(kinds) * of_first - (share * ratio)[kinds].sum(axis=0)
            expected = len(kinds) * of_expected - (ratio**2)[kinds].sum(axis=0)
            room_lost = len(kinds) * room_lost
        total = self._model.likelihood.total
        direct, sides = gained - room_lost - total * expected * self._leverage / 2, first
        if parameter.group is not None:
            in_group = self._model.answers.group == parameter.group
            direct, sides = in_group * direct, in_group * first
        return value * float(direct.sum()), value * self._gathered(sides)

    @cached_property
    def _by_room(self) -> tuple[Floats, Floats, Floats]:
        """What a share of answers takes from those that follow the quality, each (R,).

        Of the likelihood, and of its slope and the expected information per answer by z.
        """
        share, ratio = self._share, self._ratio
        core, unit = self._cats.core, self._cats.slope / self._cats.room
        lost = (share * core).sum(axis=0)
        of_first = (share * (ratio * core - unit)).sum(axis=0)
        return lost, of_first, (ratio * (ratio * core - 2 * unit)).sum(axis=0)

    def _by_indecision(self, value: float) -> tuple[float, Floats]:
        p_by, slope_by = value * self._cats.by_indecision, value * self._cats.slope_by_indecision
        of_first = (self._share * (slope_by - self._ratio * p_by)).sum(axis=0)
        of_expected = self._model.likelihood.total * (
            self._ratio * (2 * slope_by - self._ratio * p_by)
        ).sum(axis=0)
        direct = float(np.sum(self._share * p_by)) - float(of_expected @ self._leverage) / 2
        return direct, self._gathered(of_first)

    def _gathered(self, weights: Floats) -> Floats:
        return np.asarray(self._scale * self._model.curve.gathered(weights, self._settings))


def rate_derivatives(
    model: DecisionModel, parameter: Parameter, cats: Categories, value: float
) -> Floats:
    """Return derivatives of probabilities by the logarithm of a rate, (K, R)."""
    if parameter.kind == "indecision":
        return np.asarray(value * cats.by_indecision)
    if parameter.kind == "position":
        return np.asarray(value * (cats.favoured - cats.core))
    places = _LAPSES[parameter.kind]
    by = -len(places) * cats.core
    by[places] += 1
    if parameter.group is not None:
        by = by * (model.answers.group == parameter.group)
    return np.asarray(value * by)


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
            self._look_ahead(last, last.follow @ (free - last.free))
        self._last = self.point(free)
        return -self._last.value, -self._last.gradient

    def _look_ahead(self, point: Point, change: Floats) -> None:
        """Begin the next search where the mode is expected; its slope stays above 0."""
        ahead = point.mode.x + change
        self._at = ahead if ahead[0] > 0 else point.mode.x

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
        minimum = minimize(self.loss, free, self.low, self.high, hessian=hessian)
        if not minimum.converged:
            self._at = at
            again = minimize(self.loss, self.start(), self.low, self.high)
            minimum = again if again.value < minimum.value else minimum
        last = self._last
        reached = last is not None and np.array_equal(last.free, minimum.x)
        point = last if last is not None and reached else self.point(minimum.x)
        return point, bool(minimum.converged and point.mode.converged)

    def around(self, point: Point, inside: NDArray[np.intp]) -> tuple[Floats, Floats]:
        """Return the Hessian and the change of the covariance, by differences along `inside`."""
        free, count = point.free, len(point.free)
        hessian = np.eye(count)
        changes = np.zeros((count, *point.covariance.shape))
        for m in inside:
            moved = free.copy()
            step = _STEP if free[m] + _STEP < self.high[m] else -_STEP
            moved[m] += step
            self._look_ahead(point, step * point.follow[:, m])
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


_AT_BOUND: Final = 1e-3
_UNIFORM: Final = 12 / HIGHEST_RATE**2
"""Precision of a rate of which nothing is known."""
_OF_KNOWN: Final = 4.7
"""Degrees of freedom that a known part of a variance adds, times its odds. Satterthwaite's
approximation lets the whole variance be as small as a chi-square may be, but it is no smaller than
the part that no SD adds to. By numerical integration this gives the 97.5 % quantile of the ratio
within 2 %, for 3 to 10 degrees of freedom and a known part of up to 0.6."""
_MOST_KNOWN: Final = 0.8


@dataclass(frozen=True)
class Covariance:
    """Covariance of combinations of what was fitted, and how well the first's variance is known.

    Attributes
    ----------
    whole : ndarray, shape (N, N)
    change : ndarray, shape (M,)
        Derivatives of the variance by the free parameters, without its parts.
    parts : list of (float, float)
        Of the variance, estimated by themselves, with their degrees of freedom.
    apart : (float, float), optional
        A part whose degrees of freedom are not to be averaged with those of the rest.
    """

    whole: Floats
    change: Floats
    parts: list[tuple[float, float]]
    apart: tuple[float, float] | None = None


@dataclass(frozen=True)
class Spread:
    """Covariance of coefficients, effects and free parameters, and what its own uncertainty does.

    Attributes
    ----------
    covariance : ndarray, shape (D + M, D + M)
        Of those at a bound 0.
    of_free : ndarray, shape (M, M)
    changes : ndarray, shape (M, D, D)
        Derivative by each free parameter of the covariance of coefficients and effects.
    hessian : ndarray, shape (M, M)
        Of minus the likelihood, of all free parameters.
    is_sd : ndarray of bool, shape (M,)
        Which free parameters are SDs: variances are linear in their squares.
    least_df : float
        Of a factor: a sum of variances has no fewer than the least of its terms.
    """

    covariance: Floats
    of_free: Floats
    changes: Floats
    hessian: Floats
    is_sd: NDArray[np.bool_]
    least_df: float = 1.0

    def variances(self, rows: Floats) -> tuple[Floats, Floats]:
        """Return variances of combinations, (..., D + M), and Satterthwaite's df."""
        variance = np.maximum(((rows @ self.covariance) * rows).sum(axis=-1), 1e-300)
        return variance, self.df(variance, self.changed(rows))

    def of(self, rows: Floats) -> Covariance:
        """Return the covariance of combinations, shape (N, D + M)."""
        return Covariance(rows @ self.covariance @ rows.T, self.changed(rows[0]), [])

    def changed(self, rows: Floats) -> Floats:
        """Return the derivatives of variances by the free parameters, (..., M)."""
        inner = rows[..., : self.changes.shape[1]]
        change = np.zeros((*inner.shape[:-1], len(self.changes)))
        for m, by_one in enumerate(self.changes):
            change[..., m] = ((inner @ by_one) * inner).sum(axis=-1)
        return change

    def df(
        self, variance: Floats, change: Floats, parts: Sequence[tuple[float, float]] = ()
    ) -> Floats:
        """Return Satterthwaite's degrees of freedom of variances.

        Parameters
        ----------
        variance : ndarray, shape (...)
        change : ndarray, shape (..., M)
            As of `changed`.
        parts : sequence of (float, float)
            Parts of the variances that were estimated by themselves, with their df.
        """
        noise = ((change @ self.of_free) * change).sum(axis=-1)
        noise = noise + sum(2 * part**2 / df for part, df in parts if part)
        uncertain = np.abs(change) @ np.where(self.is_sd, 0.5, 1.0)
        uncertain = uncertain + sum(part for part, _ in parts)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            known = np.clip(1 - uncertain / variance, 0.0, _MOST_KNOWN)
            df = np.where(noise > 0, np.maximum(2 * variance**2 / noise, self.least_df), np.inf)
        return np.asarray(df + _OF_KNOWN * known / (1 - known))


def spread_around(search: DecisionSearch, point: Point) -> Spread:
    """Return the covariance around a maximum, by differences of the gradient."""
    inside = np.flatnonzero(
        (point.free - search.low > _AT_BOUND) & (search.high - point.free > _AT_BOUND)
    )
    hessian, changes = search.around(point, inside)
    count, block = len(point.free), hessian[np.ix_(inside, inside)]
    known = block.copy()
    for at, m in enumerate(inside):
        if search.model.parameters[m].is_rate:
            known[at, at] += _UNIFORM * np.exp(2 * point.free[m])
    of_free = np.zeros((count, count))
    of_free[np.ix_(inside, inside)] = _definite_inverse(known)
    of_free = _capped(search, point, of_free)
    cross = point.follow @ of_free
    covariance = np.block([[point.covariance + cross @ point.follow.T, cross], [cross.T, of_free]])
    least = float(min((_df(search.model, factor) for factor in search.model.factors), default=1))
    is_sd = np.array([parameter.kind == "sd" for parameter in search.model.parameters], dtype=bool)
    return Spread(covariance, of_free, changes, definite(hessian), is_sd, max(least, 1.0))


def _capped(search: DecisionSearch, point: Point, of_free: Floats) -> Floats:
    """Limit the variance of each SD to that which its number of levels implies.

    The likelihood of an SD near 0 has hardly any curvature. The variance between d + 1 levels,
    sampling error included, is a chi-square with d degrees of freedom.
    """
    model, scale = search.model, np.ones(len(of_free))
    for m, parameter in enumerate(model.parameters):
        name = parameter.name
        if parameter.kind == "sd" and of_free[m, m] > 0:
            d = sum(max(_df(model, f), 1) for f in model.factors if f.sd_name == name)
            variance = np.exp(2 * point.free[m])
            floor = search.floors[model.sd_names.index(name)] ** 2
            most = ((variance + floor) / variance) ** 2 / (2 * d)
            scale[m] = min(1.0, np.sqrt(most / of_free[m, m]))
    return np.asarray(scale[:, None] * of_free * scale)


def _df(model: DecisionModel, factor: Factor) -> int:
    """Return the degrees of freedom of a factor's levels, less their means."""
    answers = model.answers
    groups = len(np.unique(answers.group))
    if factor.name == "cue":
        return len(factor.numbers) - groups
    if factor.name == "wording by group":
        return int((len(np.unique(answers.wording)) - 1) * (groups - 1))
    if factor.name == "group":
        return max(len(factor.numbers) - int(model.intercepts.shape[1]), 1)
    return len(factor.numbers) - 1


def moment_variances(expected: Floats, squares: Floats) -> Floats:
    """Return variances, 0 or more, by which expected sums of squares are as observed.

    Parameters
    ----------
    expected : ndarray, shape (V, V)
        How each sum of squares grows with each variance.
    squares : ndarray, shape (V,)
        Less what is expected without any variance.
    """
    variances, kept = np.zeros(len(squares)), np.arange(len(squares))
    while len(kept):
        solved = np.linalg.lstsq(expected[np.ix_(kept, kept)], squares[kept])[0]
        if (solved >= 0).all():
            variances[kept] = solved
            break
        kept = np.delete(kept, np.argmin(solved))
    return variances


def _definite_inverse(matrix: Floats) -> Floats:
    """Return the inverse, with directions of no curvature as if they were known badly."""
    if not len(matrix):
        return matrix
    values, vectors = np.linalg.eigh(matrix)
    return np.asarray((vectors / np.maximum(values, 0.1)) @ vectors.T)
