"""Covariance of the parameters of decisions, and degrees of freedom of what follows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from biaslab.stats.decision_factors import Factor
from biaslab.stats.decision_model import DecisionModel
from biaslab.stats.decision_search import DecisionSearch, Point, definite
from biaslab.stats.rate_settings import HIGHEST_RATE
from biaslab.stats.sigmoids import Floats

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
        size = self.changes.shape[1]
        variance = np.maximum(((rows @ self.covariance) * rows).sum(axis=-1), 1e-300)
        inner = rows[..., :size]
        change = np.zeros((*variance.shape, len(self.changes)))
        for m, by_one in enumerate(self.changes):
            change[..., m] = ((inner @ by_one) * inner).sum(axis=-1)
        noise = ((change @ self.of_free) * change).sum(axis=-1)
        uncertain = np.abs(change) @ np.where(self.is_sd, 0.5, 1.0)
        known = np.clip(1 - uncertain / variance, 0.0, _MOST_KNOWN)
        with np.errstate(divide="ignore", invalid="ignore"):
            df = np.where(noise > 0, np.maximum(2 * variance**2 / noise, self.least_df), np.inf)
        return variance, df + _OF_KNOWN * known / (1 - known)


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


def _definite_inverse(matrix: Floats) -> Floats:
    """Return the inverse, with directions of no curvature as if they were known badly."""
    if not len(matrix):
        return matrix
    values, vectors = np.linalg.eigh(matrix)
    return np.asarray((vectors / np.maximum(values, 0.1)) @ vectors.T)
