"""Comparison of WEAT, MAC and distance models: the same words in both runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from biaslab.errors import QueryError
from biaslab.probes.association.distance_model_result import DistanceModelResult
from biaslab.probes.association.effect_size import difference_of_means, effect_size
from biaslab.probes.association.lists import CONNECTIONS, AssociationLists
from biaslab.probes.association.mac import MacResult
from biaslab.probes.association.overview_probe import AssociationResult
from biaslab.probes.association.weat import WeatResult
from biaslab.probes.comparison.rows import (
    Compared,
    Estimated,
    Floats,
    Total,
    around,
    as_interval,
    independent_total,
    mean_of_lists,
)
from biaslab.probes.psychometrics.fit_check import variances
from biaslab.records.wording import counted

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
    total : Total
        The number in both runs, taken as independent.
    statistic : callable
        The same number from a table, for the paired interval of its change.
    fewest : int
        Words that a list must keep.
    """

    total: Total
    statistic: Statistic
    fewest: int = 1


def compared_tables(
    a: WordTable, b: WordTable, headlines: Sequence[Headline], level: float, **described: Any
) -> Compared:
    """Compare two tables; paired where their column words and replicates are the same.

    The other arguments are those of `Compared` that say what the rows and their numbers are.
    """
    alike = a.columns == b.columns and len(a.values) == len(b.values)
    one, two = a.estimates(level), b.estimates(level)
    whole = alike and a.rows == b.rows
    compared = Compared(
        unit="",
        level=level,
        over="",
        a=one,
        b=two,
        totals=tuple(_total(each, a, b, level, whole=whole) for each in headlines),
        **described,
    )
    if alike:
        of_a, of_b = one.at(compared.labels), two.at(compared.labels)
        moved = b.values[:, of_b] - a.values[:, of_a]
        minus = None if a.minus is None else a.minus[of_a]
        centre, ends = mean_of_lists(moved, a.plus[of_a], minus, level)
        change = two.values[of_b] - one.values[of_a]
        over = f"the same {counted(len(a.columns), 'attribute word')}"
        if len(a.values) > 1:
            over += f"; {len(a.values)} replicates, paired by number"
        ends = ends + (change - centre)[:, None]
        compared = replace(compared, over=over, change_intervals=ends)
    return compared


def _total(of: Headline, a: WordTable, b: WordTable, level: float, *, whole: bool) -> Total:
    ends = _jackknifed(of, a, b, level) if whole else np.array([np.nan, np.nan])
    if not np.isfinite(ends).all():
        return of.total
    return replace(of.total, interval=as_interval(ends, level, "words, paired"), paired=True)


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
    return np.asarray(around(np.array([of.total.difference]), parts, level)[0])


Words = Mapping[str, tuple[str, ...]]


def compared_weat(a: WeatResult, b: WeatResult, **_: object) -> Compared:
    """Compare each target word's association, the differences of means and the effect sizes."""
    if a.names != b.names:
        raise QueryError(
            f"These WEATs are of different lists: {', '.join(a.names)}, and {', '.join(b.names)}."
        )
    names = ("difference of means", "statistic", 1), ("effect size", "effect_size", 2)
    one, two = tuple(a.lists.attributes)
    return compared_tables(
        _weat_table(a),
        _weat_table(b),
        [
            Headline(
                total=independent_total(
                    name, getattr(a, of), getattr(b, of), a.interval(of), b.interval(of)
                ),
                statistic=_weat(a, of),
                fewest=fewest,
            )
            for name, of, fewest in names
        ],
        a.level,
        measure="association",
        neutral=0.0,
        sides=(one, two),
        rows_are="target words",
        groups=True,
    )


def compared_mac(a: MacResult, b: MacResult, **_: object) -> Compared:
    """Compare each protected word's mean over the attribute words, MAC, and each connection."""
    if a.scale != b.scale or a.compared != b.compared:
        raise QueryError("These MACs are of different lists or units. Run one of them again.")
    name = "mean average cosine distance" if a.scale == "distance" else "MAC"
    total = independent_total(name, a.mac, b.mac, a.interval(), b.interval())
    return compared_tables(
        _mac_table(a),
        _mac_table(b),
        [Headline(total=total, statistic=_mac(a))],
        a.level,
        measure=f"mean cosine {a.scale}",
        neutral=1.0 if a.scale == "distance" else 0.0,
        sides=("farther", "closer") if a.scale == "distance" else ("closer", "farther"),
        rows_are="protected words",
    )


def compared_distances(a: DistanceModelResult, b: DistanceModelResult, **_: object) -> Compared:
    """Compare how much closer each protected word is to its own attributes than to others."""
    contrast = a.headline_contrasts[0]
    of, minus = contrast.of, contrast.minus
    if (of, minus) not in {(c.of, c.minus) for c in b.headline_contrasts}:
        raise QueryError(f"The second result has no contrast {of!r} − {minus!r}.")
    of_b = b.contrast(of, minus)
    name = f"distance to {of} less {minus} attributes"
    total = independent_total(name, contrast.mean, of_b.mean, contrast.interval, of_b.interval)
    return compared_tables(
        _distance_table(a, of, minus),
        _distance_table(b, of, minus),
        [Headline(total=total, statistic=_contrast(_of_type(a, of), _of_type(a, minus)))],
        a.level,
        measure=name,
        neutral=0.0,
        sides=(f"closer to {minus}", f"closer to {of}"),
        rows_are="protected words",
    )


def compared_overviews(a: AssociationResult, b: AssociationResult, **_: object) -> Compared:
    """Compare the distance models of two overviews."""
    return compared_distances(a.distance_model, b.distance_model)


def _rows(lists: AssociationLists) -> tuple[str, ...]:
    """Target words; those that are in two groups with their group."""
    words = lists.words
    keys = [f"{word} ({group})" for group, own in lists.groups.items() for word in own]
    return words if len(set(words)) == len(words) else tuple(keys)


def _masks(lists: Words) -> tuple[Bools, ...]:
    name = np.repeat(np.arange(len(lists)), [len(words) for words in lists.values()])
    return tuple(name == k for k in range(len(lists)))


def _columns(lists: Words) -> tuple[str, ...]:
    return tuple(f"{name}: {word}" for name, words in lists.items() for word in words)


def _weat_table(result: WeatResult) -> WordTable:
    plus, minus = _masks(result.lists.attributes)
    count = len(result.words)
    return WordTable(
        rows=_rows(result.lists),
        columns=_columns(result.lists.attributes),
        values=result.cosines,
        plus=np.tile(plus, (count, 1)),
        minus=np.tile(minus, (count, 1)),
        lists=(plus, minus),
        groups=_masks(result.lists.groups),
    )


def _weat(result: WeatResult, of: str) -> Statistic:
    in_a, _ = _masks(result.lists.attributes)
    in_x = _masks(result.lists.groups)[0]

    def statistic(table: Floats, rows: Bools, columns: Bools) -> Floats:
        part, of_a, of_x = table[:, rows][:, :, columns], in_a[columns], in_x[rows]
        if result.single:
            values, first = part.mean(axis=1), of_a
        else:
            values = part[..., of_a].mean(axis=2) - part[..., ~of_a].mean(axis=2)
            first = of_x
        values = np.concatenate([values[:, first], values[:, ~first]], axis=1)
        count = int(first.sum())
        if of == "statistic":
            return np.asarray(difference_of_means(values, count))
        return np.asarray(effect_size(values, count, result.ddof))

    return statistic


def _mac_table(result: MacResult) -> WordTable:
    columns = _columns(result.lists.attributes)  # those of controls follow
    cosines = result.cosines[..., : len(columns)]
    values = 1 - cosines if result.scale == "distance" else cosines
    return WordTable(
        rows=_rows(result.lists),
        columns=columns,
        values=np.asarray(values, dtype=float),
        plus=np.ones(values.shape[1:], dtype=bool),
        minus=None,
        lists=_masks(result.lists.attributes),
        groups=_masks(result.lists.groups),
    )


def _mac(result: MacResult) -> Statistic:
    masks = _masks(result.lists.attributes)

    def statistic(table: Floats, rows: Bools, columns: Bools) -> Floats:
        means = [table[:, rows][:, :, mask & columns].mean(axis=(1, 2)) for mask in masks]
        return np.asarray(np.mean(means, axis=0))

    return statistic


def _of_type(result: DistanceModelResult, name: str) -> Bools:
    return np.asarray(result.table.connection == CONNECTIONS.index(name))


def _distance_table(result: DistanceModelResult, of: str, minus: str) -> WordTable:
    table = result.table
    values, ends = result.word_contrasts(of, minus)
    names: NDArray[np.str_] = np.array(table.lists)
    groups = np.array(table.groups)
    return WordTable(
        rows=table.words,
        columns=tuple(
            f"{one}: {word}" for one, word in zip(table.lists, table.attributes, strict=True)
        ),
        values=np.nan_to_num(table.distance),
        plus=_of_type(result, of),
        minus=_of_type(result, minus),
        lists=tuple(names == name for name in dict.fromkeys(table.lists)),
        groups=tuple(groups == name for name in dict.fromkeys(table.groups)),
        estimated=Estimated(labels=table.words, values=values, intervals=ends),
    )


def _contrast(plus: Bools, minus: Bools) -> Statistic:
    def statistic(table: Floats, rows: Bools, columns: Bools) -> Floats:
        means = []
        for mask in (plus, minus):
            held = mask[rows][:, columns]
            with np.errstate(invalid="ignore"):
                of_word = np.where(held, table[:, rows][:, :, columns], 0).sum(axis=2)
                means.append(of_word / held.sum(axis=1))
        return np.asarray(np.nanmean(means[0] - means[1], axis=1))

    return statistic
