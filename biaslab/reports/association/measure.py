"""Words and chart of a measure by another tool's definition."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from biaslab.probes.association.word_measures import MeasureResult
from biaslab.probes.unknown_words import lines
from biaslab.records.wording import number
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
from biaslab.reports.palette import CHANCE, INK, NEUTRAL
from biaslab.stats.reproducibility import order

_SHOWN = 3


def summary(result: MeasureResult) -> str:
    """The numbers, their intervals, what they say, and the words at either end."""
    shown = ", ".join(f"{name} {number(v, 4)}" for name, v in result.by_list.items())
    parts = [f"{result.measure}: {shown}. {result.reads}"]
    for name, intervals, why in zip(result.names, result.intervals, result.reasons, strict=True):
        if why:
            parts.append(f"{name}: no number, as {why}.")
            continue
        texts = [
            f"{number(i.low, 4)} to {number(i.high, 4)} over {_spelled(i.kind, result.over)}"
            for i in intervals
            if math.isfinite(i.low)
        ]
        if not math.isfinite(intervals[0].low):
            texts.append(f"no interval over {result.over}, as there are too few")
        parts.append(f"{name}: {'; '.join(texts)}.")
    mean = result.values.mean(axis=0)
    listed = {"Highest": order(mean, descending=True), "Lowest": order(mean)}
    for what, end in listed.items():
        words = ", ".join(f"{result.words[i]} {number(mean[i], 3)}" for i in end[:_SHOWN])
        parts.append(f"{what}: {words}.")
    return "\n".join([*parts, *lines(result.dropped)])


def _spelled(kind: str, over: str) -> str:
    return kind.replace("words", over)


_ENDS = 15
"""Words shown at either end of a list that has more than twice as many."""


def chart(result: MeasureResult) -> Chart:
    """The number of each list with its widest interval, above the values of the words."""
    means, words = result.estimates.mean(axis=0), result.values.mean(axis=0)
    widest = [intervals[-1] for intervals in result.intervals]
    low, high = [one.low for one in widest], [one.high for one in widest]
    shown = [i for name in dict.fromkeys(result.of_list) for i in _ends_of(result, name, words)]
    rows = [
        Row(name, values=(number(mean, 3),)) for name, mean in zip(result.names, means, strict=True)
    ]
    rows += [Row(result.words[i], result.of_list[i], (number(words[i], 3),)) for i in shown]
    lists = np.arange(len(result.names))
    kind = widest[0].kind.replace("words", result.over)
    panel = Panel(
        x=axis_over(low, high, means, words[shown], result.neutral, label=result.measure),
        y=Rows(rows=tuple(rows), heads=("mean",)),
        marks=(
            Rule(at=result.neutral, label=f"neutral {result.neutral:g}", colour=NEUTRAL),
            Intervals(low=low, high=high, y=lists, name=f"{100 * result.level:.0f} % over {kind}"),
            Points(x=means, y=lists, colour=INK, size=5, name="list"),
            Points(
                x=words[shown], y=len(lists) + np.arange(len(shown)), colour=CHANCE, name="word"
            ),
        ),
        width=420,
    )
    return Chart(title=finding(result), note=result.caveat(), panels=((panel,),))


def _ends_of(result: MeasureResult, name: str, words: NDArray[np.float64]) -> list[int]:
    """Places of a list's words, the highest first; of many, those at either end."""
    rows = np.flatnonzero(np.array(result.of_list) == name)
    highest: list[int] = rows[order(words[rows], descending=True)].tolist()
    if len(highest) <= 2 * _ENDS:
        return highest
    return [*highest[:_ENDS], *highest[-_ENDS:]]
