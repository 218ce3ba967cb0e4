"""Words and chart of a trace: the passages that pull a word."""

from __future__ import annotations

import numpy as np

from biaslab.probes.trace.result import LeftOut, Passage, TogetherOut, TraceResult
from biaslab.records.result import Interval
from biaslab.records.wording import (
    Span,
    count,
    counted,
    joined,
    number,
    percent,
    range_text,
    would_show,
)
from biaslab.reports.chart import (
    Chart,
    Intervals,
    Panel,
    Points,
    Row,
    Rows,
    Rule,
    axis_over,
    finding,
)
from biaslab.reports.palette import GROUP_1, GROUP_1_TEXT, GROUP_2, GROUP_2_TEXT, NEUTRAL
from biaslab.stats.significance import smallest_effect_of


def verdict(result: TraceResult) -> list[Span]:
    """How far the strongest passages pull each way, and whether they make the bias."""
    one, two = result.pairs[0]
    first, second = result.together_1, result.together_2
    if not first.passages and not second.passages:
        return [("No passage pulls ", "plain"), (result.word, "strong"), (" either way.", "plain")]
    return [
        *_pulls(first, result.word, (one, "group1"), result.level),
        (" ", "plain"),
        *_pulls(second, result.word, (two, "group2"), result.level),
        (" ", "plain"),
        *_without(result),
    ]


def _pulls(together: TogetherOut, word: str, cue: Span, level: float) -> list[Span]:
    toward: list[Span] = [(word, "strong"), (" toward ", "plain"), cue]
    if not together.passages:
        return [("No passage pulls ", "plain"), *toward, (".", "plain")]
    plural = "s pull " if together.passages > 1 else " pulls "
    return [
        (f"{together.passages} passage{plural}", "plain"),
        *toward,
        (" by ", "plain"),
        (f"{points(abs(together.pull))} points of PSE", "strong"),
        (f" ({100 * level:.0f} %: {_size(together.over_corpora)}).", "plain"),
    ]


def _size(interval: Interval) -> str:
    """An interval of a pull, as a size in its own direction."""
    low, high = interval.low, interval.high
    if low + high < 0:
        low, high = -high, -low
    return f"{points(low)} to {points(high)}"


def _without(result: TraceResult) -> list[Span]:
    """What the PSE would be without the passages that pull the way that it leans."""
    toward_1 = result.pse > 0.5
    makers = result.together_1 if toward_1 else result.together_2
    cue, cue_2 = result.pairs[0][0 if toward_1 else 1], result.pairs[0][1]
    if not makers.passages:
        return []
    rest = result.pse - makers.pull
    both = f"{percent(rest, 1)} % {cue_2} instead of {percent(result.pse, 1)} %"
    lead: Span = (f"Without those toward {cue}, the PSE would be {both}", "plain")
    interval = result.pse_interval
    if interval is None:
        return [lead, (".", "plain")]
    if 0.5 in interval:
        between = range_text(interval.low, interval.high)
        smallest = would_show(smallest_effect_of(interval), most=0.5)
        why = f": its interval, between {between} %, includes 50 %{smallest}."
        return [lead, (", which is ", "plain"), ("no clear bias", "strong"), (why, "plain")]
    if (rest > 0.5) == toward_1:
        claim: Span = ("they alone do not make the bias", "strong")
        return [lead, (": ", "plain"), claim, (".", "plain")]
    claim = ("they make the bias", "strong")
    return [lead, (", on the other side of 50 %: ", "plain"), claim, (".", "plain")]


def caveat(result: TraceResult) -> str:
    """How the pulls were found, and whether that was checked."""
    over = f", mean over {counted(len(result.pairs), 'cue pair')}" if len(result.pairs) > 1 else ""
    predicted = f"Pulls are predicted from co-occurrence counts in fixed dimensions{over}"
    parts = [f"{predicted}; intervals are over resampled corpora ({result.replicates})."]
    if result.checks:
        checked = "; ".join(_checked(result, check) for check in result.checks)
        parts.append(f"Really left out: {checked}.")
    else:
        parts.append("No passage was really left out to check this.")
    if result.dropped:
        parts.append(f"{counted(len(result.dropped), 'term')} left out.")
    return " ".join(parts)


def _checked(result: TraceResult, check: LeftOut) -> str:
    noun = check.what if check.count > 1 else check.what.removesuffix("s")
    return (
        f"{check.count} {noun} toward {result.pairs[0][check.toward - 1]},"
        f" {points(float(check.predicted.mean()))} points predicted and"
        f" {points(float(check.measured.mean()))} measured"
    )


def headline(result: TraceResult) -> str:
    """One line for a list of runs."""
    (one, two), first, second = result.pairs[0], result.together_1, result.together_2
    return (
        f"{result.word}: {counted(first.passages, 'passage')} pull {points(abs(first.pull))} points"
        f" toward {one}, {counted(second.passages, 'passage')} {points(abs(second.pull))} toward"
        f" {two}"
    )


def summary(result: TraceResult) -> str:
    """The finding, its limits, and the passages."""
    lines = [joined(verdict(result)), caveat(result)]
    for cue, passages in zip(result.pairs[0], (result.toward_1, result.toward_2), strict=True):
        if passages:
            lines.append(f"Toward {cue}:")
        lines += [_line(passage) for passage in passages]
    lines.append(compared(result))
    lines += [f"Dropped {d.role} {d.term!r}: {d.reason}." for d in result.dropped]
    return "\n".join(lines)


def compared(result: TraceResult) -> str:
    """How many passages were compared, in one sentence."""
    with_word = int((result.occurrences > 0).sum())
    only = len(result.lines) - with_word
    cues = f", {count(only)} only a rare cue" if only else ""
    return f"{counted(with_word, 'passage')} have the word{cues}."


def _line(passage: Passage) -> str:
    interval = passage.over_corpora
    return (
        f"  {signed(passage.pull)} ({points(interval.low)} to {points(interval.high)}),"
        f" line {count(passage.line)}: {passage.text}"
    )


def points(alpha: float) -> str:
    """A difference of alphas in points: one decimal, or two below one point."""
    return number(100 * alpha, 1 if abs(alpha) >= 0.01 else 2)


def signed(alpha: float) -> str:
    """The same with a sign."""
    return points(alpha) if alpha < 0 else f"+{points(alpha)}"


_SHOWN = 56
"""Characters of a passage beside its mark."""


def chart(result: TraceResult) -> Chart:
    """Each passage with its pull and the interval of it."""
    one, two = (f"pull toward {cue}" for cue in result.pairs[0])
    passages = (*result.toward_1, *result.toward_2)
    first = len(result.toward_1)
    rows = tuple(
        Row(
            _around(passage.text, result.word),
            group=one if i < first else two,
            values=(signed(passage.pull), count(passage.line)),
        )
        for i, passage in enumerate(passages)
    )
    low = np.array([100 * passage.over_corpora.low for passage in passages])
    high = np.array([100 * passage.over_corpora.high for passage in passages])
    pull = np.array([100 * passage.pull for passage in passages])
    colours = [GROUP_1 if i < first else GROUP_2 for i in range(len(passages))]
    panel = Panel(
        x=axis_over(
            [0.0], low, high, pull, label="pull: PSE with the passage minus without, points"
        ),
        y=Rows(rows=rows, heads=("points", "line"), colours={one: GROUP_1_TEXT, two: GROUP_2_TEXT}),
        marks=(
            Rule(at=0, label="0", colour=NEUTRAL),
            Intervals(low=low, high=high, y=np.arange(len(passages)), colour=colours),
            Points(
                x=pull,
                y=np.arange(len(passages)),
                colour=colours,
                shape=["circle" if i < first else "square" for i in range(len(passages))],
                data={"text": [passage.text for passage in passages]},
                hover=(("passage", "@text"),),
            ),
        ),
        width=320,
    )
    return Chart(title=finding(result), note=result.caveat(), panels=((panel,),))


def _around(text: str, word: str) -> str:
    """The part of an excerpt around the word."""
    words = text.split()
    place = words.index(word) if word in words else 0
    left = right = place
    shown = words[place] if words else ""
    while left > 0 or right < len(words) - 1:
        left, right = max(0, left - 1), min(len(words) - 1, right + 1)
        wider = " ".join(words[left : right + 1])
        if len(wider) > _SHOWN:
            break
        shown = wider
    return shown
