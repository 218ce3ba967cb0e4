"""A still picture of both labels' posteriors as SVG text: the plane, and the groups compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from textwrap import wrap
from typing import Final

import numpy as np

from biaslab.probes.posterior.groups import GroupDistances
from biaslab.probes.posterior.overview_result import PosteriorOverview
from biaslab.probes.posterior.plane import PosteriorPlane
from biaslab.reports.palette import (
    GROUP_1,
    GROUP_1_TEXT,
    GROUP_2,
    GROUP_2_TEXT,
    INK,
    INK_2,
    INK_3,
    LINE,
    NEUTRAL,
    OBSERVED,
)
from biaslab.reports.svg_parts import document, line, mark, text

WIDTH: Final = 760
_SIDE: Final = 420
_TOP: Final = 116
_COLOURS: Final = (OBSERVED, "#4A5D73")
_POINTS: Final = 400
"""Draws of each label in the picture: it is stored in every notebook that shows it."""
_NAMED: Final = 4

Scale = Callable[[float], float]


def svg(result: PosteriorOverview) -> str:
    """Draw what there is: verdict, plane, the closest words, and the groups."""
    label = next(iter(result.posteriors))
    title = "".join(words for words, _ in result.finding(label))
    body = "\n".join(_elements(result, label, title))
    return document(title, body, WIDTH, _TOP + _SIDE + 60)


def _elements(result: PosteriorOverview, label: str, title: str) -> Iterator[str]:
    for n, part in enumerate(wrap(title, 96)[:3]):
        yield text(16, 26 + 20 * n, part, INK, size=15)
    for n, part in enumerate(wrap(result.of(label).caveat(), 122)[:2]):
        yield text(16, 84 + 14 * n, part, INK_3, size=11)
    if result.reading.plane is not None:
        yield from _plane(result.reading.plane, result, label)
    groups = result.reading.groups.get(label)
    if groups is not None:
        yield from _groups(groups)


def _plane(plane: PosteriorPlane, result: PosteriorOverview, label: str) -> Iterator[str]:
    every = np.concatenate([cloud.points for cloud in plane.clouds])
    low, high = np.quantile(every, [0.002, 0.998], axis=0)
    half = 0.55 * float(max((high - low).max(), 1e-9))
    cx, cy = (float(v) for v in (low + high) / 2)

    def x(value: float) -> float:
        return 16 + _SIDE * (value - cx + half) / (2 * half)

    def y(value: float) -> float:
        return _TOP + _SIDE * (cy + half - value) / (2 * half)

    bottom = _TOP + _SIDE
    yield line(16, y(0), 16 + _SIDE, y(0), LINE)
    yield line(x(0), _TOP, x(0), bottom, LINE)
    for n, (cloud, colour) in enumerate(zip(plane.clouds, _COLOURS, strict=False)):
        few = cloud.points[:: max(len(cloud.points) // _POINTS, 1)]
        inside = few[(np.abs(few - [cx, cy]) < half).all(axis=1)]
        dots = "".join(f'<circle cx="{x(a):.1f}" cy="{y(b):.1f}" r="1.4"/>' for a, b in inside)
        yield f'<g fill="{colour}" fill-opacity="0.35">{dots}</g>'
        for sigmas in (1, 2):
            ends = " ".join(f"{x(a):.1f},{y(b):.1f}" for a, b in cloud.outline(sigmas))
            yield (
                f'<polygon points="{ends}" fill="none" stroke="{colour}" stroke-dasharray="5 4"/>'
            )
        yield text(16 + 90 * n, bottom + 34, cloud.label, colour, size=12, weight="bold")
    yield from _named(plane, result, label, x, y)
    yield text(16 + _SIDE, bottom + 16, plane.axis_names[0], INK_3, size=11, anchor="end")
    yield text(16, _TOP - 6, plane.axis_names[1], INK_3, size=11)


def _named(
    plane: PosteriorPlane, result: PosteriorOverview, label: str, x: Scale, y: Scale
) -> Iterator[str]:
    found = result.reading.lexicon.get(label)
    if found is None:
        return
    ends = (*found.distances.closest(_NAMED), *found.distances.most_distant(_NAMED))
    for one in ends:
        (a, b), _ = plane.word(one.term)
        yield mark(x(float(a)), y(float(b)), 1, INK, 3)
        yield text(x(float(a)) + 7, y(float(b)) + 4, one.term, INK, size=11)


def _groups(groups: GroupDistances) -> Iterator[str]:
    left, right, top = 520, 744, _TOP + 34
    values = np.concatenate([g.distances for g in groups.groups])
    held = [float(values.min()), float(values.max())]
    held += [] if groups.neutral is None else [groups.neutral]
    low, high = min(held), max(held)
    span = max(high - low, 1e-9)

    def x(value: float) -> float:
        return left + (right - left) * (value - low) / span

    yield text(472, _TOP + 6, f"Distance to “{groups.label}”", INK, size=13, weight="bold")
    if groups.neutral is not None:
        yield line(x(groups.neutral), top, x(groups.neutral), top + 76, NEUTRAL, width=1.5)
        yield text(x(groups.neutral), top - 6, f"{groups.neutral:g}", INK, size=11, anchor="middle")
    colours = ((GROUP_1, GROUP_1_TEXT, 1), (GROUP_2, GROUP_2_TEXT, -1))
    for n, (group, (colour, ink, lean)) in enumerate(zip(groups.groups, colours, strict=False)):
        y = top + 22 + 36 * n
        yield text(left - 8, y + 4, group.name[:14], ink, size=12, anchor="end", weight="bold")
        for value in group.distances.tolist():
            yield line(x(value), y - 7, x(value), y + 7, colour)
        yield mark(x(group.mean), y, lean, colour)
    for n, part in enumerate(wrap("".join(words for words, _ in groups.verdict()), 44)[:4]):
        yield text(472, top + 104 + 16 * n, part, INK_2, size=12)
