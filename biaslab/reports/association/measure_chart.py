"""Chart of a measure by another tool's definition."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from biaslab.probes.association.measure_result import MeasureResult
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
from biaslab.wording import number

_ENDS = 15
"""Words shown at either end of a list that has more than twice as many."""


def chart(result: MeasureResult) -> Chart:
    """The number of each list with its widest interval, above the values of the words."""
    means, words = result.estimates.mean(axis=0), result.values.mean(axis=0)
    widest = [own[-1] for own in result.intervals]
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
            Intervals(
                low=low,
                high=high,
                y=lists,
                name=f"{100 * result.level:.0f} % over {kind}",
            ),
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
    own = np.flatnonzero(np.array(result.of_list) == name)
    highest: list[int] = own[order(words[own], descending=True)].tolist()
    if len(highest) <= 2 * _ENDS:
        return highest
    return [*highest[:_ENDS], *highest[-_ENDS:]]
