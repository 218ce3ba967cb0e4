"""Bokeh figures of words between groups, and beside them an outside table."""

from __future__ import annotations

from typing import Any

import numpy as np
from bokeh.layouts import column, row
from bokeh.models import ColumnDataSource, HoverTool, Span, Whisker
from bokeh.plotting import figure as bokeh_figure

from biaslab.probes.occupations import OccupationsResult
from biaslab.reports.palette import GROUP_1, GROUP_2, INK, NEUTRAL
from biaslab.wording import percent

_COLOURS = {1: GROUP_1, -1: GROUP_2, 0: NEUTRAL}
_MARKERS = {1: "circle", -1: "square", 0: "diamond"}
MOST_PAIRS = 16


def figure(result: OccupationsResult) -> Any:
    """PSE of every word, and the scatter against the outside table; one row per contrast.

    Returns
    -------
    bokeh model
        A figure, or a layout of several.
    """
    rows = []
    for i in range(len(result.combinations)):
        parts = [points(result, i)]
        if result.outside is not None and not result.agreement("pse", i).reason:
            parts.append(scatter(result, i))
        rows.append(row(*parts) if len(parts) > 1 else parts[0])
    return rows[0] if len(rows) == 1 else column(*rows)


def points(result: OccupationsResult, contrast: int = 0) -> Any:
    """PSE of every word, sorted: pooled with its interval, and each cue pair as a ring."""
    asked = result.contrasts[contrast]
    pooled = asked.pooled
    # Bokeh's axis rises from the bottom; the highest PSE stands at the top.
    order = np.argsort(np.nan_to_num(pooled.pse, nan=-np.inf), kind="stable")
    names = [asked.items[i] for i in order]
    lean = [int(pooled.lean[i]) for i in order]
    low, high = pooled.corpus[order, 0], pooled.corpus[order, 1]
    source = ColumnDataSource(
        {
            "word": names,
            "pse": 100 * pooled.pse[order],
            "low": 100 * low,
            "high": 100 * high,
            "colour": [_COLOURS[v] for v in lean],
            "marker": [_MARKERS[v] for v in lean],
            "between": [
                f"{percent(a)} to {percent(b)}" if np.isfinite([a, b]).all() else "no interval"
                for a, b in zip(low, high, strict=True)
            ],
        }
    )
    one, two = result.of_contrast(contrast)
    plot = bokeh_figure(
        width=620,
        height=90 + 18 * len(names),
        y_range=names,
        title="".join(text for text, _ in result.verdict(contrast)).partition(". ")[0],
        x_axis_label=f"PSE, % {two}: left of 50 leans {two}, right of 50 leans {one}",
    )
    _neutral(plot, "height")
    if len(asked.pairs) <= MOST_PAIRS:
        single = 100 * asked.by_pair.pse[order]
        colours = np.repeat(np.array([_COLOURS[v] for v in lean]), single.shape[1])
        plot.scatter(
            single.ravel(),
            np.repeat(names, single.shape[1]).tolist(),
            size=4,
            line_color=colours.tolist(),
            fill_color=None,
        )
    if np.isfinite(pooled.corpus).any():
        plot.add_layout(
            Whisker(base="word", lower="low", upper="high", dimension="width", source=source)
        )
    marks = plot.scatter("pse", "word", size=9, color="colour", marker="marker", source=source)
    plot.add_tools(
        HoverTool(
            renderers=[marks], tooltips=[("", "@word"), ("PSE", "@pse{0.0} %"), ("", "@between")]
        )
    )
    return plot


def scatter(result: OccupationsResult, contrast: int = 0, measure: str = "pse") -> Any:
    """A measure of every word against the outside table, with the line and its band."""
    found = result.agreement(measure, contrast)
    asked = result.contrasts[contrast]
    lean = [int(asked.pooled.lean[asked.index(word)]) for word in found.words]
    source = ColumnDataSource(
        {
            "word": list(found.words),
            "x": found.x,
            "y": 100 * found.y,
            "colour": [_COLOURS[v] for v in lean],
            "marker": [_MARKERS[v] for v in lean],
        }
    )
    ends = found.pearson_interval
    plot = bokeh_figure(
        width=480,
        height=420,
        title=f"r = {found.pearson:.2f} ({ends.low:.2f} to {ends.high:.2f}), n = {found.n}",
        x_axis_label=found.x_label,
        y_axis_label=found.y_label,
    )
    if measure == "pse":
        _neutral(plot, "width")
    if found.line is not None:
        plot.varea(
            found.line.x,
            100 * found.line.low,
            100 * found.line.high,
            color=NEUTRAL,
            fill_alpha=0.2,
        )
        plot.line(found.line.x, 100 * found.line.y, color=INK)
    plot.scatter("x", "y", size=8, color="colour", marker="marker", source=source)
    plot.add_tools(HoverTool(tooltips=[("", "@word"), ("", "@x{0.0}, @y{0.0}")]))
    return plot


def _neutral(plot: Any, dimension: str) -> None:
    plot.add_layout(
        Span(
            location=50,
            dimension=dimension,
            line_color=NEUTRAL,
            line_dash="dotted",
            level="underlay",
        )
    )
