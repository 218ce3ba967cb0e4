"""Bokeh figures with a row per name: shares that begin at one half, and squares beside them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bokeh.models import ColumnDataSource, HoverTool, Span, Whisker
from bokeh.plotting import figure as bokeh_figure

from biaslab.reports.palette import INK, NEUTRAL
from biaslab.reports.sentences.marks import AGAINST, WITH
from biaslab.results import Interval

_LABELS, _ROW = 200, 22


def bars(
    names: Sequence[str],
    column: str,
    shares: Sequence[float],
    intervals: Sequence[Interval],
    *,
    counts: Sequence[str],
    label: str,
    told: tuple[str, str],
) -> Any:
    """A bar from 50 per name, with its interval.

    Parameters
    ----------
    names : sequence of str
        Of the rows, from the top; each once.
    column : str
        What a share is called in the figure's data.
    shares : sequence of float
        From 0 to 1.
    intervals : sequence of Interval
    counts : sequence of str
        What a share is of, for whoever points at it.
    label : str
        Of the axis from 0 to 100.
    told : (str, str)
        What stands before a share for whoever points at it, and how it is written there.
    """
    data: dict[str, list[Any]] = {
        "name": list(names),
        column: [100 * share for share in shares],
        "low": [100 * ends.low for ends in intervals],
        "high": [100 * ends.high for ends in intervals],
        "neutral": [50] * len(shares),
        "colour": [WITH[1] if share > 0.5 else AGAINST[1] for share in shares],
        "counts": list(counts),
    }
    source = ColumnDataSource(data)
    plot = bokeh_figure(
        width=620,
        height=110 + _ROW * len(names),
        y_range=list(names)[::-1],
        x_range=(-2, 102),
        x_axis_label=label,
        tools="save",
        toolbar_location="right",
        min_border_left=_LABELS,
    )
    plot.hbar(y="name", left="neutral", right=column, height=0.5, color="colour", source=source)
    plot.add_layout(
        Whisker(
            base="name",
            lower="low",
            upper="high",
            dimension="width",
            level="overlay",
            source=source,
        )
    )
    dots = plot.scatter(column, "name", size=7, color=INK, source=source)
    plot.add_layout(Span(location=50, dimension="height", line_color=NEUTRAL, line_width=1.5))
    plot.xaxis.ticker = [0, 25, 50, 75, 100]
    plot.add_tools(HoverTool(renderers=[dots], tooltips=[("", "@name"), told, ("", "@counts")]))
    return plot


def squares(
    names: Sequence[str],
    rows: Sequence[Sequence[int]],
    data: dict[str, list[Any]],
    *,
    step: int,
    edge: str,
    title: str,
    told: Sequence[tuple[str, str]],
) -> Any:
    """A square per number, in the row that holds it.

    Parameters
    ----------
    names : sequence of str
        Of the rows, from the top; each once.
    rows : sequence of sequence of int
        Numbers of each row, from the left.
    data : dict
        Columns by number: ``colour`` is that of a square, others are told.
    step : int
        Pixels from one square to the next, while there are few.
    edge : str
        Colour of the squares' edges, or the column that has it.
    title : str
    told : sequence of (str, str)
        For whoever points at a square.
    """
    numbers = [i for own in rows for i in own]
    source = ColumnDataSource(
        {
            "row": [name for name, own in zip(names, rows, strict=True) for _ in own],
            "place": [k + 0.5 for own in rows for k in range(len(own))],
            **{name: [column[i] for i in numbers] for name, column in data.items()},
        }
    )
    most = max(map(len, rows))
    plot = bokeh_figure(
        width=min(max(80 + step * most, 440), 900),
        height=110 + _ROW * len(names),
        y_range=list(names)[::-1],
        x_range=(0, most),
        title=title,
        tools="save",
        toolbar_location="right",
    )
    plot.yaxis.visible = False
    plot.xaxis.visible = False
    plot.grid.visible = False
    marks = plot.rect(
        x="place",
        y="row",
        width=0.86,
        height=0.8,
        fill_color="colour",
        line_color=edge,
        source=source,
    )
    plot.add_tools(HoverTool(renderers=[marks], tooltips=list(told)))
    return plot
