"""Words and chart of MAC."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from biaslab.probes.association.lists import CONTROLS
from biaslab.probes.association.mac import MacResult, of_connections
from biaslab.probes.unknown_words import lines
from biaslab.records.wording import Span, counted, joined, number
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
from biaslab.reports.palette import CONNECTION_MARKS, CONNECTION_NAMES, CONNECTIONS, INK, NEUTRAL

_NAMES = {
    "associated": "own stereotypes",
    "different": "other groups' stereotypes",
    "human": "human control words",
    "none": "neutral words",
}
_OTHERS = {"words": "other words like these", "words and corpora": "other words and corpora"}


def verdict(result: MacResult) -> tuple[Span, ...]:
    """The finding in plain words, as pieces of text with their roles."""
    widest = result.mac_intervals[-1]
    between = ""
    if math.isfinite(widest.low):
        between = (
            f", between {number(widest.low)} and {number(widest.high)} over {_OTHERS[widest.kind]}"
        )
    unrelated = "1" if result.scale == "distance" else "0"
    spans: list[Span] = [
        (f"MAC is {number(result.mac)}", "strong"),
        (f" as a {result.scale}{between}; {unrelated} is unrelated.", "plain"),
    ]
    each = ", ".join(f"{_NAMES[k]} {number(v)}" for k, v in result.by_connection.items())
    return (*spans, (f" By connection: {each}.", "plain")) if each else tuple(spans)


def caveat(result: MacResult) -> str:
    """One line on what it is a mean of, what was dropped, what limits it."""
    n, lists = len(result.lists.words), len(result.lists.attributes)
    many = sum(len(words) for words in result.lists.attributes.values()) * n
    parts = [f"A mean of {n * lists} means of {many:,} cosines; their spread and number are lost."]
    if empty := [k for k in CONTROLS if not result.lists.controls.get(k)]:
        parts.append(f"No {' and no '.join(empty)} control words: nothing to compare with.")
    if result.n_replicates > 1:
        parts.append(f"Means over {counted(result.n_replicates, 'replicate')}.")
    if result.dropped:
        parts.append(f"{counted(len(result.dropped), 'word')} dropped.")
    return " ".join([*parts, *result.lists.overlaps])


def summary(result: MacResult) -> str:
    """The finding, every connection with its intervals, and what was dropped."""
    parts = [joined(verdict(result)), caveat(result)]
    for name, intervals in result.connection_intervals.items():
        text = "; ".join(
            f"{number(i.low, 3)} to {number(i.high, 3)} over {i.kind}"
            for i in intervals
            if math.isfinite(i.low)
        )
        parts.append(f"{_NAMES[name]}: {number(result.by_connection[name], 3)} ({text}).")
    return "\n".join([*parts, *lines(result.dropped)])


def chart(result: MacResult) -> Chart:
    """One row per connection: each mean of a word and a list, and above them their mean."""
    means = result.means.mean(axis=0)
    words = np.array(result.lists.words)
    cells = of_connections(result.lists) or {
        "attributes": [(j, slice(0, len(words))) for j in range(len(result.lists.attributes))]
    }
    unrelated = 1.0 if result.scale == "distance" else 0.0
    marks: list[Mark] = [
        Rule(at=unrelated, colour=NEUTRAL, label=f"unrelated {unrelated:.1f}"),
        Rule(at=result.mac, colour=INK, dashed=True, label=f"MAC {number(result.mac)}"),
    ]
    rows, values = [], []
    for k, (name, blocks) in enumerate(cells.items()):
        points = [(i, j) for j, part in blocks for i in range(part.start, part.stop)]
        looks: dict[str, Any] = {
            "colour": CONNECTIONS.get(name, INK),
            "shape": CONNECTION_MARKS.get(name, "circle"),
        }
        mean = result.by_connection.get(name, result.mac)
        widest = result.connection_intervals.get(name, result.mac_intervals)[-1]
        has_interval = math.isfinite(widest.low)
        values += [mean, widest.low, widest.high]
        between = f"{number(widest.low)} to {number(widest.high)}" if has_interval else ""
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
    label = f"cosine {result.scale}: a mean per word and list (small), and their mean (large)"
    panel = Panel(
        x=axis_over(means, values, unrelated, label=label),
        y=Rows(rows=tuple(rows), heads=("mean", level), line=56),
        marks=tuple(marks),
        width=460,
    )
    return Chart(title=finding(result), note=result.caveat(), panels=((panel,),))
