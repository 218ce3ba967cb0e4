"""Comparison of group distances to a posterior: the same names in both runs."""

from __future__ import annotations

import numpy as np

from biaslab.errors import QueryError
from biaslab.probes.comparison.compared import Compared, Estimated, Floats, Total
from biaslab.probes.comparison.intervals import around
from biaslab.probes.posterior.group_distances import GroupDistances, GroupMean
from biaslab.results import Interval
from biaslab.stats.crossed.effects import Part


def compared_groups(a: GroupDistances, b: GroupDistances) -> Compared:
    """Compare the mean distances of two groups of names, and their difference."""
    names = [tuple(group.name for group in each.groups) for each in (a, b)]
    if names[0] != names[1] or a.distance != b.distance:
        raise QueryError(
            f"These are distances of other groups or of another kind: {' and '.join(names[0])} "
            f"({a.distance}), {' and '.join(names[1])} ({b.distance})."
        )
    found = [_paired(one, two) for one, two in zip(a.groups, b.groups, strict=True)]
    parts = [part for part in found if part is not None]
    whole = len(parts) == len(found)
    change = np.array([two.mean - one.mean for one, two in zip(a.groups, b.groups, strict=True)])
    noise = [_noise(one) + _noise(two) for one, two in zip(a.groups, b.groups, strict=True)]
    interval, paired = _independent(a, b), None
    if whole:
        ends = [
            around(value[None], [part, *_known(error)], a.interval.level)[0]
            for value, part, error in zip(change, parts, noise, strict=True)
        ]
        paired = names[0], change, np.array(ends)
        error = [_noise_of(each.monte_carlo) for each in (a, b)]
        gap = np.array([b.difference - a.difference])
        low, high = around(gap, [*parts, *_known(sum(error))], a.interval.level)[0]
        interval = Interval(float(low), float(high), a.interval.level, "names, paired")
    one, two = names[0]
    total = Total(
        f"distance of {one} less {two}", "", a.difference, b.difference, a.interval, b.interval,
        interval, paired is not None,
    )  # fmt: skip
    return Compared(
        measure="mean distance",
        unit="",
        neutral=float("nan") if a.neutral is None else a.neutral,
        sides=("farther", "closer"),
        rows_are="groups",
        level=a.interval.level,
        over="the same names" if whole else "",
        a=_estimated(a),
        b=_estimated(b),
        paired=paired,
        totals=(total,),
    )


def _estimated(result: GroupDistances) -> Estimated:
    return Estimated(
        labels=tuple(group.name for group in result.groups),
        values=np.array([group.mean for group in result.groups]),
        intervals=np.array([(g.interval.low, g.interval.high) for g in result.groups]),
    )


def _paired(a: GroupMean, b: GroupMean) -> Part | None:
    """Variance of the mean change over the names of a group; None if the names are others."""
    if a.terms != b.terms or len(a.terms) < 2:
        return None
    moved = np.asarray(b.distances, dtype=float) - a.distances
    return np.array(moved.var(ddof=1) / len(moved)), float(len(moved) - 1)


def _noise(group: GroupMean) -> float:
    return _noise_of(group.monte_carlo)


def _noise_of(interval: Interval) -> float:
    """Variance of the Monte Carlo error; the draws of two runs are independent."""
    half = (interval.high - interval.low) / 2
    return float((half / 1.96) ** 2) if np.isfinite(half) else 0.0


def _known(variance: float) -> list[Part]:
    return [(np.array(variance), 1e6)] if variance > 0 else []


def _independent(a: GroupDistances, b: GroupDistances) -> Interval:
    one: Floats = np.array([a.difference - a.interval.low, a.interval.high - a.difference])
    two: Floats = np.array([b.difference - b.interval.low, b.interval.high - b.difference])
    gap = b.difference - a.difference
    low, high = gap - np.hypot(two[0], one[1]), gap + np.hypot(two[1], one[0])
    return Interval(float(low), float(high), a.interval.level, a.interval.kind)
