"""Charts of SEAT and CEAT."""

from __future__ import annotations

import numpy as np

from biaslab.probes.association.ceat import CeatResult
from biaslab.probes.association.seat import SeatResult
from biaslab.reports.chart import (
    Axis,
    Cells,
    Chart,
    Mark,
    Panel,
    Points,
    Row,
    Rows,
    Rule,
    axis_over,
    bins,
    finding,
)
from biaslab.reports.palette import CHANCE, GROUP_1, INK, OBSERVED
from biaslab.wording import number


def seat(result: SeatResult) -> Chart:
    """Effect size in each template, with that over words and its interval, and 0."""
    sizes = result.effect_size_by_template
    order = np.argsort(sizes)[::-1]
    names = [f"{i + 1}. {result.templates[i]}" for i in order]
    over = {i.kind: i for i in result.intervals}["words"]
    reach = 1.08 * result.ceiling
    marks: list[Mark] = [
        Rule(at=0, label="0", dashed=True, colour=INK),
        Rule(at=result.effect_size, label=f"over words {number(result.effect_size)}",
             colour=OBSERVED),
        Points(
            x=sizes[order],
            y=np.arange(len(names)),
            colour=GROUP_1,
            data={"template": names, "size": sizes[order]},
            hover=(("", "@template"), ("d", "@size{0.00}")),
        ),
    ]  # fmt: skip
    if np.isfinite([over.low, over.high]).all():
        name = f"{100 * over.level:.0f} % over words"
        marks.insert(
            0,
            Cells(
                left=over.low,
                right=over.high,
                bottom=-0.5,
                top=len(names) - 0.5,
                colour=OBSERVED,
                alpha=0.12,
                name=name,
            ),
        )
    panel = Panel(
        title="Effect size by template",
        x=Axis(low=-reach, high=reach, label="effect size d"),
        y=Rows(
            rows=tuple(
                Row(n, values=(number(s),)) for n, s in zip(names, sizes[order], strict=True)
            ),
            heads=("d",),
            line=22,
        ),
        marks=tuple(marks),
        width=420,
    )
    return Chart(title=finding(result), note=result.caveat(), panels=((panel,),))


def ceat(result: CeatResult) -> Chart:
    """Effect sizes over draws of contexts, and over words and contexts; the combined one, and 0."""
    ends = np.concatenate([result.effect_sizes, result.as_long, [0.0]])
    edges = np.linspace(ends.min(), ends.max() + 1e-9, 41)
    marks: list[Mark] = []
    highest = 0.0
    for values, colour, name in (
        (result.as_long, CHANCE, "words and contexts"),
        (result.effect_sizes, GROUP_1, "contexts"),
    ):
        if not len(values):
            continue
        shares = np.histogram(values, edges)[0] / len(values)
        highest = max(highest, float(shares.max()))
        marks.append(bins(edges, shares, colour=colour, alpha=0.55, name=name))
    marks += [
        Rule(at=0, label="0", dashed=True, colour=INK),
        Rule(at=result.effect_size, label=f"combined {number(result.effect_size)}",
             colour=OBSERVED),
    ]  # fmt: skip
    panel = Panel(
        title="Effect size over draws",
        x=axis_over(edges, label="effect size d", margin=0),
        y=Axis(low=0, high=1.05 * highest, label="share of draws"),
        marks=tuple(marks),
        width=560,
        height=260,
    )
    return Chart(title=finding(result), note=result.caveat(), panels=((panel,),))
