"""Rows that two runs share: their changes with intervals, and numbers over all of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from biaslab.probes.psychometrics.fit_check import t_half_width
from biaslab.records.record import Record
from biaslab.records.result import Interval
from biaslab.stats.clustered_mean import cluster_bootstrap
from biaslab.stats.correlation import correlate, difference_interval
from biaslab.stats.crossed.effects import Part

Floats = NDArray[np.float64]
Measure = Literal["pse", "jnd"]
MEASURES: tuple[Measure, ...] = ("pse", "jnd")


@dataclass(frozen=True)
class Total(Record):
    """A number over all shared rows, in both runs.

    Attributes
    ----------
    name : str
        Such as ``"mean distance from 50 %"``.
    unit : str
        ``"points"`` (values are shares), ``"count"``, or empty.
    a, b : float
    a_interval, b_interval, interval : Interval or None
        Of either, and of the difference; None for a count.
    paired : bool
        Whether the interval of the difference uses what both runs share.
    """

    name: str
    unit: str
    a: float
    b: float
    a_interval: Interval | None = None
    b_interval: Interval | None = None
    interval: Interval | None = None
    paired: bool = False

    @property
    def difference(self) -> float:
        """Second less first."""
        return self.b - self.a

    @property
    def excludes_null(self) -> bool:
        """Whether the interval of the difference excludes 0."""
        ends = self.interval
        return ends is not None and (ends.low > 0 or ends.high < 0)


@dataclass(frozen=True)
class Single(Record):
    """A row that only one of the runs has.

    Attributes
    ----------
    run : str
        ``"a"`` or ``"b"``.
    label : str
    value : float
    interval : Interval
    """

    run: str
    label: str
    value: float
    interval: Interval


@dataclass(frozen=True, kw_only=True, eq=False)
class Estimated:
    """Rows of one run.

    Attributes
    ----------
    labels : tuple of str
    values : ndarray, shape (n,)
    intervals : ndarray, shape (n, 2)
    leans : ndarray of int, shape (n,), optional
        1, -1 or 0; by default by where the interval lies of the neutral value.
    """

    labels: tuple[str, ...]
    values: Floats
    intervals: Floats
    leans: NDArray[np.int64] | None = None

    @classmethod
    def of(cls, rows: Iterable[tuple[str, float, Interval]]) -> Estimated:
        """Return rows of labels, numbers and their intervals."""
        rows = list(rows)
        return cls(
            labels=tuple(label for label, _, _ in rows),
            values=np.array([value for _, value, _ in rows], dtype=float),
            intervals=np.array([(ends.low, ends.high) for *_, ends in rows]).reshape(-1, 2),
        )

    def at(self, labels: tuple[str, ...]) -> NDArray[np.intp]:
        """Return where rows are."""
        index = {label: i for i, label in enumerate(self.labels)}
        return np.array([index[label] for label in labels], dtype=np.intp)

    def lean(self, neutral: float) -> NDArray[np.int64]:
        """Return the leans, or where each interval lies of the neutral value."""
        if self.leans is not None:
            return self.leans
        above, below = self.intervals[:, 0] > neutral, self.intervals[:, 1] < neutral
        return above.astype(np.int64) - below


@dataclass(frozen=True, kw_only=True, eq=False)
class Compared:
    """Two runs of one kind, row by row.

    Attributes
    ----------
    measure : str
        Name of the numbers, such as ``"PSE"``.
    unit : str
        ``"points"`` where values are shares, else empty.
    neutral : float
        NaN where there is no neutral value.
    sides : (str, str)
        Names of what lies above and below the neutral value.
    groups : bool
        Whether the sides are the two social groups.
    rows_are : str
        Plural, such as ``"occupations"``.
    level : float
    over : str
        What varies in the intervals of the changes.
    a, b : Estimated
    change_intervals : ndarray, shape (n, 2), optional
        Paired intervals of the changes of the `labels`; by default those of independent estimates.
    totals : tuple of Total
        The headline first, where the kind has one.
    outside : mapping of str to float
        Outside numbers by label.
    outside_label : str
    sources : (str, str)
        What the sentences of either run are called where these differ; else empty.
    """

    measure: str
    unit: str
    neutral: float
    sides: tuple[str, str]
    rows_are: str
    level: float
    over: str
    a: Estimated
    b: Estimated
    groups: bool = False
    change_intervals: Floats | None = None
    totals: tuple[Total, ...] = ()
    outside: dict[str, float] = field(default_factory=dict)
    outside_label: str = ""
    sources: tuple[str, str] = ("", "")

    @property
    def labels(self) -> tuple[str, ...]:
        """The n rows that both runs have, in the order of the first."""
        in_b = set(self.b.labels)
        return tuple(label for label in self.a.labels if label in in_b)


RESAMPLES = 2000


def independent_interval(a: Floats, of_a: Floats, b: Floats, of_b: Floats) -> Floats:
    """Return the interval of b - a from those of two independent estimates.

    Zou and Donner's (2008) method, which takes each side from the ends that make the difference
    small or large, so that skewed intervals stay skewed.

    - `a`, `b`: ndarray, shape (n,).
    - `of_a`, `of_b`: ndarray, shape (n, 2).
    - Returns ndarray, shape (n, 2): NaN where one has no interval.
    """
    with np.errstate(invalid="ignore"):
        below = np.hypot(b - of_b[..., 0], of_a[..., 1] - a)
        above = np.hypot(of_b[..., 1] - b, a - of_a[..., 0])
        return np.stack([b - a - below, b - a + above], axis=-1)


def as_interval(ends: Any, level: float, kind: str) -> Interval:
    """Return an interval with the two numbers of an array as its ends."""
    low, high = map(float, ends)
    return Interval(low, high, level, kind)


def independent_total(
    name: str,
    a: float,
    b: float,
    of_a: Interval,
    of_b: Interval,
    kind: str = "",
    *,
    paired: bool = False,
) -> Total:
    """Return a total whose change has the interval of two independent estimates."""
    one, two = (np.array([each.low, each.high]) for each in (of_a, of_b))
    ends = independent_interval(np.array(a), one, np.array(b), two)
    return Total(
        name, "", a, b, of_a, of_b, as_interval(ends, of_a.level, kind or of_a.kind), paired
    )


def around(values: Floats, parts: Sequence[Part], level: float) -> Floats:
    """Return t intervals around values from variance components, shape (n, 2).

    Components without degrees of freedom, as of one replicate, are left out.
    """
    held = [(variance, df) for variance, df in parts if np.all(np.asarray(df) > 0)]
    half = t_half_width(held, level, values.shape)
    total = np.sum([np.broadcast_to(v, values.shape) for v, _ in held] or [half], axis=0)
    half = np.where(total == 0, 0.0, half)
    return np.stack([values - half, values + half], axis=-1)


def mean_of_lists(
    table: Floats, plus: NDArray[np.bool_], minus: NDArray[np.bool_] | None, level: float
) -> tuple[Floats, Floats]:
    """Return each row's mean over one list of columns, less that over another, with an interval.

    Two components vary: the words of the lists, and a fresh corpus where there are replicates.

    - `table`, ndarray, shape (B, n, m): of all replicates.
    - `plus`, `minus`, ndarray of bool, shape (n, m): columns of each row's lists; no `minus` for a
      single mean.
    - Returns `values`, `intervals`, ndarray, shapes (n,) and (n, 2).
    """
    by_replicate, parts = np.zeros(table.shape[:2]), []
    mean = table.mean(axis=0)
    for sign, columns in ((1.0, plus), (-1.0, minus)):
        if columns is None:
            continue
        count = columns.sum(axis=1).astype(float)
        with np.errstate(divide="ignore", invalid="ignore"):
            by_replicate += sign * np.where(columns, table, 0).sum(axis=2) / count
            centre = np.where(columns, mean, 0).sum(axis=1) / count
            squares = np.where(columns, (mean - centre[:, None]) ** 2, 0).sum(axis=1)
            parts.append((squares / (count - 1) / count, count - 1))
    b = len(table)
    if b > 1:
        parts.append((by_replicate.var(axis=0, ddof=1) * (1 + 1 / b), np.full(len(mean), b - 1.0)))
    values = by_replicate.mean(axis=0)
    short = np.any([np.asarray(df) < 1 for _, df in parts], axis=0)
    intervals = around(values, [(v, np.maximum(df, 1)) for v, df in parts], level)
    return values, np.where(short[:, None], np.nan, intervals)


def mean_interval(values: Floats, level: float, seed: int) -> Interval:
    """Return the bootstrap interval of the mean of some rows."""
    finite = values[np.isfinite(values)]
    if len(finite) < 2:
        return Interval(np.nan, np.nan, level, OVER_ROWS)
    if not np.ptp(finite):
        return Interval(float(finite[0]), float(finite[0]), level, OVER_ROWS)
    drawn = cluster_bootstrap(finite, [], resamples=RESAMPLES, rng=np.random.default_rng(seed))
    return Interval(*drawn.limits(level), level, OVER_ROWS)


NO_LEAN = "no clear lean"
DISTANCE = "mean distance from "
"""Beginning of a total's name; the neutral value follows."""
CORRELATION = "Pearson’s r"
OVER_ROWS = "rows"
FEWEST = 5
"""Rows for an interval of their mean."""


def totals_of(
    compared: Compared, values: Floats, leans: NDArray[np.int64], outside: Floats, seed: int
) -> tuple[Total, ...]:
    """Return mean distance from neutral, counts of leans, and correlation with outside numbers.

    - `values`, `leans`, ndarray, shape (n, 2): of the shared rows in either run.
    - `outside`, ndarray, shape (n,): outside number of each row; NaN where there is none.
    - `seed`: of the bootstrap over rows.
    """
    totals: list[Total] = []
    if np.isfinite(compared.neutral):
        if not any(compared.sources):  # fewer sentences of an attribute lie farther away by chance
            totals.append(_distance(compared, values, seed))
        totals += [
            Total(name, "count", *(leans == lean).sum(axis=0).astype(float).tolist())
            for lean, name in ((1, compared.sides[0]), (-1, compared.sides[1]), (0, NO_LEAN))
        ]
    if compared.outside_label and (correlation := _correlation(outside, values, compared.level)):
        totals.append(correlation)
    return tuple(totals)


def _distance(compared: Compared, values: Floats, seed: int) -> Total:
    away = np.abs(values - compared.neutral)
    away = away[np.isfinite(away).all(axis=1)]
    one, two = away.mean(axis=0).tolist() if len(away) else (np.nan, np.nan)
    a, b, change = (
        mean_interval(each, compared.level, seed) if len(away) >= FEWEST else None
        for each in (away[:, 0], away[:, 1], away[:, 1] - away[:, 0])
    )
    shares = compared.unit == "points"
    at = f"{100 * compared.neutral:g} %" if shares else f"{compared.neutral:g}"
    ends = _not_below(a), _not_below(b), change
    return Total(DISTANCE + at, compared.unit, one, two, *ends, paired=True)


def _not_below(interval: Interval | None) -> Interval | None:
    """A distance is not below 0, though the interval of few may be."""
    return interval and replace(interval, low=max(interval.low, 0.0))


def _correlation(outside: Floats, values: Floats, level: float) -> Total | None:
    known = np.isfinite(outside) & np.isfinite(values).all(axis=1)
    if not known.any():
        return None
    one, two = (correlate(outside[known], run, level=level) for run in values[known].T)
    if one.reason or two.reason:
        return None
    _, ends = difference_interval(two, one, signed=True)
    if np.array_equal(one.z_left_out, two.z_left_out):
        ends = np.zeros(2)  # its difference from itself is 0
    a, b, change = (
        as_interval(each, level, OVER_ROWS) for each in (one.interval, two.interval, ends)
    )
    return Total(CORRELATION, "", float(one.r), float(two.r), a, b, change, paired=True)
