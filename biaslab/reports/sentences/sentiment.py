"""Words and chart of a sentiment system's scores of two groups."""

from __future__ import annotations

import numpy as np

from biaslab.probes.sentences.person_sentences import NEUTRAL
from biaslab.probes.sentences.sentiment_result import Gap, SentimentGap
from biaslab.probes.unknown_words import lines
from biaslab.records.wording import Span, counted, decimals_of, joined, number, would_show
from biaslab.reports.chart import (
    Axis,
    Chart,
    Intervals,
    Mark,
    Panel,
    Points,
    Row,
    Rows,
    Rule,
    finding,
)
from biaslab.reports.palette import GROUP_1, GROUP_1_TEXT, GROUP_2, GROUP_2_TEXT, INK
from biaslab.reports.palette import NEUTRAL as GREY
from biaslab.stats.significance import smallest_effect_of


def verdict(result: SentimentGap) -> tuple[Span, ...]:
    """The finding over all sentences."""
    one, two = result.names
    gap = result.gap
    if not gap.lean:
        smallest = would_show(smallest_effect_of(gap.interval), "")
        return (
            ("No clear difference", "strong"),
            (" between ", "plain"),
            (one, "group1"),
            (" and ", "plain"),
            (two, "group2"),
            (f" in the same sentences: {_by(gap, 1)} in {result.unit}{smallest}.", "plain"),
        )
    ends: tuple[Span, Span] = ((one, "group1"), (two, "group2"))
    higher, lower = ends[:: gap.lean]
    return (
        ("The same sentences are scored ", "plain"),
        ("higher for ", "strong"),
        higher,
        (" than for ", "plain"),
        lower,
        (f": by {_by(gap, gap.lean)} in {result.unit}.", "plain"),
    )


def _by(gap: Gap, sign: int) -> str:
    low, high = sorted((sign * gap.interval.low, sign * gap.interval.high))
    digits = decimals_of(low, high)
    ends = f"{number(low, digits)} to {number(high, digits)}"
    return f"{number(sign * gap.difference, digits)} ({ends})"


def caveat(result: SentimentGap) -> str:
    """What the interval ranges over, and the placebo."""
    persons = " and ".join(f"{len(some)} {name}" for name, some in result.groups.items())
    templates = len({s.template for s in result.sentences})
    over = f"{persons} persons, {templates} templates"
    parts = [f"{100 * result.level:.0f} % intervals over other persons and templates: {over}."]
    halves = result.halves
    if halves.splits:
        parts.append(
            f"Random halves of one group differ by {number(halves.low)} to {number(halves.high)}"
            f" (95 % of {halves.splits}), clearly in {100 * halves.clear:.0f} %."
        )
    return " ".join(parts)


def summary(result: SentimentGap) -> str:
    """The finding, by emotion, the placebo, what was left out."""
    by = (
        f"{'sentences without emotion' if g.name == NEUTRAL else g.name} {_by(g, 1)}"
        for g in result.gaps[1:]
    )
    one, two = result.names
    parts = [
        joined(verdict(result)),
        f"By emotion, {one} less {two}: {', '.join(by)}; not corrected for their number.",
        caveat(result),
    ]
    sentences = sum(d.role == "sentence" for d in result.dropped)
    if sentences:
        parts.append(f"{counted(sentences, 'sentence')} without a score: see .dropped.")
    return "\n".join([*parts, *lines([d for d in result.dropped if d.role != "sentence"])])


def chart(result: SentimentGap) -> Chart:
    """The difference over all sentences and by emotion, with intervals."""
    one, two = result.names
    low, high = np.array([(g.interval.low, g.interval.high) for g in result.gaps]).T
    differences = np.array([g.difference for g in result.gaps])
    colours = [{1: GROUP_1, -1: GROUP_2, 0: GREY}[g.lean] for g in result.gaps]
    names = [
        {"all": "all sentences", NEUTRAL: "no emotion"}.get(g.name, g.name) for g in result.gaps
    ]
    rows = tuple(Row(n, values=(number(d),)) for n, d in zip(names, differences, strict=True))
    y = np.arange(len(names))
    reach = 1.1 * float(np.nanmax(np.abs([low, high, differences])))
    marks: tuple[Mark, ...] = (
        Rule(at=0, dashed=True, colour=INK),
        Intervals(low=low, high=high, y=y, colour=colours),
        Points(
            x=differences, y=y, colour=colours,
            data={"sentences": names, "difference": differences},
            hover=(("", "@sentences"), ("difference", "@difference{0.000}")),
        ),
    )  # fmt: skip
    panel = Panel(
        x=Axis(
            low=-reach or -1, high=reach or 1, label=f"{result.unit}: {one} less {two}",
            ends=((f"{two} higher", GROUP_2_TEXT), (f"{one} higher", GROUP_1_TEXT)),
        ),
        y=Rows(rows=rows, heads=("difference",), line=22),
        marks=marks,
        width=420,
    )  # fmt: skip
    return Chart(title=finding(result), note=result.caveat(), panels=((panel,),))
