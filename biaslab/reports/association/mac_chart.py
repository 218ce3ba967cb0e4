"""Chart of MAC: a mean per word and list, and the means of means."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from biaslab.probes.association.mac_result import MacResult, of_connections
from biaslab.reports.chart import (
    Chart,
    Intervals,
    Mark,
    Panel,
    Points,
    Row,
    Rows,
    Rule,
    axis_over,
    finding,
)
from biaslab.reports.palette import (
    CONNECTION_MARKS,
    CONNECTION_NAMES,
    CONNECTIONS,
    INK,
    NEUTRAL,
)
from biaslab.wording import number


def chart(result: MacResult) -> Chart:
    """One row per connection: each mean of a word and a list, and above them their mean."""
    means = result.means.mean(axis=0)
    words = np.array(result.lists.words)
    cells = of_connections(result.lists) or {
        "attributes": [(j, slice(0, len(words))) for j in range(len(result.lists.attributes))]
    }
    unrelated = 1.0 if result.as_ == "distance" else 0.0
    marks: list[Mark] = [
        Rule(at=unrelated, colour=NEUTRAL, label=f"unrelated {unrelated:.1f}"),
        Rule(at=result.mac, colour=INK, dashed=True, label=f"MAC {number(result.mac)}"),
    ]
    rows, ends = [], []
    for k, (name, held) in enumerate(cells.items()):
        points = [(i, j) for j, own in held for i in range(own.start, own.stop)]
        looks: dict[str, Any] = {
            "colour": CONNECTIONS.get(name, INK),
            "shape": CONNECTION_MARKS.get(name, "circle"),
        }
        mean = result.by_connection.get(name, result.mac)
        widest = result.connection_intervals.get(name, result.mac_intervals)[-1]
        told = math.isfinite(widest.low)
        ends += [mean, widest.low, widest.high]
        between = f"{number(widest.low)} to {number(widest.high)}" if told else ""
        rows.append(
            Row(
                f"{CONNECTION_NAMES.get(name, name)}, {len(points)} means",
                values=(number(mean), between),
            )
        )
        marks += [
            Points(
                x=[means[i, j] for i, j in points],
                y=k + 0.22,
                size=3,
                alpha=0.7,
                data={
                    "value": [means[i, j] for i, j in points],
                    "word": [words[i] for i, _ in points],
                    "list": [result.compared[j] for _, j in points],
                },
                hover=(("", "@word - @list"), ("", "@value{0.000}")),
                **looks,
            ),
            Intervals(low=widest.low, high=widest.high, y=k - 0.15, colour=looks["colour"]),
            Points(x=mean, y=k - 0.15, size=6, **looks),
        ]
    level = f"{100 * result.level:.0f} %"
    label = f"cosine {result.as_}: a mean per word and list (small), and their mean (large)"
    panel = Panel(
        x=axis_over(means, ends, unrelated, label=label),
        y=Rows(rows=tuple(rows), heads=("mean", level), line=56),
        marks=tuple(marks),
        width=460,
    )
    return Chart(title=finding(result), note=result.caveat(), panels=((panel,),))
