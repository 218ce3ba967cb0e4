"""Bokeh figure of drawn effect sizes between the ceilings."""

from __future__ import annotations

from typing import Any

from bokeh.models import Span
from bokeh.plotting import figure as bokeh_figure

from biaslab.probes.association.simulation import WeatSimulation
from biaslab.reports.palette import CHANCE, NEUTRAL, OBSERVED
from biaslab.wording import number


def figure(result: WeatSimulation) -> Any:
    """Histogram of the effect sizes, with the neutral value and the ceilings.

    Returns
    -------
    bokeh figure
    """
    truth = "no difference" if result.no_difference else "a difference"
    plot = bokeh_figure(
        width=560,
        height=320,
        title=(
            f"{len(result.effect_size):,} draws with {truth} in means, σ = {result.sd:g}, "
            f"ddof {result.ddof}; ceiling ±{number(result.ceiling)}"
        ),
        x_axis_label="effect size",
        y_axis_label="draws",
    )
    plot.quad(
        left=result.edges[:-1],
        right=result.edges[1:],
        top=result.counts,
        bottom=0,
        color=CHANCE,
        line_color="white",
    )
    plot.add_layout(Span(location=0, dimension="height", line_color=NEUTRAL, line_dash="dotted"))
    for end in (-result.ceiling, result.ceiling):
        plot.add_layout(
            Span(location=end, dimension="height", line_color=OBSERVED, line_dash="dashed")
        )
    return plot
