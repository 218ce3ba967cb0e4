"""Bokeh figures of SEAT and CEAT."""

from __future__ import annotations

from typing import Any

import numpy as np
from bokeh.models import ColumnDataSource, HoverTool, Span
from bokeh.plotting import figure as bokeh_figure

from biaslab.probes.association.ceat import CeatResult
from biaslab.probes.association.seat import SeatResult
from biaslab.reports.palette import CHANCE, GROUP_1, NEUTRAL, OBSERVED
from biaslab.wording import number


def seat(result: SeatResult) -> Any:
    """Effect size in each template, with that over words and its interval, and 0."""
    sizes = result.effect_size_by_template
    order = np.argsort(sizes)
    # A template may be given twice, and a factor only once.
    names = [f"{i + 1}. {result.templates[i]}" for i in order]
    over = {i.kind: i for i in result.intervals}["words"]
    reach = 1.08 * result.ceiling
    plot = bokeh_figure(
        width=620,
        height=120 + 22 * len(names),
        y_range=names,
        x_range=(-reach, reach),
        title=f"Effect size by template; over words {number(result.effect_size)}",
        x_axis_label="effect size d",
        tools="save",
        toolbar_location="right",
    )
    if np.isfinite([over.low, over.high]).all():
        plot.hbar(y=names, left=over.low, right=over.high, height=1.0, color=OBSERVED, alpha=0.12)
    source = ColumnDataSource({"template": names, "size": sizes[order]})
    dots = plot.scatter("size", "template", size=9, color=GROUP_1, source=source)
    plot.add_tools(HoverTool(renderers=[dots], tooltips=[("", "@template"), ("d", "@size{0.00}")]))
    plot.add_layout(Span(location=0, dimension="height", line_color=NEUTRAL, line_dash="dashed"))
    plot.add_layout(Span(location=result.effect_size, dimension="height", line_color=OBSERVED))
    return plot


def ceat(result: CeatResult) -> Any:
    """Effect sizes over draws of contexts, and over words and contexts; the combined one, and 0."""
    ends = np.concatenate([result.effect_sizes, result.resampled, [0.0]])
    edges = np.linspace(ends.min(), ends.max() + 1e-9, 41)
    plot = bokeh_figure(
        width=620,
        height=320,
        title=f"Effect size over draws of contexts; combined {number(result.effect_size)}",
        x_axis_label="effect size d",
        y_axis_label="share of draws",
        tools="save",
        toolbar_location="right",
    )
    for values, colour, label in (
        (result.resampled, CHANCE, "words and contexts"),
        (result.effect_sizes, GROUP_1, "contexts"),
    ):
        counts = np.histogram(values, edges)[0] / len(values)
        plot.quad(
            left=edges[:-1], right=edges[1:], bottom=0, top=counts, color=colour, alpha=0.55,
            legend_label=label,
        )  # fmt: skip
    plot.add_layout(Span(location=0, dimension="height", line_color=NEUTRAL, line_dash="dashed"))
    plot.add_layout(Span(location=result.effect_size, dimension="height", line_color=OBSERVED))
    plot.legend.location = "top_left"
    return plot
