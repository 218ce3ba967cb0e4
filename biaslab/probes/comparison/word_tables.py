"""Cosines of words in two runs, paired word by word."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from biaslab.probes.comparison.compared import Compared, Estimated, Floats, Total
from biaslab.probes.comparison.intervals import around, independent_interval, mean_of_lists
from biaslab.probes.psychometrics.fit_check import variances
from biaslab.results import Interval
from biaslab.wording import counted

Bools = NDArray[np.bool_]
Statistic = Callable[[Floats, Bools, Bools], Floats]
"""A number of each replicate, (B,), from a table and the rows and columns that count."""


@dataclass(frozen=True, kw_only=True, eq=False)
class WordTable:
    """Numbers of row words with column words in one run.

    Attributes
    ----------
    rows, columns : tuple of str
    values : ndarray, shape (B, n, m)
    plus : ndarray of bool, shape (n, m)
        Column words whose mean is a row's number ...
    minus : ndarray of bool, shape (n, m), or None
        ... less the mean of these.
    lists : tuple of ndarray of bool
        Column words of each list, shape (m,) each.
    groups : tuple of ndarray of bool
        Row words of each group, shape (n,) each.
    estimated : Estimated or None
        The rows' numbers, where the result has its own; by default those of `mean_of_lists`.
    """

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    values: Floats
    plus: Bools
    minus: Bools | None
    lists: tuple[Bools, ...]
    groups: tuple[Bools, ...]
    estimated: Estimated | None = None

    def estimates(self, level: float) -> Estimated:
        """Return the numbers of the rows with their intervals."""
        if self.estimated is not None:
            return self.estimated
        values, ends = mean_of_lists(self.values, self.plus, self.minus, level)
        return Estimated(labels=self.rows, values=values, intervals=ends)


@dataclass(frozen=True, kw_only=True)
class Headline:
    """A number over the whole table of either run.

    Attributes
    ----------
    name : str
    statistic : callable
        The same number from a table, for the interval of its change.
    a, b : float
    of_a, of_b : Interval
    fewest : int
        Words that a list must keep.
    """

    name: str
    statistic: Statistic
    a: float
    b: float
    of_a: Interval
    of_b: Interval
    fewest: int = 1


def compared_tables(
    a: WordTable,
    b: WordTable,
    headlines: Sequence[Headline],
    level: float,
    *,
    measure: str,
    neutral: float,
    sides: tuple[str, str],
    rows_are: str,
    groups: bool = False,
) -> Compared:
    """Compare two tables; paired where their column words and replicates are the same."""
    alike = a.columns == b.columns and len(a.values) == len(b.values)
    one, two = a.estimates(level), b.estimates(level)
    paired, over = None, ""
    if alike:
        shared = tuple(row for row in a.rows if row in set(b.rows))
        of_a, of_b = one.at(shared), two.at(shared)
        moved = b.values[:, of_b] - a.values[:, of_a]
        minus = None if a.minus is None else a.minus[of_a]
        centre, ends = mean_of_lists(moved, a.plus[of_a], minus, level)
        change = two.values[of_b] - one.values[of_a]
        paired = shared, change, ends + (change - centre)[:, None]
        over = f"the same {counted(len(a.columns), 'attribute word')}"
        if len(a.values) > 1:
            over += f"; {len(a.values)} replicates, paired by number"
    whole = alike and a.rows == b.rows
    return Compared(
        measure=measure,
        unit="",
        neutral=neutral,
        sides=sides,
        groups=groups,
        rows_are=rows_are,
        level=level,
        over=over,
        a=one,
        b=two,
        paired=paired,
        totals=tuple(_total(each, a, b, level, whole=whole) for each in headlines),
    )


def _total(of: Headline, a: WordTable, b: WordTable, level: float, *, whole: bool) -> Total:
    ends = _jackknifed(of, a, b, level) if whole else np.array([np.nan, np.nan])
    paired = bool(np.isfinite(ends).all())
    if not paired:
        values = (np.array(of.a), np.array([of.of_a.low, of.of_a.high]),
                  np.array(of.b), np.array([of.of_b.low, of.of_b.high]))  # fmt: skip
        ends = independent_interval(*values)
    kind = "words, paired" if paired else of.of_a.kind
    interval = Interval(float(ends[0]), float(ends[1]), level, kind)
    return Total(of.name, "", of.a, of.b, of.of_a, of.of_b, interval, paired)


def _jackknifed(of: Headline, a: WordTable, b: WordTable, level: float) -> Floats:
    """Interval of the change of a number, over the words of each group and list."""
    rows, columns = np.ones(len(a.rows), dtype=bool), np.ones(len(a.columns), dtype=bool)

    def change(rows: Bools, columns: Bools) -> Floats:
        return of.statistic(b.values, rows, columns) - of.statistic(a.values, rows, columns)

    left_out = []
    for mask, of_rows in [*((g, True) for g in a.groups), *((c, False) for c in a.lists)]:
        units = np.flatnonzero(mask)
        if len(units) < max(2, of.fewest + 1):
            return np.array([np.nan, np.nan])
        without = [np.arange(len(mask)) != unit for unit in units]
        left_out.append(
            np.array(
                [change(keep, columns) if of_rows else change(rows, keep) for keep in without]
            ).mean(axis=1)
        )
    by_replicate = change(rows, columns)
    parts = variances(left_out)
    count = len(by_replicate)
    if count > 1:
        parts.append((by_replicate.var(ddof=1) * (1 + 1 / count), count - 1.0))
    return np.asarray(around(np.array([of.b - of.a]), parts, level)[0])
