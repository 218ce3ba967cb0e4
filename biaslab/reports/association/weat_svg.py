"""A still picture of WEAT as SVG text: every word's association, the splits, the effect size."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from textwrap import wrap

import numpy as np

from biaslab.probes.association.weat_result import WeatResult
from biaslab.reports.palette import (
    CHANCE,
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
from biaslab.wording import number, p_text

WIDTH = 760
_ROW, _TOP = 16, 132
_LEFT, _RIGHT = 132, 420
_FROM, _TO = 470, 744
_SPLITS = 220
"""Height of the part with the splits and the effect size."""


def svg(result: WeatResult) -> str:
    """Draw a result.

    Returns
    -------
    str
        An SVG document; words are escaped, nothing is fetched.
    """
    title = "".join(words for words, _ in result.verdict())
    rows = len(result.words) + len(result.lists.groups)
    height = _TOP + max(_ROW * rows + 44, _SPLITS + 90)
    body = "\n".join(_elements(result, title))
    return document(title, body, WIDTH, height)


def _elements(result: WeatResult, title: str) -> Iterator[str]:
    for n, part in enumerate(wrap(title, 92)[:3]):
        yield text(16, 26 + 20 * n, part, INK, size=15)
    for n, part in enumerate(wrap(result.caveat(), 122)[:2]):
        yield text(16, 86 + 14 * n, part, INK_3, size=11)
    yield from _words(result)
    yield from _null(result)
    yield from _size(result)


def _words(result: WeatResult) -> Iterator[str]:
    a, b = result.lists.attributes
    mean = result.association.mean(axis=0)
    reach = max(float(np.abs(mean).max()), 1e-9) * 1.1
    x = _scale(-reach, reach, _LEFT, _RIGHT)
    bottom = _TOP + _ROW * (len(mean) + len(result.lists.groups))
    yield line(x(0), _TOP - 4, x(0), bottom, NEUTRAL, width=1.5)
    yield text(x(0), _TOP - 10, "0", INK, size=11, anchor="middle", weight="bold")
    yield text(x(0) - 12, _TOP - 10, f"← {b[:22]}", INK_2, size=11, anchor="end")
    yield text(x(0) + 12, _TOP - 10, f"{a[:22]} →", INK_2, size=11)
    y, at = float(_TOP), 0
    for g, (name, words) in enumerate(result.lists.groups.items()):
        y += _ROW
        colour = (GROUP_1, GROUP_2)[g]
        yield text(16, y - 4, name, (GROUP_1_TEXT, GROUP_2_TEXT)[g], weight="bold")
        own = mean[at : at + len(words)]
        for i in np.argsort(-own, kind="stable").tolist():
            y += _ROW
            yield line(_LEFT, y - 8, _RIGHT, y - 8, LINE)
            yield text(_LEFT - 8, y - 4, words[i][:18], INK, size=11, anchor="end")
            yield mark(x(float(own[i])), y - 8, 1 if g == 0 else -1, colour, size=3.5)
            yield text(_RIGHT + 34, y - 4, number(float(own[i]), 2), INK_2, size=11, anchor="end")
        at += len(words)
    label = (
        "association s(t, A, B), mean over replicates"
        if result.n_replicates > 1
        else ("association s(t, A, B)")
    )
    yield text((_LEFT + _RIGHT) / 2, bottom + 18, label, INK_2, size=11, anchor="middle")


def _null(result: WeatResult) -> Iterator[str]:
    test = result.test
    x = _scale(float(test.edges[0]), float(test.edges[-1]), _FROM + 26, _TO)
    bottom, most = _TOP + _SPLITS - 60, max(int(test.counts.max()), 1)
    tall = bottom - _TOP - 26
    for k, (count, reached) in enumerate(zip(test.counts, test.reached, strict=True)):
        left, right = x(float(test.edges[k])), x(float(test.edges[k + 1]))
        for many, colour in ((count, CHANCE), (reached, OBSERVED)):
            if many:
                high = max(tall * int(many) / most, 1)
                yield (
                    f'<rect x="{left:.1f}" y="{bottom - high:.1f}" '
                    f'width="{max(right - left - 0.8, 0.5):.1f}" height="{high:.1f}" '
                    f'fill="{colour}"/>'
                )
    yield line(x(float(test.edges[0])), bottom, _TO, bottom, INK_3)
    yield line(x(0), _TOP + 10, x(0), bottom, NEUTRAL, width=1.5)
    at = x(test.observed)
    yield line(at, _TOP + 10, at, bottom, OBSERVED, width=2)
    side = "end" if at > (_FROM + _TO) / 2 else "start"
    shift = -5 if side == "end" else 5
    told = f"observed {number(test.observed, 3)}"
    yield text(at + shift, _TOP + 18, told, OBSERVED, size=11, anchor=side, weight="bold")
    reach = "reaches" if test.exceed == 1 else "reach"
    told = f"{test.exceed:,} of {test.partitions:,} splits {reach} it, p = {p_text(test.p)}"
    yield text(_TO, _TOP - 10, told, INK_2, size=11, anchor="end")
    for tick in (float(test.edges[0]), 0.0, float(test.edges[-1])):
        yield text(
            x(tick), bottom + 15, f"{tick:.2g}".replace("-", "−"), INK_3, size=11, anchor="middle"
        )
    yield text(
        (_FROM + _TO) / 2, bottom + 32, "difference of means", INK_2, size=11, anchor="middle"
    )


def _size(result: WeatResult) -> Iterator[str]:
    y = _TOP + _SPLITS + 40
    top = result.ceiling
    x = _scale(-top, top, _FROM + 26, _TO - 14)
    yield line(x(-top), y, x(top), y, INK_3)
    for end in (-top, top):
        yield line(x(end), y - 9, x(end), y + 9, OBSERVED, dash="3 2", width=1.5)
        yield text(x(end), y + 24, number(end), INK_3, size=11, anchor="middle")
    yield line(x(0), y - 5, x(0), y + 5, NEUTRAL)
    yield text(x(0), y + 24, "0", INK, size=11, anchor="middle", weight="bold")
    if result.reason:
        yield text(x(0), y - 14, "no effect size", INK_3, size=11, anchor="middle")
    else:
        widest = result.effect_size_intervals[-1]
        if np.isfinite([widest.low, widest.high]).all():
            yield line(x(widest.low), y, x(widest.high), y, OBSERVED, width=3)
        at = x(result.effect_size)
        yield f'<circle cx="{at:.1f}" cy="{y}" r="5" fill="{OBSERVED}"/>'
        told = number(result.effect_size)
        yield text(at, y - 12, told, OBSERVED, anchor="middle", weight="bold")
    label = f"effect size and its ceiling, ddof {result.ddof}"
    yield text((_FROM + _TO) / 2, y + 42, label, INK_2, size=11, anchor="middle")


def _scale(low: float, high: float, start: float, end: float) -> Callable[[float], float]:
    def place(value: float) -> float:
        return start + (end - start) * (min(max(value, low), high) - low) / (high - low)

    return place
