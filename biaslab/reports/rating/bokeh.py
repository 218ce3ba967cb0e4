"""A Bokeh figure of a rating: the values in the input and in the output of every language."""

from __future__ import annotations

from typing import Any

import numpy as np
from bokeh.layouts import row
from bokeh.models import ColumnDataSource, HoverTool, Legend, LegendItem
from bokeh.plotting import figure as bokeh_figure

from biaslab.probes.rating import RatingResult
from biaslab.reports.palette import GROUP_1, GROUP_2, INK, NEUTRAL

# Okabe and Ito's colours after the two of the groups; ``Other`` is grey.
_MORE = ("#009E73", "#CC79A7", "#E69F00", "#56B4E9")
_UNRESOLVED = "#FFFFFF"
_INPUT = "input"


def figure(result: RatingResult) -> Any:
    """Shares of the values in each block: the input above, the output of each language below.

    What was unresolved is white with an outline. The ratings stand beside the languages.

    Returns
    -------
    bokeh model
        A layout of one figure per block.
    """
    names = [_INPUT, *(_name(rating.title, rating.corrected) for rating in result.ratings)]
    plots = [_block(result, b, names, b == 0) for b in range(len(result.distributions))]
    return row(*plots)


def colours(values: tuple[str, ...]) -> tuple[str, ...]:
    """A colour for each value, ``Other`` last: she is group 1 and he group 2, as everywhere."""
    pair = (GROUP_2, GROUP_1) if values[:2] == ("He", "She") else (GROUP_1, GROUP_2)
    named = (*pair, *(_MORE[i % len(_MORE)] for i in range(len(values) - 3)))
    return (*named[: len(values) - 1], NEUTRAL)


def _name(title: str, rating: str) -> str:
    return f"{title}: {rating}"


def _block(result: RatingResult, b: int, names: list[str], first: bool) -> Any:
    values = result.design.attribute.all_values
    distribution = result.distributions[b]
    output = result.tallies.output[:, b]
    mentions = result.tallies.mentions[b]
    counts = np.vstack([np.array(distribution.shares) * mentions, output])
    lost = np.maximum(mentions - counts.sum(1), 0)
    table = np.column_stack([counts, lost]) / mentions
    right = table.cumsum(1)
    plot = bokeh_figure(
        # Names stand beside the first block only, and need room of their own.
        width=430 if first else 260,
        height=110 + 26 * len(names),
        y_range=names[::-1],
        x_range=(0, 1),
        title=f"{distribution.name}, {distribution.kind}"
        + (", predicted" if result.changed[b] else ""),
        min_border_right=26,
        toolbar_location=None,
        tools="",
    )
    legend = []
    for i, value in enumerate((*values, "unresolved")):
        colour = _UNRESOLVED if i == len(values) else colours(values)[i]
        source = ColumnDataSource(
            {
                "where": names,
                "left": right[:, i] - table[:, i],
                "right": right[:, i],
                "value": [value.casefold()] * len(names),
                "count": np.round(table[:, i] * mentions, 1),
            }
        )
        bars = plot.hbar(
            y="where",
            left="left",
            right="right",
            height=0.6,
            source=source,
            fill_color=colour,
            line_color=INK,
            line_width=0.5,
        )
        if table[:, i].any():
            legend.append(LegendItem(label=value.casefold(), renderers=[bars]))
    plot.add_tools(HoverTool(tooltips=[("", "@where"), ("@value", f"@count of {mentions:.0f}")]))
    plot.xaxis.formatter.use_scientific = False
    plot.xaxis.ticker = [0, 0.5, 1]
    plot.xaxis.major_label_overrides = {0: "0", 0.5: "50 %", 1: "100 %"}
    plot.yaxis.visible = first
    plot.grid.grid_line_color = None
    plot.outline_line_color = None
    plot.add_layout(Legend(items=legend, orientation="horizontal", border_line_color=None), "below")
    return plot
