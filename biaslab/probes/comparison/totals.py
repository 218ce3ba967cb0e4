"""Numbers over all rows that two runs share."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from biaslab.probes.comparison.compared import Floats, Total
from biaslab.probes.comparison.intervals import mean_interval
from biaslab.results import Interval
from biaslab.stats.correlation import Correlation, correlate, difference_interval

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
    found: list[Total] = []
    if np.isfinite(rows.neutral):
        found += [_distance(rows), *_counts(rows)]
    if rows.outside_label and (r := _correlation(rows)):
        found.append(r)
    return tuple(found)


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
