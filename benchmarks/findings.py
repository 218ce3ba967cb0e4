"""What a measurement found: figures, each beside its goal and its reference, and honest notes."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.timing import late, milliseconds


@dataclass(frozen=True)
class Figure:
    """One line of the report.

    - `what`: what was measured.
    - `measured`: the figure with its unit.
    - `goal`: what it should reach; empty where it is only reported.
    - `met`: whether it does; None without a goal.
    - `reference`: the same by other means, measured side by side.
    - `ratio`: measured over reference, or the other way round, and which.
    """

    what: str
    measured: str
    goal: str = ""
    met: bool | None = None
    reference: str = ""
    ratio: str = ""


@dataclass(frozen=True)
class Goal:
    """What a figure should reach.

    - `words`: as the report says it.
    - `met_by`: whether a value reaches it.
    """

    words: str
    met_by: Callable[[float], bool]


def at_most(limit: float, unit: str) -> Goal:
    """Goal of a value that should not be larger."""
    return Goal(f"at most {limit:g} {unit}", lambda value: value <= limit)


def under(limit: float, unit: str) -> Goal:
    """Goal of a value that should be smaller."""
    return Goal(f"under {limit:g} {unit}", lambda value: value < limit)


def within(low: float, high: float) -> Goal:
    """Goal of a share, such as that of intervals that contain the truth."""
    return Goal(f"{low:.0%} to {high:.0%}", lambda share: low <= share <= high)


HOLDS = within(0.93, 0.97)
"""Share of intervals of 95 % that contain the truth."""


def coverage(ends: NDArray[np.float64], truth: Any) -> float:
    """Share of intervals, shape (..., 2), that contain the truth; one that is missing does not."""
    return float(np.mean((ends[..., 0] <= truth) & (truth <= ends[..., 1])))


def judged(goal: Goal | None, *values: float) -> tuple[str, bool | None]:
    """Goal of a `Figure` and whether all of the values reach it."""
    return (goal.words, all(map(goal.met_by, values))) if goal else ("", None)


def faster(
    what: str, seconds: float, reference: str, other: float, goal: Goal | None = None
) -> Figure:
    """A time beside that of a slower reference; both in seconds, the goal in milliseconds."""
    return Figure(
        what,
        milliseconds(seconds),
        *judged(goal, 1000 * seconds),
        f"{reference} {milliseconds(other)}",
        f"{other / seconds:.0f}x faster",
    )


def beside(what: str, value: float, reference: str, other: float, goal: Goal | None) -> Figure:
    """A time beside its reference and, where it has one, its goal.

    - `what`: what was measured.
    - `value`, `other`: it and the reference, milliseconds.
    - `reference`: what the reference is.
    - `goal`: of the milliseconds.
    """
    return Figure(
        what,
        f"{value:.1f} ms",
        *judged(goal, value),
        f"{reference} {other:.1f} ms",
        f"{value / other:.2f}x",
    )


def spread(
    what: str,
    values: Sequence[float],
    reference: str,
    others: Sequence[float],
    goal: Goal | None = None,
    goal_of_late: Goal | None = None,
) -> list[Figure]:
    """Median and 95th percentile of times in milliseconds, beside those of the reference.

    The goal is that of both, unless the percentile has one of its own.
    """
    median = statistics.median
    return [
        beside(f"{what}, median", median(values), reference, median(others), goal),
        beside(f"{what}, 95th percentile", late(values), reference, late(others),
               goal_of_late or goal),
    ]  # fmt: skip


@dataclass(frozen=True)
class Findings:
    """A section of the report.

    - `figures`: its lines.
    - `notes`: what a reader must know to read them rightly: one sentence or a few each.
    """

    figures: tuple[Figure, ...]
    notes: tuple[str, ...] = ()
