"""Bokeh figure of WEAT: the association of every word, and the permutation test."""

from __future__ import annotations

from typing import Any

import numpy as np
from bokeh.layouts import row
from bokeh.models import ColumnDataSource, HoverTool, Label, Span, Whisker
from bokeh.plotting import figure as bokeh_figure

from biaslab.probes.association.weat_result import WeatResult
from biaslab.reports.palette import CHANCE, GROUP_1, GROUP_2, NEUTRAL, OBSERVED
from biaslab.wording import number, p_text

_COLOURS, _MARKERS = (GROUP_1, GROUP_2), ("circle", "square")


def figure(result: WeatResult) -> Any:
    """Associations of the target words beside the splits.

    Returns
    -------
    bokeh layout
        Of two figures.
    """
    return row(words(result), splits(result))


def words(result: WeatResult) -> Any:
    """s(t, A, B) of every target word, sorted within its list; over replicates also their spread.

    The whiskers of an ensemble span the middle 95 % of its replicates.
    """
    a, b = result.lists.attributes
    mean = result.association.mean(axis=0)
    group = np.repeat(
        np.arange(len(result.lists.groups)), [len(w) for w in result.lists.groups.values()]
    )
    # Bokeh's axis rises from the bottom: the last list comes first, its lowest word lowest.
    order = sorted(range(len(mean)), key=lambda i: (-group[i], mean[i]))
    # A word of both lists stands twice, and a factor only once.
    names = [f"{result.words[i]} ({result.names[group[i]]})" for i in order]
    data = {
        "word": names,
        "association": mean[order],
        "colour": [_COLOURS[group[i]] for i in order],
        "marker": [_MARKERS[group[i]] for i in order],
    }
    furthest = float(np.abs(mean).max())
    if result.n_replicates > 1:
        ends = np.quantile(result.association, [0.025, 0.975], axis=0)[:, order]
        data |= {"low": ends[0], "high": ends[1]}
        furthest = float(np.abs(ends).max())
    source = ColumnDataSource(data)
    plot = bokeh_figure(
        width=560,
        height=110 + 17 * len(names),
        y_range=names,
        x_range=(-1.08 * furthest or -1, 1.08 * furthest or 1),
        title=f"association: left nearer to {b}, right nearer to {a}",
        x_axis_label="s(t, A, B), difference of mean cosines",
    )
    _neutral(plot)
    if result.n_replicates > 1:
        plot.add_layout(
            Whisker(base="word", lower="low", upper="high", dimension="width", source=source)
        )
    marks = plot.scatter(
        "association", "word", size=8, color="colour", marker="marker", source=source
    )
    plot.add_tools(
        HoverTool(renderers=[marks], tooltips=[("", "@word"), ("s", "@association{0.000}")])
    )
    return plot


def splits(result: WeatResult) -> Any:
    """Histogram of the differences of means of all splits, with the observed one."""
    test = result.test
    size = "" if result.reason else f"effect size {number(result.effect_size)}, "
    plot = bokeh_figure(
        width=480,
        height=320,
        title=f"{size}{test.exceed:,} of {test.partitions:,} splits reach it, p = {p_text(test.p)}",
        x_axis_label="difference of means",
        y_axis_label="splits",
    )
    source = ColumnDataSource(
        {
            "left": test.edges[:-1],
            "right": test.edges[1:],
            "counts": test.counts,
            "reached": test.reached,
        }
    )
    plot.quad(
        left="left",
        right="right",
        top="counts",
        bottom=0,
        color=CHANCE,
        line_color="white",
        source=source,
    )
    plot.quad(
        left="left",
        right="right",
        top="reached",
        bottom=0,
        color=OBSERVED,
        line_color="white",
        source=source,
    )
    _neutral(plot)
    plot.add_layout(
        Span(location=test.observed, dimension="height", line_color=OBSERVED, line_width=2)
    )
    plot.add_layout(
        Label(
            x=test.observed,
            y=float(test.counts.max()),
            text=f" observed {number(test.observed, 3)} ",
            text_align="right" if test.observed > 0 else "left",
            text_color=OBSERVED,
            text_font_size="11px",
            text_baseline="top",
        )
    )
    plot.add_tools(HoverTool(tooltips=[("splits", "@counts"), ("reach", "@reached")]))
    return plot


def _neutral(plot: Any) -> None:
    plot.add_layout(
        Span(
            location=0,
            dimension="height",
            line_color=NEUTRAL,
            line_dash="dotted",
            level="underlay",
        )
    )
