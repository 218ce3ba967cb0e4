"""Bokeh figures of an image association: scores with their intervals, and a square per picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bokeh.layouts import column, row
from bokeh.models import ColumnDataSource, HoverTool, Span, Whisker
from bokeh.plotting import figure as bokeh_figure

from biaslab.figures.image_association_marks import STEPS, colour, rows, tones
from biaslab.figures.palette import INK, LINE, NEUTRAL
from biaslab.figures.stereotype_marks import AGAINST, WITH
from biaslab.probes.images.result import ImageAssociation
from biaslab.probes.images.scores import ImageScore

_LABELS, _ROW = 200, 22


def figure(result: ImageAssociation) -> Any:
    """The score over that of each term, beside a square per picture.

    Returns
    -------
    bokeh layout
        Of three figures.
    """
    return column(models([result]), row(terms(result), squares(result)))


def models(results: Sequence[ImageAssociation]) -> Any:
    """The score of every model on one axis from 0 to 100, with its interval and the neutral 50.

    Parameters
    ----------
    results : sequence of ImageAssociation
        The first one stands on top.
    """
    names = [f"{i + 1}. {one.provenance.subject}" for i, one in enumerate(results)]
    plot = _scores([one.overall for one in results], names, "score")
    plot.title.text = "0: always against the stereotype, 100: always with it"
    return plot


def terms(result: ImageAssociation) -> Any:
    """A bar from 50 per term, with its interval over images within terms."""
    return _scores(result.terms, _names(result), "score of each term’s pictures")


def squares(result: ImageAssociation) -> Any:
    """A square per picture, in the row of its term, coloured by its score."""
    shown, names, scores = rows(result), _names(result), result.scores
    tone = tones(scores)
    one, two = result.concept_lists
    numbers = [
        (name, k, i)
        for name, own in zip(names, shown, strict=True)
        for k, i in enumerate(own.images)
    ]
    source = ColumnDataSource(
        {
            "row": [name for name, _, _ in numbers],
            "place": [k + 0.5 for _, k, _ in numbers],
            "colour": [colour(tone[i]) for _, _, i in numbers],
            "term": [result.images[i].term for _, _, i in numbers],
            "shows": [result.images[i].description for _, _, i in numbers],
            "score": [100 * float(scores[i]) for _, _, i in numbers],
            "first": [f"{one} {result.first[i]:.2f}" for _, _, i in numbers],
            "second": [f"{two} {1 - result.first[i]:.2f}" for _, _, i in numbers],
        }
    )
    most = max(len(own.images) for own in shown)
    edges = ", ".join(f"{100 * (0.5 + step):.0f}" for step in STEPS)
    plot = bokeh_figure(
        width=min(max(80 + 16 * most, 440), 900),
        height=110 + _ROW * len(names),
        y_range=names[::-1],
        x_range=(0, most),
        title=f"one square per picture, darker from scores of {edges}",
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
        line_color=LINE,
        source=source,
    )
    plot.add_tools(
        HoverTool(
            renderers=[marks],
            tooltips=[
                ("", "@term"),
                ("score", "@score{0}"),
                ("", "@first"),
                ("", "@second"),
                ("", "@shows"),
            ],
        )
    )
    return plot


def _names(result: ImageAssociation) -> list[str]:
    """One per row, each only once."""
    return [f"{i + 1}. {one.name}" for i, one in enumerate(result.terms)]


def _scores(scores: Sequence[ImageScore], names: Sequence[str], label: str) -> Any:
    data: dict[str, list[Any]] = {
        "name": list(names),
        "score": [100 * s.score for s in scores],
        "low": [100 * s.interval.low for s in scores],
        "high": [100 * s.interval.high for s in scores],
        "neutral": [50] * len(scores),
        "colour": [WITH[1] if s.score > 0.5 else AGAINST[1] for s in scores],
        "counts": [f"{s.stereotyped} of {s.n_images} pictures above 50" for s in scores],
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
    plot.hbar(y="name", left="neutral", right="score", height=0.5, color="colour", source=source)
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
    dots = plot.scatter("score", "name", size=7, color=INK, source=source)
    plot.add_layout(Span(location=50, dimension="height", line_color=NEUTRAL, line_width=1.5))
    plot.xaxis.ticker = [0, 25, 50, 75, 100]
    plot.add_tools(
        HoverTool(
            renderers=[dots],
            tooltips=[
                ("", "@name"),
                ("score", "@score{0.0} (@low{0.0} to @high{0.0})"),
                ("", "@counts"),
            ],
        )
    )
    return plot
