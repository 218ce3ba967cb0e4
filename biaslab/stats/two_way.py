r"""Variance components of a two-way crossing of cues.

A word's PSE under cue *i* of list 1 and cue *j* of list 2 is

.. math:: \mu + a_i + c_j + (ac)_{ij},

with all three at random when the cues are samples of others. The n1 n2 pairs share their cues,
so they are not n1 n2 independent draws: the mean over them varies with
:math:`\sigma_a^2/n_1 + \sigma_c^2/n_2 + \sigma_{ac}^2/(n_1 n_2)`. The components come from the mean
squares of the two-way table, a negative one counting as 0; degrees of freedom are
Satterthwaite's. A few missing cells (a cue in both lists makes no pair with itself) are
filled by the additive model and taken off the degrees of freedom (Yates 1933).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Part = tuple[Floats, Floats | float]
"""A variance and its degrees of freedom; where parts are subtracted the variance is negative."""

_EQUAL = 1e-9
"""Share of a mean square within which two of them count as equal: F is 1, but for rounding."""
MOST_MISSING = 0.25
"""Largest share of missing cells: beyond it the imputed values would dominate."""


@dataclass(frozen=True)
class Crossing:
    """Positions of K pairs in a table of n1 by n2 cues.

    Attributes
    ----------
    rows, columns : ndarray of int, shape (K,)
        Cue of list 1 and of list 2 of each pair.
    n_rows, n_columns : int
    """

    rows: NDArray[np.intp]
    columns: NDArray[np.intp]
    n_rows: int
    n_columns: int

    @property
    def missing(self) -> int:
        """Number of cells without a pair."""
        return self.n_rows * self.n_columns - len(self.rows)

    @property
    def df_interaction(self) -> int:
        """Degrees of freedom of the interaction."""
        return (self.n_rows - 1) * (self.n_columns - 1) - self.missing


def crossing_of(pairs: Sequence[tuple[Hashable, Hashable]]) -> Crossing | None:
    """Return the crossing of the pairs, or None if they form none.

    They form one when both lists have two or more cues, no pair is there twice, and at most a
    quarter of all combinations is missing.
    """
    if len(set(pairs)) < len(pairs):
        return None
    lists = [list(dict.fromkeys(side)) for side in zip(*pairs, strict=True)]
    places = [{cue: i for i, cue in enumerate(names)} for names in lists]
    rows, columns = (
        np.array([place[pair[side]] for pair in pairs], dtype=np.intp)
        for side, place in enumerate(places)
    )
    crossing = Crossing(rows, columns, len(lists[0]), len(lists[1]))
    cells = crossing.n_rows * crossing.n_columns
    if min(crossing.n_rows, crossing.n_columns) < 2 or crossing.missing > MOST_MISSING * cells:
        return None
    return crossing if crossing.df_interaction >= 1 else None


@dataclass(frozen=True)
class MeanSquares:
    """Mean squares of each item's table, shape (n,), with their degrees of freedom.

    Attributes
    ----------
    rows, columns, interaction : ndarray, shape (n,)
    crossing : Crossing
    """

    rows: Floats
    columns: Floats
    interaction: Floats
    crossing: Crossing

    def combined(self, of_rows: float, of_columns: float, of_cells: float) -> list[Part]:
        """Return parts of ``of_rows s_a² + of_columns s_c² + of_cells s_ac²``.

        A negative component counts as 0. The parts are multiples of the mean
        squares; they sum to the variance.
        """
        n1, n2 = self.crossing.n_rows, self.crossing.n_columns
        least = (1 + _EQUAL) * self.interaction
        by_row = np.where(self.rows > least, of_rows / n2, 0.0)
        by_column = np.where(self.columns > least, of_columns / n1, 0.0)
        rest = of_cells - by_row - by_column
        return [
            (by_row * self.rows, n1 - 1),
            (by_column * self.columns, n2 - 1),
            (rest * self.interaction, self.crossing.df_interaction),
        ]

    def of_mean(self, weights: Floats) -> list[Part]:
        """Return the variance of the weighted mean over the pairs, with cues as samples."""
        at = self.crossing
        r = np.bincount(at.rows, weights, at.n_rows)
        c = np.bincount(at.columns, weights, at.n_columns)
        return self.combined(float(r @ r), float(c @ c), float(weights @ weights))

    def of_pair(self) -> list[Part]:
        """Return the variance of a pair of new cues around the mean of all such pairs."""
        return self.combined(1.0, 1.0, 1.0)


def mean_squares(values: Floats, crossing: Crossing) -> MeanSquares:
    """Return the mean squares of two-way tables.

    Parameters
    ----------
    values : ndarray, shape (n, K)
        A value per item and pair.
    """
    n1, n2 = crossing.n_rows, crossing.n_columns
    table = np.full((len(values), n1, n2), np.nan)
    table[:, crossing.rows, crossing.columns] = values
    if crossing.missing:
        table = _filled(table, values, crossing)
    table -= table.mean(axis=(1, 2), keepdims=True)
    of_rows, of_columns = table.mean(axis=2), table.mean(axis=1)
    left = table - of_rows[:, :, None] - of_columns[:, None, :]
    return MeanSquares(
        n2 * np.einsum("ni,ni->n", of_rows, of_rows) / (n1 - 1),
        n1 * np.einsum("nj,nj->n", of_columns, of_columns) / (n2 - 1),
        np.einsum("nij,nij->n", left, left) / crossing.df_interaction,
        crossing,
    )


def _filled(table: Floats, values: Floats, crossing: Crossing) -> Floats:
    """Impute cells without a pair by the additive model fitted to the others."""
    n1, n2 = crossing.n_rows, crossing.n_columns
    there = np.zeros((n1, n2), dtype=bool)
    there[crossing.rows, crossing.columns] = True
    rows, columns = np.nonzero(~there)

    def design(r: NDArray[np.intp], c: NDArray[np.intp]) -> Floats:
        return np.hstack([np.eye(n1)[r], np.eye(n2)[c]])

    weights = design(rows, columns) @ np.linalg.pinv(design(crossing.rows, crossing.columns))
    table[:, rows, columns] = values @ weights.T
    return table


def satterthwaite(parts: Sequence[Part]) -> Floats:
    """Return degrees of freedom of a sum of variance estimates; NaN without variance.

    Parameters
    ----------
    parts : sequence of (ndarray of shape (n,), degrees of freedom)
    """
    if len(parts) == 1:
        # The general formula returns a single part's own only but for rounding.
        variance, df = parts[0]
        return np.where(variance > 0, df, np.nan)
    total = np.sum([variance for variance, _ in parts], axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = [np.where(variance != 0, variance**2 / df, 0.0) for variance, df in parts]
        return np.asarray(total**2 / np.sum(terms, axis=0))
