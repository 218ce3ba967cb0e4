"""A still picture of a distance model, as SVG text that needs no library to show."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import groupby
from textwrap import wrap

import numpy as np

from biaslab.probes.association import CONNECTIONS, DistanceModelResult
from biaslab.reports.palette import INK, INK_2, INK_3, LINE, NEUTRAL, SURFACE
from biaslab.reports.svg_parts import document, line, text

WIDTH = 920
_SHADES = ("#16191D", "#4A6076", "#7F93A6", "#8C97A3")
_NAMES = {"associated": "associated", "different": "different group", "human": "human control",
          "none": "neutral control"}  # fmt: skip
_LEFT, _POINTS, _GAP, _RIGHT = 130, 330, 40, 890
_ROW, _LANE, _HEAD, _TOP = 30, 5.5, 20, 182

Axis = Callable[[float], float]


def svg(result: DistanceModelResult) -> str:
    """Draw every distance, the posterior of every protected word, and the contrasts.

    Parameters
    ----------
    result : DistanceModelResult

    Returns
    -------
    str
        An SVG document.
    """
    groups = list(dict.fromkeys(result.table.groups))
    below = _TOP + _ROW * len(result.words) + _HEAD * len(groups)
    height = below + 80 + 26 * len(result.headline_contrasts) + 72
    title = "".join(words for words, _ in result.verdict())
    body = "\n".join(_elements(result, title, below, height))
    return document(title, body, WIDTH, height)


def _elements(result: DistanceModelResult, title: str, below: int, height: int) -> Iterator[str]:
    for n, part in enumerate(wrap(title, 112)[:3]):
        yield text(16, 26 + 19 * n, part, INK, size=15)
    note = "".join(words for words, _ in result.note())
    for n, part in enumerate(wrap(note, 140)[:2]):
        yield text(16, 86 + 14 * n, part, INK_3, size=11)
    yield from _key(result)
    shown = result.table.distance[0][result.table.connection >= 0]
    left = _axis(float(shown.min()), float(shown.max()), _LEFT, _LEFT + _POINTS)
    ends = result.intervals[np.isfinite(result.intervals)]
    start = _LEFT + _POINTS + _GAP
    right = _axis(min(float(ends.min()), 0.98), max(float(ends.max()), 1.02), start, _RIGHT)
    percent = f"{100 * result.level:.0f} %"
    yield text(_LEFT, _TOP - 38, "Every distance", INK, weight="bold")
    yield text(start, _TOP - 38, f"What the data support, {percent} HPDI", INK, weight="bold")
    for axis, x1, x2 in ((left, _LEFT, _LEFT + _POINTS), (right, start, _RIGHT)):
        yield from _ticks(axis, x1, x2, _TOP - 6, below, "unrelated", 1.0)
        yield text((x1 + x2) / 2, below + 30, "cosine distance", INK_2, size=11, anchor="middle")
    y = float(_TOP)
    order = sorted(range(len(result.words)), key=lambda i: _place(result, i))
    for group, members in groupby(order, key=lambda i: result.table.groups[i]):
        yield text(16, y + 14, group, INK, weight="bold")
        y += _HEAD
        for i in members:
            yield from _word(result, i, y, left, right)
            y += _ROW
    yield from _means_of_means(result, left, below)
    yield from _contrasts(result, below + 62)
    for n, part in enumerate(wrap(result.caveat(), 140)[:2]):
        yield text(16, height - 26 + 14 * n, part, INK_3, size=11)


def _means_of_means(result: DistanceModelResult, axis: Axis, below: int) -> Iterator[str]:
    """What MAC makes of the first connection type: one number for all of its points."""
    name = result.connections[0]
    mean = float(np.nanmean(result.table.means()[0, :, CONNECTIONS.index(name)]))
    yield line(axis(mean), _TOP - 6, axis(mean), below, INK, dash="5 3")
    label = f"mean of means {mean:.2f}"
    yield text(axis(mean) - 6, _TOP - 22, label, INK, size=11, anchor="end", weight="bold")


def _place(result: DistanceModelResult, i: int) -> tuple[int, int]:
    return list(dict.fromkeys(result.table.groups)).index(result.table.groups[i]), i


def _word(result: DistanceModelResult, i: int, y: float, left: Axis, right: Axis) -> Iterator[str]:
    yield text(_LEFT - 14, y + _ROW / 2 + 4, result.words[i][:18], INK, anchor="end")
    yield line(16, y, _RIGHT, y, LINE)
    for lane, name in enumerate(result.connections):
        c = CONNECTIONS.index(name)
        middle = y + 6 + _LANE * lane
        strokes = "".join(
            f"M{left(float(d)):.1f} {middle - 2.5:.1f}v5"
            for d in result.table.of(result.words[i], name)[0]
        )
        opacity = 0.4 if name == "none" else 0.85
        yield (
            f'<path d="{strokes}" stroke="{_SHADES[c]}" stroke-opacity="{opacity}" fill="none"/>'
        )
        mean, (low, high) = float(result.means[i, c]), result.intervals[i, c]
        if np.isfinite(mean):
            yield line(right(float(low)), middle, right(float(high)), middle, _SHADES[c], width=1.6)
            yield _mark(name, right(mean), middle)


def _mark(name: str, x: float, y: float) -> str:
    colour = _SHADES[CONNECTIONS.index(name)]
    if name == "different":
        return f'<rect x="{x - 3:.1f}" y="{y - 3:.1f}" width="6" height="6" fill="{colour}"/>'
    if name == "human":
        return f'<path d="M{x:.1f} {y - 4:.1f}l4 4l-4 4l-4 -4z" fill="{colour}"/>'
    fill = SURFACE if name == "none" else colour
    return (
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.2" fill="{fill}" stroke="{colour}" '
        'stroke-width="1.4"/>'
    )


def _key(result: DistanceModelResult) -> Iterator[str]:
    x = 20.0
    for name in result.connections:
        yield _mark(name, x, 122)
        yield text(x + 10, 126, _NAMES[name], INK_2)
        x += 30 + 7 * len(_NAMES[name])


def _contrasts(result: DistanceModelResult, y: float) -> Iterator[str]:
    found = result.headline_contrasts
    paper = {c.name: c for c in result.beside["pooled"]}
    other = {c.name: c for c in result.beside["crossed"]}
    every = [*found, *paper.values(), *other.values()]
    low = min(min(c.interval.low for c in every), 0.0)
    high = max(max(c.interval.high for c in every), 0.0)
    axis = _axis(low, high, 200, 640)
    yield text(16, y, "Contrasts", INK, weight="bold")
    yield text(640, y, "— the paper’s model   - - crossed model", INK_2, size=11, anchor="end")
    bottom = y + 22 + 26 * len(found)
    yield from _ticks(axis, 200, 640, y + 14, bottom, "no difference", 0.0)
    for n, contrast in enumerate(found):
        at = y + 30 + 26 * n
        yield text(186, at + 4, contrast.name, INK, anchor="end")
        for shift, model, dash in ((-4, paper, "none"), (4, other, "4 3")):
            if drawn := model.get(contrast.name):
                ends = drawn.interval
                yield line(
                    axis(ends.low), at + shift, axis(ends.high), at + shift, INK, width=2, dash=dash
                )
                fill = SURFACE if model is other else INK
                yield (
                    f'<circle cx="{axis(drawn.mean):.1f}" cy="{at + shift:.1f}" r="3.6" '
                    f'fill="{fill}" stroke="{INK}" stroke-width="1.5"/>'
                )
        ends = contrast.interval
        told = f"{contrast.mean:.3f} ({ends.low:.2f} to {ends.high:.2f})".replace("-", "−")
        yield text(660, at + 4, f"{told}, {result.model}", INK, size=11)


def _axis(low: float, high: float, x1: float, x2: float) -> Axis:
    span = max(high - low, 1e-6)
    low, span = low - 0.03 * span, 1.06 * span

    def place(value: float) -> float:
        return x1 + (x2 - x1) * (value - low) / span

    return place


def _ticks(
    axis: Axis, x1: float, x2: float, top: float, bottom: float, name: str, neutral: float
) -> Iterator[str]:
    scale = (axis(1.0) - axis(0.0)) or 1.0
    step = next((s for s in (0.02, 0.05, 0.1, 0.2, 0.5) if s * scale >= 42), 1.0)
    first = int(np.ceil((x1 - axis(0.0)) / scale / step))
    last = int(np.floor((x2 - axis(0.0)) / scale / step))
    for k in range(first, last + 1):
        at = axis(k * step)
        yield line(at, top, at, bottom, LINE)
        label = f"{k * step:.2f}".rstrip("0").rstrip(".").replace("-", "−") or "0"
        yield text(at, bottom + 14, label, INK_3, size=11, anchor="middle")
    if x1 <= axis(neutral) <= x2:
        at = axis(neutral)
        yield line(at, top, at, bottom, NEUTRAL, width=1.5)
        label = f"{name} {neutral:.1f}" if neutral else f"{name} 0"
        yield text(at, top - 4, label, INK, size=11, anchor="middle", weight="bold")
