"""Paints the marks of a chart as elements of SVG."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import singledispatch

import numpy as np
from numpy.typing import ArrayLike

from biaslab.reports.chart import (
    Band,
    Cells,
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
)
from biaslab.reports.palette import SURFACE
from biaslab.reports.svg_parts import text


@dataclass(frozen=True)
class Frame:
    """A panel and the place of its scales in the picture."""

    panel: Panel
    left: float
    top: float

    @property
    def right(self) -> float:
        """Pixels from the left of the picture."""
        return self.left + self.panel.width

    @property
    def bottom(self) -> float:
        """Pixels from the top of the picture."""
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
        found = self.panel.places(mark)
        return {name: (self.x if name in mark.across else self.y)(at) for name, at in found.items()}


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
    ends = f"{_path(x, high)} {_path(x[::-1], low[::-1])}"
    yield f'<polygon points="{ends}" fill="{mark.colour}"{_opacity("fill", mark.alpha)}/>'


@painted.register
def _(mark: Cells, frame: Frame) -> Iterator[str]:
    left, right, bottom, top = frame.places(mark).values()
    looks = zip(each(mark.colour, len(left)), each(mark.edge, len(left)), strict=True)
    for x1, x2, y1, y2, look in zip(left, right, top, bottom, looks, strict=True):
        if x1 != x2 and y1 != y2 and math.isfinite(x1 + x2 + y1 + y2):
            place = (min(x1, x2), min(y1, y2), abs(x2 - x1), max(abs(y2 - y1), 1))
            yield rectangle(place, look, mark.alpha, rounded=mark.rounded)


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


def rectangle(
    place: tuple[float, float, float, float],
    look: tuple[str, str],
    alpha: float,
    *,
    rounded: bool = False,
) -> str:
    """A rectangle by its left, top, width and height; its fill and its edge."""
    (x, y, width, height), (fill, edge) = place, look
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
