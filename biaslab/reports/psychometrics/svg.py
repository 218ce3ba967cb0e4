"""A still picture of one item's psychometric curve, as SVG text that needs no library to show."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import shorten, wrap

import numpy as np

from biaslab.probes.psychometrics import TwoAFCResult
from biaslab.reports.palette import (
    GROUP_1_TEXT,
    GROUP_1_TINT,
    GROUP_2_TEXT,
    GROUP_2_TINT,
    INK,
    INK_2,
    INK_3,
    NEUTRAL,
    SURFACE,
)
from biaslab.reports.psychometrics.labels import ends, share_of, stimulus_label
from biaslab.reports.psychometrics.seen_words import is_seen
from biaslab.reports.svg_parts import document, line, text
from biaslab.wording import percent

WIDTH, HEIGHT = 720, 460
_LEFT, _RIGHT, _TOP, _BOTTOM = 60, 690, 104, 350
_SHADES = 12


def svg(result: TwoAFCResult, item: str | None = None) -> str:
    """Draw an item of a result (default: the first): rows of answers, curve, PSE and intervals.

    Returns
    -------
    str
        An SVG document; words are escaped, nothing is fetched.
    """
    item = item or result.items[0]
    title = result.verdict(item)
    body = "\n".join(_elements(result, item, title))
    return document(title, body, WIDTH, HEIGHT)


def _x(alpha: float) -> float:
    return _LEFT + (_RIGHT - _LEFT) * min(max(alpha, 0.0), 1.0)


def _y(share: float) -> float:
    return _BOTTOM - (_BOTTOM - _TOP) * share


def _elements(result: TwoAFCResult, item: str, title: str) -> Iterator[str]:
    cue_1, cue_2 = ends(result)
    for n, part in enumerate(wrap(title, 82)[:3]):
        yield text(_LEFT - 30, 28 + 20 * n, part, INK, size=15)
    caveat = shorten(result.caveat(item), 118, placeholder=" …")
    yield text(_LEFT - 30, 92, caveat, INK_3, size=11)
    yield from _shades(result, item) if result.is_graded else _rows(result, item)
    for share in (0, 25, 50, 75, 100):
        yield text(_LEFT - 8, _y(share / 100) + 4, str(share), INK_3, size=11, anchor="end")
    yield line(_x(0.5), _TOP, _x(0.5), _BOTTOM, NEUTRAL, dash="2 4")
    yield line(_LEFT, _y(0.5), _RIGHT, _y(0.5), NEUTRAL, dash="2 4")
    yield from _curve(result, item)
    yield from _estimates(result, item)
    for tick in range(0, 101, 20):
        yield text(_x(tick / 100), _BOTTOM + 62, str(tick), INK_3, size=11, anchor="middle")
    yield text(_LEFT, HEIGHT - 24, cue_1, GROUP_1_TEXT, weight="bold")
    yield text(_RIGHT, HEIGHT - 24, cue_2, GROUP_2_TEXT, weight="bold", anchor="end")
    middle = f"stimulus: share of {cue_2} in the blend, %; 50 is neutral"
    if is_seen(result):
        middle = f"{stimulus_label(result)}; 50 is neutral"
    yield text((_LEFT + _RIGHT) / 2, HEIGHT - 24, middle, INK_2, anchor="middle")


def _rows(result: TwoAFCResult, item: str) -> Iterator[str]:
    points = np.sort(result.balance[:, result.index(item)].ravel())
    height = (_BOTTOM - _TOP) / len(points)
    gap = min(1.0, 0.2 * height)
    for n, point in enumerate(points):
        top, edge = _BOTTOM - (n + 1) * height, _x(float(point))
        size = f'y="{top:.2f}" height="{height - gap:.2f}"'
        yield f'<rect x="{_LEFT}" {size} width="{edge - _LEFT:.2f}" fill="{GROUP_1_TINT}"/>'
        yield f'<rect x="{edge:.2f}" {size} width="{_RIGHT - edge:.2f}" fill="{GROUP_2_TINT}"/>'


def _shades(result: TwoAFCResult, item: str) -> Iterator[str]:
    """Rows of graded answers: a cell around each stimulus, tinted by the answer to it."""
    i = result.index(item)
    rows = result.answers[result.answered[:, i], i].reshape(-1, result.levels)
    alphas = result.stimuli
    edges = np.concatenate([[0.0], (alphas[1:] + alphas[:-1]) / 2, [1.0]])
    height = (_BOTTOM - _TOP) / len(rows)
    gap = min(1.0, 0.2 * height)
    # As those that answer in a step: who answers cue 2 soonest is lowest.
    for n, row in enumerate(rows[np.argsort(-rows.mean(axis=1), kind="stable")]):
        size = f'y="{_BOTTOM - (n + 1) * height:.2f}" height="{height - gap:.2f}"'
        yield f'<rect x="{_LEFT}" {size} width="{_RIGHT - _LEFT}" fill="{GROUP_1_TINT}"/>'
        shades = np.round(row * _SHADES).astype(int)
        begins = np.flatnonzero(np.diff(shades, prepend=-1))
        for begin, end in zip(begins, [*begins[1:], len(shades)], strict=True):
            left, right = _x(float(edges[begin])), _x(float(edges[end]))
            if shades[begin]:
                share = f'fill="{GROUP_2_TINT}" fill-opacity="{shades[begin] / _SHADES:.3f}"'
                yield f'<rect x="{left:.2f}" {size} width="{right - left:.2f}" {share}/>'


def _curve(result: TwoAFCResult, item: str) -> Iterator[str]:
    alphas = np.linspace(0, 1, 161)
    share, low, high = result.psi(item, alphas)
    upper = [f"{_x(a):.1f},{_y(s):.1f}" for a, s in zip(alphas, high, strict=True)]
    lower = [f"{_x(a):.1f},{_y(s):.1f}" for a, s in zip(alphas, low, strict=True)]
    band = " ".join(upper + lower[::-1])
    yield f'<polygon points="{band}" fill="{NEUTRAL}" fill-opacity="0.25"/>'
    drawn = " ".join(f"{_x(a):.1f},{_y(s):.1f}" for a, s in zip(alphas, share, strict=True))
    yield f'<polyline points="{drawn}" fill="none" stroke="{INK}" stroke-width="2"/>'


def _estimates(result: TwoAFCResult, item: str) -> Iterator[str]:
    i = result.index(item)
    pse, cue_2 = float(result.pse[i]), share_of(result)
    if not np.isfinite(pse):
        return
    yield f'<circle cx="{_x(pse):.1f}" cy="{_y(0.5):.1f}" r="5" fill="{SURFACE}" stroke="{INK}"/>'
    yield text(_x(pse) + 12, _y(0.5) + 18, f"PSE {percent(pse)} % {cue_2}", INK, weight="bold")
    for row, (name, interval, width) in enumerate(
        (
            (
                f"{100 * result.level:.0f} % over {result.corpus_kind.replace('resampled ', '')}",
                result.pooled.corpus[i],
                2.5,
            ),
            (f"of the mean of {result.n_observers}", result.pooled.monte_carlo[i], 1.0),
        )
    ):
        if np.isfinite(interval).all():
            y = _BOTTOM + 16 + 16 * row
            low, high = float(interval[0]), float(interval[1])
            yield line(_x(low), y, _x(high), y, INK, width=width)
            label = f"{name}: {percent(low, row)}–{percent(high, row)} %"
            right = _x(high) < 460
            x = _x(high) + 10 if right else _x(low) - 10
            yield text(x, y + 4, label, INK_2, size=11, anchor="start" if right else "end")
