"""Words and chart of one number over runs in an order."""

from __future__ import annotations

import math

import numpy as np

from biaslab.probes.comparison import Trajectory
from biaslab.records.result import Interval
from biaslab.records.wording import (
    Span,
    decimals_of,
    joined,
    listed,
    number,
    p_text,
    sentences,
    would_show,
)
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
)
from biaslab.reports.palette import INK, INK_2, NEUTRAL
from biaslab.stats.significance import smallest_effect

_NAMED = 3
_WIDE, _FINE = 5, 0.5
"""Points: a wider interval supports no decimals, and a narrower one more than one."""


def verdict(result: Trajectory) -> tuple[Span, ...]:
    """The trend with its interval, then the steps that are clear by themselves."""
    ends, of = result.slope_interval, result.of
    span = f"from {result.labels[0]} to {result.labels[-1]}"
    if result.has_numbers:
        way = f"{_way(result.slope)} by {_text(result, abs(result.slope), ends)}"
        rest = f" per {result.per} {span} ({_size(result, ends)})."
        least = smallest_effect(ends.low, ends.high, ends.level, len(result.labels) - 2)
        more = would_show(float(least), "points" if result.unit == "points" else "")
        rate = f"{_text(result, result.slope, ends)} per {result.per}"
        found = f"{rate} ({_ends(result, ends)}){more}"
    else:
        way = f"{_way(result.tau)} with the order of the runs"
        found = f"Kendall’s τ = {number(result.tau)}, p = {p_text(result.p)}"
        rest = f" {span}: {found}."
    spans: list[Span] = [(f"The {of} ", "plain"), (way, "strong"), (rest, "plain")]
    if not result.excludes_null:
        spans = [("No clear trend", "strong"), (f" in the {of} {span}: {found}.", "plain")]
    return (*spans, (f" {_steps(result)}", "plain"))


def headline(result: Trajectory) -> str:
    """The first sentence of the verdict."""
    return sentences(verdict(result))[0]


def caveat(result: Trajectory) -> str:
    """What the intervals range over."""
    k, level = len(result.labels), f"{100 * result.level:.0f} %"
    shared = "the runs share their observations" if result.paired else "the runs are independent"
    if result.has_numbers:
        first = f"{level} interval of the slope, over other runs like these {k}: {shared}."
    else:
        least = p_text(2 / math.factorial(k))
        first = f"The labels only have an order: exact ranks of {k} runs, with no p below {least}."
    return f"{first} Steps are about these runs alone, corrected for {k - 1} of them (Holm)."


def summary(result: Trajectory) -> str:
    """The verdict, its limits, and each run."""
    change = f"{_text(result, result.change, result.change_interval, sign=True)}"
    lines = [joined(verdict(result)), caveat(result)]
    lines.append(f"Last less first: {change} ({_ends(result, result.change_interval)}).")
    lines += [f"{label}: {value}" for label, value, *_ in table_rows(result)]
    return "\n".join(lines)


def table_rows(result: Trajectory) -> list[tuple[str, str, str, str]]:
    """Each run for a table: label, value, and the step up to it, with intervals; the step's p."""

    def both(value: float, low: float, high: float, *, is_change: bool) -> str:
        own = Interval(low, high, result.level, "")
        text = _text(result, value, own, sign=is_change, is_change=is_change)
        return f"{text} ({_ends(result, own)})" if math.isfinite(low) else text

    values = [
        both(value, low, high, is_change=False)
        for value, (low, high) in zip(
            result.values.tolist(), result.intervals.tolist(), strict=True
        )
    ]
    steps = [
        both(step, low, high, is_change=True)
        for step, (low, high) in zip(
            result.steps.tolist(), result.step_intervals.tolist(), strict=True
        )
    ]
    ps = [p_text(p) for p in result.step_p.tolist()]
    return list(zip(result.labels, values, ["", *steps], ["", *ps], strict=True))


def chart(result: Trajectory) -> Chart:
    """The runs in their order, each less the one before beside it."""
    scale, k = _scale(result), len(result.labels)
    y, values, (low, high) = np.arange(k), scale * result.values, scale * result.intervals.T
    marks: list[Mark] = [Line(x=values, y=y, colour=NEUTRAL, width=1.5)]
    if result.has_numbers:
        fitted = scale * result.slope * (result.positions - result.positions.mean())
        marks.append(Line(x=values.mean() + fitted, y=y, colour=INK_2, width=1, dashed=True))
    marks += [
        Intervals(low=low, high=high, y=y, colour=INK),
        Points(x=values, y=y, colour=INK, size=4.5),
    ]
    texts = [
        _text(result, float(v), Interval(float(a), float(b), result.level, ""), is_change=False)
        for v, (a, b) in zip(result.values, result.intervals, strict=True)
    ]
    shown = Panel(
        title=f"{result.of}, {100 * result.level:.0f} % intervals",
        x=_axis(result, result.of, "%", values, low, high),
        y=Rows(rows=tuple(Row(n, values=(t,)) for n, t in zip(result.labels, texts, strict=True))),
        marks=tuple(marks),
        width=320,
    )
    clear = result.step_p <= 1 - result.level
    shapes: list[Shape] = ["circle" if one else "ring" for one in clear.tolist()]
    steps, ends = scale * result.steps, scale * result.step_intervals
    changes = Panel(
        title="Each run less the one before",
        x=_axis(result, "change", "points", steps, ends, [0.0]),
        y=Rows(rows=tuple(Row(name) for name in result.labels), named=False),
        marks=(
            Rule(at=0, label="0"),
            Intervals(low=ends[:, 0], high=ends[:, 1], y=y[1:], colour=INK_2),
            Points(x=steps, y=y[1:], colour=INK, shape=shapes, size=4),
        ),
        width=240,
    )
    return Chart(title=finding(result), note=result.caveat(), panels=((shown, changes),))


def _axis(result: Trajectory, label: str, unit: str, *shown: object) -> Axis:
    after = f", {unit}" if result.unit == "points" else ""
    return axis_over(*shown, label=f"{label}{after}")  # type: ignore[arg-type]  # arrays of numbers


def _steps(result: Trajectory) -> str:
    clear = np.flatnonzero(result.step_p <= 1 - result.level)
    if not len(clear):
        return "No single step is clear."
    largest = clear[np.argsort(-np.abs(result.steps[clear]))][:_NAMED]
    named = []
    for i in largest.tolist():
        low, high = result.step_intervals[i].tolist()
        own = Interval(low, high, result.level, "")
        step = _text(result, float(result.steps[i]), own, sign=True)
        named.append(f"{result.labels[i]} to {result.labels[i + 1]} by {step}")
    more = f" and {len(clear) - _NAMED} more" if len(clear) > _NAMED else ""
    verb = "changes" if len(clear) == 1 else "change"
    count = f"{len(clear)} of {len(result.steps)} steps {verb} clearly"
    return f"{count}: {', '.join(named) if more else listed(named)}{more}."


def _scale(result: Trajectory) -> float:
    return 100.0 if result.unit == "points" else 1.0


def _way(value: float) -> str:
    return "rises" if value > 0 else "falls"


def _text(
    result: Trajectory, value: float, ends: Interval, *, sign: bool = False, is_change: bool = True
) -> str:
    text = number(_scale(result) * value, _digits(result, ends))
    unit = "" if result.unit != "points" else " points" if is_change else " %"
    return f"{'+' if sign and value > 0 else ''}{text}{unit}"


def _digits(result: Trajectory, ends: Interval) -> int:
    low, high = _scale(result) * ends.low, _scale(result) * ends.high
    if result.unit == "points" and not high - low < _FINE:
        return int(high - low < _WIDE)
    return decimals_of(low, high) if math.isfinite(low) else 2


def _ends(result: Trajectory, ends: Interval) -> str:
    scale, digits = _scale(result), _digits(result, ends)
    return f"{number(scale * ends.low, digits)} to {number(scale * ends.high, digits)}"


def _size(result: Trajectory, ends: Interval) -> str:
    """The interval of a clear slope, in its own direction."""
    low, high = sorted((abs(ends.low), abs(ends.high)))
    return _ends(result, Interval(low, high, ends.level, ends.kind))
