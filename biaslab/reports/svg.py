"""Paints a chart as SVG text that needs no library to show; nothing in it is fetched."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import singledispatch
from textwrap import wrap

import numpy as np

from biaslab.reports.chart import (
    Axis,
    Band,
    Cells,
    Chart,
    Colours,
    Floats,
    Intervals,
    Line,
    Mark,
    Panel,
    Points,
    Rows,
    Rule,
    Shape,
    Texts,
    text_width,
)
from biaslab.reports.palette import INK, INK_2, INK_3, LINE, SURFACE
from biaslab.reports.svg_parts import document, line, text
from biaslab.wording import number

_EDGE, _GAP, _LINE = 16, 28, 15
_NARROWEST = 640
_LONGEST, _HEADING = 40, 190
"""Characters of a row's name, and pixels that a group's takes from the plot on its right."""
_MARK = 32
"""Pixels that a mark takes in a legend beside its name."""


@dataclass(frozen=True)
class _Frame:
    """A panel and the place of its scales in the picture."""

    panel: Panel
    left: float
    top: float

    @property
    def right(self) -> float:
        return self.left + self.panel.width

    @property
    def bottom(self) -> float:
        return self.top + self.panel.tall

    def x(self, values: object) -> Floats:
        """Pixels from the left; what lies beyond an end of the axis is drawn there."""
        axis = self.panel.x
        share = (axis.place(values) - axis.low) / (axis.high - axis.low)  # type: ignore[arg-type]
        return np.asarray(self.left + self.panel.width * np.clip(share, 0, 1))

    def y(self, values: object) -> Floats:
        """Pixels from the top."""
        scale = self.panel.y
        places = scale.place(values)  # type: ignore[arg-type]
        if isinstance(scale, Rows):
            return np.asarray(self.top + scale.line * places)
        share = (places - scale.low) / (scale.high - scale.low)
        return np.asarray(self.bottom - self.panel.tall * np.clip(share, 0, 1))


def paint(chart: Chart) -> str:
    """The chart as an SVG document; its title is what it is called when it is read out."""
    margins = [[_margins(panel) for panel in row] for row in chart.panels]
    widths = [
        sum(left + panel.width + right for panel, (left, _, right, _) in zip(row, own, strict=True))
        + _GAP * (len(row) - 1)
        for row, own in zip(chart.panels, margins, strict=True)
    ]
    width = math.ceil(max(_NARROWEST, 2 * _EDGE + max(widths)))
    body = []
    y = 10.0
    for part in wrap(chart.title, round((width - 2 * _EDGE) / 8.1)):
        y += 20
        body.append(text(_EDGE, y, part, INK, size=15))
    y += 3
    for part in wrap(chart.note, round((width - 2 * _EDGE) / 6)):
        y += _LINE
        body.append(text(_EDGE, y, part, INK_3, size=11))
    for row, own in zip(chart.panels, margins, strict=True):
        y += 14 + max(top for _, top, _, _ in own)
        x = float(_EDGE)
        for panel, (left, _, right, _) in zip(row, own, strict=True):
            body += _panel(_Frame(panel, x + left, y))
            x += left + panel.width + right + _GAP
        y += max(panel.tall + below for panel, (*_, below) in zip(row, own, strict=True))
    return document(chart.title, "\n".join(body), width, math.ceil(y + 12))


def _margins(panel: Panel) -> tuple[float, float, float, float]:
    """Pixels on the left, above, on the right and below."""
    above = _LINE * len(panel.labels) + 19 * bool(panel.title) + _LINE * bool(panel.x.ends)
    above += 18 * bool(_named(panel))
    below = 18 * (panel.x.ticks != ()) + 16 * bool(panel.x.label)
    left = right = 0.0
    if isinstance(panel.y, Rows):
        above = max(above, _LINE * bool(panel.y.heads))
        if panel.y.named:
            names = [text_width(_short(row.name)) + 16 for row in panel.y.rows]
            groups = [min(text_width(group) + 8, _HEADING) for _, group in panel.y.headings]
            left = max([*names, *groups])
        right = sum(_columns(panel.y))
    elif panel.y.ticks != ():
        left = 34.0 + 18 * bool(panel.y.label)
    over = max(_legend_width(panel), text_width(panel.title)) - panel.width
    right = max(right, over, 36.0 if panel.labels else 14.0)
    return left, above + 4, right, below


def _legend_width(panel: Panel) -> float:
    return sum(_MARK + text_width(mark.name, 11) for mark in _named(panel))


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"


def _columns(rows: Rows) -> list[float]:
    """Width of each column of values."""
    cells = [rows.heads, *(row.values for row in rows.rows)]
    count = max(map(len, cells), default=0)
    return [18 + max(text_width(own[k]) for own in cells if len(own) > k) for k in range(count)]


def _named(panel: Panel) -> list[Mark]:
    return [mark for mark in panel.marks if mark.name]


def _panel(frame: _Frame) -> Iterator[str]:
    panel = frame.panel
    yield from _grid(frame)
    if isinstance(panel.y, Rows):
        yield from _rows(frame, panel.y)
    for mark in panel.marks:
        yield from _mark(mark, frame)
    y = frame.top - 6
    for own in panel.labels:
        for rule in own:
            (x,) = frame.x(rule.at)
            yield text(x, y, rule.label, str(rule.colour), size=11, anchor="middle", weight="bold")
        y -= _LINE
    places = ((frame.left, "start"), (frame.right, "end"))
    for (x, anchor), (words, colour) in zip(places, panel.x.ends, strict=False):
        yield text(x, y, words, colour, size=11, anchor=anchor)
    y -= _LINE * bool(panel.x.ends)
    if named := _named(panel):
        yield from _legend(named, frame, y)
        y -= 18
    if panel.title:
        yield text(frame.left, y, panel.title, INK, weight="bold")


def _grid(frame: _Frame) -> Iterator[str]:
    panel = frame.panel
    bottom, axis = frame.bottom, panel.x
    for value, words in _ticks(axis, panel.width / 48):
        (x,) = frame.x(value)
        yield line(x, frame.top, x, bottom, LINE)
        yield text(x, bottom + 15, words, INK_3, size=11, anchor="middle")
    middle = (frame.left + frame.right) / 2
    if axis.label:
        y = bottom + (33 if axis.ticks != () else 16)
        yield text(middle, y, axis.label, INK_2, size=11, anchor="middle")
    if isinstance(panel.y, Axis):
        for value, words in _ticks(panel.y, panel.tall / 32):
            (y,) = frame.y(value)
            yield line(frame.left, y, frame.right, y, LINE)
            yield text(frame.left - 6, y + 4, words, INK_3, size=11, anchor="end")
        if panel.y.label:
            x, y = frame.left - 40, (frame.top + bottom) / 2
            yield (
                f'<g transform="translate({x:.1f} {y:.1f}) rotate(-90)">'
                f"{text(0, 0, panel.y.label, INK_2, size=11, anchor='middle')}</g>"
            )


def _rows(frame: _Frame, rows: Rows) -> Iterator[str]:
    widths = _columns(rows)
    ends = [frame.right + sum(widths[: k + 1]) for k in range(len(widths))]
    for x, head in zip(ends, rows.heads, strict=False):
        yield text(x, frame.top - 6, head, INK_2, size=11, anchor="end")
    if rows.named:
        for at, group in rows.headings:
            y = frame.top + rows.line * at + 4
            colour = rows.colours.get(group, INK)
            yield text(_EDGE, y, group, colour, weight="bold")
    for row, middle in zip(rows.rows, rows.middles, strict=True):
        y = frame.top + rows.line * float(middle) + 4
        if rows.named and row.name:
            yield text(frame.left - 12, y, _short(row.name), INK, anchor="end")
        for x, value in zip(ends, row.values, strict=False):
            yield text(x, y, value, INK_2, size=11, anchor="end")


def _legend(named: list[Mark], frame: _Frame, y: float) -> Iterator[str]:
    x = frame.left + 6
    for mark in named:
        colour = mark.colour if isinstance(mark.colour, str) else mark.colour[0]
        if isinstance(mark, Points):
            shape: Shape = mark.shape if isinstance(mark.shape, str) else mark.shape[0]
            yield _points(shape, colour, [(x, y - 4)], 4, mark.alpha)
        elif isinstance(mark, Cells | Band):
            yield _rectangle(x - 5, y - 9, 10, 10, colour, mark.alpha)
        elif isinstance(mark, Intervals | Line):
            yield line(x - 6, y - 4, x + 6, y - 4, colour, width=2,
                       dash="4 3" if mark.dashed else "none")  # fmt: skip
        yield text(x + 11, y, mark.name, INK_2, size=11)
        x += _MARK + text_width(mark.name, 11)


@singledispatch
def _mark(mark: Mark, _frame: _Frame) -> Iterator[str]:
    raise TypeError(f"A {type(mark).__name__} cannot be painted.")


@_mark.register
def _(mark: Points, frame: _Frame) -> Iterator[str]:
    x, y = np.broadcast_arrays(frame.x(mark.x), frame.y(mark.y))
    shapes, colours = _each(mark.shape, len(x)), _each(mark.colour, len(x))
    alike: dict[tuple[str, str], list[tuple[float, float]]] = {}
    every = max(len(x) // mark.still, 1)
    parts = list(zip(zip(shapes, colours, strict=True), x, y, strict=True))
    for look, a, b in parts[::every]:
        if math.isfinite(a) and math.isfinite(b):
            alike.setdefault(look, []).append((float(a), float(b)))
    for (shape, colour), places in alike.items():
        yield _points(shape, colour, places, mark.size, mark.alpha)


@_mark.register
def _(mark: Intervals, frame: _Frame) -> Iterator[str]:
    low, high, y = np.broadcast_arrays(frame.x(mark.low), frame.x(mark.high), frame.y(mark.y))
    dash = "4 3" if mark.dashed else "none"
    for a, b, at, colour in zip(low, high, y, _each(mark.colour, len(y)), strict=True):
        if math.isfinite(a) and math.isfinite(b):
            yield line(a, at, b, at, colour, width=mark.width, dash=dash)


@_mark.register
def _(mark: Line, frame: _Frame) -> Iterator[str]:
    dash = ' stroke-dasharray="5 4"' if mark.dashed else ""
    yield (
        f'<polyline points="{_path(frame.x(mark.x), frame.y(mark.y))}" fill="none" '
        f'stroke="{mark.colour}" stroke-width="{mark.width:g}"{_opacity("stroke", mark.alpha)}'
        f"{dash}/>"
    )


@_mark.register
def _(mark: Band, frame: _Frame) -> Iterator[str]:
    x = frame.x(mark.x)
    ends = f"{_path(x, frame.y(mark.high))} {_path(x[::-1], frame.y(mark.low)[::-1])}"
    yield f'<polygon points="{ends}" fill="{mark.colour}"{_opacity("fill", mark.alpha)}/>'


@_mark.register
def _(mark: Cells, frame: _Frame) -> Iterator[str]:
    left, right, top, bottom = np.broadcast_arrays(
        frame.x(mark.left), frame.x(mark.right), frame.y(mark.top), frame.y(mark.bottom)
    )
    colours, edges = _each(mark.colour, len(left)), _each(mark.edge, len(left))
    for x1, x2, y1, y2, colour, edge in zip(left, right, top, bottom, colours, edges, strict=True):
        if x1 != x2 and y1 != y2 and math.isfinite(x1 + x2 + y1 + y2):
            x, y = min(x1, x2), min(y1, y2)
            yield _rectangle(x, y, abs(x2 - x1), max(abs(y2 - y1), 1), colour, mark.alpha, edge,
                             mark.rounded)  # fmt: skip


@_mark.register
def _(mark: Rule, frame: _Frame) -> Iterator[str]:
    dash = "4 3" if mark.dashed else "none"
    colour = str(mark.colour)
    if mark.axis == "x":
        (x,) = frame.x(mark.at)
        yield line(x, frame.top - 3, x, frame.bottom, colour, width=mark.width, dash=dash)
    else:
        (y,) = frame.y(mark.at)
        yield line(frame.left, y, frame.right, y, colour, width=mark.width, dash=dash)


@_mark.register
def _(mark: Texts, frame: _Frame) -> Iterator[str]:
    x, y = np.broadcast_arrays(frame.x(mark.x), frame.y(mark.y))
    dx, dy = mark.shift
    weight = "bold" if mark.bold else "normal"
    for a, b, words, colour in zip(x, y, mark.words, _each(mark.colour, len(x)), strict=True):
        yield text(a + dx, b + dy, words, colour, size=11, anchor=mark.anchor, weight=weight)


def _points(
    shape: str, colour: str, places: list[tuple[float, float]], size: float, alpha: float
) -> str:
    """Points of one look, as one element or one group."""
    if shape == "tick":
        ends = "".join(f"M{x:.1f} {y - size:.1f}v{2 * size:g}" for x, y in places)
        return f'<path d="{ends}" stroke="{colour}"{_opacity("stroke", alpha)} fill="none"/>'
    drawn = "".join(_SHAPES[shape](x, y, size) for x, y in places)
    fill = {"ring": SURFACE if size > 3 else "none", "hollow": SURFACE}.get(shape, colour)
    edge = f' stroke="{colour}" stroke-width="1.5"' if fill != colour else ""
    return f'<g fill="{fill}"{edge}{_opacity("fill", alpha)}>{drawn}</g>'


def _circle(x: float, y: float, size: float) -> str:
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{size:g}"/>'


def _square(x: float, y: float, size: float) -> str:
    side = 1.8 * size
    return (
        f'<rect x="{x - side / 2:.1f}" y="{y - side / 2:.1f}" width="{side:g}" height="{side:g}"/>'
    )


def _diamond(x: float, y: float, size: float) -> str:
    far = size + 1
    return f'<path d="M{x:.1f} {y - far:.1f}l{far:g} {far:g}l-{far:g} {far:g}l-{far:g} -{far:g}z"/>'


_SHAPES: dict[str, Callable[[float, float, float], str]] = {
    "circle": _circle,
    "ring": _circle,
    "square": _square,
    "diamond": _diamond,
    "hollow": _diamond,
}


def _rectangle(
    x: float,
    y: float,
    width: float,
    height: float,
    colour: str,
    alpha: float = 1,
    edge: str = "none",
    rounded: bool = False,
) -> str:
    outline = "" if edge == "none" else f' stroke="{edge}"'
    corners = ' rx="2"' if rounded else ""
    return (
        f'<rect x="{x:.2f}" y="{y:.2f}" width="{width:.2f}" height="{height:.2f}"{corners} '
        f'fill="{colour}"{_opacity("fill", alpha)}{outline}/>'
    )


def _path(x: Floats, y: Floats) -> str:
    return " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y, strict=True))


def _opacity(of: str, alpha: float) -> str:
    return "" if alpha == 1 else f' {of}-opacity="{alpha:g}"'


def _each(given: Colours, count: int) -> list[str]:
    return [given] * count if isinstance(given, str) else list(given)


def _ticks(axis: Axis, most: float) -> tuple[tuple[float, str], ...]:
    """Those given, or round numbers, at most `most`."""
    if axis.ticks is not None:
        return axis.ticks
    least = (axis.high - axis.low) / max(most, 2)
    power = 10.0 ** math.floor(math.log10(least))
    step = next(k * power for k in (1, 2, 5, 10) if k * power >= least * (1 - 1e-9))
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    first, last = math.ceil(axis.low / step - 1e-9), math.floor(axis.high / step + 1e-9)
    return tuple((k * step, number(k * step, digits)) for k in range(first, last + 1))
