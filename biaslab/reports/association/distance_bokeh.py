"""Bokeh figures of distance models: every distance, posteriors of protected words, contrasts."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from bokeh.layouts import column, row
from bokeh.models import ColumnDataSource, FactorRange, HoverTool, Label, Span
from bokeh.plotting import figure as bokeh_figure

from biaslab.probes.association import CONNECTIONS, DistanceModelResult
from biaslab.reports.palette import INK, INK_2, NEUTRAL

#: Connection types are no groups: shades and marks tell them apart, darker is nearer in meaning.
SHADES: Final = {
    "associated": "#16191D",
    "different": "#4A6076",
    "human": "#7F93A6",
    "none": "#8C97A3",
}
MARKS: Final = {
    "associated": "circle",
    "different": "square",
    "human": "diamond",
    "none": "circle",
}
_MOST_POINTS = 20_000


def figure(result: DistanceModelResult) -> Any:
    """Every distance beside the posterior of every protected word; below, the contrasts.

    Returns
    -------
    bokeh layout
    """
    return column(row(points(result), posterior(result)), contrasts(result))


def points(result: DistanceModelResult) -> Any:
    """Every distance by protected word and connection type, of the first replicate."""
    plot = _plot(result, "Every distance", "cosine distance")
    frame = result.table.first(1).to_frame()
    for name in result.connections:
        part = frame[frame["connection"] == name].iloc[:_MOST_POINTS]
        source = ColumnDataSource(
            {
                "row": _rows(result, part["word"].tolist(), [name] * len(part)),
                "distance": part["distance"].to_numpy(),
                "attribute": part["attribute"].tolist(),
            }
        )
        plot.scatter(
            "distance",
            "row",
            marker="dash",
            angle=np.pi / 2,
            size=8,
            color=SHADES[name],
            alpha=0.35 if name == "none" else 0.8,
            source=source,
        )
    plot.add_tools(HoverTool(tooltips=[("", "@attribute"), ("distance", "@distance{0.000}")]))
    _line(plot, 1.0, "unrelated 1.0")
    return plot


def posterior(result: DistanceModelResult) -> Any:
    """Posterior mean and interval of every protected word by connection type."""
    percent = f"{100 * result.level:.0f} %"
    plot = _plot(result, f"What the data support, {percent} HPDI", "cosine distance")
    for name in result.connections:
        c = CONNECTIONS.index(name)
        held = np.flatnonzero(np.isfinite(result.means[:, c]))
        words = [result.words[i] for i in held]
        source = ColumnDataSource(
            {
                "row": _rows(result, words, [name] * len(words)),
                "word": words,
                "mean": result.means[held, c],
                "low": result.intervals[held, c, 0],
                "high": result.intervals[held, c, 1],
            }
        )
        plot.segment("low", "row", "high", "row", color=SHADES[name], line_width=2, source=source)
        plot.scatter(
            "mean",
            "row",
            marker=MARKS[name],
            size=7,
            line_color=SHADES[name],
            fill_color="white" if name == "none" else SHADES[name],
            legend_label=name,
            source=source,
        )
    legend = plot.legend[0]
    legend.orientation, legend.click_policy = "horizontal", "hide"
    plot.add_layout(legend, "below")
    plot.add_tools(
        HoverTool(tooltips=[("", "@word"), ("", "@mean{0.000} (@low{0.000} to @high{0.000})")])
    )
    _line(plot, 1.0, "unrelated 1.0")
    return plot


def contrasts(result: DistanceModelResult) -> Any:
    """Contrasts of this model and beside them those of the paper's and of the crossed one."""
    models = list(dict.fromkeys((result.model, "pooled", "crossed")))
    headline = [c.name for c in result.headline_contrasts][::-1]
    factors = [f"{name}, {model}" for name in headline for model in models[::-1]]
    plot = bokeh_figure(
        width=720,
        height=110 + 30 * len(factors),
        y_range=FactorRange(*factors),
        title="Contrasts between connection types",
        x_axis_label="difference in cosine distance",
        toolbar_location=None,
    )
    for model in models:
        found = result.contrasts if model == result.model else result.beside[model]
        kept = [c for c in found if c.name in headline]
        source = ColumnDataSource(
            {
                "row": [f"{c.name}, {model}" for c in kept],
                "mean": [c.mean for c in kept],
                "low": [c.interval.low for c in kept],
                "high": [c.interval.high for c in kept],
            }
        )
        dash = "dashed" if model == "crossed" else "solid"
        plot.segment(
            "low", "row", "high", "row", color=INK, line_width=2, line_dash=dash, source=source
        )
        fill = "white" if model == "crossed" else INK
        plot.scatter("mean", "row", size=8, line_color=INK, fill_color=fill, source=source)
    plot.add_tools(HoverTool(tooltips=[("", "@mean{0.000} (@low{0.000} to @high{0.000})")]))
    _line(plot, 0.0, "no difference 0")
    return plot


def _plot(result: DistanceModelResult, title: str, label: str) -> Any:
    words = list(zip(result.table.groups, result.words, strict=True))
    order = [pair for g in dict.fromkeys(result.table.groups) for pair in words if pair[0] == g]
    factors = order[::-1]
    return bokeh_figure(
        width=520,
        height=120 + 34 * len(factors),
        y_range=FactorRange(*factors),
        title=title,
        x_axis_label=label,
    )


def _rows(result: DistanceModelResult, words: list[str], kinds: list[str]) -> list[Any]:
    """Places on the axis: the word's line, a little up or down by connection type."""
    group = dict(zip(result.words, result.table.groups, strict=True))
    held = list(result.connections)
    step = 0.7 / max(len(held), 1)
    shift = {name: step * ((len(held) - 1) / 2 - held.index(name)) for name in held}
    return [(group[w], w, shift[kind]) for w, kind in zip(words, kinds, strict=True)]


def _line(plot: Any, at: float, label: str) -> None:
    plot.add_layout(
        Span(location=at, dimension="height", line_color=NEUTRAL, line_width=1.5, level="underlay")
    )
    plot.add_layout(
        Label(
            x=at,
            y=0,
            y_units="screen",
            text=label,
            text_color=INK_2,
            text_font_size="11px",
            x_offset=4,
        )
    )
