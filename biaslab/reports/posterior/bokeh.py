"""Bokeh figures of what is read off a posterior: the plane, words, groups, a lexicon."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from bokeh.models import ColumnDataSource, HoverTool, LabelSet, Span, Whisker
from bokeh.plotting import figure as bokeh_figure

from biaslab.probes.posterior.groups import GroupDistances
from biaslab.probes.posterior.lexicon import LexiconAgreement
from biaslab.probes.posterior.mean_distances import FORMULAS
from biaslab.probes.posterior.plane import PosteriorPlane
from biaslab.probes.posterior.reading import SEEN_FROM
from biaslab.probes.posterior.word_distances import WordDistances
from biaslab.reports.palette import CHANCE, GROUP_1, GROUP_2, INK, INK_2, NEUTRAL, OBSERVED

LABELS: Final = (OBSERVED, "#4A5D73")
"""The first posterior and the second: they are no groups, so not in the groups' colours."""
SHAPES: Final = ("circle", "square")
NAMED_UP_TO: Final = 40
"""Words in the plane up to which each carries its name; of more, those at either end."""
_ENDS: Final = 6


def plane(result: PosteriorPlane) -> Any:
    """Draws of one or two posteriors with their 1 and 2 SD outlines, and words."""
    plot = bokeh_figure(
        width=620,
        height=560,
        match_aspect=True,
        title=result.warning or "Draws in the plane",
        x_axis_label=result.axis_names[0],
        y_axis_label=result.axis_names[1],
    )
    for cloud, colour, shape in zip(result.clouds, LABELS, SHAPES, strict=False):
        plot.scatter(
            cloud.points[:, 0],
            cloud.points[:, 1],
            size=3,
            marker=shape,
            color=colour,
            alpha=0.25,
            legend_label=cloud.label,
        )
        for sigmas in (1, 2):
            ends = cloud.outline(sigmas)
            plot.line(ends[:, 0], ends[:, 1], color=colour, line_dash="dashed")
    if result.terms:
        _plane_words(plot, result)
    plot.legend.title = "outlines at 1 and 2 SD"
    plot.legend.location = "top_left"
    return plot


def _plane_words(plot: Any, result: PosteriorPlane) -> None:
    differences = result.log_density_difference
    told = [f"{d:+.2f}" for d in differences] or ["not known"] * len(result.terms)
    every = ColumnDataSource(
        {
            "term": list(result.terms),
            "x": result.word_points[:, 0],
            "y": result.word_points[:, 1],
            "difference": told,
        }
    )
    marks = plot.scatter("x", "y", size=5, color=INK, alpha=0.6, source=every)
    tooltips = [("", "@term")]
    if len(differences):
        a, b = result.labels
        tooltips.append((f"log p(w|{a}) − log p(w|{b})", "@difference"))
    plot.add_tools(HoverTool(renderers=[marks], tooltips=tooltips))
    named = np.arange(len(result.terms))
    if len(named) > NAMED_UP_TO:
        by = differences if len(differences) else result.word_points[:, 0]
        order = np.argsort(by, kind="stable")
        named = np.concatenate([order[:_ENDS], order[::-1][:_ENDS]])
    some = ColumnDataSource(
        {
            "term": [result.terms[i] for i in named],
            "x": result.word_points[named, 0],
            "y": result.word_points[named, 1],
        }
    )
    plot.add_layout(
        LabelSet(
            x="x",
            y="y",
            text="term",
            source=some,
            x_offset=5,
            y_offset=2,
            text_font_size="11px",
            text_color=INK,
        )
    )


def distances(result: WordDistances, k: int = 10) -> Any:
    """The k closest and the k most distant words with their Monte Carlo intervals."""
    near = result.closest(k)
    # A short table has words that are both: they are shown once, among the closest.
    seen = {one.term for one in near}
    far = [one for one in result.most_distant(k) if one.term not in seen][::-1]
    shown = [*near, *far][::-1]
    names = [one.term for one in shown]
    source = ColumnDataSource(
        {
            "term": names,
            "distance": [one.distance for one in shown],
            "low": [one.interval.low for one in shown],
            "high": [one.interval.high for one in shown],
            "place": [f"{one.rank:,} of {one.of:,}" for one in shown],
            "colour": [OBSERVED if one.term in seen else INK_2 for one in shown],
            "marker": [SHAPES[0] if one.term in seen else SHAPES[1] for one in shown],
        }
    )
    plot = bokeh_figure(
        width=620,
        height=110 + 20 * len(names),
        y_range=names,
        title=f"Closest and most distant words to the posterior of {result.label}",
        x_axis_label=_axis(result.distance, result.centre),
    )
    _right_angle(plot, result.neutral)
    if np.isfinite(source.data["low"]).all():
        plot.add_layout(
            Whisker(base="term", lower="low", upper="high", dimension="width", source=source)
        )
    marks = plot.scatter("distance", "term", size=8, color="colour", marker="marker", source=source)
    plot.add_tools(
        HoverTool(
            renderers=[marks],
            tooltips=[("", "@term"), ("distance", "@distance{0.0000}"), ("rank", "@place")],
        )
    )
    return plot


def groups(result: GroupDistances) -> Any:
    """Every name of both groups as a tick, and the means with their intervals over names."""
    names = [f"{one.name}, {len(one.terms)}" for one in result.groups]
    plot = bokeh_figure(
        width=620,
        height=200,
        y_range=names[::-1],
        title="".join(text for text, _ in result.verdict()),
        x_axis_label=_axis(result.distance, result.centre),
    )
    _right_angle(plot, result.neutral)
    for one, name, colour, shape in zip(
        result.groups, names, (GROUP_1, GROUP_2), SHAPES, strict=True
    ):
        ticks = ColumnDataSource(
            {"term": list(one.terms), "distance": one.distances, "group": [name] * len(one.terms)}
        )
        marks = plot.scatter(
            "distance", "group", marker="dash", angle=np.pi / 2, size=22, color=colour, alpha=0.45,
            source=ticks,
        )  # fmt: skip
        plot.add_tools(
            HoverTool(renderers=[marks], tooltips=[("", "@term"), ("", "@distance{0.0000}")])
        )
        if np.isfinite([one.interval.low, one.interval.high]).all():
            plot.line([one.interval.low, one.interval.high], [name, name], color=INK, line_width=3)
        plot.scatter([one.mean], [name], size=12, color=colour, marker=shape, line_color="white")
    return plot


def lexicon(result: LexiconAgreement) -> Any:
    """Distances of positive and of negative words: two histograms over one axis."""
    measured = result.distances.mean
    edges = np.linspace(measured.min(), measured.max() + 1e-12, 61)
    found = result.pearson_interval
    plot = bokeh_figure(
        width=620,
        height=320,
        title=(
            f"r = {result.pearson:.2f} ({found.low:.2f} to {found.high:.2f}), "
            f"n = {result.n:,} words of {result.lexicon}"
        ),
        x_axis_label=_axis(result.distances.distance, result.distances.centre),
        y_axis_label="share of its words",
    )
    _right_angle(plot, result.distances.neutral)
    for name, chosen, colour in (
        ("positive words", result.polarity > 0, OBSERVED),
        ("negative words", result.polarity < 0, LABELS[1]),
    ):
        counts = np.histogram(measured[chosen], edges)[0] / max(int(chosen.sum()), 1)
        plot.quad(
            left=edges[:-1], right=edges[1:], bottom=0, top=counts, color=colour, alpha=0.45,
            line_color=CHANCE, legend_label=name,
        )  # fmt: skip
    return plot


def _axis(distance: str, centre: str) -> str:
    seen_from = f", {SEEN_FROM[centre]}" if distance != "euclidean" else ""
    return f"mean {distance} distance to the draws, {FORMULAS[distance]}{seen_from}"


def _right_angle(plot: Any, neutral: float | None) -> None:
    if neutral is None:
        return
    plot.add_layout(
        Span(
            location=neutral,
            dimension="height",
            line_color=NEUTRAL,
            line_dash="dotted",
            level="underlay",
        )
    )
