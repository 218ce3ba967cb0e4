"""Words and chart of lists as words are added."""

from __future__ import annotations

import numpy as np

from biaslab.probes.association.word_suggestions import ListGrowth
from biaslab.probes.unknown_words import lines
from biaslab.records.wording import Span, counted, interval_text, joined, number, would_show
from biaslab.reports.chart import Axis, Band, Chart, Line, Panel, Points, Rule, axis_over, finding
from biaslab.reports.palette import CHANCE, INK, OBSERVED
from biaslab.stats.significance import smallest_effect_of


def verdict(result: ListGrowth) -> list[Span]:
    """What the accepted words changed."""
    first, last = ((result.low[k], result.high[k]) for k in (0, -1))
    width = f"{100 * (last[1] - last[0]) / (first[1] - first[0]):.0f} %"
    own = int(result.own.sum())
    lead = (
        "The difference is clear" if result.clear[-1] else "The difference is not clear"
    ) + f" with {counted(len(result.words), 'word')} more"
    text = (
        f": {number(result.estimate[-1], 3)} ({interval_text(*last)}), before"
        f" {number(result.estimate[0], 3)} ({interval_text(*first)}). The interval has {width} of"
        f" its width, and {own} of the words count as their own"
    )
    show = "" if result.clear[-1] else would_show(smallest_effect_of(result.interval), "")
    return [(lead, "strong"), (f"{text}{show}.", "plain")]


def caveat(result: ListGrowth) -> str:
    """How added words count."""
    return (
        "A neighbour counts together with the word it stands next to: a list grown by its own"
        f" neighbours says little that is new. Choose words by meaning, not to where the interval"
        f" excludes 0. {100 * result.level:.0f} % intervals over"
        f" {result.kind}."
    )


def summary(result: ListGrowth) -> str:
    """The verdict and every step."""
    parts = [joined(verdict(result)), caveat(result)]
    parts += [
        f"{word} into {into.partition('.')[2]}: {number(value, 3)} ({interval_text(low, high)})."
        for word, into, value, low, high in zip(
            result.words, result.into, result.estimate[1:], result.low[1:], result.high[1:],
            strict=True,
        )
    ]  # fmt: skip
    return "\n".join([*parts, *lines(result.dropped)])


def chart(result: ListGrowth) -> Chart:
    """The saturation curve: the difference and its interval by the number of added words."""
    at = np.arange(len(result.estimate))
    panel = Panel(
        x=Axis(low=-0.5, high=len(at) - 0.5, label="words added"),
        y=axis_over(result.low, result.high, 0, label="difference of means"),
        marks=(
            Rule(at=0, axis="y"),
            Band(x=at, low=result.low, high=result.high, colour=CHANCE, alpha=0.3),
            Line(x=at, y=result.estimate, colour=INK),
            Points(
                x=1 + np.flatnonzero(result.own),
                y=result.estimate[1:][result.own],
                colour=OBSERVED,
                name="counts as a word of its own",
            ),
        ),
        width=520,
        height=220,
    )
    return Chart(title=finding(result), note=caveat(result), panels=((panel,),))
