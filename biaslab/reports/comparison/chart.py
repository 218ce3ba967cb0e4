"""Chart of two runs: each row in both, and its change; and both against an outside table."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from biaslab.probes.comparison import Comparison
from biaslab.reports.chart import (
    Axis,
    Chart,
    Intervals,
    Line,
    Mark,
    Panel,
    Points,
    Row,
    Rows,
    Rule,
    Shape,
    axis_over,
    finding,
    lean_marks,
)
from biaslab.reports.comparison.words import ends_text, value_text
from biaslab.reports.palette import GROUP_1_TEXT, GROUP_2_TEXT, INK, INK_2, NEUTRAL

Order = NDArray[np.intp]
_WIDTH = 216
_LINE = 17
_LABEL = 26


def chart(result: Comparison) -> Chart:
    """Rows in run A, in run B and their change, sorted by A; below, the outside table."""
    order = np.argsort(-np.nan_to_num(result.values[:, 0], nan=-np.inf), kind="stable")
    names = tuple(_short(name) for name in result.names)
    axis = _axis(result)
    change = _change(result, order)
    rows = (
        _values(result, 0, order, axis, f"A  {names[0]}"),
        _values(result, 1, order, axis, f"B  {names[1]}"),
        change,
    )
    panels: tuple[tuple[Panel, ...], ...] = (rows,)
    if np.isfinite(result.outside).sum() > 1:
        panels = (*panels, (_outside(result),))
    return Chart(title=finding(result), note=result.caveat(), panels=panels, small=change)


def _values(result: Comparison, run: int, order: Order, axis: Axis, title: str) -> Panel:
    values = result.scale * result.values[order, run]
    low, high = np.clip(result.scale * result.intervals[order, run], axis.low, axis.high).T
    looks = _looks(result, result.leans[order, run].tolist())
    y = np.arange(len(values))
    data = {
        "row": [result.labels[i] for i in order],
        "value": [value_text(result, v, unit=True) for v in result.values[order, run].tolist()],
        "ends": [ends_text(result, *ends) for ends in result.intervals[order, run].tolist()],
    }
    hover = (("", "@row"), (result.measure, "@value"), ("", "@ends"))
    return Panel(
        title=title,
        x=axis,
        y=Rows(rows=tuple(Row(result.labels[i]) for i in order), line=_LINE, named=run == 0),
        marks=(
            *_neutral(result),
            Intervals(low=low, high=high, y=y, colour=looks["colour"]),
            Points(x=values, y=y, size=4, data=data, hover=hover, **looks),
        ),
        width=_WIDTH,
    )


def _change(result: Comparison, order: Order) -> Panel:
    change = result.scale * result.change[order]
    ends = result.scale * result.change_intervals[order]
    y = np.arange(len(change))
    clear = result.excludes_null[order]
    shapes: list[Shape] = ["circle" if is_clear else "ring" for is_clear in clear.tolist()]
    colours = [INK if is_clear else INK_2 for is_clear in clear.tolist()]
    axis = axis_over(change, ends, [0.0], label=_unit_label(result, "B − A"))
    texts = [
        (value_text(result, float(v), own[1] - own[0], sign=True), ends_text(result, *own))
        for v, own in zip(
            result.change[order], result.change_intervals[order].tolist(), strict=True
        )
    ]
    return Panel(
        title="B − A",
        x=axis,
        y=Rows(
            rows=tuple(Row(result.labels[i], values=texts[k]) for k, i in enumerate(order)),
            heads=("change", f"{100 * result.level:.0f} %"),
            line=_LINE,
            named=False,
        ),
        marks=(
            Rule(at=0),
            Intervals(low=ends[:, 0], high=ends[:, 1], y=y, colour=colours),
            Points(x=change, y=y, size=3.5, colour=colours, shape=shapes),
        ),
        width=_WIDTH,
    )


def _outside(result: Comparison) -> Panel:
    known = np.isfinite(result.outside) & np.isfinite(result.values).all(axis=1)
    x = result.outside[known]
    marks: list[Mark] = []
    if np.isfinite(result.neutral):
        marks.append(Rule(at=result.scale * result.neutral, axis="y", dashed=True))
    shapes: tuple[Shape, Shape] = ("ring", "circle")
    every = []
    for run, (shape, colour, name) in enumerate(
        zip(shapes, (NEUTRAL, INK), ("A", "B"), strict=True)
    ):
        y = result.scale * result.values[known, run]
        every.append(y)
        if len(x) > 2 and np.ptp(x):
            slope, start = np.polyfit(x, y, 1)
            ends = np.array([x.min(), x.max()])
            marks.append(Line(x=ends, y=start + slope * ends, colour=colour, width=1.5))
        marks.append(Points(x=x, y=y, shape=shape, colour=colour, size=4, name=name))
    return Panel(
        x=axis_over(x, label=result.outside_label),
        y=axis_over(*every, label=_unit_label(result, result.measure)),
        marks=tuple(marks),
        width=380,
        height=260,
    )


def _axis(result: Comparison) -> Axis:
    shown = [result.scale * result.values, result.scale * result.intervals]
    if np.isfinite(result.neutral):
        shown.append(np.array([result.scale * result.neutral]))
    ends: tuple[tuple[str, str], ...] = ()
    if result.groups:
        ends = ((f"← {result.sides[1]}", GROUP_2_TEXT), (f"{result.sides[0]} →", GROUP_1_TEXT))
    elif np.isfinite(result.neutral):
        ends = ((f"← {_short(result.sides[1])}", INK_2), (f"{_short(result.sides[0])} →", INK_2))
    return axis_over(*shown, label=_unit_label(result, result.measure), ends=_fitting(ends))


def _fitting(ends: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    """Names of the sides where both have room above a narrow panel."""
    return ends if sum(len(words) for words, _ in ends) <= _LABEL + 6 else ()


def _looks(result: Comparison, leans: list[int]) -> dict[str, Any]:
    if result.groups:
        return lean_marks(leans)
    return {
        "colour": [INK if lean else NEUTRAL for lean in leans],
        "shape": ["circle" if lean else "hollow" for lean in leans],
    }


def _neutral(result: Comparison) -> tuple[Rule, ...]:
    return (Rule(at=result.scale * result.neutral),) if np.isfinite(result.neutral) else ()


def _unit_label(result: Comparison, of: str) -> str:
    if result.unit != "points":
        return of
    return f"{of}, points" if of.startswith("B") else f"{of}, %"


def _short(name: str) -> str:
    return name if len(name) <= _LABEL else f"{name[: _LABEL - 1]}…"
