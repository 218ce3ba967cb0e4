"""Draws of measures, had other words like these been chosen, and the intervals that they give.

Percentiles of resampled words are too narrow for short lists: a resample of three words has on
average two thirds of their variance. Here each variance is drawn as its sum of squares over a
chi-square variable with the same degrees of freedom, and the mean with it (generalised pivots,
Weerahandi 1993). For one list this is Student's t.

A mean over a table of words by words varies with the words of either side and with single cells,
which are part of both and count once (see `biaslab.probes.association.word_draws`, which does the
same for WEAT). A list's variance borrows one degree of freedom from all lists of its side, so that
a list of one word varies as the others do.

Resampled words do not do for `ect` and `rnsb`, which are no means, either: a resample has fewer
different words, so that its divergence is smaller than that of the list, and where two orders agree
it agrees all the more.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from biaslab.probes.association.lists import Floats
from biaslab.records.result import Interval
from biaslab.stats.quantiles import t_quantile
from biaslab.stats.significance import check_level

_Chosen = NDArray[np.intp]
_BORROWED = 1.0
"""Degrees of freedom that a list's variance borrows from that of all lists of its side."""


@dataclass(frozen=True)
class Drawn:
    """Draws of an estimate for other words.

    Attributes
    ----------
    of_mean : ndarray, shape (R,)
        Of the mean over replicates.
    of_one : ndarray, shape (R,), or None
        Each in a replicate chosen at random; None of a single one.
    """

    of_mean: Floats
    of_one: Floats | None

    @classmethod
    def resampled(cls, of_each: Floats, rng: np.random.Generator) -> Drawn:
        """Return draws whose mean over replicates is that of the replicates' own, (B, R)."""
        b, draws = of_each.shape
        chosen = rng.integers(0, b, size=draws)
        return cls(of_each.mean(axis=0), of_each[chosen, np.arange(draws)] if b > 1 else None)


def mean_draws(values: Floats, draws: int, rng: np.random.Generator) -> Drawn | None:
    """Draw the mean over one list of words; None of fewer than two.

    Parameters
    ----------
    values : ndarray, shape (B, n)
        A value per replicate and word.
    draws : int
    rng : numpy.random.Generator
    """
    b, n = values.shape
    if n < 2:
        return None
    step = rng.standard_normal(draws) / np.sqrt(n * rng.chisquare(n - 1, draws))

    def drawn(each: Floats, chosen: _Chosen) -> Floats:
        mean = each.mean(axis=1)
        root = np.sqrt(((each - mean[:, None]) ** 2).sum(axis=1))
        return np.asarray(mean[chosen] - root[chosen] * step)

    chosen = rng.integers(0, b, size=draws)
    of_mean = drawn(values.mean(axis=0, keepdims=True), np.zeros(draws, dtype=np.intp))
    return Drawn(of_mean, drawn(values, chosen) if b > 1 else None)


class TableDraws:
    """Draws of weighted means over a table of words by words, with the same random numbers.

    Parameters
    ----------
    table : ndarray, shape (B, n, m)
    rows, columns : sequence of int
        Lengths of the lists of either side, one after another.
    draws : int
    rng : numpy.random.Generator
    """

    def __init__(
        self,
        table: Floats,
        rows: Sequence[int],
        columns: Sequence[int],
        draws: int,
        rng: np.random.Generator,
    ) -> None:
        self._normal = rng.standard_normal(draws)
        self._rows = _Side(rows, draws, rng)
        self._columns = _Side(columns, draws, rng)
        self._chosen = rng.integers(0, len(table), size=draws)
        self._gammas = _Gammas(draws, rng)
        self._mean = _Blocks(table.mean(axis=0, keepdims=True), self._rows, self._columns)
        self._each = _Blocks(table, self._rows, self._columns) if len(table) > 1 else None

    def __call__(self, weights: Floats) -> Drawn | None:
        """Draw a weighted mean; None where one side does not show how its words vary.

        Parameters
        ----------
        weights : ndarray, shape (lists of rows, lists of columns)
            Of the means of the blocks that two lists make; 1 together.
        """
        used = np.nonzero(weights)
        if not (self._rows.df(used[0]) and self._columns.df(used[1])):
            return None
        of_mean = self._drawn(self._mean, weights, np.zeros_like(self._chosen))
        one_each = None if self._each is None else self._drawn(self._each, weights, self._chosen)
        return Drawn(of_mean, one_each)

    def _drawn(self, blocks: _Blocks, weights: Floats, chosen: _Chosen) -> Floats:
        rows, columns = self._rows, self._columns
        of_rows, of_columns = weights.sum(axis=1), weights.sum(axis=0)
        by_row, by_column = np.zeros(blocks.rows.shape[1:]), np.zeros(blocks.columns.shape[1:])
        mean, single = np.zeros(len(by_row)), np.zeros(len(by_row))
        df, reach = 0, 0.0
        for g, j in np.argwhere(weights).tolist():
            weight, block = weights[g, j], blocks[g, j]
            one, two = rows.slices[g], columns.slices[j]
            by_row[:, one] += weight / of_rows[g] * blocks.rows[j][:, one]
            by_column[:, two] += weight / of_columns[j] * blocks.columns[g][:, two]
            mean += weight * blocks.rows[j][:, one].mean(axis=1)
            single += block
            n, m = rows.sizes[g], columns.sizes[j]
            df += (n - 1) * (m - 1)
            reach += weight**2 / (n * m)
        variance_1 = rows.variances(by_row, of_rows, chosen)
        variance_2 = columns.variances(by_column, of_columns, chosen)
        # Without a degree of freedom, cells and words share one spread, which counts twice.
        from_single = reach * single[chosen] / (df * self._gammas(df)) if df else 0.0
        # What words vary includes what single cells do, which counts once.
        variance = np.maximum(variance_1, from_single) + np.maximum(variance_2 - from_single, 0)
        return np.asarray(mean[chosen] - self._normal * np.sqrt(variance))


class _Side:
    """Lists of one side: their places, and a chi-square draw for each."""

    def __init__(self, sizes: Sequence[int], draws: int, rng: np.random.Generator) -> None:
        ends = np.cumsum([0, *sizes]).tolist()
        self.sizes = list(sizes)
        self.slices = [slice(*both) for both in pairwise(ends)]
        self._chance = [rng.chisquare(n - 1, draws) if n > 1 else np.zeros(draws) for n in sizes]

    def df(self, used: _Chosen) -> int:
        """Degrees of freedom of the lists used."""
        return sum(self.sizes[k] - 1 for k in set(used.tolist()))

    def variances(self, values: Floats, shares: Floats, chosen: _Chosen) -> Floats:
        """Draw the variance (R,) of the weighted sum of the lists' means."""
        used = np.flatnonzero(shares).tolist()
        df = self.df(np.asarray(used))
        squares = []
        for k in used:
            each = values[:, self.slices[k]]
            squares.append(((each - each.mean(axis=1, keepdims=True)) ** 2).sum(axis=1))
        pooled = _BORROWED * np.sum(squares, axis=0) / df
        common = _BORROWED * np.sum([self._chance[k] for k in used], axis=0) / df
        drawn = np.zeros(len(chosen))
        for k, own in zip(used, squares, strict=True):
            scale = shares[k] ** 2 / self.sizes[k]
            drawn += (scale * (own + pooled))[chosen] / (self._chance[k] + common)
        return drawn


class _Blocks:
    """Means of the blocks of a table by row and by column, and their sums of squares of cells.

    Attributes
    ----------
    rows : ndarray, shape (lists of columns, B, n)
        Mean of each row over each list.
    columns : ndarray, shape (lists of rows, B, m)
    """

    def __init__(self, table: Floats, rows: _Side, columns: _Side) -> None:
        self._table, self._rows, self._columns = table, rows, columns
        self.rows = np.stack([_means(table[:, :, two], 2) for two in columns.slices])
        self.columns = np.stack([_means(table[:, one], 1) for one in rows.slices])
        self._squares: dict[tuple[int, int], Floats] = {}

    def __getitem__(self, where: tuple[int, int]) -> Floats:
        """Sum of squares (B,) of what is left of a block's cells without rows and columns."""
        if where not in self._squares:
            g, j = where
            one, two = self._rows.slices[g], self._columns.slices[j]
            row, column = self.rows[j][:, one], self.columns[g][:, two]
            left = self._table[:, one, two] - row[:, :, None]
            left -= (column - row.mean(axis=1, keepdims=True))[:, None]
            self._squares[where] = np.einsum("bnm,bnm->b", left, left)
        return self._squares[where]


def _means(values: Floats, axis: int) -> Floats:
    """Return means over an axis; NaN of an empty list, which has no weight."""
    if values.shape[axis]:
        return np.asarray(values.mean(axis=axis))
    return np.full(np.delete(values.shape, axis), np.nan)


class _Gammas:
    """Chi-square draws over their degrees of freedom, made once for each number of them."""

    def __init__(self, draws: int, rng: np.random.Generator) -> None:
        self._draws, self._rng = draws, rng
        self._made: dict[int, Floats] = {}

    def __call__(self, df: int) -> Floats:
        if df not in self._made:
            self._made[df] = self._rng.chisquare(df, self._draws) / df
        return self._made[df]


FEWEST_RANKED = 4
"""Words of which a rank correlation has an interval."""


def rank_correlation(x_1: Floats, x_2: Floats) -> Floats:
    """Return Spearman's correlation of rows; NaN if one side is constant."""
    from scipy.stats import rankdata

    a, b = (rankdata(x, axis=-1) for x in (x_1, x_2))
    a -= a.mean(axis=-1, keepdims=True)
    b -= b.mean(axis=-1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        correlation = (a * b).sum(axis=-1) / np.sqrt((a**2).sum(axis=-1) * (b**2).sum(axis=-1))
    return np.asarray(correlation)


def correlation_draws(
    x_1: Floats, x_2: Floats, draws: int, rng: np.random.Generator
) -> Drawn | None:
    r"""Draw a rank correlation over one list of words; None of fewer than four.

    Fisher's transform of the correlation has variance :math:`(1 + r^2 / 2) / (n - 3)` (Bonett and
    Wright 2000, Psychometrika 65:23). A high correlation of few words is too low on average, so
    draws on the far side of it lie around the unbiased one instead,
    :math:`((n + 1) r - 3 \tau) / (n - 2)` with Kendall's :math:`\tau` (Hoeffding 1948, Annals of
    Mathematical Statistics 19:293). An order that agrees as a whole counts as halfway to it from
    the next best.

    Parameters
    ----------
    x_1, x_2 : ndarray, shape (B, n)
        Two values per replicate and word.
    draws : int
    rng : numpy.random.Generator
    """
    from scipy.stats import kendalltau

    n = x_1.shape[1]
    if n < FEWEST_RANKED:
        return None
    rho = rank_correlation(x_1, x_2)
    tau = [kendalltau(a, b, method="asymptotic")[0] for a, b in zip(x_1, x_2, strict=True)]
    unbiased = ((n + 1) * rho - 3 * np.array(tau)) / (n - 2)
    most = 1 - 6 / (n * (n * n - 1))
    low, high = np.clip(np.sort([rho, unbiased], axis=0), -most, most)[..., None]
    step = rng.standard_normal(draws)
    centre = np.where(step < 0, low, high)
    error = np.sqrt((1 + centre**2 / 2) / (n - 3))
    return Drawn.resampled(np.tanh(np.arctanh(centre) + error * step), rng)


def divergence_draws(
    divergence: Floats, n: int, draws: int, rng: np.random.Generator
) -> Drawn | None:
    """Draw the divergence of n positive numbers from all being equal; None of fewer than two.

    It is about half their squared coefficient of variation, and like a variance it is drawn as its
    sum over a chi-square variable with n - 1 degrees of freedom.

    Parameters
    ----------
    divergence : ndarray, shape (B,)
        That of the list in each replicate, a mean over words.
    n : int
    draws : int
    rng : numpy.random.Generator
    """
    if n < 2:
        return None
    return Drawn.resampled(divergence[:, None] * n / rng.chisquare(n - 1, draws), rng)


WORDS, CORPUS, BOTH = "words", "corpus", "words and corpora"


def check_resampling(level: float, resamples: int) -> None:
    """Refuse options out of range.

    Raises
    ------
    ValueError
        If one is.
    """
    check_level(level)
    if resamples < 1:
        raise ValueError(f"resamples is {resamples}; use at least 1, such as 2,000.")


def intervals(by_replicate: Floats, drawn: Drawn | None, level: float) -> tuple[Interval, ...]:
    """Return the intervals of the mean over replicates of an estimate.

    Parameters
    ----------
    by_replicate : ndarray, shape (B,)
        The estimate in each replicate.
    drawn : Drawn or None
        The same for other words; None if there are too few words.
    level : float

    Returns
    -------
    tuple of Interval
        ``words``: for other words like these and the same replicates (percentiles).
        With replicates also ``corpus``: the estimate of one more corpus, with the words as
        they are (Student's t); and ``words and corpora``: both at a time (percentiles, each
        draw in its own replicate). Ends are NaN if undefined.
    """
    if drawn is None:
        return of_draws(by_replicate, None, None, level)
    return of_draws(by_replicate, drawn.of_mean, drawn.of_one, level)


def of_draws(
    by_replicate: Floats, over_words: Floats | None, over_both: Floats | None, level: float
) -> tuple[Interval, ...]:
    """Return intervals from draws of the mean and of a replicate."""
    intervals = [_percentiles(over_words, level, WORDS)]
    b = len(by_replicate)
    if b > 1:
        mean, sd = float(by_replicate.mean()), float(by_replicate.std(ddof=1))
        reach = float(t_quantile(b - 1, (1 + level) / 2)) * sd * math.sqrt(1 + 1 / b)
        intervals.append(Interval(mean - reach, mean + reach, level, CORPUS))
        intervals.append(_percentiles(over_both, level, BOTH))
    return tuple(intervals)


def within(intervals: tuple[Interval, ...], low: float, high: float) -> tuple[Interval, ...]:
    """Clip intervals to possible values, as Student's t has no limits."""

    def cut(value: float) -> float:
        return min(max(value, low), high) if math.isfinite(value) else value

    return tuple(Interval(cut(i.low), cut(i.high), i.level, i.kind) for i in intervals)


def _percentiles(drawn: Floats | None, level: float, kind: str) -> Interval:
    if drawn is None:
        return Interval(math.nan, math.nan, level, kind)
    # A resample can consist of one word again and again, and then has no spread and no effect size.
    finite = drawn[np.isfinite(drawn)]
    if len(finite) < len(drawn) / 2:
        return Interval(math.nan, math.nan, level, kind)
    low, high = np.quantile(finite, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high), level, kind)
