"""Previews of a result: the card of a notebook, and the thumbnail of a list of runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import singledispatch
from html import escape
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from biaslab.records.kinds import part_of
from biaslab.records.result import Result
from biaslab.records.wording import counted
from biaslab.reports import svg
from biaslab.reports.chart import (
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
    each,
)
from biaslab.reports.palette import SURFACE, VARIABLES
from biaslab.reports.theme import follow_theme

_PREVIEW_ROWS = 8


def card(result: Result) -> str:
    """The result as a notebook shows it: finding, chart, and the table folded.

    A chart that cannot be drawn is left out: a result is always shown.
    """
    try:
        chart = _chart(result)
    except Exception:  # noqa: BLE001  # a notebook would show nothing but the traceback
        chart = ""
    frame = result.to_frame()
    table = frame.to_html(index=False, max_rows=_PREVIEW_ROWS, border=0)
    dropped = f" ({len(result.dropped)} dropped)" if result.dropped else ""
    return (
        f"<p><strong>{escape(result.headline + dropped)}</strong></p>"
        f"{follow_theme(chart) if chart else ''}"
        f"<details><summary>Table ({counted(len(frame), 'row')})</summary>{table}</details>"
    )


def _chart(result: Result) -> str:
    """The chart, without the finding and its limits: these stand above it."""
    chart = part_of(result, "chart")
    return svg.paint(chart(result), headed=False) if chart else result.to_svg()


WIDTH: Final = 120
HEIGHT: Final = 72
MOST_BYTES: Final = 12_000
_EDGE = 4.0
"""Pixels that stay free on each side, so that no mark is cut."""
_MOST_ROWS = 30
_MOST_PARTS = 240
"""Of a mark, where the thumbnail has no rows that thin it out."""
_LARGEST_POINT = 2.6

Look = TypeVar("Look")


def thumbnail(result: Result) -> str:
    """Draw the marks of a result's chart as an SVG of 120 by 72 pixels.

    It has no text and no background. Its colours are CSS variables of the page that it stands in,
    with the light theme's as fallbacks. The same result always gives the same text.

    - Returns: at most 12,000 bytes; long rows and many points are thinned out evenly. Empty where
      this kind of result has no chart.
    """
    chart = part_of(result, "chart")
    return small(chart(result)) if chart else ""


def small(chart: Chart) -> str:
    """Draw one panel of a chart as `thumbnail` does: `Chart.small`, or else its largest."""
    panel = chart.small or _largest(chart)
    detail = 1.0
    text = _document(panel, detail)
    while len(text.encode()) > MOST_BYTES:
        detail /= 2
        text = _document(panel, detail)
    return text


def _largest(chart: Chart) -> Panel:
    return max((p for row in chart.panels for p in row), key=lambda p: p.width * p.tall)


@dataclass(frozen=True)
class _Frame:
    """A panel on the pixels of a thumbnail."""

    panel: Panel
    detail: float

    @property
    def rows(self) -> tuple[int, int] | None:
        """Numbers of rows in all and in the thumbnail; None for an axis."""
        if not isinstance(self.panel.y, Rows):
            return None
        count = max(len(self.panel.y.rows), 1)
        return count, min(count, max(2, round(_MOST_ROWS * self.detail)))

    @property
    def point(self) -> float:
        """Radius of a point that rows leave room for, in pixels."""
        kept = 12 if self.rows is None else self.rows[1]
        return min(_LARGEST_POINT, max(1.1, 0.45 * (HEIGHT - 2 * _EDGE) / kept))

    def places(self, mark: Mark) -> tuple[dict[str, Floats], NDArray[np.intp]]:
        """Pixels of a mark's fields, and the numbers of the parts that are kept."""
        raw = {name: np.atleast_1d(np.asarray(getattr(mark, name), dtype=float))
               for name in (*mark.across, *mark.along)}  # fmt: skip
        fields = dict(zip(raw, np.broadcast_arrays(*raw.values()), strict=True))
        count = len(next(iter(fields.values())))
        kept = np.arange(count)
        if self.rows is not None:
            rank, drawn = _ranks(fields[mark.along[0]], *self.rows)
            kept = kept[drawn]
            fields |= {name: fields[name] + rank for name in mark.along}
        most = max(2, round(_MOST_PARTS * self.detail))
        if len(kept) > most:
            kept = kept[np.linspace(0, len(kept) - 1, most).round().astype(int)]
        pixels = {n: (self.x if n in mark.across else self.y)(v[kept]) for n, v in fields.items()}
        return pixels, kept

    def x(self, values: Floats) -> Floats:
        """Pixels from the left."""
        axis = self.panel.x
        share = (values - axis.low) / (axis.high - axis.low)
        return np.asarray(_EDGE + (WIDTH - 2 * _EDGE) * np.clip(share, 0, 1))

    def y(self, values: Floats) -> Floats:
        """Pixels from the top."""
        scale, tall = self.panel.y, HEIGHT - 2 * _EDGE
        if self.rows is not None:
            return np.asarray(_EDGE + tall * (values + 0.5) / self.rows[1])
        share = (values - scale.low) / (scale.high - scale.low)  # type: ignore[union-attr]
        return np.asarray(HEIGHT - _EDGE - tall * np.clip(share, 0, 1))


def _document(panel: Panel, detail: float) -> str:
    frame = _Frame(panel, detail)
    body = "".join(part for mark in panel.marks for part in _painted(mark, frame))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" '
        f'height="{HEIGHT}" aria-hidden="true">{body}</svg>'
    )


def _ranks(values: Floats, count: int, most: int) -> tuple[Floats, NDArray[np.bool_]]:
    """Rows by which each part moves up, and whether it is in the thumbnail."""
    chosen = np.linspace(0, count - 1, most).round().astype(int)
    row = np.rint(np.nan_to_num(values)).clip(0, count - 1).astype(int)
    return (np.searchsorted(chosen, row) - row).astype(float), np.isin(row, chosen)


@singledispatch
def _painted(_mark: Mark, _frame: _Frame) -> Iterator[str]:
    """The elements of a mark; none of words."""
    return iter(())


@_painted.register
def _(mark: Points, frame: _Frame) -> Iterator[str]:
    places, kept = frame.places(mark)
    count = max(len(np.atleast_1d(mark.x)), len(np.atleast_1d(mark.y)))
    looks = list(zip(each(mark.shape, count), each(mark.colour, count), strict=True))
    size = min(mark.size / 1.6, frame.point)
    parts = [
        (looks[k], _SHAPES[looks[k][0]](x, y, size))
        for k, x, y in zip(kept, places["x"], places["y"], strict=True)
        if np.isfinite(x + y)
    ]
    for (shape, colour), path in _alike(parts):
        if shape in ("ring", "hollow"):
            fill = _colour(SURFACE) if size > 1.5 else "none"
            looks_of = f'fill="{fill}" stroke="{_colour(colour)}"'
        elif shape == "tick":
            looks_of = f'fill="none" stroke="{_colour(colour)}"'
        else:
            looks_of = f'fill="{_colour(colour)}"'
        yield _path(path, looks_of, mark.alpha)


@_painted.register
def _(mark: Intervals, frame: _Frame) -> Iterator[str]:
    places, kept = frame.places(mark)
    colours = each(mark.colour, int(kept.max(initial=0)) + 1)
    parts = [
        (colours[k], f"M{_px(low)} {_px(y)}H{_px(high)}")
        for k, low, high, y in zip(kept, *places.values(), strict=True)
        if np.isfinite(low + high + y)
    ]
    for colour, path in _alike(parts):
        yield _stroke(path, colour, min(mark.width, 0.8 * frame.point), mark)


@_painted.register
def _(mark: Line, frame: _Frame) -> Iterator[str]:
    places, _ = frame.places(mark)
    path = _through(places["x"], places["y"])
    if path:
        yield _stroke(f"M{path}", str(mark.colour), min(mark.width, 1.5), mark)


@_painted.register
def _(mark: Band, frame: _Frame) -> Iterator[str]:
    places, _ = frame.places(mark)
    x, low, high = places.values()
    path = _through(np.append(x, x[::-1]), np.append(high, low[::-1]))
    if path:
        yield _path(f"M{path}z", f'fill="{_colour(str(mark.colour))}"', mark.alpha)


@_painted.register
def _(mark: Cells, frame: _Frame) -> Iterator[str]:
    places, kept = frame.places(mark)
    count = int(kept.max(initial=0)) + 1
    fills, edges = each(mark.colour, count), each(mark.edge, count)
    parts = []
    for k, left, right, bottom, top in zip(kept, *places.values(), strict=True):
        wide, tall = abs(right - left), abs(bottom - top)
        if wide > 0 and np.isfinite(wide + tall):
            corner = f"M{_px(min(left, right))} {_px(min(top, bottom))}"
            path = f"{corner}h{_px(wide)}v{_px(max(tall, 0.6))}h{_px(-wide)}z"
            parts.append(((fills[k], edges[k]), path))
    for (fill, edge), path in _alike(parts):
        is_open = edge not in ("none", SURFACE)
        outline = f' stroke="{_colour(edge)}" stroke-width=".5"' if is_open else ""
        yield _path(path, f'fill="{_colour(fill)}"{outline}', mark.alpha)


@_painted.register
def _(mark: Rule, frame: _Frame) -> Iterator[str]:
    if mark.axis == "x":
        path = f"M{_px(float(frame.x(np.array(mark.at))))} 0V{HEIGHT}"
    elif frame.rows is None:
        path = f"M0 {_px(float(frame.y(np.array(mark.at))))}H{WIDTH}"
    else:
        return
    yield _stroke(path, str(mark.colour), min(mark.width, 1.0), mark)


def _circle(x: float, y: float, size: float) -> str:
    r = _px(size)
    turn = f"a{r} {r} 0 1 0 {_px(2 * size)} 0"
    return f"M{_px(x - size)} {_px(y)}{turn}a{r} {r} 0 1 0 {_px(-2 * size)} 0z"


def _square(x: float, y: float, size: float) -> str:
    side = _px(1.8 * size)
    return f"M{_px(x - 0.9 * size)} {_px(y - 0.9 * size)}h{side}v{side}h-{side}z"


def _diamond(x: float, y: float, size: float) -> str:
    far = _px(1.25 * size)
    return f"M{_px(x)} {_px(y - 1.25 * size)}l{far} {far}l-{far} {far}l-{far} -{far}z"


def _tick(x: float, y: float, size: float) -> str:
    return f"M{_px(x)} {_px(y - size)}v{_px(2 * size)}"


_SHAPES: dict[str, Callable[[float, float, float], str]] = {
    "circle": _circle,
    "ring": _circle,
    "square": _square,
    "diamond": _diamond,
    "hollow": _diamond,
    "tick": _tick,
}


def _alike(parts: list[tuple[Look, str]]) -> Iterator[tuple[Look, str]]:
    """Parts of one look as one path, in the order in which looks come first."""
    merged: dict[Look, list[str]] = {}
    for look, path in parts:
        merged.setdefault(look, []).append(path)
    return ((look, "".join(paths)) for look, paths in merged.items())


def _through(x: Floats, y: Floats) -> str:
    finite = np.isfinite(x + y)
    return "L".join(f"{_px(a)} {_px(b)}" for a, b in zip(x[finite], y[finite], strict=True))


def _stroke(path: str, colour: str, width: float, mark: Intervals | Line | Rule) -> str:
    dash = ' stroke-dasharray="3 2"' if mark.dashed else ""
    looks = f'fill="none" stroke="{_colour(colour)}" stroke-width="{_px(width)}"{dash}'
    return _path(path, looks, mark.alpha)


def _path(path: str, looks: str, alpha: float) -> str:
    faint = "" if alpha == 1 else f' opacity="{alpha:g}"'
    return f'<path d="{path}" {looks}{faint}/>'


def _colour(colour: str) -> str:
    """A variable of the page with the given colour as its fallback, where there is one."""
    return VARIABLES.get(colour, colour)


def _px(value: float) -> str:
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text
