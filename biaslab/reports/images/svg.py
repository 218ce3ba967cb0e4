"""A still picture of image associations as SVG text: models side by side, a square per picture."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from textwrap import wrap

from biaslab.probes.images.result import ImageAssociation
from biaslab.probes.images.scores import ImageScore
from biaslab.reports.images.marks import STEPS, Row, colour, rows, tones
from biaslab.reports.palette import INK, INK_2, INK_3, LINE, NEUTRAL, SURFACE
from biaslab.reports.sentences.marks import AGAINST, WITH
from biaslab.reports.svg_parts import document, line, text
from biaslab.wording import percent

_LEFT, _AXIS, _GAP, _STEP, _SQUARE, _ROW_HEIGHT = 190, 170, 24, 16, 13, 22
_PER_LINE = 15


def single(result: ImageAssociation) -> str:
    """Draw one model's result."""
    return svg([result])


def svg(results: Sequence[ImageAssociation]) -> str:
    """Draw one or several models' results.

    Parameters
    ----------
    results : sequence of ImageAssociation
        At least one; shown side by side, with the rows of all terms.

    Returns
    -------
    str
        An SVG document; words are escaped, nothing is fetched.
    """
    longest = max(len(own.images) for one in results for own in rows(one))
    per_line = max(_PER_LINE, math.ceil(longest / 4))
    block = _AXIS + 3 * _GAP + _STEP * min(longest, per_line)
    width = max(_LEFT + block * len(results) + 70, 860)
    drawn = list(_elements(results, width, block, per_line))
    title = " ".join("".join(part for part, _ in one.verdict()) for one in results)
    height = math.ceil(float(drawn.pop())) + 36
    return document(title, "\n".join(drawn), width, height)


def _elements(
    results: Sequence[ImageAssociation], width: int, block: int, per_line: int
) -> Iterator[str]:
    """The pieces; the last one is where the picture ends."""
    y = 10.0
    for one in results:
        for part in wrap("".join(words for words, _ in one.verdict()), width // 8):
            y += 20
            yield text(16, y, part, INK, size=15)
    for part in wrap(results[0].caveat(), width // 6):
        y += 15
        yield text(16, y, part, INK_3, size=11)
    y += 30
    yield from _legend(y)
    y += 30
    for k, one in enumerate(results):
        left = _LEFT + k * block
        yield text(left, y, _short(one.provenance.subject, 40), INK, weight="bold")
        beside = left + _AXIS + 3 * _GAP
        yield text(beside, y + 18, "one square per picture, sorted", INK_3, size=11)
        for tick in (0, 50, 100):
            words = "neutral 50" if tick == 50 else str(tick)
            yield text(left + _AXIS * tick / 100, y + 18, words, INK_3, size=11, anchor="middle")
    y += 30
    begun = y
    by_name = [{(r.score.part_of, r.score.name): r for r in rows(one)} for one in results]
    tone = [tones(one.scores) for one in results]
    before = None
    for part_of, name in dict.fromkeys(key for own in by_name for key in own):
        if part_of != before:
            yield text(16, y + 15, part_of, INK, weight="bold")
            lists = dict(zip(results[0].groups, results[0].concept_lists, strict=True))
            if part_of in lists:
                told = f"tied to “{lists[part_of]}”"
                yield text(24 + 7.2 * len(part_of), y + 15, told, INK_3, size=11)
            y += _ROW_HEIGHT
            before = part_of
        shown = [own.get((part_of, name)) for own in by_name]
        lines = max(math.ceil(len(r.images) / per_line) for r in shown if r is not None)
        yield text(_LEFT - 12, y + 15, _short(name), INK, anchor="end")
        for k, own_row in enumerate(shown):
            if own_row is not None:
                yield from _row(own_row, tone[k], _LEFT + k * block, y, per_line)
        y += max(_ROW_HEIGHT, _STEP * lines + 6)
    y += 8
    yield line(16, y, width - 16, y, LINE)
    yield text(_LEFT - 12, y + 18, "all pictures", INK, anchor="end", weight="bold")
    for k, one in enumerate(results):
        yield from _estimate(one.overall, _LEFT + k * block, y + 14, size=6)
    y += 30
    for k in range(len(results)):
        at = _LEFT + k * block + _AXIS / 2
        yield line(at, begun, at, y, NEUTRAL, width=1.5)
    yield str(y)


def _estimate(one: ImageScore, left: float, y: float, *, size: float) -> Iterator[str]:
    """A score with its interval, filled where it can be told from one half; its numbers beside."""
    strong = (WITH[2], AGAINST[2])[one.lean < 0] if one.lean else INK_2
    ends = one.interval
    between = ""
    if math.isfinite(ends.low):
        low, high = left + _AXIS * ends.low, left + _AXIS * ends.high
        yield line(low, y, high, y, strong, width=size / 2.5)
        for end in (low, high):
            yield line(end, y - size, end, y + size, strong)
        between = f" ({percent(ends.low)}–{percent(ends.high)})"
    yield (
        f'<circle cx="{left + _AXIS * one.score:.1f}" cy="{y:.1f}" r="{size:g}" '
        f'fill="{strong if one.lean else SURFACE}" stroke="{strong}" stroke-width="1.5"/>'
    )
    at = left + _AXIS + 3 * _GAP - 8
    yield text(at, y + 4, f"{percent(one.score)}{between}", INK, size=11, anchor="end")


def _row(own: Row, tone: str, left: float, y: float, per_line: int) -> Iterator[str]:
    yield from _estimate(own.score, left, y + 11, size=4)
    for k, i in enumerate(own.images):
        x = left + _AXIS + 3 * _GAP + _STEP * (k % per_line)
        yield _square(x, y + 4 + _STEP * (k // per_line), tone[i])


def _square(x: float, y: float, tone: str) -> str:
    edge = INK_2 if tone == "t" else "none"
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{_SQUARE}" height="{_SQUARE}" rx="2" '
        f'fill="{colour(tone)}" stroke="{edge}"/>'
    )


def _legend(y: float) -> Iterator[str]:
    near, far = (f"{100 * (0.5 + step):.0f}" for step in STEPS)
    told = f"score of a picture, steps at {near} and {far} (40 and 25): against the stereotype"
    yield text(16, y, told, INK_2, size=11)
    x = 16.0 + 5.9 * len(told)
    for tone in "cbatABC":
        yield _square(x, y - 10, tone)
        x += _STEP + 2
    yield text(x + 4, y, "with it; open: neither", INK_2, size=11)


def _short(name: str, most: int = 24) -> str:
    return name if len(name) <= most else name[: most - 1] + "…"
