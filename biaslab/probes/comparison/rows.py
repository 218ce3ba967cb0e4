"""Rows that two runs share: their changes with intervals, and numbers over all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from biaslab.probes.psychometrics.fit_check import t_half_width
from biaslab.records.record import Record
from biaslab.records.result import Interval
from biaslab.stats.clustered_mean import cluster_bootstrap
from biaslab.stats.correlation import Correlation, correlate, difference_interval
from biaslab.stats.crossed.effects import Part

Floats = NDArray[np.float64]
Measure = Literal["pse", "jnd"]
MEASURES: tuple[Measure, ...] = ("pse", "jnd")
INDEPENDENT = "independent"


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

    def at(self, labels: tuple[str, ...]) -> NDArray[np.intp]:
        """Return where rows are."""
        place = {label: i for i, label in enumerate(self.labels)}
        return np.array([place[label] for label in labels], dtype=np.intp)

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
    change : mapping of str to (float, float, float)
        Difference and its paired interval by label; None where the runs share nothing but rows.
    totals : tuple of Total
        The headline first, where the kind has one.
    outside : mapping of str to float
        Outside numbers by label.
    outside_label : str
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
    paired: tuple[tuple[str, ...], Floats, Floats] | None = None
    totals: tuple[Total, ...] = ()
    outside: dict[str, float] = field(default_factory=dict)
    outside_label: str = ""


RESAMPLES = 2000


def independent_interval(a: Floats, of_a: Floats, b: Floats, of_b: Floats) -> Floats:
    """Return the interval of b - a from those of two independent estimates.

    Zou and Donner's (2008) method, which takes each side from the ends that make the difference
    small or large, so that skewed intervals stay skewed.

    Parameters
    ----------
    a, b : ndarray, shape (n,)
    of_a, of_b : ndarray, shape (n, 2)

    Returns
    -------
    ndarray, shape (n, 2)
        NaN where one has no interval.
    """
    with np.errstate(invalid="ignore"):
        below = np.hypot(b - of_b[..., 0], of_a[..., 1] - a)
        above = np.hypot(of_b[..., 1] - b, a - of_a[..., 0])
        return np.stack([b - a - below, b - a + above], axis=-1)


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

    Parameters
    ----------
    table : ndarray, shape (B, n, m)
        Of all replicates.
    plus, minus : ndarray of bool, shape (n, m)
        Columns of each row's lists; no `minus` for a single mean.
    level : float

    Returns
    -------
    values, intervals : ndarray, shapes (n,) and (n, 2)
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


def mean_interval(values: Floats, level: float, kind: str, seed: int) -> Interval:
    """Return the bootstrap interval of the mean of some rows."""
    finite = values[np.isfinite(values)]
    if len(finite) < 2:
        return Interval(np.nan, np.nan, level, kind)
    if not np.ptp(finite):
        return Interval(float(finite[0]), float(finite[0]), level, kind)
    drawn = cluster_bootstrap(finite, [], resamples=RESAMPLES, rng=np.random.default_rng(seed))
    return Interval(*drawn.limits(level), level, kind)


NO_LEAN = "no clear lean"
DISTANCE = "mean distance from "
"""Beginning of a total's name; the neutral value follows."""
CORRELATION = "Pearson’s r"
OVER_ROWS = "rows"
FEWEST = 5
"""Rows for an interval of their mean."""


@dataclass(frozen=True, kw_only=True, eq=False)
class SharedRows:
    """Values, leans and outside numbers of the shared rows.

    Attributes
    ----------
    values : ndarray, shape (n, 2)
    leans : ndarray of int, shape (n, 2)
    outside : ndarray, shape (n,)
    """

    values: Floats
    leans: NDArray[np.int64]
    outside: Floats
    neutral: float
    sides: tuple[str, str]
    unit: str
    level: float
    outside_label: str
    seed: int


def totals_of(rows: SharedRows) -> tuple[Total, ...]:
    """Return mean distance from neutral, counts of leans, and correlation with outside numbers."""
    totals: list[Total] = []
    if np.isfinite(rows.neutral):
        totals += [_distance(rows), *_counts(rows)]
    if rows.outside_label and (r := _correlation(rows)):
        totals.append(r)
    return tuple(totals)


def _distance(rows: SharedRows) -> Total:
    away = np.abs(rows.values - rows.neutral)
    away = away[np.isfinite(away).all(axis=1)]
    one, two = away.mean(axis=0) if len(away) else (np.nan, np.nan)
    a, b, change = (
        mean_interval(values, rows.level, OVER_ROWS, rows.seed) if len(away) >= FEWEST else None
        for values in (away[:, 0], away[:, 1], away[:, 1] - away[:, 0])
    )
    at = f"{100 * rows.neutral:g} %" if rows.unit == "points" else f"{rows.neutral:g}"
    return Total(
        DISTANCE + at,
        rows.unit,
        float(one),
        float(two),
        _not_below(a),
        _not_below(b),
        change,
        paired=True,
    )


def _not_below(interval: Interval | None) -> Interval | None:
    """A distance is not below 0, though the interval of few may be."""
    return interval and replace(interval, low=max(interval.low, 0.0))


def _counts(rows: SharedRows) -> list[Total]:
    kinds = ((1, rows.sides[0]), (-1, rows.sides[1]), (0, NO_LEAN))
    return [
        Total(name, "count", *((rows.leans == lean).sum(axis=0).astype(float).tolist()))
        for lean, name in kinds
    ]


def _correlation(rows: SharedRows) -> Total | None:
    known = np.isfinite(rows.outside) & np.isfinite(rows.values).all(axis=1)
    if not known.any():
        return None
    both = correlate(rows.outside[known], rows.values[known].T, level=rows.level)
    if np.any(both.reason != ""):
        return None
    one, two = (_one(both, k) for k in (0, 1))
    _, ends = difference_interval(two, one, signed=True)
    if np.array_equal(one.z_left_out, two.z_left_out):
        ends = np.zeros(2)  # its difference from itself is 0
    return Total(
        CORRELATION,
        "",
        float(one.r),
        float(two.r),
        _interval(one.interval, rows.level),
        _interval(two.interval, rows.level),
        _interval(ends, rows.level),
        paired=True,
    )


def _one(both: Correlation, k: int) -> Correlation:
    return Correlation(
        both.r[k], both.interval[k], both.p[k], both.z_left_out[k], both.n, both.reason[k]
    )


def _interval(ends: Any, level: float) -> Interval:
    return Interval(float(ends[0]), float(ends[1]), level, OVER_ROWS)
