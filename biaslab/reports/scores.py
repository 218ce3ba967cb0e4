"""Charts of scores about one half: models on one axis, then a row and its squares per part."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from biaslab.records.result import Interval
from biaslab.records.wording import percent
from biaslab.reports.chart import (
    Axis,
    Cells,
    Hover,
    Intervals,
    Mark,
    Panel,
    Points,
    Row,
    Rows,
    Rule,
    Texts,
    text_width,
)
from biaslab.reports.palette import AGAINST, INK, INK_2, INK_3, SURFACE, WITH

_STEP, _PER_LINE = 16, 20
_TICKS = tuple((float(at), str(at)) for at in (0, 25, 50, 75, 100))
_ENDS = (("always against the stereotype", INK_2), ("always with the stereotype", INK_2))


@dataclass(frozen=True)
class Score:
    """A share or a mean about one half.

    - `name`, `group`: of its row, and what stands above the first row of a group.
    - `value`: in [0, 1]; NaN for none.
    - `lean`: 1 above one half, -1 below, 0 if it cannot be told.
    - `counts`: what it is of.
    - `squares`: numbers of its squares, the most stereotyped first.
    """

    name: str
    group: str
    value: float
    interval: Interval
    lean: int
    counts: str
    squares: tuple[int, ...] = ()


@dataclass(frozen=True)
class Squares:
    """A square per pair or picture, by its number: colours, edges, and what a hover shows."""

    colours: Sequence[str]
    edges: Sequence[str]
    data: Mapping[str, Sequence[Any]]
    hover: Hover


@dataclass(frozen=True)
class Scored:
    """What one model scored."""

    overall: Score
    scores: tuple[Score, ...]
    squares: Squares


def panels(
    models: Sequence[Scored], *, unit: str, label: str, what: str, key: tuple[str, str]
) -> tuple[tuple[Panel, ...], ...]:
    """The models on one axis; below, side by side, the scores of each and its squares.

    - `models`: at least one.
    - `unit`: behind a score: `` %`` or nothing.
    - `label`: of the axis from 0 to 100.
    - `what`: a square stands for.
    - `key`: what stands before and behind the colours of squares.
    """
    overall = [one.overall for one in models]
    names = tuple(
        Row(f"{k + 1}. {one.name}", values=_row_values(one, unit)) for k, one in enumerate(overall)
    )
    marks = _marks(overall, range(len(overall)), unit, size=6)
    top = Panel(
        x=Axis(low=0, high=100, label=label, ticks=_TICKS, ends=_ENDS),
        y=Rows(rows=names, line=28),
        marks=marks,
        width=480,
    )
    longest = max((len(own.squares) for one in models for own in one.scores), default=0)
    per_line = max(_PER_LINE, math.ceil(longest / 4))
    wide = min(max(longest, 10), per_line)
    keys = list(dict.fromkeys((own.group, own.name) for one in models for own in one.scores))
    of = [{(own.group, own.name): own for own in one.scores} for one in models]
    begins: dict[tuple[str, str], int] = {}
    rows: list[tuple[str, str]] = []
    for key_ in keys:
        begins[key_] = len(rows)
        most = max(len(own[key_].squares) for own in of if key_ in own)
        rows += [key_] + [(key_[0], "")] * (math.ceil(most / per_line) - 1)
    beside = []
    for k, one in enumerate(models):
        own = {begins[score.group, score.name]: score for score in one.scores}
        values = {at: _row_values(score, unit) for at, score in own.items()}
        beside += [
            Panel(
                title=one.overall.name if len(models) > 1 else "",
                x=Axis(low=0, high=100, ticks=_TICKS[::2]),
                y=Rows(
                    rows=tuple(
                        Row(name, group, values.get(at, ()))
                        for at, (group, name) in enumerate(rows)
                    ),
                    line=22,
                    named=k == 0,
                ),
                marks=_marks(list(own.values()), list(own), unit, size=3.5),
                width=160,
            ),
            Panel(
                title=f"one square per {what}, sorted",
                x=Axis(low=0, high=wide, ticks=()),
                y=Rows(rows=tuple(Row("", group) for group, _ in rows), line=22, named=False),
                marks=(_squares(one.squares, own, per_line),),
                width=_STEP * wide,
            ),
        ]
    return (top,), (_key(*key),), tuple(beside)


def _row_values(score: Score, unit: str) -> tuple[str, ...]:
    """A score with its interval."""
    if not math.isfinite(score.value):
        return ("no score",)
    interval = score.interval
    has_interval = math.isfinite(interval.low)
    between = f" ({percent(interval.low)}–{percent(interval.high)})" if has_interval else ""
    return (f"{percent(score.value)}{unit}{between}",)


def _marks(
    scores: Sequence[Score], rows: Sequence[int], unit: str, *, size: float
) -> tuple[Mark, ...]:
    """A bar from 50 for each, with its interval: filled where it can be told from one half."""
    value = [100 * one.value for one in scores]
    low, high = ([100 * end for end in ends] for ends in _ends(scores))
    strong = [{1: WITH[2], -1: AGAINST[2], 0: INK_2}[one.lean] for one in scores]
    data = {
        "name": [one.name for one in scores],
        "score": value,
        "low": low,
        "high": high,
        "counts": [one.counts for one in scores],
    }
    shown = f"@score{{0.0}}{unit} (@low{{0.0}} to @high{{0.0}})"
    place = np.asarray(rows)
    return (
        Cells(
            left=[min(one, 50) for one in value],
            right=[max(one, 50) for one in value],
            bottom=place + 0.22,
            top=place - 0.22,
            colour=[WITH[1] if one.value > 0.5 else AGAINST[1] for one in scores],
            data=data,
        ),
        Rule(at=50, label=f"neutral 50{unit}", colour=INK),
        Intervals(low=low, high=high, y=place, colour=strong, width=size / 2.5),
        Points(
            x=value,
            y=place,
            colour=strong,
            shape=["circle" if one.lean else "ring" for one in scores],
            size=size,
            data=data,
            hover=(("", "@name"), ("", shown), ("", "@counts")),
        ),
    )


def _ends(scores: Sequence[Score]) -> tuple[list[float], list[float]]:
    return [one.interval.low for one in scores], [one.interval.high for one in scores]


def _squares(squares: Squares, rows: Mapping[int, Score], per_line: int) -> Cells:
    numbers = [i for score in rows.values() for i in score.squares]
    place = [(k % per_line, at + k // per_line) for at, score in rows.items()
             for k in range(len(score.squares))]  # fmt: skip
    x, y = np.array(place or np.zeros((0, 2)), dtype=float).T
    return Cells(
        left=x + 0.09,
        right=x + 0.91,
        bottom=y + 0.3,
        top=y - 0.3,
        colour=[squares.colours[i] for i in numbers],
        edge=[squares.edges[i] for i in numbers],
        rounded=True,
        data={name: [column[i] for i in numbers] for name, column in squares.data.items()},
        hover=squares.hover,
    )


def _key(before: str, behind: str) -> Panel:
    """The colours of squares, from most against the stereotype to most with it."""
    colours = (*AGAINST[::-1], SURFACE, *WITH)
    at = 0.92 * text_width(before, 11) + 18 * np.arange(len(colours) + 1)
    return Panel(
        x=Axis(low=0, high=620, ticks=()),
        y=Rows(rows=(Row(""),), named=False),
        marks=(
            Texts(x=0, y=0, words=[before], colour=INK_3),
            Cells(
                left=at[:-1],
                right=at[:-1] + 13,
                bottom=0.33,
                top=-0.33,
                colour=colours,
                edge=[INK_2 if one == SURFACE else "none" for one in colours],
                rounded=True,
            ),
            Texts(x=at[-1] + 4, y=0, words=[behind], colour=INK_3),
        ),
        width=620,
    )
