"""Bokeh figure of MAC: a mean per word and list, and the means of means."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from bokeh.models import ColumnDataSource, HoverTool, Span
from bokeh.plotting import figure as bokeh_figure

from biaslab.probes.association.mac_result import MacResult, of_connections
from biaslab.reports.palette import CONNECTION_MARKS, CONNECTIONS, INK, NEUTRAL
from biaslab.wording import number

_MARKERS = {**CONNECTION_MARKS, "ring": "circle"}


def figure(result: MacResult) -> Any:
    """One row per connection: every mean of a word and a list, and above them the mean of means.

    Returns
    -------
    bokeh figure
    """
    means = result.means.mean(axis=0)
    words = np.array(result.lists.words)
    names = list(result.by_connection)[::-1] or ["attributes"]
    cells = of_connections(result.lists) or {
        "attributes": [(j, slice(0, len(words))) for j in range(len(result.lists.attributes))]
    }
    unrelated = 1.0 if result.as_ == "distance" else 0.0
    shown = np.append(means[np.isfinite(means)], unrelated)
    plot = bokeh_figure(
        width=640,
        height=120 + 60 * len(names),
        y_range=names,
        x_range=(float(shown.min()) - 0.03, float(shown.max()) + 0.03),
        title=f"MAC {number(result.mac)} as a {result.as_}; {unrelated:g} is unrelated",
        x_axis_label=f"cosine {result.as_}: each mean of a word and a list, and their mean",
    )
    plot.add_layout(
        Span(location=unrelated, dimension="height", line_color=NEUTRAL, level="underlay")
    )
    plot.add_layout(
        Span(location=result.mac, dimension="height", line_color=INK, line_dash="dashed")
    )
    for name in names:
        points = [(i, j) for j, rows in cells[name] for i in range(rows.start, rows.stop)]
        colour = CONNECTIONS.get(name, INK)
        marker = _MARKERS.get(CONNECTION_MARKS.get(name, ""), "circle")
        source = ColumnDataSource(
            {
                "value": [means[i, j] for i, j in points],
                "row": [(name, -0.15)] * len(points),
                "word": [words[i] for i, _ in points],
                "list": [result.compared[j] for _, j in points],
            }
        )
        marks = plot.scatter(
            "value",
            "row",
            size=5,
            marker=marker,
            line_color=colour,
            fill_color=None,
            line_alpha=0.7,
            source=source,
        )
        plot.add_tools(
            HoverTool(renderers=[marks], tooltips=[("", "@word - @list"), ("", "@value{0.000}")])
        )
        if name in result.by_connection:
            widest = result.connection_intervals[name][-1]
            if math.isfinite(widest.low):
                plot.segment(
                    [widest.low],
                    [(name, 0.2)],
                    [widest.high],
                    [(name, 0.2)],
                    line_color=colour,
                    line_width=2,
                )
            plot.scatter(
                [result.by_connection[name]],
                [(name, 0.2)],
                size=10,
                marker=marker,
                line_color=colour,
                fill_color=None if name == "none" else colour,
            )
    return plot
