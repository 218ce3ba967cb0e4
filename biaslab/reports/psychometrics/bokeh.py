"""Bokeh figures of a two-alternative forced choice result."""

from __future__ import annotations

from textwrap import wrap
from typing import Any

import numpy as np
from bokeh.models import ColumnDataSource, HoverTool, Range1d, Span, Whisker
from bokeh.plotting import figure as bokeh_figure

from biaslab.probes.psychometrics import TwoAFCResult
from biaslab.reports.palette import GROUP_1, GROUP_2, INK, NEUTRAL
from biaslab.reports.psychometrics.labels import answer_label, share_of, stimulus_label

_TITLE = 96
"""Characters in a line of a title."""


def figure(result: TwoAFCResult) -> Any:
    """The psychometric curve of a single item, or the PSEs of several.

    Returns
    -------
    bokeh.plotting.figure
    """
    return curve(result, result.items[0]) if len(result.items) == 1 else points(result)


def curve(result: TwoAFCResult, item: str) -> Any:
    """Psychometric curve of an item: observed shares, fitted curve with band, PSE, 50 % lines."""
    alphas = np.linspace(0, 1, 201)
    share, low, high = result.psi(item, alphas)
    plot = bokeh_figure(
        width=720,
        height=420,
        title="\n".join(wrap(result.verdict(item), _TITLE)),
        x_axis_label=stimulus_label(result),
        y_axis_label=answer_label(result),
        x_range=Range1d(0, 100),
        y_range=Range1d(-2, 102),
    )
    _neutral(plot, "width", 50)
    _neutral(plot, "height", 50)
    if result.is_graded:
        own = result.responses(item=item)[result.answered[:, result.index(item)]]
        rows = list(100 * own.reshape(-1, result.levels))
        plot.multi_line(
            [100 * result.stimuli] * len(rows), rows, color=NEUTRAL, line_width=1, line_alpha=0.4
        )
    plot.varea(100 * alphas, 100 * low, 100 * high, color=NEUTRAL, fill_alpha=0.25)
    plot.line(100 * alphas, 100 * share, color=INK, line_width=2)
    observed = np.nanmean(result.responses(item=item), axis=(0, 1))
    plot.scatter(100 * result.stimuli, 100 * observed, size=5, color=INK, fill_color=None)
    i = result.index(item)
    plot.scatter([100 * float(result.pse[i])], [50], size=10, color=INK, fill_color="white")
    return plot


def points(result: TwoAFCResult) -> Any:
    """PSE of every item, sorted, with its interval; blue where biased to cue 1, orange to cue 2."""
    pooled = result.pooled
    order, reach = np.argsort(pooled.pse), _reach(result)
    names = [result.items[i] for i in order]
    colours = {1: GROUP_1, -1: GROUP_2, 0: NEUTRAL}
    markers = {1: "circle", -1: "square", 0: "diamond"}
    source = ColumnDataSource(
        {
            "item": names,
            "pse": 100 * pooled.pse[order],
            # An interval without an end reaches to that of the axis.
            "low": np.clip(100 * pooled.corpus[order, 0], *reach),
            "high": np.clip(100 * pooled.corpus[order, 1], *reach),
            "colour": [colours[int(pooled.lean[i])] for i in order],
            "marker": [markers[int(pooled.lean[i])] for i in order],
            "verdict": [result.verdict(name) for name in names],
        }
    )
    plot = bokeh_figure(
        width=720,
        height=80 + 18 * len(names),
        x_range=Range1d(*reach),
        y_range=names,
        x_axis_label=f"PSE, % {share_of(result)} (50 is neutral)",
        title=f"PSE of {len(names)} items, {100 * result.level:.0f} % over {result.corpus_kind}",
    )
    _neutral(plot, "height", 50)
    if np.isfinite(pooled.corpus).any():
        plot.add_layout(
            Whisker(base="item", lower="low", upper="high", dimension="width", source=source)
        )
    plot.scatter("pse", "item", size=8, color="colour", marker="marker", source=source)
    plot.add_tools(HoverTool(tooltips=[("", "@verdict")]))
    return plot


def _reach(result: TwoAFCResult) -> tuple[float, float]:
    """The axis of PSEs, in percent: all of them with their intervals, and the neutral one."""
    values = np.append(np.append(result.pooled.corpus, result.pooled.pse), 0.5)
    finite = 100 * values[np.isfinite(values)]
    margin = max(2.0, 0.05 * float(np.ptp(finite)))
    return float(finite.min()) - margin, float(finite.max()) + margin


def _neutral(plot: Any, dimension: str, at: float) -> None:
    plot.add_layout(
        Span(
            location=at,
            dimension=dimension,
            line_color=NEUTRAL,
            line_dash="dotted",
            level="underlay",
        )
    )
