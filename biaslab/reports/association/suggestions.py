"""Words and chart of further words for a list."""

from __future__ import annotations

import numpy as np

from biaslab.probes.association.word_suggestions import WordSuggestions
from biaslab.probes.unknown_words import lines
from biaslab.records.wording import counted
from biaslab.reports.chart import Chart, Panel, Points, Row, Rows, axis_over, finding
from biaslab.reports.palette import OBSERVED


def summary(result: WordSuggestions) -> str:
    """The words, and how they were chosen."""
    name = result.list_name.partition(".")[2]
    if not result.words:
        return f"No further word is close to “{name}”."
    own = [word for word, beside in zip(result.words, result.beside, strict=True) if not beside]
    parts = [f"{counted(len(result.words), 'word')} for “{name}”: {', '.join(result.words)}."]
    parts.append(
        "Ranked by closeness to the list, without the direction that is tested. Reject those that"
        " do not belong to the category before you look at the outcome."
    )
    if own:
        parts.append(f"Also in lists of the catalogue: {', '.join(own)}.")
    return "\n".join([*parts, *lines(result.dropped)])


def chart(result: WordSuggestions) -> Chart:
    """Closeness of each word."""
    rows = [
        Row(word, values=(f"beside {beside}" if beside else "catalogue",))
        for word, beside in zip(result.words, result.beside, strict=True)
    ]
    panel = Panel(
        x=axis_over(result.closeness, 0, label="mean cosine to the list"),
        y=Rows(rows=tuple(rows or [Row("none")])),
        marks=(Points(x=result.closeness, y=np.arange(len(result.words)), colour=OBSERVED),),
        width=320,
    )
    return Chart(title=finding(result), panels=((panel,),))
