"""Chart of psychometric curves per layer: PSE, JND and the answer to an even blend over depth."""

from __future__ import annotations

import numpy as np

from biaslab.probes.psychometrics.layers_result import Floats, LayersResult
from biaslab.reports.chart import (
    Axis,
    Chart,
    Intervals,
    Panel,
    Points,
    Row,
    Rows,
    Rule,
    finding,
    lean_marks,
)
from biaslab.reports.layers.words import name_of
from biaslab.reports.palette import INK
from biaslab.wording import joined

_ITEMS = 8
"""Items with rows of their own; more are left to the table."""


def chart(result: LayersResult, item: str | None = None) -> Chart:
    """A row per layer; without an item, of the first items."""
    items = result.items[:_ITEMS] if item is None else (item,)
    rows = tuple(
        Row(f"layer {name_of(result, layer)}", group=each if len(result.items) > 1 else "")
        for each in items
        for layer in result.layers
    )
    at = [(result.index(each), layer) for each in items for layer in result.layers]
    found = [(i, result.estimates(layer)) for i, layer in at]
    looks = lean_marks([int(one.lean[i]) for i, one in found])
    cue_2 = result.pairs[0][1]
    pse = np.array([[one.pse[i], *one.corpus[i]] for i, one in found])
    jnd = np.array([[one.jnd[i], *one.jnd_interval[i]] for i, one in found])
    even = np.array([[one.neutral[i], *one.neutral_interval[i]] for i, one in found])
    panels = (
        _panel(rows, pse, looks, f"PSE, % {cue_2}", "PSE", neutral=True, named=True),
        _panel(rows, jnd, {"colour": INK}, "JND, points", "JND", neutral=False),
        _panel(rows, even, looks, f"answers {cue_2}, %", "answer to an even blend", neutral=True),
    )
    left = len(result.items) - len(items)
    more = f" {left} more words are in the table." if item is None and left else ""
    title = finding(result) if item is None else joined(result.verdict_spans(item))
    return Chart(title=title, note=result.caveat() + more, panels=(panels,))


def _panel(
    rows: tuple[Row, ...],
    values: Floats,
    looks: dict[str, object],
    label: str,
    title: str,
    *,
    neutral: bool,
    named: bool = False,
) -> Panel:
    """Estimates with their intervals, (rows, 3), in percent."""
    percents = 100 * values
    low, high = _reach(percents, neutral)
    y = np.arange(len(rows))
    ends = np.clip(percents[:, 1:], low, high)
    colour = looks["colour"]
    inside = np.where((percents[:, 0] >= low) & (percents[:, 0] <= high), percents[:, 0], np.nan)
    marks = (
        *((Rule(at=50, label="50 %", colour=INK),) if neutral else ()),
        Intervals(low=ends[:, 0], high=ends[:, 1], y=y, colour=colour),  # type: ignore[arg-type]
        Points(x=inside, y=y, data={"row": [row.name for row in rows]},
               hover=(("", "@row"), (title, "@x{0.0}")), **looks),  # type: ignore[arg-type]
    )  # fmt: skip
    return Panel(
        title=title,
        x=Axis(low=low, high=high, label=label),
        y=Rows(rows=rows, named=named),
        marks=marks,
        width=210,
    )


def _reach(percents: Floats, neutral: bool) -> tuple[float, float]:
    """An axis over all estimates, and over intervals as far as these."""
    shown = percents[np.isfinite(percents)]
    shown = np.append(shown, [30.0, 70.0] if neutral else [0.0])
    low, high = float(shown.min()), float(shown.max())
    room = 0.05 * (high - low) or 1.0
    return (low - room if neutral else 0.0), high + room
