"""Posterior of normal models of a table of protected words by attribute words.

A distance is μ + co_c + m_i + d_ic + a_j + s_jg + e: connection type c, protected word i of group
g, attribute word j. The spreads of a_j and of e may differ between kinds of attribute words. All
but the spreads is normal, so given the spreads everything is known in closed form; the spreads are
what has to be explored. Sizes do not matter: only moments of classes of protected words enter
(`biaslab.stats.crossed.layout`). Attribute words do not enter the deviations of protected words
from the mean of their class, so each protected word is a few normal means of its own.

The spreads get a weighted grid. With one spread it is an even grid around the mode. With more, a
grid along every axis would waste nearly all of its points, so the points are an even (quasi-random)
cover of a t distribution that resembles the posterior, and each counts by the ratio of the two
densities.

A spread that may be 0 has a long tail toward minus infinity in its logarithm, where a few points
would count for all others. So the t distribution is laid out in log(s + k m) of a spread s with
mode m, which ends where s is 0, and it is as wide to either side of its mode as the posterior is
(Geweke 1989, Econometrica 57:1317).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from biaslab.stats.crossed.layout import ClassDraws, Draws, Floats, Layout, Moments, Spreads

_Pairs = tuple[NDArray[np.intp], NDArray[np.intp]]
LogDensity = Callable[[Floats], Floats]
"""Log density, up to a constant, at points of shape (H, D): shape (H,)."""

_STEP, _STEP_SD = 0.15, 0.7
"""Between differences: in logarithms, and in standard deviations."""
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
_STEEPEST, _FLATTEST, _FLATTEST_AGAIN = 1e8, 0.15, 0.5
_SETTLING, _SHARP = 5, 4.0
"""Times that axes are found anew, and the curvature, 1 where they fit, above which they are."""
_ROUNDS = 30
_SHORTER = np.array([0.5, 0.2, 0.05])
"""Shares of a step of Newton's that are tried where the whole one gains little."""
_KEPT = 0.25
"""Share of the gain that the quadratic promised from which a step counts as a good one."""
_ROUGHLY, _CLOSELY = 0.5, 0.01
"""In log density: a step that promises less is not made, on the way to the mode and near it."""


@dataclass(frozen=True, eq=False)
class Explored:
    """Weighted points.

    Attributes
    ----------
    points : ndarray, shape (H, D)
    weights : ndarray, shape (H,)
        Together 1.
    mode : ndarray, shape (D,)
        Near that of the density of the points' coordinates, the logarithms: where a search over a
        like density may begin.
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
    mode, hessian = _climb(log_density, np.asarray(start, dtype=float), _STEP, _ROUGHLY)
    axes = _axes(hessian, _FLATTEST)
    if len(mode) == 1:
        mode, axes = _settled(log_density, mode, axes)
        grid = mode + np.linspace(-_DEPTH, _DEPTH, _LINE)[:, None] * axes[0]
        log_weights = log_density(grid)
    else:
        grid, log_weights = _spread_out(log_density, mode, axes, points)
    log_weights = np.where(np.isnan(log_weights), -np.inf, log_weights)
    weights = np.exp(log_weights - log_weights.max())
    return Explored(grid, weights / weights.sum(), mode)


def _axes(hessian: Floats, flattest: float) -> Floats:
    """Return directions of the length of a quadratic's standard deviations, in columns.

    Of all such they are nearest to the coordinates, along which a density is skewed.
    """
    values, vectors = np.linalg.eigh(-hessian)
    # If the density is flat (a spread that may be 0) the curvature at the mode says too little.
    return np.asarray(vectors / np.sqrt(np.clip(values, flattest, _STEEPEST)) @ vectors.T)


def _settled(log_density: LogDensity, at: Floats, axes: Floats) -> tuple[Floats, Floats]:
    """Return the mode, and the axes there, from rough ones.

    Differences over one length for all spreads say little of one that many values have made sure:
    the density is gone within a fraction of it. These are over lengths in proportion to the axes.
    """
    for _ in range(_SETTLING):
        nearby = partial(_moved, log_density, at, axes)
        centre, hessian = _climb(nearby, np.zeros(len(at)), _STEP_SD, _CLOSELY)
        at, axes = at + axes @ centre, axes @ _axes(hessian, _FLATTEST_AGAIN)
        if -np.linalg.eigvalsh(hessian)[0] < _SHARP:
            break
    return at, axes


def _moved(log_density: LogDensity, at: Floats, axes: Floats, places: Floats) -> Floats:
    return log_density(at + places @ axes.T)


def _spread_out(
    log_density: LogDensity, mode: Floats, axes: Floats, points: int
) -> tuple[Floats, Floats]:
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

    centre, axes = _settled(soft_density, np.zeros(len(mode)), axes / (1 + _SOFT))
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


def _climb(
    log_density: LogDensity, at: Floats, length: float, enough: float
) -> tuple[Floats, Floats]:
    """Return the mode and its second derivatives, by Newton's method with differences."""
    offsets, pairs = _stencil(len(at))
    around = log_density(at + length * offsets)
    for _ in range(_ROUNDS):
        gradient, hessian = _derivatives(around, len(at), length, pairs)
        curvature, axes = np.linalg.eigh(-hessian)
        step = axes @ ((axes.T @ gradient) / np.maximum(np.abs(curvature), _FLATTEST))
        step *= min(1.0, 1.5 / max(float(np.abs(step).max()), 1e-300))
        promised = float(gradient @ step) / 2
        if promised < enough:
            break
        # Where the whole step keeps its promise, what surrounds its end is known at once.
        share, ahead = 1.0, log_density(at + step + length * offsets)
        gain = _gain(ahead[0], around[0])
        if gain < _KEPT * promised:
            gains = _gain(log_density(at + _SHORTER[:, None] * step), around[0])
            if gains.max() > gain:
                gain, share = gains.max(), _SHORTER[gains.argmax()]
        if gain <= 0:
            break
        at = at + share * step
        around = ahead if share == 1.0 else log_density(at + length * offsets)
    return at, hessian


def _gain(values: Floats, here: float) -> Floats:
    return np.asarray(np.where(np.isnan(values), -np.inf, values - here))


@lru_cache(maxsize=16)
def _stencil(d: int) -> tuple[Floats, _Pairs]:
    """Return the centre, and steps along one and two axes, both ways; and the pairs of axes."""
    eye = np.eye(d)
    pairs = np.tril_indices(d, -1)
    diagonal = np.repeat(eye[pairs[0]] + eye[pairs[1]], 2, axis=0)
    diagonal[1::2] *= -1
    return np.vstack([np.zeros((1, d)), eye, -eye, diagonal]), pairs


def _derivatives(values: Floats, d: int, length: float, pairs: _Pairs) -> tuple[Floats, Floats]:
    values = np.maximum(np.nan_to_num(values, nan=-np.inf), values[0] - _DEEPEST)
    here, up, down = values[0], values[1 : d + 1], values[d + 1 : 2 * d + 1]
    gradient = (up - down) / (2 * length)
    bend = up + down - 2 * here
    hessian = np.diag(bend / length**2)
    i, j = pairs
    both = values[2 * d + 1 :].reshape(-1, 2).sum(axis=1) - 2 * here
    hessian[i, j] = hessian[j, i] = (both - bend[i] - bend[j]) / (2 * length**2)
    return gradient, hessian


class Deviations:
    """Likelihood and draws of deviations within classes, given spreads.

    Parameters
    ----------
    layout : Layout
    moments : Moments

    Attributes
    ----------
    n_normals : int
        Standard normal numbers that a draw takes.
    """

    def __init__(self, layout: Layout, moments: Moments) -> None:
        self.layout, self.moments = layout, moments
        self.n_normals = len(layout.class_of) * (layout.n_connections + 1)
        several = layout.sizes > 1
        self._counts = layout.class_counts[several]
        self._products = moments.products[several]
        self._dimensions = layout.sizes[several] - 1

    def log_likelihood(self, spreads: Spreads) -> Floats:
        """Log density at each point up to one constant, shape (H,)."""
        moments = self.moments
        variance = spreads.sigma**2
        log_density = -0.5 * (np.log(variance) @ moments.residual_n)
        log_density -= 0.5 * ((1 / variance) @ moments.residual)
        n, known = self._counts, self._counts > 0
        if not known.any():
            return np.asarray(log_density)
        of_type = variance[:, None, self.layout.kind_of]
        v = spreads.slope[:, None, None] ** 2 + of_type / np.maximum(n, 1)
        weight = np.where(known, 1 / v, 0.0)
        total = 1 + spreads.word[:, None] ** 2 * weight.sum(axis=2)
        log_det = np.where(known, np.log(v), 0.0).sum(axis=2) + np.log(total)
        across = (weight[:, :, None, :] @ self._products)[:, :, 0]
        common = (across * weight).sum(axis=2)
        explained = (weight * np.diagonal(self._products, axis1=1, axis2=2)).sum(axis=(1, 2))
        quadratic = explained - (spreads.word[:, None] ** 2 / total * common).sum(axis=1)
        return np.asarray(log_density - 0.5 * (log_det @ self._dimensions + quadratic))

    def draw(
        self, spreads: Spreads, which: NDArray[np.intp], normals: Floats
    ) -> tuple[Floats, Floats]:
        """Return draws given spreads: of cells (S, I, C), and of m_i (S, I).

        Parameters
        ----------
        spreads, which
            As of `biaslab.stats.crossed.posterior.Posterior.draw`.
        normals : ndarray, shape (S, n_normals)
        """
        layout = self.layout
        s, (i, c) = len(which), layout.counts.shape
        k = len(layout.sizes)
        normal = (normals.reshape(-1, i) @ layout.centre).reshape(s, c + 1, i)
        # Words of a class have the same attribute words and therefore the same precision.
        n = layout.class_counts.T
        variance = spreads.sigma[:, layout.kind_of, None] ** 2
        slope = spreads.slope[:, None, None] ** 2
        spread = spreads.word[:, None] ** 2
        weight = n / (n * slope + variance)
        gain = spread / (1 + spread * weight.sum(axis=1))
        of_class = (layout.class_of == np.arange(k)[:, None]).astype(float)
        deviations = self.moments.within.T
        # m_i first, with the cells integrated out; then each cell given m_i.
        word = np.sqrt(gain)[which] @ of_class
        word *= normal[:, 0]
        pull = (gain[:, None] * weight).reshape(-1, c * k)
        word += pull[which] @ (deviations[:, None] * of_class).reshape(c * k, i)
        share = (slope * weight)[which]
        sd = np.sqrt(slope * variance / (n * slope + variance))[which]
        cells = np.empty((s, i, c))
        for connection in range(c):  # one at a time stays in the cache
            cell = deviations[connection] - word
            cell *= share[:, connection] @ of_class
            cell += word
            noise = sd[:, connection] @ of_class
            noise *= normal[:, connection + 1]
            cell += noise
            cells[:, :, connection] = cell
        return cells, word


Normals = Callable[[int], Floats]
"""Returns so many standard normal numbers."""
_BLOCK = 512
"""Points at a time: intermediate results then stay in the cache."""


class Classes(Protocol):
    """Class means of a model.

    Attributes
    ----------
    n_normals : int
        Standard normal numbers that a draw takes.
    """

    n_normals: int

    def log_likelihood(self, spreads: Spreads) -> Floats:
        """Log density of the class means at each point up to one constant, shape (H,)."""

    def draw(self, spreads: Spreads, which: NDArray[np.intp], normals: Floats) -> ClassDraws:
        """Return draws given spreads, one for each row of standard normal numbers.

        Parameters
        ----------
        spreads, which
            As of `Posterior.draw`.
        normals : ndarray, shape (S, n_normals)
        """


class Posterior:
    """Likelihood and conditional draws of a table's moments, given spreads.

    Parameters
    ----------
    layout : Layout
    moments : Moments
        Of distances less their prior mean.
    classes : Classes
        Of the same table.
    """

    def __init__(self, layout: Layout, moments: Moments, classes: Classes) -> None:
        self.layout, self._classes = layout, classes
        self._deviations = Deviations(layout, moments)

    def log_likelihood(self, spreads: Spreads) -> Floats:
        """Log density of the distances at each point up to one constant, shape (H,)."""
        if len(spreads) > _BLOCK:
            blocks = np.split(np.arange(len(spreads)), range(_BLOCK, len(spreads), _BLOCK))
            return np.concatenate([self.log_likelihood(spreads[block]) for block in blocks])
        of_classes = self._classes.log_likelihood(spreads)
        return np.asarray(of_classes + self._deviations.log_likelihood(spreads))

    def draw(self, spreads: Spreads, which: NDArray[np.intp], normals: Normals) -> Draws:
        """Return independent draws of everything else given spreads.

        Parameters
        ----------
        spreads : Spreads
            D points.
        which : ndarray of int, shape (S,)
            The point that each draw is made at.
        normals : callable
            Called once.
        """
        layout, s, of_classes = self.layout, len(which), self._classes.n_normals
        numbers = normals(s * (of_classes + self._deviations.n_normals))
        ours, theirs = np.split(numbers, [s * of_classes])
        drawn = self._classes.draw(spreads, which, ours.reshape(s, -1))
        size = np.sqrt(layout.sizes)
        place = layout.cell_of[layout.class_of]
        every = np.where(place >= 0, (drawn.cells / size[layout.cell_class])[:, place], np.nan)
        words = (drawn.word / size)[:, layout.class_of]
        cells_mean, word_mean = self._deviations.draw(spreads, which, theirs.reshape(s, -1))
        return Draws(every + cells_mean, drawn.connection, words + word_mean, drawn.intercept)

    def draw_connections(
        self, spreads: Spreads, which: NDArray[np.intp], normals: Normals
    ) -> Floats:
        """Return the draws of co_c that `draw` makes, shape (S, C), without those of words.

        The numbers of `normals` must begin as those of `draw` do.
        """
        of_classes = self._classes.n_normals
        numbers = normals(len(which) * of_classes).reshape(-1, of_classes)
        return self._classes.draw(spreads, which, numbers).connection
