"""Posteriors of many psychometric curves on grids that follow them, and their estimates.

Levels are chosen from a fixed list, so counts per level hold all that a curve's answers say. The
posterior is updated answer by answer; when it has become narrow for its grid, or has moved
to its edge, the grid is laid anew around it and the posterior computed from the counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import special

from biaslab.stats.curves.grid import CurveGrid, CurvePrior, Rows
from biaslab.stats.curves.jnd import Convention, unit_jnd
from biaslab.stats.curves.sigmoids import Floats

Flags = NDArray[np.bool_]

_TAIL: Final = 5e-4
"""Mass of a tail that a grid need not hold; far less than the tails of any interval."""
_EDGE: Final = 0.05
"""Share of the largest mass at which the outermost slice says that a grid is too small."""
_SPACIOUS: Final = 0.6
"""A grid is laid anew when this share of it, or less, would do."""
_SNUG: Final = 0.85
"""The same before an estimate is read off."""
_PASSES: Final = 12
_ROUNDING: Final = 1e-9
_CHUNK: Final = 4_000_000
"""Numbers in the largest temporary array: 32 MB."""


class GridPosterior:
    """Posterior of C curves, given counts of answers at L levels.

    Parameters
    ----------
    prior : CurvePrior or CurveGrid
        A `CurvePrior` has grids that follow the posterior; a grid of one curve stays as it is.
    levels : ndarray, shape (L,)
    curves : int
        C.

    Attributes
    ----------
    grid : CurveGrid
        Points of each curve.
    mass : ndarray, shape (C, M, S, R)
        Posterior mass of each point; sums to 1 over a curve.
    answers, cue_2 : ndarray, shape (C, L)
        Number of answers, and of those for cue 2, at each level.
    """

    def __init__(self, prior: CurvePrior | CurveGrid, levels: Floats, curves: int) -> None:
        self.levels = levels
        self.answers = np.zeros((curves, len(levels)))
        self.cue_2 = np.zeros((curves, len(levels)))
        self._prior = prior if isinstance(prior, CurvePrior) else None
        self._low, self._high = np.empty((2, curves, 4))
        if isinstance(prior, CurvePrior):
            self._low[:], self._high[:] = prior.low, prior.high
            self.grid = prior.grid(self._low, self._high)
        else:
            self.grid = prior.repeat(curves)
        weight = np.exp(self.grid.log_prior)[:, None, None]
        self.mass = np.empty((curves, *self.grid.shape))
        self.mass[:] = weight
        self.mass /= self.mass.sum(axis=(1, 2, 3), keepdims=True)

    def update(self, rows: Rows, places: NDArray[np.intp], answers: Floats, cue_2: Floats) -> None:
        """Take in answers at one level of each of these curves.

        Parameters
        ----------
        rows : ndarray of int, shape (A,)
            Curves, each once.
        places : ndarray of int, shape (A,)
            Index of the level.
        answers, cue_2 : ndarray, shape (A,)
            Number of answers, and of those for cue 2.
        """
        self.answers[rows, places] += answers
        self.cue_2[rows, places] += cue_2
        some = answers > 0
        for part in chunks(np.flatnonzero(some), self.grid.size):
            at = rows[part]
            share = self.grid.take(at).share(self.levels[places[part]][:, None])[..., 0]
            mass = self.mass[at] * _likelihood(share, answers[part], cue_2[part])
            total = mass.sum(axis=(1, 2, 3), keepdims=True)
            lost = total[:, 0, 0, 0] <= 0
            self.mass[at[~lost]] = (mass / np.where(total > 0, total, 1.0))[~lost]
            self._begin_again(at[lost])

    def compute(self, answers: Floats, cue_2: Floats) -> None:
        """Compute the posteriors of all curves from all their counts, on grids that suit them.

        Parameters
        ----------
        answers, cue_2 : ndarray, shape (C, L)
            Number of answers, and of those for cue 2; they replace earlier ones.
        """
        self.answers[:], self.cue_2[:] = answers, cue_2
        rows = np.arange(len(answers))
        self._begin_again(rows)
        self.settle(rows, snug=True)

    def settle(self, rows: Rows, *, snug: bool = False) -> None:
        """Lay the grids of these curves anew where they have become too wide or too small.

        Parameters
        ----------
        rows : ndarray of int, shape (A,)
        snug : bool
            Whether grids shall fit closely, for an estimate.
        """
        if self._prior is not None:
            self._follow(rows, _SNUG if snug else _SPACIOUS)

    @property
    def follows(self) -> bool:
        """Whether grids follow the posteriors."""
        return self._prior is not None

    def by_shape(self, rows: Rows | slice = slice(None)) -> Floats:
        """Return the mass of PSE and scale, with the rates integrated out: (A, M, S)."""
        return np.asarray(self.mass[rows].sum(axis=-1))

    def _begin_again(self, rows: Rows) -> None:
        """Compute the posterior of these curves on a grid that was found from the whole prior."""
        if self._prior is not None and rows.size:
            self._low[rows], self._high[rows] = self._prior.low, self._prior.high
            self._compute(rows)
            self._follow(rows, _SPACIOUS)

    def _follow(self, rows: Rows, enough: float) -> None:
        """Lay grids anew until none has too little room, or needs this share of it or less."""
        for _ in range(_PASSES):
            if not rows.size:
                return
            low, high, small = self._wanted(rows)
            width = self._high[rows] - self._low[rows]
            changes = small | ((high - low) < enough * width - _ROUNDING).any(axis=1)
            rows, low, high = rows[changes], low[changes], high[changes]
            self._low[rows], self._high[rows] = low, high
            self._compute(rows)

    def _compute(self, rows: Rows) -> None:
        """Compute the posterior of these curves from their counts, within their bounds."""
        assert self._prior is not None  # noqa: S101 - a fixed grid is never computed anew
        self.grid.put(rows, self._prior.grid(self._low[rows], self._high[rows]))
        for row in rows:
            used = np.flatnonzero(self.answers[row])
            grid = self.grid.take(slice(row, row + 1))
            log_mass = np.broadcast_to(grid.log_prior[:, None, None], self.mass[:1].shape).copy()
            for level in used:
                share = grid.share(self.levels[None, [level]])[..., 0]
                yes = self.cue_2[row, level]
                log_mass += special.xlogy(yes, share)
                log_mass += special.xlog1py(self.answers[row, level] - yes, -share)
            mass = np.exp(log_mass[0] - log_mass.max())
            self.mass[row] = mass / mass.sum()

    def _wanted(self, rows: Rows) -> tuple[Floats, Floats, Flags]:
        """Bounds that suit the posteriors of these curves, (A, 4), and whether some lie outside.

        They hold the slices with mass and one more on each side; where the outermost slice has
        much, they reach out by the whole width of the grid.
        """
        assert self._prior is not None  # noqa: S101 - a fixed grid has no bounds
        shapes = self.by_shape(rows)
        rates = self.mass[rows].sum(axis=(1, 2)).reshape(len(rows), *self._prior.cells[2:])
        slices = [shapes.sum(axis=2), shapes.sum(axis=1), rates.sum(axis=2), rates.sum(axis=1)]
        low, high = self._low[rows].copy(), self._high[rows].copy()
        outside = np.zeros(len(rows), dtype=bool)
        for axis, mass in enumerate(slices):
            cells = mass.shape[1]
            if cells == 1:
                continue
            left, right = low[:, axis].copy(), high[:, axis].copy()
            least, most = self._prior.low[axis], self._prior.high[axis]
            first = np.argmax(np.cumsum(mass, axis=1) > _TAIL, axis=1)
            last = cells - 1 - np.argmax(np.cumsum(mass[:, ::-1], axis=1) > _TAIL, axis=1)
            much = _EDGE * mass.max(axis=1)
            below = (mass[:, 0] > much) & (left > least + _ROUNDING)
            above = (mass[:, -1] > much) & (right < most - _ROUNDING)
            width = right - left
            step = width / cells
            low[:, axis] = np.where(
                below, np.maximum(left - width, least), left + np.maximum(first - 1, 0) * step
            )
            high[:, axis] = np.where(
                above, np.minimum(right + width, most), left + np.minimum(last + 2, cells) * step
            )
            outside |= below | above
        if self._prior.equal:
            low[:, 3], high[:, 3] = low[:, 2], high[:, 2]
        return low, high, outside


def _likelihood(share: Floats, answers: Floats, cue_2: Floats) -> Floats:
    """Likelihood of counts, (A,), given P(cue 2) of shape (A, M, S, R)."""
    yes, every = (count[:, None, None, None] for count in (cue_2, answers))
    if (answers == 1).all():  # many times as fast as powers
        return np.where(yes == 1, share, 1 - share)
    return np.asarray(share**yes * (1 - share) ** (every - yes))


def chunks(rows: Rows, numbers: int) -> Iterator[Rows]:
    """Split rows so that temporary arrays of so many numbers a row stay within 32 MB."""
    size = max(1, _CHUNK // max(numbers, 1))
    for start in range(0, len(rows), size):
        yield rows[start : start + size]


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
        Of the JND, see `biaslab.stats.curves.jnd`.
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
