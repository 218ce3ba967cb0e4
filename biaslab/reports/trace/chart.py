"""Chart of a trace: the strongest passages, and how far each pulls."""

from __future__ import annotations

import numpy as np

from biaslab.probes.trace.result import TraceResult
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
from biaslab.reports.trace.words import signed
from biaslab.wording import count

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
        y=Rows(
            rows=rows,
            heads=("points", "line"),
            colours={one: GROUP_1_TEXT, two: GROUP_2_TEXT},
        ),
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
