"""Exact engine of the distance models: conjugate, on a grid of spreads."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from biaslab.probes.association.distance_parameters import (
    CROSSED,
    DrawnSpreads,
    Model,
    Priors,
    known_spreads,
)
from biaslab.stats.crossed.classes import CrossedClasses, OneSpreadClasses
from biaslab.stats.crossed.layout import Draws, Layout, Means, Moments, Spreads
from biaslab.stats.crossed.posterior import Classes, Explored, Normals, Posterior, explore
from biaslab.stats.reproducibility import normals

Floats = NDArray[np.float64]
POINTS = 512
FEWEST_POINTS = 256
POINTS_A_DRAW = 8
"""With many replicates each gives few draws, and its grid may be coarser."""
_SMALLEST, _LARGEST = -18.0, 5.0
_NORMALS = 1
"""Behind a seed: of the normal numbers, which are not those that choose among the points."""


@dataclass(frozen=True, eq=False)
class Fit:
    """Draws of one replicate.

    Attributes
    ----------
    draws : Draws
        Of S joint draws; cells and words in units of distance.
    spreads : ndarray, shape (S, n)
        Standard deviations of the model, in the order of `DrawnSpreads`.
    mode : ndarray
        Mode of the log spreads: start for the next replicate's search.
    effective : float
        How many equally weighted points of the grid would do as well.
    """

    draws: Draws
    spreads: Floats
    mode: Floats
    effective: float


@dataclass(frozen=True, eq=False)
class ConnectionFit:
    """Draws of the connection effects of one replicate alone.

    Attributes
    ----------
    connection : ndarray, shape (S, C)
        As `Fit` has them.
    mode : ndarray
        As that of `Fit`.
    """

    connection: Floats
    mode: Floats


def fit(
    layout: Layout,
    moments: Moments,
    model: Model,
    priors: Priors,
    draws: int,
    seed: tuple[int, ...],
    *,
    start: Floats | None = None,
) -> Fit:
    """Draw from a model's posterior.

    - `moments`: of distances less their prior mean, ``priors.word_mean``.
    - `model`: one of `MODELS`.
    - `start`: log spreads near the mode.
    """
    sample = _sampled(layout, moments, model, priors, draws, seed, start)
    drawn = sample.posterior.draw(sample.spreads, sample.which, sample.normals)
    for shifted in (drawn.cells, drawn.intercept, *([] if model in CROSSED else [drawn.word])):
        shifted += priors.word_mean
    return Fit(drawn, sample.values[sample.which], sample.grid.mode, sample.grid.effective)


def fit_connections(
    layout: Layout,
    moments: Moments,
    model: Model,
    priors: Priors,
    draws: int,
    seed: tuple[int, ...],
    *,
    start: Floats | None = None,
) -> ConnectionFit:
    """Draw the connection effects that `fit` draws with the same arguments, and nothing else."""
    sample = _sampled(layout, moments, model, priors, draws, seed, start)
    connection = sample.posterior.draw_connections(sample.spreads, sample.which, sample.normals)
    return ConnectionFit(connection, sample.grid.mode)


@dataclass(frozen=True, eq=False)
class _Sample:
    posterior: Posterior
    grid: Explored
    which: NDArray[np.intp]
    values: Floats
    spreads: Spreads
    normals: Normals


def _sampled(
    layout: Layout,
    moments: Moments,
    model: Model,
    priors: Priors,
    draws: int,
    seed: tuple[int, ...],
    start: Floats | None,
) -> _Sample:
    """Return the standard deviations at which everything else is drawn."""
    posterior = Posterior(layout, moments, _classes(layout, moments, model, priors))
    drawn_spreads = DrawnSpreads.of(model, layout.counts)

    def log_density(points: Floats) -> Floats:
        inside = np.clip(points, _SMALLEST, _LARGEST)
        at = drawn_spreads.spreads(model, priors, np.exp(inside))
        likelihood = posterior.log_likelihood(at)
        likelihood = np.where((inside == points).all(axis=1), likelihood, -np.inf)
        return np.asarray(likelihood + drawn_spreads.log_prior(priors, inside))

    if start is None:
        start = drawn_spreads.first_guess(layout, moments)
    grid = explore(log_density, start, min(max(POINTS_A_DRAW * draws, FEWEST_POINTS), POINTS))
    which, points = grid.resample(draws, np.random.default_rng(seed))
    values = np.exp(points)
    spreads = drawn_spreads.spreads(model, priors, values)
    chance = partial(normals, (*seed, _NORMALS))
    return _Sample(posterior, grid, which, values, spreads, chance)


def _classes(layout: Layout, moments: Moments, model: Model, priors: Priors) -> Classes:
    means = means_of(model, priors)
    if model in CROSSED:
        return CrossedClasses(layout, moments, means)
    return OneSpreadClasses(layout, moments, means, *known_spreads(model, priors))


def means_of(model: Model, priors: Priors) -> Means:
    """Return the fixed effects of a model.

    ``per-word``: every protected word has its own coefficients; their spread is the prior.
    """
    if model == "pooled":
        return Means(priors.connection_mean, priors.connection_sd, 0.0)
    if model == "per-word":
        return Means(priors.connection_mean, 0.0, 0.0)
    return Means(priors.connection_mean, priors.connection_sd, priors.word_sd)
