"""Bokeh figure of a posterior's chains: what they did, and how soon they forget."""

from __future__ import annotations

from typing import Any

import numpy as np
from bokeh.layouts import gridplot
from bokeh.models import Span
from bokeh.plotting import figure as bokeh_figure

from biaslab.probes.posterior.result import PosteriorResult
from biaslab.reports.palette import INK, NEUTRAL

_MOST = 400  # steps drawn: more are averaged over neighbours
_HEIGHT = 150


def figure(result: PosteriorResult) -> Any:
    """Traces and autocorrelations of the logit, |s|² and the dimension that mixes worst.

    A trace is drawn as three bands over chains (their range, the middle 90 % and the middle half)
    and their median, which should look alike from left to right; warm-up is shaded.

    Parameters
    ----------
    result : PosteriorResult

    Returns
    -------
    bokeh grid
    """
    found = result.diagnostics
    worst = found.worst_dimension
    rows = []
    for i, values, warm in (
        (0, result.logit, result.warmup_logit),
        (1, result.square, result.warmup_square),
        (2 + worst, result.draws[:, :, worst], None),
    ):
        if not found.told[i]:
            continue
        every = result.thinned if i > 1 else 1
        rows.append([_trace(found.names[i], values, warm, every), _lags(result, i)])
    if not rows:  # too few draws, or nothing varies
        return bokeh_figure(width=640, height=_HEIGHT, title="Too few draws for a picture")
    return gridplot(rows, toolbar_location=None)


def _trace(name: str, values: Any, warm: Any, every: int) -> Any:
    early = 0 if warm is None else warm.shape[1]
    together = values if warm is None else np.concatenate([warm, values], axis=1)
    steps = together.shape[1]
    width = max(1, -(-steps // _MOST))
    cut = steps // width * width
    # Neighbouring steps of all chains are one sample of where the chains were.
    blocks = together[:, :cut].reshape(len(together), -1, width).transpose(1, 0, 2)
    pooled = blocks.reshape(len(blocks), -1).astype(np.float64)
    at = (np.arange(len(blocks)) + 0.5) * width * every - early
    edges = np.quantile(pooled, [0, 0.05, 0.25, 0.5, 0.75, 0.95, 1], axis=1)
    plot = bokeh_figure(width=460, height=_HEIGHT, x_range=(-early, (steps - early) * every))
    plot.yaxis.axis_label = name
    for low, high, alpha in ((0, 6, 0.12), (1, 5, 0.2), (2, 4, 0.35)):
        plot.varea(at, edges[low], edges[high], fill_color=INK, fill_alpha=alpha)
    plot.line(at, edges[3], line_color=INK)
    if early:
        plot.add_layout(Span(location=0, dimension="height", line_color=NEUTRAL))
    return plot


def _lags(result: PosteriorResult, i: int) -> Any:
    found = result.diagnostics
    values = found.autocorrelation[i]
    title = f"R-hat {found.rhat[i]:.3f}, ESS {found.ess_bulk[i]:,.0f}"
    plot = bokeh_figure(width=260, height=_HEIGHT, y_range=(-0.3, 1.05), title=title)
    plot.vbar(np.arange(len(values)), width=0.5, top=values, bottom=0, color=INK)
    plot.add_layout(Span(location=0, dimension="width", line_color=NEUTRAL))
    plot.xaxis.axis_label = "lag"
    return plot
