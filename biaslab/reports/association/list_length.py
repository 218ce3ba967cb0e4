"""Words and chart of how long word lists should be."""

from __future__ import annotations

import math

import numpy as np

from biaslab.probes.association.list_length import MOST_GROWTH, ListLength
from biaslab.probes.unknown_words import lines
from biaslab.records.wording import Span, counted, interval_text, joined, number
from biaslab.reports.chart import Axis, Band, Chart, Line, Panel, Points, Rule, axis_over, finding
from biaslab.reports.palette import INK, INK_3, NEUTRAL, OBSERVED

_MOST_TICKS = 7


def verdict(result: ListLength) -> list[Span]:
    """How long lists should be, or why no length is given."""
    level = f"{100 * result.interval.level:.0f} %"
    now = f"the {level} interval, {interval_text(result.interval.low, result.interval.high)}"
    settles = f"settle the {result.measure}"
    if result.reason:
        lead: Span = ("No length is sure to do", "strong")
        if result.margin is None and 0 in result.interval:
            why = f": {now}, includes 0, and if the effect is 0, no list will show one. "
            most = (
                f"Even an effect as large as the interval allows needs {_lengths(result, least)}."
                if (least := result.least) > 1 and math.isfinite(least)
                else "An effect as large as the interval allows would show in lists like these."
                if math.isfinite(least)
                else f"Even the largest effect in the interval needs more than {MOST_GROWTH:g} "
                "times these lists."
            )
            return [lead, (why + most, "plain")]
        return [lead, (f": {result.reason}.", "plain")]
    chance = f"{100 * result.share:.0f} %"
    if result.needed > 1:
        return [
            (f"Lists of {_lengths(result, result.needed)}", "strong"),
            (f" {settles} with a probability of {chance}; with these lists, {now}.", "plain"),
        ]
    others = (
        f": others of {_lengths(result, result.needed)} {settles} with a probability of {chance}."
        f" With these, {now}."
    )
    return [("These lists are long enough", "strong"), (others, "plain")]


def _lengths(result: ListLength, growth: float) -> str:
    """Lengths of the lists that grow, the shortest and the longest of many."""
    grows = {n: k for n, k in result.lengths(growth).items() if result.grows(n)}
    sizes = sorted(set(grows.values()))
    if len(grows) > 4 and len(sizes) > 1:
        return f"{sizes[0]:,} to {sizes[-1]:,} words ({number(growth, 1)} times these)"
    if len(sizes) == 1:
        return f"{counted(sizes[0], 'word')} each"
    shown = ", ".join(f"{name.partition('.')[2]} {k:,}" for name, k in grows.items())
    return f"{shown} words"


def summary(result: ListLength) -> str:
    """The verdict, what became of it with shorter lists, and what to expect of longer ones."""
    parts = [joined(verdict(result))]
    for fraction, settled, agreeing in zip(
        result.fractions, result.shares_settled, result.shares_agreeing, strict=True
    ):
        if fraction < 1:
            parts.append(
                f"Random sublists of {100 * fraction:.0f} %: {100 * settled:.0f} % settle it,"
                f" {100 * agreeing:.0f} % have the same direction."
            )
    if math.isfinite(result.settled[0]):
        shares = ", ".join(f"{f:g} times: {100 * result.settled_at(f):.0f} %" for f in (1, 2, 4, 8))
        parts.append(f"Probability that other lists settle it, by length: {shares}.")
    parts.append(_settled_means(result))
    return "\n".join([*parts, *lines(result.dropped)])


def caveat(result: ListLength) -> str:
    """What settles a verdict, and what the prediction takes for granted."""
    return (
        _settled_means(result)
        + " The prediction takes new words to vary like these; sublists share words with each"
        " other, so they agree more often than new lists."
    )


def _settled_means(result: ListLength) -> str:
    inside = "" if result.margin is None else f", or lies within ±{result.margin:g}"
    return f"A verdict is settled if its interval excludes 0{inside}."


def chart(result: ListLength) -> Chart:
    """Probability of a settled verdict by length; below, the intervals of sublists."""
    at = np.log2(result.growth)
    lowest = min(float(at[0]), math.log2(result.fractions[0]))
    every = [(float(e), f"{2.0**e:g}x") for e in range(math.ceil(lowest), int(at[-1]) + 1)]
    x = Axis(
        low=lowest - 0.2,
        high=float(at[-1]) + 0.2,
        label="length, in multiples of these lists",
        ticks=tuple(every[:: 1 + len(every) // (2 * _MOST_TICKS)]),
    )
    marks = [
        Rule(at=result.share, axis="y", dashed=True),
        Rule(at=0, label="these lists", colour=NEUTRAL),
        Points(
            x=np.log2(result.fractions[:-1]),
            y=result.shares_settled[:-1],
            colour=INK,
            name="sublists of these",
        ),
    ]
    if math.isfinite(result.settled[0]):
        marks.append(Line(x=at, y=result.settled, colour=OBSERVED, name="other lists (predicted)"))
    else:
        name = "other lists, at most (largest effect in the interval)"
        marks.append(Line(x=at, y=result.at_most, colour=OBSERVED, dashed=True, name=name))
    if not result.reason:
        marks.append(Rule(at=math.log2(result.needed), label="needed", colour=OBSERVED))
    probability = Panel(
        x=x, y=Axis(low=0, high=1.02, label="settled"), marks=tuple(marks), width=520, height=200
    )
    ends = np.array([result.low.mean(axis=1), result.high.mean(axis=1)])
    where = np.log2(result.fractions)
    tail = at >= 0
    intervals = Panel(
        x=x,
        y=axis_over(ends, 0, label=result.measure),
        marks=(
            Rule(at=0, axis="y"),
            Band(x=where, low=ends[0], high=ends[1], colour=INK, alpha=0.2, name="sublists"),
            Band(
                x=at[tail],
                low=result.estimate - result.half_width[tail],
                high=result.estimate + result.half_width[tail],
                colour=OBSERVED,
                alpha=0.25,
                name="expected, if the estimate is right",
            ),
            Line(x=x_ends(x), y=[result.estimate] * 2, colour=INK_3, width=1),
        ),
        width=520,
        height=160,
    )
    return Chart(
        title=finding(result),
        note=caveat(result),
        panels=((probability,), (intervals,)),
        aligned=True,
    )


def x_ends(axis: Axis) -> list[float]:
    """Both ends of an axis."""
    return [axis.low, axis.high]
