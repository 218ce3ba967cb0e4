r"""Effects and variance components of two crossed factors.

A word's PSE under cue *i* of list 1 and cue *j* of list 2 is

.. math:: \mu + a_i + c_j + (ac)_{ij},

with all three at random when the cues are samples of others. The n1 n2 pairs share their cues,
so they are not n1 n2 independent draws: the mean over them varies with
:math:`\sigma_a^2/n_1 + \sigma_c^2/n_2 + \sigma_{ac}^2/(n_1 n_2)`. The components come from the mean
squares of the two-way table, a negative one counting as 0; degrees of freedom are
Satterthwaite's. A few missing cells (a cue in both lists makes no pair with itself) are
filled by the additive model and taken off the degrees of freedom (Yates 1933).

A difference between two cells of crossed groups is :math:`y = \theta_{c} - \theta_{c'} + e`, for an
item and an observer (a frame). From the differences of one item and one observer, each contrast of
the cells is estimated by least squares; these estimates form a table of items by observers. Its
mean has an interval over other items and other observers (`biaslab.stats.clustered_mean`). An
item's own effect is its mean over observers, drawn toward the mean of all items
(`biaslab.stats.pooling`); what observers add to all items alike widens all intervals alike.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import special

from biaslab.stats.clustered_mean import clustered_mean
from biaslab.stats.curves.sigmoids import Floats
from biaslab.stats.pooling import FEWEST, partial_pooling
from biaslab.stats.quantiles import t_quantile

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


Whole = NDArray[np.int64]
FEWEST_OBSERVERS: Final = 2
_ROUNDING: Final = 1e-9


@dataclass(frozen=True)
class EffectEstimate:
    """One contrast of cells, over all items and for each.

    Attributes
    ----------
    mean, low, high : float
        Over items, with the interval over other items and observers.
    sd, sd_low, sd_high : float
        Between items: median of its posterior and equal-tailed interval.
    items : ndarray, shape (n,)
        Each item's effect, drawn toward the mean; NaN where it has fewer than two observers.
    item_intervals : ndarray, shape (n, 2)
    """

    mean: float
    low: float
    high: float
    sd: float
    sd_low: float
    sd_high: float
    items: Floats
    item_intervals: Floats


def contrasts_by_unit(
    values: Floats, design: Floats, item: Whole, observer: Whole, contrasts: Floats
) -> tuple[Floats, Whole, Whole]:
    """Estimate contrasts of cells for each item and observer.

    Parameters
    ----------
    values : ndarray, shape (J,)
        Differences between two cells; NaN is left out.
    design : ndarray, shape (J, C)
        1 at the first cell of each difference and -1 at the second.
    item, observer : ndarray of int, shape (J,)
    contrasts : ndarray, shape (E, C)
        Each row sums to 0.

    Returns
    -------
    estimates : ndarray, shape (U, E)
        For the U units in which there is a value; NaN in a contrast that a unit's differences do
        not determine.
    items, observers : ndarray of int, shape (U,)
    """
    known = np.isfinite(values)
    values, design, item, observer = values[known], design[known], item[known], observer[known]
    units, unit_of = np.unique(np.column_stack([item, observer]), axis=0, return_inverse=True)
    order = np.argsort(unit_of.ravel(), kind="stable")
    ends = np.cumsum(np.bincount(unit_of.ravel(), minlength=len(units)))
    solved: dict[bytes, Floats] = {}
    estimates = np.empty((len(units), len(contrasts)))
    for u, rows in enumerate(np.split(order, ends[:-1]) if len(units) else []):
        key = design[rows].tobytes()
        if key not in solved:
            solved[key] = _solution(design[rows], contrasts)
        estimates[u] = solved[key] @ values[rows]
    return estimates, units[:, 0].astype(np.int64), units[:, 1].astype(np.int64)


def effect_estimate(
    values: Floats, item: Whole, observer: Whole, n_items: int, level: float
) -> EffectEstimate:
    """Estimate one contrast from its values by item and observer.

    Parameters
    ----------
    values : ndarray, shape (U,)
        One for each item and observer; finite.
    item, observer : ndarray of int, shape (U,)
    n_items : int
        Items are numbered from 0 to this, exclusive.
    level : float
        Of the intervals, in (0, 1).

    Raises
    ------
    ValueError
        With fewer than three items that have two observers or more.
    """
    counts = np.bincount(item, minlength=n_items)
    if (counts >= FEWEST_OBSERVERS).sum() < FEWEST:
        raise ValueError(
            f"Effects over items need {FEWEST} items with {FEWEST_OBSERVERS} observers or more;"
            f" there are {int((counts >= FEWEST_OBSERVERS).sum())}. Pass more items or frames."
        )
    whole = clustered_mean(values, item, crossed=(observer,))
    low, high = whole.limits(level)
    means, errors, shared = _item_means(values, item, observer, counts, level)
    pooled = partial_pooling(means, errors, level)
    reach = float(special.ndtri((1 + level) / 2)) * math.sqrt(shared)
    half = np.hypot(pooled.intervals - pooled.estimates[:, None], reach)
    intervals = pooled.estimates[:, None] + half * [-1, 1]
    return EffectEstimate(
        whole.estimate, low, high, pooled.sd, float(pooled.sd_interval[0]),
        float(pooled.sd_interval[1]), pooled.estimates, intervals,
    )  # fmt: skip


def crossed_contrasts(sizes: Sequence[int]) -> list[tuple[tuple[int, ...], Floats]]:
    """Return contrasts of the cells of a full crossing: main effects, then pairs of factors.

    A factor of two levels has one contrast, their difference; one of more has the difference of
    each level from the mean of all. Factors that a contrast is not about are averaged.

    Parameters
    ----------
    sizes : sequence of int
        Numbers of levels, each 2 or more.

    Returns
    -------
    list of (factors, ndarray of shape (rows, C))
        Cells in row-major order.
    """
    own = [np.array([[1.0, -1.0]]) if n == 2 else np.eye(n) - 1 / n for n in sizes]
    mean = [np.full((1, n), 1 / n) for n in sizes]
    about: list[tuple[int, ...]] = [(i,) for i in range(len(sizes))]
    about += [(i, j) for i in range(len(sizes)) for j in range(i + 1, len(sizes))]
    made = []
    for factors in about:
        rows = np.ones((1, 1))
        for i in range(len(sizes)):
            rows = np.kron(rows, own[i] if i in factors else mean[i])
        made.append((factors, rows))
    return made


def _solution(design: Floats, contrasts: Floats) -> Floats:
    """Return the weights of the differences in each contrast; NaN in an undetermined one."""
    inverse = np.linalg.pinv(design)
    left = contrasts - contrasts @ inverse @ design
    weights = contrasts @ inverse
    weights[np.abs(left).max(axis=1) > _ROUNDING**0.5] = np.nan
    return np.asarray(weights)


def _item_means(
    values: Floats, item: Whole, observer: Whole, counts: Whole, level: float
) -> tuple[Floats, Floats, float]:
    """Return items' means, their own standard errors, and the variance that all share."""
    enough = counts >= FEWEST_OBSERVERS
    n = int(enough.sum())
    means = np.full(len(counts), np.nan)
    np.divide(np.bincount(item, values, len(counts)), counts, out=means, where=enough)
    used = enough[item]
    y, row = values[used] - means[item[used]], item[used]
    column = np.unique(observer[used], return_inverse=True)[1].ravel()
    by_observer = np.bincount(column)
    leaning = np.bincount(column, y) / by_observer
    rest = y - leaning[column]
    # The observers' leanings are estimated from n items and take a share of the spread along.
    squares = np.bincount(row, rest**2, len(counts)) * n / (n - 1)
    variance = np.zeros(len(counts))
    np.divide(squares, counts - 1, out=variance, where=enough)
    own = np.full(len(counts), np.nan)
    np.divide(variance, counts, out=own, where=enough)
    floor = _ROUNDING * max(float(np.abs(values).max()), 1e-3)
    normal = float(special.ndtri((1 + level) / 2))
    wider = np.array([float(t_quantile(max(k - 1, 1), (1 + level) / 2)) / normal for k in counts])
    errors = np.maximum(np.sqrt(own), floor) * wider
    between = float(np.var(leaning, ddof=1)) if len(leaning) > 1 else 0.0
    noise = float(np.mean(variance[enough])) / n
    shared = max(0.0, between - noise) / len(leaning)
    return means, errors, shared
