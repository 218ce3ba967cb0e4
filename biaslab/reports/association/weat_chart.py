"""Chart of WEAT: the association of every word, the permutation test and the effect size."""

from __future__ import annotations

import numpy as np

from biaslab.probes.association.weat_result import WeatResult
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
    Shape,
    Texts,
    bins,
    finding,
)
from biaslab.reports.palette import (
    CHANCE,
    GROUP_1,
    GROUP_1_TEXT,
    GROUP_2,
    GROUP_2_TEXT,
    INK,
    INK_2,
    INK_3,
    OBSERVED,
)
from biaslab.wording import number, p_text

_SHAPES: tuple[Shape, Shape] = ("circle", "square")


def chart(result: WeatResult) -> Chart:
    """Associations of the target words, beside the splits and the effect size."""
    panels = ((words(result), splits(result)), (size(result),))
    return Chart(title=finding(result), note=result.caveat(), panels=panels)


def words(result: WeatResult) -> Panel:
    """s(t, A, B) of every target word, sorted within its list.

    The intervals of an ensemble span the middle 95 % of its replicates.
    """
    a, b = result.lists.attributes
    mean = result.association.mean(axis=0)
    low, high = np.quantile(result.association, [0.025, 0.975], axis=0)
    several = result.n_replicates > 1
    names = list(result.lists.groups)
    group = np.repeat(np.arange(len(names)), [len(own) for own in result.lists.groups.values()])
    order = np.array(sorted(range(len(mean)), key=lambda i: (group[i], -mean[i])))
    colours = [(GROUP_1, GROUP_2)[g] for g in group[order]]
    marks: list[Mark] = [
        Rule(at=0, label="0", colour=INK),
        Points(
            x=mean[order],
            y=np.arange(len(order)),
            colour=colours,
            shape=[_SHAPES[g] for g in group[order]],
            data={
                "word": [f"{result.words[i]} ({names[group[i]]})" for i in order],
                "association": mean[order],
            },
            hover=(("", "@word"), ("s", "@association{0.000}")),
        ),
    ]
    if several:
        rows = np.arange(len(order))
        marks.insert(
            1,
            Intervals(
                low=low[order], high=high[order], y=rows, colour=colours, alpha=0.5, width=1.5
            ),
        )
    reach = 1.08 * float(np.abs([low, high] if several else mean).max()) or 1.0
    over = ", mean over replicates" if several else ""
    return Panel(
        title="Association of each word",
        x=Axis(
            low=-reach,
            high=reach,
            label=f"s(t, A, B), difference of mean cosines{over}",
            ends=((f"← nearer to {b}", INK_2), (f"nearer to {a} →", INK_2)),
        ),
        y=Rows(
            rows=tuple(
                Row(result.words[i], names[group[i]], (number(float(mean[i])),)) for i in order
            ),
            line=17,
            colours=dict(zip(names, (GROUP_1_TEXT, GROUP_2_TEXT), strict=False)),
        ),
        marks=tuple(marks),
        width=300,
    )


def splits(result: WeatResult) -> Panel:
    """Histogram of the differences of means of all splits, with the observed one."""
    test = result.test
    reach = "reaches" if test.exceed == 1 else "reach"
    told = {"counts": test.counts, "reached": test.reached}
    hover = (("splits", "@counts"), ("reach", "@reached"))
    marks: list[Mark] = [
        bins(test.edges, test.counts, colour=CHANCE, data=told, hover=hover),
        bins(test.edges, test.reached, colour=OBSERVED, data=told),
    ]
    marks += [
        Rule(at=0),
        Rule(
            at=test.observed,
            colour=OBSERVED,
            width=2,
            label=f"observed {number(test.observed, 3)}",
        ),
    ]
    low, high = float(test.edges[0]), float(test.edges[-1])
    return Panel(
        title=f"{test.exceed:,} of {test.partitions:,} splits {reach} it, p = {p_text(test.p)}",
        x=Axis(low=min(low, 0.0), high=max(high, 0.0), label="difference of means"),
        y=Axis(low=0, high=1.05 * float(test.counts.max(initial=1)), label="splits"),
        marks=tuple(marks),
        width=300,
        height=190,
    )


def size(result: WeatResult) -> Panel:
    """The effect size with its interval, between its ceilings."""
    top = result.ceiling
    marks: list[Mark] = [
        Rule(at=0, label="0", colour=INK),
        *(Rule(at=end, colour=OBSERVED, dashed=True, label=number(end)) for end in (-top, top)),
    ]
    if result.reason:
        marks.append(
            Texts(x=0, y=0, words=["no effect size"], colour=INK_3, shift=(0, -4), anchor="middle")
        )
        told: tuple[str, ...] = ("none",)
    else:
        widest = result.effect_size_intervals[-1]
        marks += [
            Intervals(low=widest.low, high=widest.high, y=0, colour=OBSERVED, width=3),
            Points(x=result.effect_size, y=0, colour=OBSERVED, size=5),
        ]
        told = (number(result.effect_size),)
        if np.isfinite([widest.low, widest.high]).all():
            told = (*told, f"{number(widest.low)} to {number(widest.high)}, {widest.kind}")
    return Panel(
        title=f"Effect size and its ceiling, ddof {result.ddof}",
        x=Axis(low=-1.05 * top, high=1.05 * top, label="effect size d"),
        y=Rows(rows=(Row("effect size", values=told),), line=34),
        marks=tuple(marks),
        width=300,
    )
