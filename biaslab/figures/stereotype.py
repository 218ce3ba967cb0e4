"""Bokeh figures of a stereotype score: shares with their intervals, and a square per pair."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from bokeh.layouts import column, row
from bokeh.models import ColumnDataSource, HoverTool, Span, Whisker
from bokeh.plotting import figure as bokeh_figure

from biaslab.figures.palette import INK, LINE, NEUTRAL
from biaslab.figures.stereotype_marks import AGAINST, STEPS, WITH, colour, rows
from biaslab.probes.sentences.stereotype_result import StereotypeScore
from biaslab.probes.sentences.stereotype_shares import StereotypeShare

_LABELS, _ROW = 200, 22


def figure(result: StereotypeScore) -> Any:
    """The share over a bar per attribute, beside a square per pair.

    Returns
    -------
    bokeh layout
        Of three figures.
    """
    return column(models([result]), row(attributes(result), squares(result)))


def models(results: Sequence[StereotypeScore]) -> Any:
    """The share of every model on one axis from 0 to 100, with its interval and the neutral 50.

    Parameters
    ----------
    results : sequence of StereotypeScore
        The first one stands on top.
    """
    names = [f"{i + 1}. {one.provenance.subject}" for i, one in enumerate(results)]
    plot = _shares(
        [one.overall for one in results],
        names,
        "stereotyped version more probable, % of decided pairs",
    )
    plot.title.text = "0: always against the stereotype, 100: always with it"
    return plot


def attributes(result: StereotypeScore) -> Any:
    """A bar from 50 per attribute (or kind of bias), with its interval over sentences."""
    shown = rows(result)
    return _shares([one.share for one in shown], _names(result), "% of decided pairs")


def squares(result: StereotypeScore) -> Any:
    """A square per pair, in the row of its attribute, coloured by its log-odds."""
    shown, names, odds, outcomes = rows(result), _names(result), result.log_odds, result.outcomes
    numbers = [
        (name, k, i)
        for name, one in zip(names, shown, strict=True)
        for k, i in enumerate(one.pairs)
    ]
    source = ColumnDataSource(
        {
            "row": [name for name, _, _ in numbers],
            "place": [k + 0.5 for _, k, _ in numbers],
            "colour": [
                None if outcomes[i] == "failed" else colour(float(odds[i]), outcomes[i])
                for _, _, i in numbers
            ],
            "edge": [INK if outcomes[i] == "tie" else LINE for _, _, i in numbers],
            "stereotyped": [result.pairs[i].stereotyped for _, _, i in numbers],
            "against": [result.pairs[i].against for _, _, i in numbers],
            "odds": [_told(float(odds[i])) for _, _, i in numbers],
            "outcome": [outcomes[i] for _, _, i in numbers],
        }
    )
    most = max(len(one.pairs) for one in shown)
    plot = bokeh_figure(
        width=min(max(80 + 22 * most, 440), 900),
        height=110 + _ROW * len(names),
        y_range=names[::-1],
        x_range=(0, most),
        title=f"one square per pair, darker from log-odds of {STEPS[0]} and {STEPS[1]}",
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
        line_color="edge",
        source=source,
    )
    plot.add_tools(
        HoverTool(
            renderers=[marks],
            tooltips=[
                ("stereotyped", "@stereotyped"),
                ("against", "@against"),
                ("log-odds", "@odds"),
                ("", "@outcome"),
            ],
        )
    )
    return plot


def _names(result: StereotypeScore) -> list[str]:
    """One per row, each only once: two lists may hold the same attribute."""
    shares = [one.share for one in rows(result)]
    twice = len({s.name for s in shares}) < len(shares)
    return [f"{s.name} ({s.part_of})" if twice else s.name for s in shares]


def _shares(shares: Sequence[StereotypeShare], names: Sequence[str], label: str) -> Any:
    data: dict[str, list[Any]] = {
        "name": list(names),
        "share": [100 * s.share for s in shares],
        "low": [100 * s.interval.low for s in shares],
        "high": [100 * s.interval.high for s in shares],
        "neutral": [50] * len(shares),
        "colour": [WITH[1] if s.share > 0.5 else AGAINST[1] for s in shares],
        "counts": [
            f"{s.wins} with, {s.losses} against, {s.ties} ties, {s.failures} failures"
            for s in shares
        ],
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
    plot.hbar(y="name", left="neutral", right="share", height=0.5, color="colour", source=source)
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
    dots = plot.scatter("share", "name", size=7, color=INK, source=source)
    plot.add_layout(Span(location=50, dimension="height", line_color=NEUTRAL, line_width=1.5))
    plot.xaxis.ticker = [0, 25, 50, 75, 100]
    plot.add_tools(
        HoverTool(
            renderers=[dots],
            tooltips=[("", "@name"), ("%", "@share{0} (@low{0} to @high{0})"), ("", "@counts")],
        )
    )
    return plot


def _told(value: float) -> str:
    return "failed" if math.isnan(value) else f"{value:+.2f}".replace("-", "−")
