"""Cuts long charts into parts that fit a printed page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from biaslab.reports.chart import Cells, Chart, Mark, Panel, Points, Rows, Rule, Texts

MOST_ROWS = 45
"""Of one part: with names and axes they fit an A4 and a Letter page."""


def paged(chart: Chart, most: int = MOST_ROWS) -> tuple[Chart, ...]:
    """Cut a chart into parts with at most so many rows; a short one stays as it is.

    Panels that stand side by side are cut at the same rows.
    """
    if all(_count(panel) <= most for row in chart.panels for panel in row):
        return (chart,)
    return tuple(replace(chart, panels=(part,)) for row in chart.panels for part in _cut(row, most))


def _cut(row: tuple[Panel, ...], most: int) -> Iterator[tuple[Panel, ...]]:
    count = max(map(_count, row))
    parts = -(-count // most)
    if parts < 2:
        yield row
        return
    ends = np.linspace(0, count, parts + 1).round().astype(int).tolist()
    for n, (begin, end) in enumerate(pairwise(ends)):
        alike = [panel for panel in row if _count(panel) == count]
        others = [panel for panel in row if _count(panel) != count and n == 0]
        yield (*(_part(panel, begin, end) for panel in alike), *others)


def _count(panel: Panel) -> int:
    return len(panel.y.rows) if isinstance(panel.y, Rows) else 0


def _part(panel: Panel, begin: int, end: int) -> Panel:
    scale = panel.y
    assert isinstance(scale, Rows)  # noqa: S101  # it has rows
    marks = tuple(_kept(mark, begin, end) for mark in panel.marks)
    return replace(panel, y=replace(scale, rows=scale.rows[begin:end]), marks=marks)


def _kept(mark: Mark, begin: int, end: int) -> Mark:
    """The parts of a mark in some rows, moved to the first of them."""
    if isinstance(mark, Rule):
        return mark
    names = (*mark.across, *mark.along)
    arrays = np.broadcast_arrays(
        *(np.atleast_1d(np.asarray(getattr(mark, name), dtype=float)) for name in names)
    )
    places = dict(zip(names, arrays, strict=True))
    row = np.rint(np.nan_to_num(places[mark.along[0]], nan=-1)).astype(int)
    kept = np.flatnonzero((row >= begin) & (row < end)).tolist()
    changed: dict[str, Any] = {name: values[kept] for name, values in places.items()}
    changed |= {name: changed[name] - begin for name in mark.along}
    changed["colour"] = _looks(mark.colour, kept)
    if isinstance(mark, Points):
        changed["shape"] = _looks(mark.shape, kept)
    if isinstance(mark, Cells):
        changed["edge"] = _looks(mark.edge, kept)
    if isinstance(mark, Texts):
        changed["words"] = [mark.words[k] for k in kept]
    if mark.data is not None:
        changed["data"] = {name: [column[k] for k in kept] for name, column in mark.data.items()}
    return replace(mark, **changed)


def _looks(given: str | Sequence[str], kept: Sequence[int]) -> str | list[str]:
    return given if isinstance(given, str) else [given[k] for k in kept]
