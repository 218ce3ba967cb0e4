"""PSE and JND of curves, with intervals, from posteriors on grids."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from biaslab.stats.curve_grid import Rows
from biaslab.stats.grid_posterior import GridPosterior
from biaslab.stats.jnd import Convention, unit_jnd
from biaslab.stats.sigmoids import Floats


@dataclass(frozen=True)
class GridEstimates:
    """Medians and equal-tailed intervals of C posteriors.

    Attributes
    ----------
    pse, jnd : ndarray, shape (C,)
        Posterior medians.
    pse_interval, jnd_interval : ndarray, shape (C, 2)
    guess, lapse : ndarray, shape (C,)
        Posterior means.
    """

    pse: Floats
    pse_interval: Floats
    jnd: Floats
    jnd_interval: Floats
    guess: Floats
    lapse: Floats


def estimates(
    posterior: GridPosterior,
    rows: Rows,
    *,
    convention: Convention = "quartile",
    level: float = 0.95,
) -> GridEstimates:
    """Return PSE and JND of some curves.

    Parameters
    ----------
    posterior : GridPosterior
    rows : ndarray of int, shape (A,)
    convention : str
        Of the JND, see `biaslab.stats.jnd`.
    level : float
        Of the intervals.
    """
    at = np.array([(1 - level) / 2, 0.5, (1 + level) / 2])
    grid = posterior.grid.take(rows)
    shape = posterior.by_shape(rows)
    rates = posterior.mass[rows].sum(axis=(1, 2))
    pse = _quantiles(_edges(grid.pse), shape.sum(axis=2), at)
    log_scale = _quantiles(_edges(np.log(grid.scale)), shape.sum(axis=1), at)
    jnd = unit_jnd(grid.sigmoid.name, convention) * np.exp(log_scale)
    return GridEstimates(
        pse[:, 1],
        pse[:, [0, 2]],
        jnd[:, 1],
        jnd[:, [0, 2]],
        np.einsum("cr,cr->c", rates, grid.guess),
        np.einsum("cr,cr->c", rates, grid.lapse),
    )


def _edges(points: Floats) -> Floats:
    """Return the edges of the cells around ascending points, shape (C, n + 1) for (C, n)."""
    if points.shape[1] == 1:
        return np.repeat(points, 2, axis=1)
    middle = (points[:, 1:] + points[:, :-1]) / 2
    first, last = 2 * points[:, :1] - middle[:, :1], 2 * points[:, -1:] - middle[:, -1:]
    return np.concatenate([first, middle, last], axis=1)


def _quantiles(around: Floats, mass: Floats, at: Floats) -> Floats:
    """Quantiles of masses spread evenly between edges, (C, n + 1) for (C, n): shape (C, Q)."""
    reached = np.concatenate([np.zeros((len(mass), 1)), np.cumsum(mass, axis=1)], axis=1)
    reached /= reached[:, -1:]
    rows = [np.interp(at, up, x) for up, x in zip(reached, around, strict=True)]
    return np.array(rows).reshape(len(mass), len(at))
