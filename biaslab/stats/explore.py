"""A weighted grid over the few spreads of a model, laid out along their posterior.

With one spread it is an even grid around the mode. With more, a grid along every axis would waste
nearly all of its points, so the points are an even (quasi-random) cover of a t distribution that
resembles the posterior, and each counts by the ratio of the two densities.

A spread that may be 0 has a long tail toward minus infinity in its logarithm, where a few points
would count for all others. So the t distribution is laid out in log(s + k m) of a spread s with
mode m, which ends where s is 0, and it is as wide to either side of its mode as the posterior is
(Geweke 1989, Econometrica 57:1317).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
LogDensity = Callable[[Floats], Floats]
"""Log density, up to a constant, at points of shape (H, D): shape (H,)."""

_STEP = 0.15
_LINE = 101
_DEPTH = 6.0
_DEGREES = 8.0
_SOFT = 0.25
"""k above: larger values waste points below 0, smaller ones leave the tail."""
_REACH = np.array([1.0, 2.0, 3.5, 5.0])
"""Standard deviations from the mode at which it is seen how far the density falls."""
_NARROWEST, _WIDEST = 0.2, 4.0
_DEEPEST = 50.0
"""A density that is 0 counts as so far below the mode, in its logarithm."""
_STEEPEST, _FLATTEST = 1e8, 0.15


@dataclass(frozen=True, eq=False)
class Explored:
    """Weighted points.

    Attributes
    ----------
    points : ndarray, shape (H, D)
    weights : ndarray, shape (H,)
        Together 1.
    mode : ndarray, shape (D,)
        Of the density of the points' coordinates, the logarithms.
    """

    points: Floats
    weights: Floats
    mode: Floats

    @property
    def effective(self) -> float:
        """How many equally weighted points would do as well (Kish)."""
        return float(1 / (self.weights**2).sum())

    def resample(self, n: int, rng: np.random.Generator) -> tuple[NDArray[np.intp], Floats]:
        """Return indices of n draws into the distinct drawn points, and those points.

        Systematic resampling, shuffled: the number of draws on a point is off its share by less
        than one.
        """
        at = (np.arange(n) + rng.random()) / n
        chosen = np.searchsorted(np.cumsum(self.weights), at * (1 - 1e-12))
        unique, which = np.unique(np.minimum(chosen, len(self.weights) - 1), return_inverse=True)
        return rng.permutation(which.reshape(-1)), self.points[unique]


def explore(log_density: LogDensity, start: Floats, points: int) -> Explored:
    """Lay a weighted grid over a density of logarithms with one mode.

    Parameters
    ----------
    log_density : callable
    start : ndarray, shape (D,)
        Somewhere near the mode.
    points : int
        How many, with two axes or more.

    Returns
    -------
    Explored
    """
    mode, hessian = _climb(log_density, np.asarray(start, dtype=float))
    if len(mode) == 1:
        scale = 1 / np.sqrt(np.clip(-hessian[0], _FLATTEST, _STEEPEST))
        spots = mode + np.linspace(-_DEPTH, _DEPTH, _LINE)[:, None] * scale
        log_weights = log_density(spots)
    else:
        spots, log_weights = _spread_out(log_density, mode, points)
    log_weights = np.where(np.isnan(log_weights), -np.inf, log_weights)
    weights = np.exp(log_weights - log_weights.max())
    return Explored(spots, weights / weights.sum(), mode)


def _spread_out(log_density: LogDensity, mode: Floats, points: int) -> tuple[Floats, Floats]:
    """Return points of the t distribution, and the log ratio of the two densities."""

    def logarithms(soft: Floats) -> Floats:
        with np.errstate(invalid="ignore", divide="ignore"):
            return mode + np.log((1 + _SOFT) * np.exp(soft) - _SOFT)

    def soft_density(soft: Floats) -> Floats:
        at = logarithms(soft)
        above = np.asarray(np.isfinite(at).all(axis=1))
        at = np.where(above[:, None], at, mode)
        jacobian = np.log1p(_SOFT * np.exp(mode - at)).sum(axis=1)
        return np.where(above, log_density(at) + jacobian, -np.inf)

    centre, hessian = _climb(soft_density, np.zeros(len(mode)))
    values, vectors = np.linalg.eigh(-hessian)
    # If the density is flat (a spread that may be 0) the curvature at the mode says too little.
    axes = vectors / np.sqrt(np.clip(values, _FLATTEST, _STEEPEST))
    sides = _sides(soft_density, centre, axes)
    normal, chi2 = _even(points, len(mode))
    t = normal * np.sqrt(_DEGREES / chi2)[:, None]
    stretch = np.where(t < 0, sides[0], sides[1])
    soft = centre + (t * stretch) @ axes.T
    proposal = -0.5 * (_DEGREES + len(mode)) * np.log1p((t**2).sum(axis=1) / _DEGREES)
    proposal -= np.log(stretch).sum(axis=1)
    height = soft_density(soft)
    return np.where(np.isfinite(height)[:, None], logarithms(soft), mode), height - proposal


def _sides(log_density: LogDensity, mode: Floats, axes: Floats) -> Floats:
    """Return how much wider the density is than its curvature says, on both sides."""
    here = float(log_density(mode[None])[0])
    steps = np.array([-1.0, 1.0])[:, None, None, None] * _REACH[:, None, None] * axes.T
    values = log_density((mode + steps).reshape(-1, len(mode))).reshape(2, len(_REACH), -1)
    fall = np.maximum(here - np.where(np.isnan(values), -np.inf, values), 1e-3)
    scales = _REACH[:, None] / np.sqrt(2 * fall)
    return np.asarray(np.clip(scales, _NARROWEST, _WIDEST).max(axis=1))


@lru_cache(maxsize=4)
def _even(points: int, axes: int) -> tuple[Floats, Floats]:
    """Return an even, deterministic grid of independent normals and of a χ²."""
    from scipy.special import gammaincinv, ndtri

    # Multiples of the powers of the root of x^(D+1) = x + 1, modulo 1, in D = axes + 1 dimensions:
    # As even as a Sobol sequence here, without importing scipy.stats, which is slow.
    ratio = 2.0
    for _ in range(60):
        ratio = (1 + ratio) ** (1 / (axes + 2))
    steps = ratio ** -np.arange(1.0, axes + 2)
    cover = (0.5 + np.arange(1, points + 1)[:, None] * steps) % 1
    cover = np.clip(cover, 1e-12, 1 - 1e-12)
    chi2 = 2 * gammaincinv(_DEGREES / 2, cover[:, axes])
    return np.asarray(ndtri(cover[:, :axes])), np.asarray(chi2, dtype=float)


def _climb(log_density: LogDensity, at: Floats, rounds: int = 30) -> tuple[Floats, Floats]:
    """Return the mode and its second derivatives, by Newton's method with differences."""
    d = len(at)
    offsets, pairs = _stencil(d)
    for _ in range(rounds):
        values = log_density(at + _STEP * offsets)
        gradient, hessian = _derivatives(values, d, pairs)
        curvature, axes = np.linalg.eigh(-hessian)
        step = axes @ ((axes.T @ gradient) / np.maximum(np.abs(curvature), _FLATTEST))
        step *= min(1.0, 1.5 / max(float(np.abs(step).max()), 1e-300))
        tried = at + np.array([1.0, 0.5, 0.2, 0.05])[:, None] * step
        gains = log_density(tried) - values[0]
        gains = np.where(np.isnan(gains), -np.inf, gains)
        best = int(gains.argmax())
        if gains[best] <= 0:
            return at, hessian
        at = tried[best]
        if gains[best] < 0.01:
            break
    values = log_density(at + _STEP * offsets)
    return at, _derivatives(values, d, pairs)[1]


def _stencil(d: int) -> tuple[Floats, list[tuple[int, int]]]:
    """Return the centre, and steps along one and two axes, both ways."""
    eye = np.eye(d)
    pairs = [(i, j) for i in range(d) for j in range(i)]
    diagonal = [s * (eye[i] + eye[j]) for i, j in pairs for s in (1, -1)]
    return np.vstack([np.zeros((1, d)), eye, -eye, *(row[None] for row in diagonal)]), pairs


def _derivatives(values: Floats, d: int, pairs: list[tuple[int, int]]) -> tuple[Floats, Floats]:
    values = np.maximum(np.nan_to_num(values, nan=-np.inf), values[0] - _DEEPEST)
    here, up, down = values[0], values[1 : d + 1], values[d + 1 : 2 * d + 1]
    gradient = (up - down) / (2 * _STEP)
    hessian = np.diag((up + down - 2 * here) / _STEP**2)
    both = values[2 * d + 1 :].reshape(-1, 2).sum(axis=1)
    for (i, j), total in zip(pairs, both, strict=True):
        mixed = (total - up[i] - down[i] - up[j] - down[j] + 2 * here) / (2 * _STEP**2)
        hessian[i, j] = hessian[j, i] = mixed
    return gradient, hessian
