"""A still picture of MAC as SVG text: a mean per word and list, and the means of means."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from textwrap import wrap

import numpy as np

from biaslab.probes.association.mac_result import MacResult, of_connections
from biaslab.reports.palette import CONNECTION_MARKS, CONNECTIONS, INK, INK_2, INK_3, LINE, NEUTRAL
from biaslab.reports.svg_parts import document, line, text
from biaslab.wording import number

WIDTH = 760
_LEFT, _RIGHT, _TOP, _ROW = 150, 736, 140, 62
_NAMES = {
    "associated": "associated",
    "different": "different group",
    "human": "human control",
    "none": "neutral control",
}


def svg(result: MacResult) -> str:
    """Draw a result.

    Returns
    -------
    str
        An SVG document; words are escaped, nothing is fetched.
    """
    title = "".join(words for words, _ in result.verdict())
    height = _TOP + _ROW * max(len(result.by_connection), 1) + 48
    body = "\n".join(_elements(result, title, height))
    return document(title, body, WIDTH, height)


def _elements(result: MacResult, title: str, height: int) -> Iterator[str]:
    for n, part in enumerate(wrap(title, 92)[:3]):
        yield text(16, 26 + 20 * n, part, INK, size=15)
    for n, part in enumerate(wrap(result.caveat(), 122)[:2]):
        yield text(16, 86 + 14 * n, part, INK_3, size=11)
    means = result.means.mean(axis=0)
    cells = of_connections(result.lists) or {
        "attributes": [(j, slice(0, len(means))) for j in range(len(result.lists.attributes))]
    }
    unrelated = 1.0 if result.as_ == "distance" else 0.0
    shown = np.append(means[np.isfinite(means)], unrelated)
    low = math.floor(10 * float(shown.min())) / 10
    high = math.ceil(10 * float(shown.max()) + 1e-9) / 10

    def x(value: float) -> float:
        return _LEFT + (_RIGHT - _LEFT) * (value - low) / (high - low)

    bottom = height - 44
    for k in range(round(10 * low), round(10 * high) + 1):
        if round(10 * high) - round(10 * low) <= 12 or k % 2 == 0:
            yield line(x(k / 10), _TOP, x(k / 10), bottom, LINE)
            told = number(k / 10, 1)
            yield text(x(k / 10), bottom + 16, told, INK_3, size=11, anchor="middle")
    yield line(x(unrelated), _TOP - 4, x(unrelated), bottom, NEUTRAL, width=1.5)
    told = f"unrelated {unrelated:.1f}"
    yield text(x(unrelated), _TOP - 10, told, INK, size=11, anchor="middle", weight="bold")
    for k, (name, held) in enumerate(cells.items()):
        places = [(i, j) for j, rows in held for i in range(rows.start, rows.stop)]
        values = [float(means[i, j]) for i, j in places]
        yield from _connection(result, name, values, _TOP + _ROW * k, x)
    label = f"cosine {result.as_}: a mean per word and list (small), and their mean (large)"
    yield text((_LEFT + _RIGHT) / 2, height - 10, label, INK_2, size=11, anchor="middle")


def _connection(
    result: MacResult, name: str, values: list[float], top: float, x: Callable[[float], float]
) -> Iterator[str]:
    colour, shape = CONNECTIONS.get(name, INK), CONNECTION_MARKS.get(name, "circle")
    yield text(_LEFT - 14, top + 26, _NAMES.get(name, name), INK, anchor="end")
    yield text(_LEFT - 14, top + 42, f"{len(values)} means", INK_3, size=11, anchor="end")
    for value in values:
        yield _mark(x(value), top + 44, shape, colour, 3)
    mean = result.by_connection.get(name, result.mac)
    found = result.connection_intervals.get(name, result.mac_intervals)[-1]
    if math.isfinite(found.low):
        yield line(x(found.low), top + 22, x(found.high), top + 22, colour, width=2)
    yield _mark(x(mean), top + 22, shape, colour, 6)
    yield text(x(mean), top + 12, number(mean), INK, size=11, anchor="middle", weight="bold")


def _mark(x: float, y: float, shape: str, colour: str, size: float) -> str:
    if shape == "square":
        return (
            f'<rect x="{x - size:.1f}" y="{y - size:.1f}" width="{2 * size:g}" '
            f'height="{2 * size:g}" fill="{colour}"/>'
        )
    if shape == "diamond":
        return (
            f'<path d="M{x:.1f} {y - size:.1f}l{size:g} {size:g}l-{size:g} {size:g}l-{size:g} '
            f'-{size:g}z" fill="{colour}"/>'
        )
    fill = "#FFFFFF" if shape == "ring" else colour
    return (
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{size:g}" fill="{fill}" stroke="{colour}" '
        'stroke-width="1.5"/>'
    )
