"""A still picture of words between two groups, as SVG text that needs no library to show."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from textwrap import wrap
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from biaslab.probes.occupations import OccupationsResult
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
)
from biaslab.reports.svg_parts import document, line, mark, rings, text
from biaslab.wording import percent

WIDTH = 760
_LEFT, _RIGHT, _ROW, _TOP, _BOTTOM = 132, 640, 17, 118, 44
_WIDEST = (-0.5, 1.5)
MOST_RINGS = 16
"""With more cue pairs than this, single pairs are drawn as a band from quartile to quartile."""

Measure = Literal["pse", "jnd"]
Floats = NDArray[np.float64]
_COLOURS = {1: GROUP_1, -1: GROUP_2, 0: NEUTRAL}


@dataclass(frozen=True)
class _Rows:
    """What is drawn, in the order drawn."""

    words: list[str]
    value: Floats
    interval: Floats
    pairs: Floats
    lean: list[int]


def svg(result: OccupationsResult, contrast: int = 0, measure: Measure = "pse") -> str:
    """Draw every word of a contrast: cue pairs as rings, the pooled value with its interval.

    Parameters
    ----------
    result : OccupationsResult
    contrast : int
        Which contrast.
    measure : str
        ``pse``, or ``jnd``.

    Returns
    -------
    str
        An SVG document.
    """
    title = "".join(words for words, _ in result.verdict(contrast))
    rows = _rows(result, contrast, measure)
    height = _TOP + _ROW * len(rows.words) + _BOTTOM
    body = "\n".join(_elements(result, contrast, measure, rows, title, height))
    return document(title, body, WIDTH, height)


def _rows(result: OccupationsResult, contrast: int, measure: Measure) -> _Rows:
    asked = result.contrasts[contrast]
    pooled, single = asked.pooled, asked.by_pair
    value = pooled.pse if measure == "pse" else pooled.jnd
    interval = pooled.corpus if measure == "pse" else pooled.jnd_interval
    pairs = single.pse if measure == "pse" else single.jnd
    order = np.argsort(-np.nan_to_num(value, nan=-np.inf), kind="stable")
    lean = [int(pooled.lean[i]) for i in order]
    return _Rows([asked.items[i] for i in order], value[order], interval[order], pairs[order], lean)


def _elements(
    result: OccupationsResult,
    contrast: int,
    measure: Measure,
    rows: _Rows,
    title: str,
    height: int,
) -> Iterator[str]:
    one, two = result.of_contrast(contrast)
    low, high = _range(rows, measure)

    def x(alpha: float) -> float:
        return _LEFT + (_RIGHT - _LEFT) * (min(max(alpha, low), high) - low) / (high - low)

    for n, part in enumerate(wrap(title, 90)[:2]):
        yield text(16, 26 + 20 * n, part, INK, size=15)
    for n, part in enumerate(wrap(result.caveat(contrast), 118)[:2]):
        yield text(16, 66 + 14 * n, part, INK_3, size=11)
    bottom = height - _BOTTOM
    for tick in _ticks(low, high):
        yield line(x(tick), _TOP - 8, x(tick), bottom, LINE)
        yield text(x(tick), bottom + 16, percent(tick), INK_3, size=11, anchor="middle")
    if measure == "pse":
        yield line(x(0.5), _TOP - 8, x(0.5), bottom, NEUTRAL, width=1.5)
        yield text(x(0.5), _TOP - 14, "neutral 50 %", INK, size=11, anchor="middle", weight="bold")
        yield text(x(0.5) - 50, _TOP - 14, f"← leans {two}", GROUP_2_TEXT, anchor="end")
        yield text(x(0.5) + 50, _TOP - 14, f"leans {one} →", GROUP_1_TEXT)
    level = f"{100 * result.level:.0f} %"
    yield text(_RIGHT + 46, _TOP - 14, measure.upper(), INK_2, size=11, anchor="end")
    yield text(WIDTH - 12, _TOP - 14, level, INK_2, size=11, anchor="end")
    for row in range(len(rows.words)):
        yield from _row(rows, row, x)
    label = f"PSE: % {two} at the switch" if measure == "pse" else "JND: points of the blend"
    yield text((_LEFT + _RIGHT) / 2, height - 10, label, INK_2, anchor="middle")
    yield text(16, height - 10, _key(rows), INK_3, size=11)


def _row(rows: _Rows, row: int, x: Callable[[float], float]) -> Iterator[str]:
    y = _TOP + _ROW * (row + 0.5)
    colour = _COLOURS[rows.lean[row]]
    value, (low, high) = float(rows.value[row]), rows.interval[row]
    yield text(_LEFT - 12, y + 4, rows.words[row][:20], INK, anchor="end")
    single = rows.pairs[row][np.isfinite(rows.pairs[row])]
    if 1 < rows.pairs.shape[1] <= MOST_RINGS:
        yield rings((x(float(p)) for p in single), y, 2.2, colour)
    elif len(single) > MOST_RINGS:
        ends = np.quantile(single, [0.25, 0.75])
        yield line(x(float(ends[0])), y, x(float(ends[1])), y, LINE, width=9)
    if not np.isfinite(value):
        yield text(_RIGHT + 46, y + 4, "none", INK_3, anchor="end")
        return
    if np.isfinite([low, high]).all():
        yield line(x(float(low)), y, x(float(high)), y, colour, width=2)
        told = f"{percent(float(low))}–{percent(float(high))}"
        yield text(WIDTH - 12, y + 4, told, INK_2, size=11, anchor="end")
    yield mark(x(value), y, rows.lean[row], colour)
    yield text(_RIGHT + 46, y + 4, percent(value), INK, anchor="end", weight="bold")


def _range(rows: _Rows, measure: Measure) -> tuple[float, float]:
    """The axis: what there is and the neutral value, within reason, to whole tens."""
    shown = np.concatenate([rows.value, rows.interval.ravel()])
    if rows.pairs.shape[1] <= MOST_RINGS:
        shown = np.concatenate([shown, rows.pairs.ravel()])
    shown = shown[np.isfinite(shown)]
    ends = [0.4, 0.6] if measure == "pse" else [0.0, 0.1]
    low = max(min(shown.min(initial=ends[0]), ends[0]), _WIDEST[0])
    high = min(max(shown.max(initial=ends[1]), ends[1]), _WIDEST[1])
    return float(np.floor(10 * low) / 10), float(np.ceil(10 * high) / 10)


def _ticks(low: float, high: float) -> list[float]:
    step = 0.1 if high - low <= 1.05 else 0.2
    first = int(np.ceil(low / step - 1e-9))
    return [step * i for i in range(first, int(np.floor(high / step + 1e-9)) + 1)]


def _key(rows: _Rows) -> str:
    if rows.pairs.shape[1] == 1:
        return ""
    return "○ one cue pair" if rows.pairs.shape[1] <= MOST_RINGS else "grey: half of the pairs"
