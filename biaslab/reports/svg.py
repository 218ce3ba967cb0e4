"""Paints a chart as SVG text that needs no library to show; nothing in it is fetched."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import singledispatch
from html import escape
from textwrap import wrap
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from biaslab.errors import ArgumentError
from biaslab.records.wording import number
from biaslab.reports.chart import (
    Axis,
    Band,
    Cells,
    Chart,
    Floats,
    Intervals,
    Line,
    Mark,
    Panel,
    Points,
    Rows,
    Rule,
    Texts,
    each,
    text_width,
)
from biaslab.reports.palette import INK, INK_2, INK_3, LINE, SURFACE

FONTS = "system-ui, sans-serif"


def document(
    title: str, body: str, width: int, height: int, millimetres: float | None = None
) -> str:
    """A whole chart, with `title` as what it is called when it is read out.

    - `width`, `height`: in the pixels of its parts.
    - `millimetres`: its width on paper.
    """
    size = f'width="{width}" height="{height}"'
    if millimetres is not None:
        size = f'width="{millimetres:g}mm" height="{millimetres * height / width:.4g}mm"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" {size} '
        f'role="img" font-family="{FONTS}" font-size="12">'
        f"<title>{escape(title)}</title>"
        f'<rect width="100%" height="100%" fill="{SURFACE}"/>\n{body}\n</svg>'
    )


def line(
    x1: float, y1: float, x2: float, y2: float, colour: str, *, width: float = 1, dash: str = "none"
) -> str:
    """A straight line."""
    dashed = "" if dash == "none" else f' stroke-dasharray="{dash}"'
    return (
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" '
        f'stroke-width="{width}"{dashed}/>'
    )


def text(
    x: float,
    y: float,
    words: str,
    colour: str,
    *,
    size: int = 12,
    anchor: str = "start",
    weight: str = "normal",
) -> str:
    """A line of text."""
    heavy = "" if weight == "normal" else f' font-weight="{weight}"'
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" fill="{colour}" font-size="{size}" '
        f'text-anchor="{anchor}"{heavy}>{escape(words)}</text>'
    )


def mark(x: float, y: float, lean: int, colour: str, size: float = 4.5) -> str:
    """The mark of an estimate: round for group 1, square for group 2, a hollow diamond for none."""
    if lean > 0:
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{size:g}" fill="{colour}"/>'
    if lean < 0:
        side = 2 * size - 1
        return (
            f'<rect x="{x - side / 2:.1f}" y="{y - side / 2:.1f}" width="{side:g}" '
            f'height="{side:g}" fill="{colour}"/>'
        )
    return (
        f'<path d="M{x:.1f} {y - size - 1:.1f}l{size + 1:g} {size + 1:g}l-{size + 1:g} '
        f'{size + 1:g}l-{size + 1:g} -{size + 1:g}z" fill="{SURFACE}" stroke="{colour}" '
        f'stroke-width="1.5"/>'
    )


@dataclass(frozen=True)
class Frame:
    """A panel and the place of its scales in the chart."""

    panel: Panel
    left: float
    top: float

    @property
    def right(self) -> float:
        """Pixels from the left of the chart."""
        return self.left + self.panel.width

    @property
    def bottom(self) -> float:
        """Pixels from the top of the chart."""
        return self.top + self.panel.tall

    def x(self, values: ArrayLike) -> Floats:
        """Pixels from the left; what lies beyond an end of the axis is drawn there."""
        axis = self.panel.x
        share = (np.asarray(values) - axis.low) / (axis.high - axis.low)
        return np.asarray(self.left + self.panel.width * np.clip(share, 0, 1))

    def y(self, values: ArrayLike) -> Floats:
        """Pixels from the top."""
        scale = self.panel.y
        if isinstance(scale, Rows):
            return np.asarray(self.top + scale.line * np.asarray(values))
        share = (np.asarray(values) - scale.low) / (scale.high - scale.low)
        return np.asarray(self.bottom - self.panel.tall * np.clip(share, 0, 1))

    def places(self, mark: Mark) -> dict[str, Floats]:
        """A mark's fields in pixels."""
        places = self.panel.places(mark).items()
        return {name: (self.x if name in mark.across else self.y)(at) for name, at in places}


@singledispatch
def painted(mark: Mark, _frame: Frame) -> Iterator[str]:
    """The elements of a mark in a panel."""
    raise TypeError(f"A {type(mark).__name__} cannot be painted.")


@painted.register
def _(mark: Points, frame: Frame) -> Iterator[str]:
    x, y = frame.places(mark).values()
    looks = zip(each(mark.shape, len(x)), each(mark.colour, len(x)), strict=True)
    alike: dict[tuple[str, str], list[tuple[float, float]]] = {}
    every = max(len(x) // mark.still, 1)
    for look, a, b in list(zip(looks, x, y, strict=True))[::every]:
        if math.isfinite(a) and math.isfinite(b):
            alike.setdefault(look, []).append((a, b))
    for (shape, colour), places in alike.items():
        yield points(shape, colour, places, mark.size, mark.alpha)


@painted.register
def _(mark: Intervals, frame: Frame) -> Iterator[str]:
    low, high, y = frame.places(mark).values()
    for a, b, at, colour in zip(low, high, y, each(mark.colour, len(y)), strict=True):
        if math.isfinite(a) and math.isfinite(b):
            yield f'<path d="M{a:.1f} {at:.1f}H{b:.1f}"{stroke(mark, colour)}/>'


@painted.register
def _(mark: Line, frame: Frame) -> Iterator[str]:
    points = _path(*frame.places(mark).values())
    yield f'<polyline points="{points}" fill="none"{stroke(mark, str(mark.colour))}/>'


@painted.register
def _(mark: Band, frame: Frame) -> Iterator[str]:
    x, low, high = frame.places(mark).values()
    corners = f"{_path(x, high)} {_path(x[::-1], low[::-1])}"
    yield f'<polygon points="{corners}" fill="{mark.colour}"{_opacity("fill", mark.alpha)}/>'


@painted.register
def _(mark: Cells, frame: Frame) -> Iterator[str]:
    left, right, bottom, top = frame.places(mark).values()
    looks = zip(each(mark.colour, len(left)), each(mark.edge, len(left)), strict=True)
    for x1, x2, y1, y2, look in zip(left, right, top, bottom, looks, strict=True):
        if x1 != x2 and y1 != y2 and math.isfinite(x1 + x2 + y1 + y2):
            box = (min(x1, x2), min(y1, y2), abs(x2 - x1), max(abs(y2 - y1), 1))
            yield rectangle(box, look, mark.alpha, rounded=mark.rounded)


@painted.register
def _(mark: Rule, frame: Frame) -> Iterator[str]:
    if mark.axis == "x":
        path = f"M{frame.x(mark.at):.1f} {frame.top - 3:.1f}V{frame.bottom:.1f}"
    else:
        path = f"M{frame.left:.1f} {frame.y(mark.at):.1f}H{frame.right:.1f}"
    yield f'<path d="{path}"{stroke(mark, str(mark.colour))}/>'


@painted.register
def _(mark: Texts, frame: Frame) -> Iterator[str]:
    dx, dy = mark.shift
    weight = "bold" if mark.bold else "normal"
    for x, y, words in zip(*frame.places(mark).values(), mark.words, strict=True):
        looks = {"anchor": mark.anchor, "weight": weight}
        yield text(x + dx, y + dy, words, str(mark.colour), size=11, **looks)


def points(
    shape: str, colour: str, places: list[tuple[float, float]], size: float, alpha: float
) -> str:
    """Points of one look, as one element or one group."""
    if shape == "tick":
        path = "".join(f"M{x:.1f} {y - size:.1f}v{2 * size:g}" for x, y in places)
        return f'<path d="{path}" stroke="{colour}"{_opacity("stroke", alpha)} fill="none"/>'
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


def rectangle(
    box: tuple[float, float, float, float],
    look: tuple[str, str],
    alpha: float,
    *,
    rounded: bool = False,
) -> str:
    """A rectangle by its left, top, width and height; its fill and its edge."""
    (x, y, width, height), (fill, edge) = box, look
    outline = "" if edge == "none" else f' stroke="{edge}"'
    corners = ' rx="2"' if rounded else ""
    return (
        f'<rect x="{x:.2f}" y="{y:.2f}" width="{width:.2f}" height="{height:.2f}"{corners} '
        f'fill="{fill}"{_opacity("fill", alpha)}{outline}/>'
    )


def stroke(mark: Intervals | Line | Rule, colour: str) -> str:
    """Attributes of a line."""
    dash = ' stroke-dasharray="5 4"' if mark.dashed else ""
    width = f' stroke="{colour}" stroke-width="{mark.width:g}"'
    return f"{width}{_opacity('stroke', mark.alpha)}{dash}"


def _path(x: Floats, y: Floats) -> str:
    return " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y, strict=True))


def _opacity(of: str, alpha: float) -> str:
    return "" if alpha == 1 else f' {of}-opacity="{alpha:g}"'


_EDGE, _GAP, _LINE = 16, 28, 15
_NARROWEST = 640
_LEAST = 120
"""Pixels of a panel below which the whole chart becomes smaller instead."""
_UNITS = {"mm": 1.0, "cm": 10.0, "in": 25.4}
_PAPER = (20, 1000)
_LONGEST, _HEADING = 40, 190
"""Characters of a row's name, and pixels that a group's takes from the plot on its right."""
_MARK = 32
"""Pixels that a mark takes in a legend beside its name."""


def paint(
    chart: Chart, *, headed: bool = True, panel: int | None = None, width: str | None = None
) -> str:
    """The chart as an SVG document; its title is what it is called when it is read out.

    - `headed`: whether title and note are drawn above the panels.
    - `panel`: the only one to draw, from 0.
    - `width`: on paper, such as "85 mm".
    """
    panels = chart.panels if panel is None else ((chart.panel(panel),),)
    if width is None:
        return _document(chart, panels, headed, _NARROWEST if panel is None else 0)
    paper = millimetres(width)
    pixels = paper * 96 / 25.4
    panels = tuple(_narrowed(row, pixels) for row in panels)
    return _document(chart, panels, headed, pixels, paper)


def millimetres(width: str) -> float:
    """Read a width on paper; raises `ArgumentError` without a unit, or if it is out of range."""
    given = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*(mm|cm|in)\s*", str(width))
    size = float(given[1]) * _UNITS[given[2]] if given else 0.0
    if not _PAPER[0] <= size <= _PAPER[1]:
        raise ArgumentError(
            f"width={width!r}: give a width on paper with its unit, such as '85 mm', '8.5 cm' or"
            f" '3.35 in', from {_PAPER[0]} to {_PAPER[1]:,} mm."
        )
    return size


def _narrowed(row: Sequence[Panel], pixels: float) -> tuple[Panel, ...]:
    """Panels of a row that together take so many pixels, as far as they can be made narrower."""
    free = pixels - _width(row, [_margins(panel) for panel in row]) + sum(p.width for p in row)
    share = max(free, _LEAST * len(row)) / sum(panel.width for panel in row)
    return tuple(_with_wrapped_label(replace(panel, width=panel.width * share)) for panel in row)


def _with_wrapped_label(panel: Panel) -> Panel:
    left, _, right, _ = _margins(panel)
    letters = round((panel.width + 2 * min(left, right)) / text_width("x", 11))
    label = "\n".join(wrap(panel.x.label, max(letters, 12)))
    return replace(panel, x=replace(panel.x, label=label))


def _with_words(panel: Panel, margins: tuple[float, float, float, float]) -> Any:
    """Margins of a narrow panel that hold the words in it, too."""
    left, above, right, below = margins
    for mark in panel.marks:
        if isinstance(mark, Texts):
            x = Frame(panel, 0, 0).places(mark)["x"] + mark.shift[0]
            wide = np.array([text_width(words, 11) for words in mark.words])
            before = {"start": 0.0, "middle": 0.5, "end": 1.0}[mark.anchor] * wide
            left = max(left, *(before - x))
            right = max(right, *(x + wide - before - panel.width))
    return left, above, right, below


def _width(row: Sequence[Panel], margins: Sequence[tuple[float, ...]]) -> float:
    own = (
        left + panel.width + right for panel, (left, _, right, _) in zip(row, margins, strict=True)
    )
    return 2 * _EDGE + sum(own) + _GAP * (len(row) - 1)


def _document(
    chart: Chart,
    panels: Sequence[Sequence[Panel]],
    headed: bool,
    narrowest: float,
    paper: float | None = None,
) -> str:
    margins = [[_margins(panel) for panel in row] for row in panels]
    if paper is not None:
        margins = [list(map(_with_words, *both)) for both in zip(panels, margins, strict=True)]
    elif chart.aligned:
        margins = _aligned(panels, margins)
    widths = [_width(row, own) for row, own in zip(panels, margins, strict=True)]
    width = math.ceil(max(narrowest, *widths))
    body = []
    y = 10.0
    title, note = (chart.title, chart.note) if headed else ("", "")
    for part in wrap(title, round((width - 2 * _EDGE) / 8.1)):
        y += 20
        body.append(text(_EDGE, y, part, INK, size=15))
    y += 3
    for part in wrap(note, round((width - 2 * _EDGE) / 6)):
        y += _LINE
        body.append(text(_EDGE, y, part, INK_3, size=11))
    for row, own in zip(panels, margins, strict=True):
        y += 14 + max(top for _, top, _, _ in own)
        x = float(_EDGE)
        for panel, (left, _, right, _) in zip(row, own, strict=True):
            body += _panel(Frame(panel, x + left, y))
            x += left + panel.width + right + _GAP
        y += max(panel.tall + below for panel, (*_, below) in zip(row, own, strict=True))
    return document(chart.title, "\n".join(body), width, math.ceil(y + 12), paper)


def _aligned(panels: Sequence[Sequence[Panel]], margins: list[list[Any]]) -> list[list[Any]]:
    """Margins with which the panels of one column begin and end at the same places."""
    wide: dict[int, tuple[float, float]] = {}
    for row, own in zip(panels, margins, strict=True):
        for at, (panel, (left, _, right, _)) in enumerate(zip(row, own, strict=True)):
            before, after = wide.get(at, (0.0, 0.0))
            wide[at] = max(before, left), max(after, panel.width + right)
    return [
        [(wide[at][0], above, wide[at][1] - panel.width, below)
         for at, (panel, (_, above, _, below)) in enumerate(zip(row, own, strict=True))]
        for row, own in zip(panels, margins, strict=True)
    ]  # fmt: skip


def _margins(panel: Panel) -> tuple[float, float, float, float]:
    """Pixels on the left, above, on the right and below."""
    above = _LINE * len(panel.labels) + 19 * bool(panel.title) + _LINE * bool(panel.x.ends)
    above += 18 * bool(_named(panel))
    below = 18 * (panel.x.ticks != ()) + 16 * len(panel.x.label.splitlines())
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


def _panel(frame: Frame) -> Iterator[str]:
    panel = frame.panel
    yield from _grid(frame)
    if isinstance(panel.y, Rows):
        yield from _rows(frame, panel.y)
    for mark in panel.marks:
        yield from painted(mark, frame)
    y = frame.top - 6
    for rules in panel.labels:
        for rule in rules:
            x = float(frame.x(rule.at))
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


def _grid(frame: Frame) -> Iterator[str]:
    panel = frame.panel
    bottom, axis = frame.bottom, panel.x
    for value, words in _ticks(axis, panel.width / 48):
        x = float(frame.x(value))
        yield line(x, frame.top, x, bottom, LINE)
        yield text(x, bottom + 15, words, INK_3, size=11, anchor="middle")
    middle = (frame.left + frame.right) / 2
    if axis.label:
        y = bottom + (33 if axis.ticks != () else 16)
        for part in axis.label.splitlines():
            yield text(middle, y, part, INK_2, size=11, anchor="middle")
            y += 16
    if isinstance(panel.y, Axis):
        for value, words in _ticks(panel.y, panel.tall / 32):
            y = float(frame.y(value))
            yield line(frame.left, y, frame.right, y, LINE)
            yield text(frame.left - 6, y + 4, words, INK_3, size=11, anchor="end")
        if panel.y.label:
            x, y = frame.left - 40, (frame.top + bottom) / 2
            yield (
                f'<g transform="translate({x:.1f} {y:.1f}) rotate(-90)">'
                f"{text(0, 0, panel.y.label, INK_2, size=11, anchor='middle')}</g>"
            )


def _rows(frame: Frame, rows: Rows) -> Iterator[str]:
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


def _legend(named: list[Mark], frame: Frame, y: float) -> Iterator[str]:
    x = frame.left + 6
    for mark in named:
        (colour,) = each(mark.colour, 1)[:1]
        if isinstance(mark, Points):
            yield points(each(mark.shape, 1)[0], colour, [(x, y - 4)], 4, mark.alpha)
        elif isinstance(mark, Cells | Band):
            yield rectangle((x - 5, y - 9, 10, 10), (colour, "none"), mark.alpha)
        elif isinstance(mark, Intervals | Line):
            yield f'<path d="M{x - 6:.1f} {y - 4:.1f}h12"{stroke(mark, colour)}/>'
        yield text(x + 11, y, mark.name, INK_2, size=11)
        x += _MARK + text_width(mark.name, 11)


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
