"""Words and chart of what is left of a bias after debiasing."""

from __future__ import annotations

import numpy as np

from biaslab.probes.association.residual import (
    AFTER,
    BEFORE,
    CLASSIFIER,
    CLUSTERS,
    NEIGHBOURS,
    PLACEBO,
    ResidualBias,
    ResidualRow,
)
from biaslab.probes.unknown_words import lines
from biaslab.records.wording import Span, counted, joined, listed, number
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
    axis_over,
    finding,
)
from biaslab.reports.palette import INK, INK_3, NEUTRAL, OBSERVED

_NAMES = {
    CLASSIFIER: "a classifier, of unseen words",
    CLUSTERS: "two clusters",
    NEIGHBOURS: "neighbours' classes",
    "WEAT": "difference of means",
}
_COLOURS = {BEFORE: INK_3, AFTER: OBSERVED, PLACEBO: NEUTRAL}
_STAGES = {BEFORE: "before", AFTER: "after debiasing", PLACEBO: "after a random removal"}


def _percent(row: ResidualRow) -> str:
    return f"{100 * row.value:.0f} %"


def _ends(row: ResidualRow) -> tuple[float, float]:
    return min(i.low for i in row.intervals), max(i.high for i in row.intervals)


def verdict(result: ResidualBias) -> list[Span]:
    """Whether the classes can still be predicted, and how well."""
    now, was = result.row(CLASSIFIER), result.row(CLASSIFIER, BEFORE)
    low, high = (100 * end for end in _ends(now))
    classes = listed(result.classes)
    words = f"words that leaned toward {classes} can still be told apart after debiasing"
    lead = f"W{words[1:]}" if now.above_chance else f"It is not clear that {words}"
    text = (
        f": a classifier names the class of {_percent(now)} ({low:.0f} to {high:.0f} %) of words"
        f" that it has not seen, where shuffled labels give {100 * now.chance:.0f} %. Before, it"
        f" was {_percent(was)}."
    )
    return [(lead, "strong"), (text, "plain")]


def caveat(result: ResidualBias) -> str:
    """What the words are, and what a random removal does."""
    placebo = result.row(CLASSIFIER, PLACEBO)
    b, nearest = len(placebo.by_replicate), counted(len(result.words), "word")
    parts = [
        f"The {nearest} nearest to a class before, without those that define it.",
        f"With random directions taken out instead, the classifier reaches {_percent(placebo)}.",
    ]
    return " ".join([*parts, *([f"Means over {counted(b, 'replicate')}."] if b > 1 else [])])


def summary(result: ResidualBias) -> str:
    """The verdict and every measure before and after."""
    parts = [joined(verdict(result)), caveat(result)]
    k = len(result.classes)
    for measure, text in (
        (CLUSTERS, f"{counted(k, 'cluster')} match the classes for"),
        (CLASSIFIER, "The classifier is right for"),
    ):
        now, was = result.row(measure), result.row(measure, BEFORE)
        low, high = _ends(now)
        parts.append(
            f"{text} {_percent(now)} of the words ({100 * low:.0f} to {100 * high:.0f} %), before"
            f" {_percent(was)}; 97.5 % of shuffled labels are below {100 * now.chance_limit:.0f} %."
        )
    for measure, text in (
        (NEIGHBOURS, f"Lean before and classes of {counted(result.neighbours, 'neighbour')}: r ="),
        ("WEAT", "WEAT, difference of means:"),
    ):
        rows = {row.stage: row for row in result.rows if row.measure == measure}
        if rows:
            low, high = _ends(rows[AFTER])
            parts.append(
                f"{text} {number(rows[AFTER].value)} ({number(low)} to {number(high)}), before"
                f" {number(rows[BEFORE].value)}."
            )
    wrong = [word for word, right in zip(result.words, result.correct, strict=True) if right == 0]
    if wrong:
        parts.append(f"Never named rightly after debiasing: {', '.join(wrong[:6])}.")
    return "\n".join([*parts, *lines(result.dropped)])


def chart(result: ResidualBias) -> Chart:
    """Shares of words in their class above correlations and differences, by stage."""
    shares = [row for row in result.rows if row.measure in (CLASSIFIER, CLUSTERS)]
    others = [row for row in result.rows if row not in shares]
    panels = [_panel(sorted(shares, key=lambda row: row.measure), 100, "% of words")]
    for measure in dict.fromkeys(row.measure for row in others):
        unit = "correlation" if measure == NEIGHBOURS else "cosine"
        panels.append(_panel([row for row in others if row.measure == measure], 1, unit))
    return Chart(
        title=finding(result),
        note=caveat(result),
        panels=tuple((panel,) for panel in panels),
        small=panels[0],
    )


def _panel(rows: list[ResidualRow], scale: float, label: str) -> Panel:
    values = scale * np.array([row.value for row in rows])
    ends = scale * np.array([_ends(row) for row in rows])
    digits = 0 if scale > 1 else 2
    colours = [_COLOURS[row.stage] for row in rows]
    at = np.arange(len(rows))
    chance = scale * float(np.mean([row.chance for row in rows]))
    marks: list[Mark] = [
        Rule(at=chance, label="chance" if scale > 1 else "0", colour=INK),
        Intervals(low=ends[:, 0], high=ends[:, 1], y=at, colour=colours),
        Points(x=values, y=at, colour=colours, size=5),
    ]
    return Panel(
        x=Axis(low=0, high=102, label=label) if scale > 1 else axis_over(ends, 0, label=label),
        y=Rows(
            rows=tuple(
                Row(_STAGES[row.stage], _NAMES[row.measure], (number(value, digits),))
                for row, value in zip(rows, values, strict=True)
            )
        ),
        marks=tuple(marks),
        width=420,
    )
