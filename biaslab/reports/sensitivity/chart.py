"""Chart of a sensitivity result: ROC and zROC of the groups, and their d' and c."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np
from scipy import special

from biaslab.probes.sensitivity.result import DetectionEstimate, SensitivityResult
from biaslab.records.wording import joined, number
from biaslab.reports.chart import (
    Axis,
    Band,
    Chart,
    Intervals,
    Line,
    Mark,
    Panel,
    Points,
    Row,
    Rows,
    Rule,
    axis_over,
)
from biaslab.reports.palette import GROUP_1, GROUP_2, INK, LINE, NEUTRAL
from biaslab.stats.curves.sigmoids import Floats

_COLOURS: Final = (GROUP_1, GROUP_2, INK, NEUTRAL)
_SHAPES: Final = ("circle", "square", "diamond", "hollow")
_GUIDES: Final = (0.5, 1.0, 2.0)
_REACH: Final = 3.0


def chart(result: SensitivityResult) -> Chart:
    """ROC and zROC side by side; below them d' and c of the groups and their differences."""
    roc = _roc(result)
    return Chart(
        title=joined(result.verdict_spans()),
        note=result.caveat(),
        panels=((roc, _zroc(result)), (_rows(result, "d_prime"), _rows(result, "criterion"))),
        small=roc,
    )


def _percent(values: Any) -> Floats:
    return 100 * np.asarray(values, dtype=float)


def _curves(result: SensitivityResult, at: Floats, shown: Callable[[Any], Floats]) -> list[Mark]:
    """Curve, cuts and own criterion of each group."""
    marks: list[Mark] = []
    for place, group in enumerate(result.groups):
        colour, shape = _COLOURS[place % 4], _SHAPES[place % 4]
        marks.append(Line(x=shown(at), y=shown(group.roc(at)), colour=colour, name=group.name))
        inner = [cut for cut in group.cuts if not cut.is_own and _has_z(cut.hits, cut.false_alarms)]
        marks.append(
            Points(x=shown([cut.false_alarms for cut in inner]),
                   y=shown([cut.hits for cut in inner]), colour=colour, shape="ring", size=4)
        )  # fmt: skip
        own = shown([group.false_alarms.value]), shown([group.hits.value])
        low, high = (
            shown([group.false_alarms.interval.low]),
            shown([group.false_alarms.interval.high]),
        )
        ends = shown([group.hits.interval.low, group.hits.interval.high])
        marks += [
            Intervals(low=low, high=high, y=own[1], colour=colour),
            Line(x=[own[0][0]] * 2, y=ends, colour=colour),
            Points(x=own[0], y=own[1], colour=colour, shape=shape, size=6),  # type: ignore[arg-type]
        ]
    return marks


def _has_z(*rates: float) -> bool:
    return all(0 < rate < 1 for rate in rates)


def _roc(result: SensitivityResult) -> Panel:
    at = special.ndtr(np.linspace(-4, 4, 161))
    guides: list[Mark] = [
        Line(x=_percent(at), y=_percent(special.ndtr(special.ndtri(at) + d)), colour=LINE, width=1,
             dashed=True)
        for d in _GUIDES
    ]  # fmt: skip
    guides.append(Line(x=[0, 100], y=[0, 100], colour=NEUTRAL, width=1))
    ticks = tuple((float(value), str(value)) for value in (0, 25, 50, 75, 100))
    return Panel(
        title="ROC; dashed: d′ of 0.5, 1 and 2",
        x=Axis(low=0, high=100, label="false alarms, %", ticks=ticks),
        y=Axis(low=0, high=100, label="hits, %", ticks=ticks),
        marks=(*guides, *_curves(result, at, _percent)),
        width=300, height=300,
    )  # fmt: skip


def _zroc(result: SensitivityResult) -> Panel:
    at = special.ndtr(np.array([-_REACH, _REACH]))

    def z(rates: Any) -> Floats:
        return np.clip(special.ndtri(np.asarray(rates, dtype=float)), -_REACH, _REACH)

    marks: list[Mark] = [Line(x=[-_REACH, _REACH], y=[-_REACH, _REACH], colour=NEUTRAL, width=1)]
    lines = []
    for mark in _curves(result, at, z):
        if isinstance(mark, Line) and mark.name:  # a straight line, cut where it leaves the panel
            group = next(one for one in result.groups if one.name == mark.name)
            slope = group.slope.value
            shift = group.d_prime.value * math.sqrt((1 + slope**2) / 2)
            x = np.clip((np.array([-_REACH, _REACH]) - shift) / slope, -_REACH, _REACH)
            mark = Line(x=x, y=shift + slope * x, colour=mark.colour)
        lines.append(mark)
    return Panel(
        title="zROC",
        x=Axis(low=-_REACH, high=_REACH, label="z of false alarms"),
        y=Axis(low=-_REACH, high=_REACH, label="z of hits"),
        marks=(*marks, *lines),
        width=300, height=300,
    )  # fmt: skip


def _rows(result: SensitivityResult, name: str) -> Panel:
    title, margin = {
        "d_prime": ("d′, sensitivity", result.margin_d_prime),
        "criterion": ("c, criterion", result.margin_criterion),
    }[name]
    groups: list[DetectionEstimate] = [getattr(one, name) for one in result.groups]
    differences: list[DetectionEstimate] = [getattr(one, name) for one in result.differences]
    every = [*groups, *differences]
    of_pairs = [f"{one.name} − {one.reference}" for one in result.differences]
    labels = [one.name for one in result.groups]
    labels += of_pairs if len(of_pairs) > 1 else ["difference"]
    y = np.arange(len(every))
    first = len(groups)
    colours = [_COLOURS[n % 4] for n in range(first)] + [INK] * len(differences)
    shapes: list[Any] = [_SHAPES[n % 4] for n in range(first)] + ["circle"] * len(differences)
    low, high = ([getattr(one.interval, end) for one in every] for end in ("low", "high"))
    narrow = [[getattr(one.these, end) for one in every] for end in ("low", "high")]
    return Panel(
        title=f"{title}; alike within ± {margin:g}",
        x=axis_over(low, high, [0.0, -margin, margin]),
        y=Rows(rows=tuple(Row(label, values=(number(one.value),)) for label, one in
                          zip(labels, every, strict=True)), heads=("",), named=name == "d_prime"),
        marks=(
            Band(x=[-margin, margin], low=[first - 0.5] * 2, high=[len(every) - 0.5] * 2,
                 colour=NEUTRAL, alpha=0.2),
            Rule(at=0),
            Intervals(low=narrow[0], high=narrow[1], y=y, colour=NEUTRAL, width=5),
            Intervals(low=low, high=high, y=y, colour=colours),
            Points(x=[one.value for one in every], y=y, colour=colours, shape=shapes, size=5),
        ),
        width=230,
    )  # fmt: skip
