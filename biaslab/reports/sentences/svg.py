"""A still picture of stereotype scores as SVG text: models side by side, a square per pair."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from textwrap import wrap

from biaslab.probes.sentences.stereotype_result import StereotypeScore
from biaslab.probes.sentences.stereotype_shares import StereotypeShare
from biaslab.reports.palette import INK, INK_2, INK_3, LINE, NEUTRAL
from biaslab.reports.sentences.marks import AGAINST, STEPS, WITH, Row, colour, rows, tied_to
from biaslab.reports.svg_parts import document, line, text
from biaslab.wording import percent

_LEFT, _AXIS, _GAP, _STEP, _SQUARE = 150, 150, 24, 16, 13
_ROW_HEIGHT = 22
_PER_LINE = 20


def single(result: StereotypeScore) -> str:
    """Draw one model's result."""
    return svg([result])


def svg(results: Sequence[StereotypeScore]) -> str:
    """Draw one or several models' results.

    Parameters
    ----------
    results : sequence of StereotypeScore
        At least one; shown side by side, with the rows of the first one's attributes.

    Returns
    -------
    str
        An SVG document; words are escaped, nothing is fetched.
    """
    longest = max((len(own.pairs) for one in results for own in rows(one)), default=0)
    block = _AXIS + 2 * _GAP + _STEP * min(max(longest, 10), _PER_LINE)
    width = max(_LEFT + block * len(results), 860)
    drawn = list(_elements(results, width, block))
    title = " ".join("".join(part for part, _ in one.verdict()) for one in results)
    height = math.ceil(float(drawn.pop())) + 36
    return document(title, "\n".join(drawn), width, height)


def _elements(results: Sequence[StereotypeScore], width: int, block: int) -> Iterator[str]:
    """The pieces; the last one is where the picture ends."""
    y = 10.0
    for one in results:
        for part in wrap("".join(words for words, _ in one.verdict()), width // 8):
            y += 20
            yield text(16, y, part, INK, size=15)
    for one in results[:1]:
        for part in wrap(one.caveat(), width // 6):
            y += 15
            yield text(16, y, part, INK_3, size=11)
    y += 40
    yield from _models(results, width, y)
    y += 28 * len(results) + 40
    yield from _legend(width, y)
    y += 26
    top = y
    for k, one in enumerate(results):
        left = _LEFT + k * block
        yield text(left, top, one.provenance.subject, INK, weight="bold")
        yield text(left + _AXIS + _GAP, top, "one square per pair, sorted", INK_3, size=11)
        for tick in (0, 50, 100):
            at = left + _AXIS * tick / 100
            yield text(at, top + 18, str(tick), INK_3, size=11, anchor="middle")
    y += 26
    begun = y
    before = None
    by_name = [{(r.share.part_of, r.share.name): r for r in rows(one)} for one in results]
    names = list(dict.fromkeys(name for own in by_name for name in own))
    for part_of, name in names:
        if part_of != before and part_of:
            group = tied_to(results[0], part_of)
            yield text(16, y + 15, part_of, INK, weight="bold")
            if group:
                yield text(_LEFT - 8, y + 15, f"tied to {group}", INK_3, size=11)
            y += _ROW_HEIGHT
        before = part_of
        shown = [own.get((part_of, name)) for own in by_name]
        lines = max(math.ceil(len(r.pairs) / _PER_LINE) for r in shown if r is not None)
        yield text(_LEFT - 12, y + 15, _short(name), INK, anchor="end")
        for k, own_row in enumerate(shown):
            if own_row is not None:
                yield from _row(results[k], own_row, _LEFT + k * block, y)
        y += max(_ROW_HEIGHT, _STEP * lines + 6)
    for k in range(len(results)):
        at = _LEFT + k * block + _AXIS / 2
        yield line(at, begun, at, y, NEUTRAL, width=1.5)
    yield str(y)


def _models(results: Sequence[StereotypeScore], width: int, top: float) -> Iterator[str]:
    left, right = _LEFT, width - 170
    span = right - left
    bottom = top + 28 * len(results)
    yield text(left, top - 22, "always against the stereotype", INK_2, size=11)
    yield text(right, top - 22, "always with the stereotype", INK_2, size=11, anchor="end")
    yield text(
        left + span / 2, top - 22, "neutral 50 %", INK, size=11, anchor="middle", weight="bold"
    )
    for tick in (0, 25, 50, 75, 100):
        at = left + span * tick / 100
        colour_of = NEUTRAL if tick == 50 else LINE
        yield line(at, top - 14, at, bottom, colour_of, width=1.5 if tick == 50 else 1)
        yield text(at, bottom + 16, str(tick), INK_3, size=11, anchor="middle")
    for k, one in enumerate(results):
        y = top + 28 * k + 8
        yield text(16, y + 4, _short(one.provenance.subject), INK, weight="bold")
        yield from _estimate(one.overall, left, span, y, size=6)
        if math.isfinite(one.share):
            ends = one.interval
            between = (
                f"  {percent(ends.low)}–{percent(ends.high)} %" if math.isfinite(ends.low) else ""
            )
            yield text(right + 24, y + 4, f"{percent(one.share)} %{between}", INK, weight="bold")


def _estimate(
    one: StereotypeShare, left: float, span: float, y: float, *, size: float
) -> Iterator[str]:
    """A share with its interval: filled where it can be told from one half."""
    if not math.isfinite(one.share):
        yield text(left + span / 2 + 6, y + 4, "no score", INK_3, size=11)
        return
    strong = (WITH[2], AGAINST[2])[one.lean < 0] if one.lean else INK_2
    ends = one.interval
    if math.isfinite(ends.low):
        low, high = left + span * ends.low, left + span * ends.high
        yield line(low, y, high, y, strong, width=size / 2.5)
        for end in (low, high):
            yield line(end, y - size, end, y + size, strong)
    filled = strong if one.lean else "#FFFFFF"
    yield (
        f'<circle cx="{left + span * one.share:.1f}" cy="{y:.1f}" r="{size:g}" fill="{filled}" '
        f'stroke="{strong}" stroke-width="1.5"/>'
    )


def _row(result: StereotypeScore, own: Row, left: float, y: float) -> Iterator[str]:
    middle, share = y + 11, own.share.share
    if math.isfinite(share):
        at = left + _AXIS * share
        neutral = left + _AXIS / 2
        yield (
            f'<rect x="{min(at, neutral):.1f}" y="{middle - 5:.1f}" '
            f'width="{abs(at - neutral):.1f}" height="10" '
            f'fill="{WITH[1] if share > 0.5 else AGAINST[1]}"/>'
        )
    yield from _estimate(own.share, left, _AXIS, middle, size=3)
    odds, outcomes = result.log_odds, result.outcomes
    for k, i in enumerate(own.pairs):
        x = left + _AXIS + _GAP + _STEP * (k % _PER_LINE)
        at = y + 4 + _STEP * (k // _PER_LINE)
        yield _square(x, at, colour(float(odds[i]), outcomes[i]), outcomes[i])


def _square(x: float, y: float, fill: str, outcome: str) -> str:
    edge = {"tie": INK_2, "failed": LINE}.get(outcome, "none")
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{_SQUARE}" height="{_SQUARE}" rx="2" '
        f'fill="{fill}" stroke="{edge}"/>'
    )


def _legend(width: int, y: float) -> Iterator[str]:
    told = f"log-odds, steps at {STEPS[0]} and {STEPS[1]}: against the stereotype"
    yield text(16, y, told, INK_2, size=11)
    x = 16 + 6.2 * len(told)
    for fill in (*AGAINST[::-1], "#FFFFFF", *WITH):
        yield _square(x, y - 10, fill, "tie" if fill == "#FFFFFF" else "")
        x += _STEP + 2
    yield text(min(x + 4, width - 120), y, "with it; open: a tie", INK_2, size=11)


def _short(name: str, most: int = 20) -> str:
    return name if len(name) <= most else name[: most - 1] + "…"
