"""Posteriors of many psychometric curves on grids that follow them.

Levels are chosen from a fixed list, so counts per level hold all that a curve's answers say. The
posterior is updated answer by answer; when it has become narrow for its grid, or has moved
to its edge, the grid is laid anew around it and the posterior computed from the counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import special

from biaslab.stats.curve_grid import CurveGrid, CurvePrior, Rows
from biaslab.stats.sigmoids import Floats

Flags = NDArray[np.bool_]

_DEPTH: Final = 11.0
"""Log of the mass below the largest at which a slice of the grid stops to matter."""
_EDGE: Final = 7.0
"""Log of the mass below the largest at which the outermost slice says that a grid is too small."""
_SPACIOUS: Final = (4.0, 0.6)
"""A grid is laid anew when a cell of PSE or scale has more than so many times its even share of the
mass, or when this share of the range of a rate would do."""
_SNUG: Final = (2.0, 0.85)
"""The same before an estimate is read off."""
_OVER_MASS: Final = 0.8
_TINY: Final = 1e-300
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
        weight = self.grid.log_weight[..., None] + self.grid.log_prior[:, None, None]
        self.mass = np.exp(weight)
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
            self._follow(rows, *(_SNUG if snug else _SPACIOUS))

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
            self._follow(rows, *_SPACIOUS)

    def _follow(self, rows: Rows, most: float, enough: float) -> None:
        """Lay grids anew until they suit the posteriors.

        A grid does not suit if mass lies at its edge, if a cell of PSE or scale has more than
        `most` times its even share of the mass, or if `enough` of the range of a rate would do.
        """
        for _ in range(_PASSES):
            if not rows.size:
                return
            low, high, edges, changes = self._wanted(rows, most, enough)
            rows = rows[changes]
            self._low[rows], self._high[rows] = low[changes], high[changes]
            self._compute(rows, (edges[0][changes], edges[1][changes]))

    def _compute(self, rows: Rows, edges: tuple[Floats, Floats] | None = None) -> None:
        """Compute the posterior of these curves from their counts, on new grids."""
        assert self._prior is not None  # noqa: S101 - a fixed grid is never computed anew
        self.grid.put(rows, self._prior.grid(self._low[rows], self._high[rows], edges))
        for row in rows:
            used = np.flatnonzero(self.answers[row])
            grid = self.grid.take(slice(row, row + 1))
            log_mass = grid.log_weight[..., None] + grid.log_prior[:, None, None]
            for place in used:
                share = grid.share(self.levels[None, [place]])[..., 0]
                yes = self.cue_2[row, place]
                log_mass += special.xlogy(yes, share)
                log_mass += special.xlog1py(self.answers[row, place] - yes, -share)
            mass = np.exp(log_mass[0] - log_mass.max())
            self.mass[row] = mass / mass.sum()

    def _wanted(
        self, rows: Rows, most: float, enough: float
    ) -> tuple[Floats, Floats, tuple[Floats, Floats], Flags]:
        """Bounds, (A, 4), and edges of cells that suit the posteriors, and where they are needed.

        Bounds hold the slices with mass and one more on each side; where the outermost slice has
        much, they reach out by the whole width of the grid. Four fifths of the cells of PSE and
        scale are spread evenly over the mass, the others over the range.
        """
        assert self._prior is not None  # noqa: S101 - a fixed grid has no bounds
        grid, shapes = self.grid.take(rows), self.by_shape(rows)
        rates = self.mass[rows].sum(axis=(1, 2)).reshape(len(rows), *self._prior.cells[2:])
        slices = [shapes.sum(axis=2), shapes.sum(axis=1), rates.sum(axis=2), rates.sum(axis=1)]
        low, high = self._low[rows].copy(), self._high[rows].copy()
        cells = [grid.pse_edges, grid.log_scale_edges]
        changes = np.zeros(len(rows), dtype=bool)
        for axis, mass in enumerate(slices):
            n = mass.shape[1]
            if n == 1:
                continue
            left, right = low[:, axis].copy(), high[:, axis].copy()
            width = right - left
            even = left[:, None] + np.arange(n + 1) / n * width[:, None]
            edges = cells[axis] if axis < len(cells) else even
            least, up_to = self._prior.low[axis], self._prior.high[axis]
            depth = np.log(mass.max(axis=1, keepdims=True)) - np.log(np.maximum(mass, _TINY))
            matters = depth < _DEPTH
            first = np.maximum(np.argmax(matters, axis=1) - 1, 0)[:, None]
            last = np.minimum(n + 1 - np.argmax(matters[:, ::-1], axis=1), n)[:, None]
            below = (depth[:, 0] < _EDGE) & (left > least + _ROUNDING)
            above = (depth[:, -1] < _EDGE) & (right < up_to - _ROUNDING)
            held = (np.take_along_axis(edges, at, axis=1)[:, 0] for at in (first, last))
            low[:, axis], high[:, axis] = held
            low[below, axis] = np.maximum(left - width, least)[below]
            high[above, axis] = np.minimum(right + width, up_to)[above]
            changes |= below | above
            if axis < len(cells):
                changes |= mass.max(axis=1) > most / n
                cells[axis] = _spread(edges, mass, low[:, axis], high[:, axis])
            else:
                changes |= high[:, axis] - low[:, axis] < enough * width - _ROUNDING
        if self._prior.equal:
            low[:, 3], high[:, 3] = low[:, 2], high[:, 2]
        return low, high, (cells[0], cells[1]), changes


def _spread(edges: Floats, mass: Floats, low: Floats, high: Floats) -> Floats:
    """Edges of as many cells between bounds, most of them evenly over the mass."""
    share = np.arange(edges.shape[1]) / (edges.shape[1] - 1)
    rows = []
    for row, first, last in zip(range(len(edges)), low, high, strict=True):
        at = np.unique(np.clip(np.r_[first, edges[row], last], first, last))
        reached = np.interp(at, edges[row], np.r_[0, np.cumsum(mass[row])])
        reached = (reached - reached[0]) / (reached[-1] - reached[0])
        mixed = _OVER_MASS * reached + (1 - _OVER_MASS) * (at - first) / (last - first)
        rows.append(np.interp(share, mixed, at))
    return np.array(rows).reshape(edges.shape)


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
