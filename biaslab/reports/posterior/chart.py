"""Charts of what is read off a posterior: the plane, words, groups, a lexicon, texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from biaslab.probes.posterior.group_distances import GroupDistances
from biaslab.probes.posterior.lexicon_agreement import LexiconAgreement
from biaslab.probes.posterior.overview_result import PosteriorOverview
from biaslab.probes.posterior.plane_of_draws import PosteriorPlane
from biaslab.probes.posterior.reading import FORMULAS, SEEN_FROM
from biaslab.probes.posterior.reviews import NearestReviews
from biaslab.probes.posterior.word_distances import WordDistances
from biaslab.records.wording import counted, number
from biaslab.reports.chart import (
    Axis,
    Chart,
    Intervals,
    Line,
    Mark,
    Panel,
    Points,
    Row,
    Rows,
    Rule,
    Shape,
    Texts,
    axis_over,
    bins,
    finding,
)
from biaslab.reports.palette import GROUP_1, GROUP_2, INK, INK_2, INK_3, NEUTRAL, OBSERVED
from biaslab.reports.posterior.draws import traces

_LABELS: Final = (OBSERVED, "#4A5D73")
"""The first posterior and the second: they are no groups, so not in the groups' colours."""
_SHAPES: Final[tuple[Shape, Shape]] = ("circle", "square")
_NAMED_UP_TO: Final = 40
"""Words in the plane up to which each carries its name; of more, those at either end."""
_ENDS: Final = 6
_CLOSEST: Final = 4
_WIDEST: Final = 560
_STILL: Final = 400
"""Draws of each label in an SVG: it is stored in every notebook that shows it."""


def overview(result: PosteriorOverview) -> Chart:
    """The plane with the closest and the most distant words, beside the groups."""
    label = next(iter(result.posteriors))
    read = result.reading
    panels = []
    if read.plane is not None:
        table = read.lexicon.get(label)
        extremes = table and (
            *table.distances.closest(_CLOSEST),
            *table.distances.most_distant(_CLOSEST),
        )
        panels.append(_plane(read.plane, [one.term for one in extremes or ()]))
    if label in read.groups:
        panels.append(_groups(read.groups[label]))
    if not panels:
        return traces(result.of(label))
    return Chart(title=finding(result), note=result.of(label).caveat(), panels=(tuple(panels),))


def plane(result: PosteriorPlane) -> Chart:
    """Draws of one or two posteriors with their 1 and 2 SD outlines, and words."""
    return Chart(title=finding(result), note=result.caveat(), panels=((_plane(result),),))


def distances(result: WordDistances, k: int = 10) -> Chart:
    """The k closest and the k most distant words with their Monte Carlo intervals."""
    near = result.closest(k)
    # A short table has words that are both: they are shown once, among the closest.
    seen = {one.term for one in near}
    far = [one for one in result.most_distant(k) if one.term not in seen][::-1]
    shown = [*near, *far]
    low, high = ([getattr(one.interval, end) for one in shown] for end in ("low", "high"))
    colours = [OBSERVED if one.term in seen else INK_2 for one in shown]
    rows = np.arange(len(shown))
    value = [one.distance for one in shown]
    panel = Panel(
        title=f"Closest and most distant words to the posterior of {result.label}",
        x=axis_over(value, low, high, label=_label(result.distance, result.centre)),
        y=Rows(
            rows=tuple(
                Row(one.term, values=(number(one.distance, 4), f"{one.rank:,} of {one.of:,}"))
                for one in shown
            ),
            heads=("distance", "rank"),
        ),
        marks=(
            *_right_angle(result.neutral, *value),
            Intervals(low=low, high=high, y=rows, colour=colours),
            Points(
                x=value,
                y=rows,
                colour=colours,
                shape=[_SHAPES[one.term not in seen] for one in shown],
                data={
                    "term": [one.term for one in shown],
                    "place": [f"{one.rank:,} of {one.of:,}" for one in shown],
                },
                hover=(("", "@term"), ("distance", "@x{0.0000}"), ("rank", "@place")),
            ),
        ),
        width=430,
    )
    return Chart(title=finding(result), note=result.caveat(), panels=((panel,),))


def groups(result: GroupDistances) -> Chart:
    """Every name of both groups as a tick, and the means with their intervals over names."""
    return Chart(title=finding(result), note=result.caveat(), panels=((_groups(result),),))


def lexicon(result: LexiconAgreement) -> Chart:
    """Distances of positive and of negative words: two histograms over one axis."""
    measured = result.distances.mean
    edges = np.linspace(measured.min(), measured.max() + 1e-12, 61)
    interval = result.pearson_interval
    marks: list[Mark] = list(_right_angle(result.distances.neutral, *edges))
    highest = 0.0
    for name, chosen, colour in zip(
        ("positive words", "negative words"),
        (result.polarity > 0, result.polarity < 0),
        _LABELS,
        strict=True,
    ):
        shares = np.histogram(measured[chosen], edges)[0] / max(int(chosen.sum()), 1)
        highest = max(highest, float(shares.max()))
        marks.append(bins(edges, shares, colour=colour, alpha=0.45, name=name))
    panel = Panel(
        title=(
            f"r = {number(result.pearson)} ({number(interval.low)} to {number(interval.high)}), "
            f"n = {counted(result.n, 'word')} of {result.lexicon}"
        ),
        x=axis_over(edges, label=_label(result.distances.distance, result.distances.centre)),
        y=Axis(low=0, high=1.05 * highest or 1.0, label="share of its words"),
        marks=tuple(marks),
        width=560,
        height=260,
    )
    return Chart(title=finding(result), note=result.caveat(), panels=((panel,),))


def _plane(result: PosteriorPlane, named: Sequence[str] = ()) -> Panel:
    marks: list[Mark] = [Rule(at=0, width=1), Rule(at=0, axis="y", width=1)]
    every = [result.word_points] if result.terms else []
    for cloud, colour, shape in zip(result.clouds, _LABELS, _SHAPES, strict=False):
        x, y = cloud.points.T
        every.append(np.asarray(cloud.points, dtype=float))
        marks.append(
            Points(x=x, y=y, shape=shape, size=1.5, colour=colour, alpha=0.3, name=cloud.label,
                   still=_STILL)
        )  # fmt: skip
        for sigmas in (1, 2):
            edge = cloud.outline(sigmas)
            every.append(edge)
            name = "outlines at 1 and 2 SD" if sigmas == 1 and colour == _LABELS[0] else ""
            marks.append(Line(x=edge[:, 0], y=edge[:, 1], colour=colour, width=1.2, dashed=True,
                              name=name))  # fmt: skip
    if result.terms:
        words, *names = _words(result, named)
        marks = [words, *marks, *names]
    points = np.concatenate(every)
    low, high = points.min(axis=0), points.max(axis=0)
    span = np.maximum(1.16 * (high - low), 1e-9)
    # One scale for both axes, so that distances can be read.
    span = np.maximum(span, span.max() / 2)
    x_axis, y_axis = (
        Axis(low=float(middle - reach / 2), high=float(middle + reach / 2), label=label)
        for middle, reach, label in zip((low + high) / 2, span, result.axis_names, strict=True)
    )
    scale = _WIDEST / float(span.max())
    return Panel(
        title=result.warning or "Draws in the plane",
        x=x_axis,
        y=y_axis,
        marks=tuple(marks),
        width=scale * float(span[0]),
        height=scale * float(span[1]),
    )


def _words(result: PosteriorPlane, named: Sequence[str]) -> list[Mark]:
    """Every word as a point; the names of `named`, of all if they are few, or of either end."""
    differences = result.log_density_difference
    labels = [f"{d:+.2f}" for d in differences] or ["not known"] * len(result.terms)
    hover = [("", "@term")]
    if len(differences):
        a, b = result.labels
        hover.append((f"log p(w|{a}) − log p(w|{b})", "@difference"))
    order = np.arange(len(result.terms))
    if named:
        order = np.array([result.terms.index(term) for term in named])
    elif len(order) > _NAMED_UP_TO:
        by = differences if len(differences) else result.word_points[:, 0]
        order = np.argsort(by, kind="stable")
        order = np.concatenate([order[:_ENDS], order[::-1][:_ENDS]])
    x, y = result.word_points.T
    return [
        Points(
            x=x,
            y=y,
            size=2,
            alpha=0.5,
            colour=INK_3,
            data={"term": list(result.terms), "difference": labels},
            hover=tuple(hover),
            still=_STILL,
        ),
        Points(x=x[order], y=y[order], size=2.5),
        Texts(x=x[order], y=y[order], words=[result.terms[i] for i in order], shift=(6, 4)),
    ]


def _groups(result: GroupDistances) -> Panel:
    rows, marks, every = [], [], []
    level = 0.0
    for k, (one, colour, shape) in enumerate(
        zip(result.groups, (GROUP_1, GROUP_2), _SHAPES, strict=True)
    ):
        low, high = one.interval.low, one.interval.high
        between = f"{number(low, 3)} to {number(high, 3)}" if np.isfinite([low, high]).all() else ""
        rows.append(Row(f"{one.name}, {len(one.terms)}", values=(number(one.mean, 3), between)))
        looks: dict[str, Any] = {"y": k, "colour": colour}
        marks += [
            Points(x=one.distances, shape="tick", size=10, alpha=0.45,
                   data={"term": list(one.terms)}, hover=(("", "@term"), ("", "@x{0.0000}")),
                   **looks),
            Intervals(low=low, high=high, y=k, width=3),
            Points(x=one.mean, shape=shape, size=6, **looks),
        ]  # fmt: skip
        every += [*one.distances, low, high]
        level = one.interval.level
    return Panel(
        title=f"Distance to “{result.label}”",
        x=axis_over(every, [] if result.neutral is None else result.neutral,
                    label=_label(result.distance, result.centre)),
        y=Rows(rows=tuple(rows), heads=("mean", f"{100 * level:.0f} %"), line=40),
        marks=(*_right_angle(result.neutral), *marks),
        width=400,
    )  # fmt: skip


def _label(distance: str, centre: str) -> str:
    seen_from = f", {SEEN_FROM[centre]}" if distance != "euclidean" else ""
    return f"mean {distance} distance to the draws, {FORMULAS[distance]}{seen_from}"


def _right_angle(neutral: float | None, *shown: float) -> tuple[Mark, ...]:
    """The distance of a right angle, where it is within what is shown."""
    if neutral is None or (shown and not min(shown) <= neutral <= max(shown)):
        return ()
    return (Rule(at=neutral, label=f"right angle {neutral:g}", dashed=True),)


def reviews(result: NearestReviews) -> Chart:
    """Distance of each text to its point, beside the median distance of all texts."""
    rows, distances, middles = [], [], []
    for point, near, middle in zip(result.points, result.nearest, result.middle, strict=True):
        for one in near:
            stars = "" if one.stars is None else f"{one.stars} stars"
            rows.append(Row(one.id, point, (number(one.distance, 4), stars or one.label)))
            distances.append(one.distance)
            middles.append(middle)
    excerpts = [one.excerpt for near in result.nearest for one in near]
    place = np.arange(len(rows))
    panel = Panel(
        x=axis_over(
            distances, middles, label=f"{result.distance} distance, {FORMULAS[result.distance]}"
        ),
        y=Rows(rows=tuple(rows), heads=("distance", "author")),
        marks=(
            Points(
                x=middles,
                y=place,
                shape="tick",
                colour=NEUTRAL,
                name=f"median of {counted(result.n, 'text')}",
            ),
            Points(
                x=distances,
                y=place,
                colour=INK,
                name="this text",
                data={"excerpt": excerpts},
                hover=(("", "@excerpt"),),
            ),
        ),
        width=420,
    )
    return Chart(title=finding(result), note=result.caveat(), panels=((panel,),))
