"""Words and chart of whom a painter draws."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from biaslab.probes.images.people_result import PICTURES, DrawnPeople, GroupShare, ShareContrast
from biaslab.records.result import Interval
from biaslab.records.wording import Role, Span, counted, joined, listed, p_text, percent
from biaslab.reports.chart import Axis, Chart, Intervals, Mark, Panel, Points, Row, Rows, Rule
from biaslab.reports.palette import GROUP_1, GROUP_1_TEXT, GROUP_2, GROUP_2_TEXT, INK, NEUTRAL
from biaslab.stats.misclassification import FEWEST_DF

_NAMED = 3


def verdict(result: DrawnPeople) -> list[Span]:
    """Which words are drawn more often as a group than others, and beside the outside table."""
    if not result.is_corrected:
        return _uncorrected(result)
    spans: list[Span] = []
    shown = [one for one in result.shares if math.isfinite(one.share)]
    for group in dict.fromkeys(one.group for one in shown):
        for lean in (1, -1):
            if some := [one for one in shown if one.group == group
                        and one.lean(result.parity) == lean]:  # fmt: skip
                spans += [
                    *_lead(result, group, lean),
                    (f": {_named(some, result, lean)}. ", "plain"),
                ]
    clear = {one.word for one in shown if one.lean(result.parity)}
    if unclear := [one for one in shown if one.word not in clear]:
        names = (
            _named(unclear, result) if len(result.groups) == 2
            else listed(list(dict.fromkeys(one.word for one in unclear)))
        )  # fmt: skip
        parity = f" from {percent(result.parity)} %: {names}. "
        spans += [("No clear lean", "strong"), (parity, "plain")]
    beside = [one for one in shown if math.isfinite(one.outside)]
    if beside:
        off = [one for one in beside if one.lean(one.outside)]
        text = "; ".join(
            f"{one.word} {percent(one.share)} against {percent(one.outside)} % {one.group}"
            for one in off[:_NAMED]
        )
        lead = f"The intervals of {len(off)} of {counted(len(beside), 'word')} exclude the share in"
        spans.append((f"{lead} “{result.outside_name}”{': ' + text if off else ''}. ", "plain"))
    text, role = spans[-1]
    return [*spans[:-1], (text.rstrip(), role)]


def _lead(result: DrawnPeople, group: str, lean: int) -> list[Span]:
    """Say as whom people are mostly drawn, or how often as one of several groups."""
    if len(result.groups) == 2:
        place = 0 if lean > 0 else 1
        roles: tuple[Role, Role] = ("group1", "group2")
        return [("Mostly ", "plain"), (result.groups[place], roles[place])]
    often = "More" if lean > 0 else "Less"
    return [(f"{often} than {percent(result.parity)} % ", "plain"), (group, "strong")]


def _named(some: Sequence[GroupShare], result: DrawnPeople, lean: int | None = None) -> str:
    """Name words with their shares, which of two groups are those of the more frequent one."""
    texts = []
    for one in some[:_NAMED]:
        value, low, high = one.share, one.interval.low, one.interval.high
        if lean == -1 and len(result.groups) == 2:
            value, low, high = 1 - value, 1 - high, 1 - low
        unit = f" {one.group}" if lean is None else ""
        texts.append(f"{one.word} {percent(value)} %{unit} ({percent(low)} to {percent(high)})")
    rest = len(some) - _NAMED
    return ", ".join(texts) + (f" and {counted(rest, 'more word')}" if rest > 0 else "")


def _share(value: float, interval: Interval) -> str:
    if not math.isfinite(interval.low):
        return f"{percent(value)} %"
    return f"{percent(value)} % ({percent(interval.low)} to {percent(interval.high)})"


def _uncorrected(result: DrawnPeople) -> list[Span]:
    """Say why there is no corrected share."""
    if not result.errors:
        shares = ", ".join(f"{one.word} {_share(one.raw, one.raw_interval)} {one.group}"
                           for one in result.shares[:_NAMED])  # fmt: skip
        return [
            ("Not corrected for the rater’s errors", "strong"),
            (f", as no picture has a known label: its answers are {shares}.", "plain"),
        ]
    worst = min(result.errors, key=lambda one: one.interval.low)
    differ = (
        f": the rater hardly tells {listed(result.groups)} apart. Its answers about known pictures"
        f" differ by {_share(worst.separation, worst.interval)}; 100 % tells all apart, and 0 %"
        " guesses."
    )
    return [("No corrected share", "strong"), (differ, "plain")]


def brief(result: DrawnPeople) -> str:
    """The widest lean in a few words."""
    there = [one for one in result.shares if math.isfinite(one.share)]
    if not there:
        return "not corrected" if not result.errors else "the rater hardly tells groups apart"
    one = max(there, key=lambda share: abs(share.share - result.parity))
    return f"{one.word}: {_share(one.share, one.interval)} {one.group}"


def caveat(result: DrawnPeople) -> str:
    """What the intervals range over, and what they rest on."""
    drawn = int(result.is_drawn.sum())
    by = "" if result.painter == PICTURES else f" by {result.painter}"
    parts = [f"{counted(drawn, 'picture')}{by}, rated by {result.rater}."]
    if result.is_corrected and result.errors:
        known = sum(int(one.counts.sum()) for one in result.errors)
        errors = "each word’s own" if result.errors[0].word else "all words’ common"
        parts.append(
            f"{percent(result.level)} % intervals over other pictures and other calibration"
            f" pictures: {known:,} of these show {errors} errors. It is assumed that the rater errs"
            " alike on both."
        )
    elif result.is_corrected:
        parts.append(f"{percent(result.level)} % intervals over other pictures. Labels count as"
                     " true.")  # fmt: skip
    if result.inflation > 1:
        parts.append(
            "Wordings differ more than by chance: they widen the variance"
            f" {result.inflation:.1f}-fold (df {result.clusters})."
        )
    elif 0 < result.clusters < FEWEST_DF:
        parts.append("With so few wordings, intervals are for these wordings only.")
    return " ".join(parts)


def summary(result: DrawnPeople) -> str:
    """The verdict, each share and difference, the rater and the placebo."""
    lines = [joined(verdict(result)), caveat(result)]
    for heading, some in sections(result):
        lines += [f"{heading}:", *(f"  {line}" for line in some)]
    lines += [f"Not used: {one.term}: {one.reason}" for one in result.dropped[:_NAMED]]
    return "\n".join([*lines, *result.notes])


def sections(result: DrawnPeople) -> list[tuple[str, list[str]]]:
    """Return shares, differences, and the rater's errors, each under a heading."""
    at = result.is_drawn & (result.answer == len(result.groups))
    undecided = {w: int((at & (result.word_of == i)).sum()) for i, w in enumerate(result.words)}
    shares = []
    for one in result.shares:
        corrected = (
            "no corrected share" if math.isnan(one.share) else _share(one.share, one.interval)
        )
        beside = f"; outside {percent(one.outside)} %" if math.isfinite(one.outside) else ""
        unsaid = f", {undecided[one.word]} cannot say" if undecided[one.word] else ""
        shares.append(
            f"{one.word}, {one.group}: {corrected}; as answered {_share(one.raw, one.raw_interval)}"
            f" of {counted(one.n_images, 'picture')}{unsaid}{beside}."
        )  # fmt: skip
    parts = [("Shares", shares)]
    if result.contrasts:
        lines = [_contrast(one) for one in result.contrasts]
        note = "p by Holm’s correction; intervals are not corrected for their number."
        parts.append(("Differences", [*lines, note]))
    rater = []
    for errors in result.errors:
        shown = [(group, float(errors.rates[g, g])) for g, group in enumerate(result.groups)]
        right = ", ".join(f"{group} {percent(rate)} %" for group, rate in shown if rate == rate)
        if none := [group for group, rate in shown if rate != rate]:
            rater.append(f"{errors.word or 'all words'}: right about {right} of known pictures, of"
                         f" which none shows {listed(none)}.")  # fmt: skip
            continue
        apart = "" if errors.tells_apart else "; hardly tells groups apart"
        separation = _share(errors.separation, errors.interval)
        rater.append(f"{errors.word or 'all words'}: right about {right} of known pictures; answers"
                     f" about groups differ by {separation}{apart}.")  # fmt: skip
    if result.placebo:
        held = sum(one.includes for one in result.placebo)
        rater.append(
            f"Placebo: {held} of {counted(len(result.placebo), 'interval')} of half of the"
            " calibration pictures, corrected by the other half, include the known share."
        )
    return [*parts, ("Rater", rater)] if rater else parts


def _contrast(one: ShareContrast) -> str:
    low, high = percent(one.interval.low), percent(one.interval.high)
    return (f"{one.word} less {one.baseline}, {one.group}: {percent(one.difference)} points"
            f" ({low} to {high}), p = {p_text(one.p_adjusted)}.")  # fmt: skip


def chart(result: DrawnPeople) -> Chart:
    """Corrected shares with intervals over the answered ones, and the outside shares."""
    groups = list(dict.fromkeys(one.group for one in result.shares))
    return Chart(
        title=joined(verdict(result)), note=caveat(result),
        panels=tuple((_panel(result, group),) for group in groups),
    )  # fmt: skip


def _panel(result: DrawnPeople, group: str) -> Panel:
    own = [one for one in result.shares if one.group == group]
    y = np.arange(len(own))
    values = 100 * np.array([
        (one.raw, one.raw_interval.low, one.raw_interval.high, one.share, one.interval.low,
         one.interval.high, one.outside) for one in own
    ]).T  # fmt: skip
    raw, _, _, share, low, high, outside = values
    above, below = (GROUP_1, GROUP_2) if len(result.groups) == 2 else (INK, INK)
    colours = [{1: above, -1: below, 0: NEUTRAL}[one.lean(result.parity)] for one in own]
    data = {"word": [one.word for one in own], "share": share, "low": low, "high": high, "raw": raw,
            "outside": outside}  # fmt: skip
    marks: list[Mark] = [
        Rule(at=100 * result.parity, dashed=True, colour=INK, label="parity"),
        Points(x=raw, y=y, colour=INK, shape="ring", size=4, name="as answered"),
        Intervals(low=low, high=high, y=y, colour=colours, width=2.5),
        Points(
            x=share, y=y, colour=colours, size=5, name="corrected", data=data,
            hover=(("", "@word"), ("corrected", "@share{0} % (@low{0} to @high{0})"),
                   ("as answered", "@raw{0} %")),
        ),
    ]  # fmt: skip
    if np.isfinite(outside).any():
        marks.append(Points(x=outside, y=y, colour=INK, shape="hollow", size=5, name="outside"))
    rows = tuple(
        Row(one.word, values=("none" if math.isnan(one.share) else f"{percent(one.share)} %",))
        for one in own
    )
    ends: tuple[tuple[str, str], ...] = ()
    if len(result.groups) == 2:
        ends = ((f"all {result.groups[1]}", GROUP_2_TEXT), (f"all {group}", GROUP_1_TEXT))
    return Panel(
        x=Axis(low=0, high=100, label=f"{group}, % of pictures", ends=ends),
        y=Rows(rows=rows, heads=("corrected",), line=24), marks=tuple(marks), width=420,
    )  # fmt: skip
