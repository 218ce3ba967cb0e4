"""Plain words and chart for the agreement of a subject with judged word similarity."""

from __future__ import annotations

import numpy as np

from biaslab.probes.similarity import WordSimilarityResult
from biaslab.records.wording import counted, number, percent
from biaslab.reports.chart import Axis, Chart, Intervals, Panel, Points, Row, Rows, Rule, finding
from biaslab.reports.palette import CHANCE, INK, NEUTRAL


def summary(result: WordSimilarityResult) -> str:
    """A headline, and a line per set."""
    several = f", {len(result.sets)} sets" if len(result.sets) > 1 else ""
    lines = [f"Agreement with judged word similarity: Spearman {result.mean:.3f} (mean{several})."]
    if len(result.sets) == 1:
        lines = [f"Agreement with judged word similarity: Spearman {result.mean:.3f}."]
    for one in result.sets:
        level = f"{percent(one.over_pairs.level)} %"
        spread = ""
        if len(one.spearman) > 1:
            spread = (
                f"; {counted(len(one.spearman), 'replicate')}, SD {one.sd:.3f}, another one "
                f"{one.over_corpora.low:.3f} to {one.over_corpora.high:.3f}"
            )
        lines.append(
            f"{one.name}: {one.mean:.3f} ({level} over pairs {one.over_pairs.low:.3f} to "
            f"{one.over_pairs.high:.3f}{spread}); {one.known} of {one.pairs} pairs known."
        )
    return "\n".join(lines)


def chart(result: WordSimilarityResult) -> Chart:
    """Mean correlation of each set with its interval over pairs, and that of each replicate."""
    sets = result.sets
    place = np.arange(len(sets))
    every = np.concatenate([one.spearman for one in sets])
    of = np.repeat(place, [len(one.spearman) for one in sets])
    rows = tuple(
        Row(one.name, values=(number(one.mean, 3), f"{one.known} of {one.pairs}")) for one in sets
    )
    low, high = [one.over_pairs.low for one in sets], [one.over_pairs.high for one in sets]
    least = np.nanmin([0.0, *low, *every])
    panel = Panel(
        x=Axis(low=float(np.floor(10 * least) / 10), high=1, label="Spearman’s rank correlation"),
        y=Rows(rows=rows, heads=("mean", "pairs known")),
        marks=(
            Rule(at=0, label="0", colour=NEUTRAL),
            Points(x=every, y=of, colour=CHANCE, shape="tick", name="replicate"),
            Intervals(
                low=low,
                high=high,
                y=place,
                name=f"{100 * sets[0].over_pairs.level:.0f} % over pairs",
            ),
            Points(x=[one.mean for one in sets], y=place, colour=INK, size=5),
        ),
        width=420,
    )
    return Chart(title=finding(result), note=result.caveat(), panels=((panel,),))
