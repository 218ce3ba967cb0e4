"""Paints a chart as a Bokeh figure, or as a layout of several."""

from __future__ import annotations

from dataclasses import replace
from functools import singledispatch
from html import escape
from textwrap import wrap
from typing import Any

import numpy as np
from bokeh.layouts import column, row
from bokeh.models import (
    ColumnDataSource,
    Div,
    FixedTicker,
    HoverTool,
    LinearAxis,
    Range1d,
    Span,
    Title,
)
from bokeh.plotting import figure

from biaslab.reports.chart import (
    Axis,
    Band,
    Cells,
    Chart,
    Floats,
    Intervals,
    Line,
    Mark,
    Panel,
    Points,
    Rows,
    Rule,
    Texts,
    each,
)
from biaslab.reports.palette import INK, INK_2, INK_3, LINE, SURFACE

_MARKERS = {"ring": "circle", "hollow": "diamond", "tick": "dash"}
_OPEN = ("ring", "hollow")
_HEAD = 18
"""Pixels above the rows for the heads of their values."""


def paint(chart: Chart, *, headed: bool = True, panel: int | None = None) -> Any:
    """A figure of the only panel; of several, a layout under the chart's title and note.

    - `headed`, `panel`: as of `biaslab.reports.svg.paint`.
    """
    if panel is not None:
        chart = replace(chart, panels=((chart.panel(panel),),))
    plots = []
    for panels in chart.panels:
        # Bokeh cuts off the lower labels of panels that it moves down beside others.
        above = 26 * max(bool(p.title) + bool(p.x.ends) + len(p.labels) for p in panels)
        plots.append([_panel(panel, above) for panel in panels])
    if len(plots) == len(plots[0]) == 1:
        plot, width = plots[0][0], chart.panels[0][0].width
        if not headed:
            return plot
        if plot.title.text:
            plot.add_layout(_line(plot.title.text, weight="bold"), "above")
        plot.add_layout(_line("\n".join(wrap(chart.note, round(width / 6))), size=11), "above")
        plot.title.text = "\n".join(wrap(chart.title, round(width / 7)))
        return plot
    rows = [own[0] if len(own) == 1 else row(*own) for own in plots]
    if not headed:
        return column(*rows)
    heading = Div(
        text=f"<b>{escape(chart.title)}</b><br><small>{escape(chart.note)}</small>",
        width=max(sum(round(panel.width) for panel in panels) for panels in chart.panels),
    )
    return column(heading, *rows)


def _panel(panel: Panel, above: int) -> Any:
    head = _HEAD if isinstance(panel.y, Rows) and panel.y.heads else 0
    plot = figure(
        frame_width=round(panel.width),
        frame_height=round(panel.tall) + head,
        x_range=Range1d(panel.x.low, panel.x.high),
        title=panel.title,
        x_axis_label=panel.x.label,
        min_border_top=above,
        tools="save" if isinstance(panel.y, Rows) else "pan,wheel_zoom,box_zoom,reset,save",
    )
    plot.toolbar.logo, plot.toolbar.autohide = None, True
    plot.outline_line_color = None
    plot.grid.grid_line_color = LINE
    plot.axis.axis_label_text_font_style = "normal"
    plot.axis.axis_label_text_font_size = "12px"
    _axis(plot.xaxis, panel.x)
    if isinstance(panel.y, Rows):
        plot.y_range = Range1d(panel.y.lines, -head / panel.y.line)
        _rows(plot, panel.y)
    else:
        plot.y_range = Range1d(panel.y.low, panel.y.high)
        plot.yaxis.axis_label = panel.y.label
        _axis(plot.yaxis, panel.y)
    if panel.x.ends:
        places = (panel.x.low, panel.x.high)
        ends = {at: end for at, (end, _) in zip(places, panel.x.ends, strict=True)}
        plot.add_layout(_words(ends, INK_2), "above")
    for rules in panel.labels:
        plot.add_layout(_words({rule.at: rule.label for rule in rules}, rules[0].colour), "above")
    for mark in panel.marks:
        drawn = _mark(mark, plot, panel.places(mark))
        if mark.hover:
            plot.add_tools(HoverTool(renderers=[drawn], tooltips=list(mark.hover)))
    if plot.legend:
        legend = plot.legend[0]
        legend.orientation, legend.click_policy = "horizontal", "hide"
        legend.border_line_color = None
        plot.add_layout(legend, "below")
    return plot


def _line(words: str, *, size: int = 12, weight: str = "normal") -> Title:
    return Title(
        text=words,
        text_font_size=f"{size}px",
        text_font_style=weight,
        text_color=INK if weight == "bold" else INK_3,
    )


def _axis(axes: Any, axis: Axis) -> None:
    if axis.ticks is None:
        return
    if not axis.ticks and not axis.label:
        axes.visible = False
    _label(axes, dict(axis.ticks))


def _label(axes: Any, ticks: dict[float, str]) -> None:
    axes.ticker = FixedTicker(ticks=list(ticks))
    axes.major_label_overrides = ticks


def _rows(plot: Any, rows: Rows) -> None:
    plot.ygrid.visible = False
    middles = rows.middles.tolist()
    names = {at: row.name for at, row in zip(middles, rows.rows, strict=True)}
    plot.yaxis.visible = rows.named
    plot.yaxis.major_tick_line_color = plot.yaxis.axis_line_color = None
    plot.yaxis.minor_tick_line_color = None
    _label(plot.yaxis, dict(sorted({**names, **(dict(rows.headings))}.items())))
    if any(row.values for row in rows.rows):
        values = {at: "   ".join(r.values) for at, r in zip(middles, rows.rows, strict=True)}
        if rows.heads:
            values[-_HEAD / rows.line / 2] = "   ".join(rows.heads)
        plot.add_layout(_words(values, INK_2), "right")


def _words(ticks: dict[float, str], colour: Any) -> LinearAxis:
    """An axis of words alone."""
    axis = LinearAxis(
        axis_line_color=None,
        major_tick_line_color=None,
        minor_tick_line_color=None,
        major_label_text_color=colour,
    )
    _label(axis, ticks)
    return axis


@singledispatch
def _mark(mark: Mark, _plot: Any, _places: dict[str, Floats]) -> Any:
    raise TypeError(f"A {type(mark).__name__} cannot be painted.")


@_mark.register
def _(mark: Points, plot: Any, places: dict[str, Floats]) -> Any:
    count = len(places["x"])
    shapes, colours = each(mark.shape, count), each(mark.colour, count)
    fills = [SURFACE if s in _OPEN else c for s, c in zip(shapes, colours, strict=True)]
    looks = {"colour": colours, "fill": fills, "shape": [_MARKERS.get(s, s) for s in shapes]}
    return plot.scatter(
        "x",
        "y",
        marker="shape",
        angle=np.pi / 2 if "tick" in shapes else 0,
        size=2 * mark.size,
        line_color="colour",
        fill_color="fill",
        alpha=mark.alpha,
        **_shared(mark, places, **looks),
    )


@_mark.register
def _(mark: Intervals, plot: Any, places: dict[str, Floats]) -> Any:
    shared = _shared(mark, places, colour=each(mark.colour, len(places["y"])))
    return plot.segment("low", "y", "high", "y", line_color="colour", **_stroke(mark), **shared)


@_mark.register
def _(mark: Line, plot: Any, places: dict[str, Floats]) -> Any:
    shared = _shared(mark, places)
    return plot.line("x", "y", line_color=mark.colour, **_stroke(mark), **shared)


@_mark.register
def _(mark: Band, plot: Any, places: dict[str, Floats]) -> Any:
    fill = {"fill_color": mark.colour, "fill_alpha": mark.alpha}
    return plot.varea("x", "low", "high", **fill, **_shared(mark, places))


@_mark.register
def _(mark: Cells, plot: Any, places: dict[str, Floats]) -> Any:
    painted = {
        name: [None if one == "none" else one for one in each(given, len(places["left"]))]
        for name, given in (("colour", mark.colour), ("edge", mark.edge))
    }
    looks = {"fill_color": "colour", "fill_alpha": mark.alpha, "line_color": "edge"}
    return plot.quad("left", "right", "top", "bottom", **looks, **_shared(mark, places, **painted))


@_mark.register
def _(mark: Rule, plot: Any, _places: dict[str, Floats]) -> Any:
    span = Span(
        location=mark.at,
        dimension="height" if mark.axis == "x" else "width",
        line_color=mark.colour,
        level="overlay" if plot.renderers else "underlay",  # as the marks stand in the chart
        **_stroke(mark),
    )
    plot.add_layout(span)
    return span


@_mark.register
def _(mark: Texts, plot: Any, places: dict[str, Floats]) -> Any:
    return plot.text(
        "x",
        "y",
        text="words",
        x_offset=mark.shift[0],
        y_offset=mark.shift[1],
        text_color=mark.colour,
        text_font_size="11px",
        text_align={"start": "left", "middle": "center", "end": "right"}[mark.anchor],
        text_font_style="bold" if mark.bold else "normal",
        **_shared(mark, places, words=list(mark.words)),
    )


def _shared(mark: Mark, places: dict[str, Floats], **looks: Any) -> dict[str, Any]:
    """The columns of a mark, and its name in the legend."""
    source = ColumnDataSource({**places, **looks, **(mark.data or {})})
    return {"source": source} | ({"legend_label": mark.name} if mark.name else {})


def _stroke(mark: Intervals | Line | Rule) -> dict[str, Any]:
    dash = "dashed" if mark.dashed else "solid"
    return {"line_alpha": mark.alpha, "line_width": mark.width, "line_dash": dash}
