"""Words and chart of SEAT."""

from __future__ import annotations

import numpy as np

from biaslab.probes.association.seat import SeatResult
from biaslab.probes.unknown_words import lines
from biaslab.records.wording import number, p_text, would_show
from biaslab.reports.association.weat import OTHER_WORDS, difference_text, size_text
from biaslab.reports.chart import Axis, Cells, Chart, Mark, Panel, Points, Row, Rows, Rule, finding
from biaslab.reports.palette import GROUP_1, INK, OBSERVED
from biaslab.stats.significance import reaches, smallest_effect_of


def caveat(result: SeatResult) -> str:
    """What limits it."""
    return (
        f"{len(result.templates)} templates, pooling {result.pooling}, ddof {result.ddof}. "
        "Sentences of one word are not independent: the test splits words. With each sentence on "
        f"its own, as in May et al. (2019), d = {number(result.sentence_effect_size)} and p = "
        f"{p_text(result.sentence_test.p)}."
    )


def summary(result: SeatResult) -> str:
    """The finding, the templates, the limits."""
    x, y = result.lists.groups
    a, b = result.lists.attributes
    near, far = (a, b) if result.effect_size >= 0 else (b, a)
    interval = {i.kind: i for i in result.intervals}["words"]
    of_difference = next(iter(result.statistic_intervals), None)
    size = size_text(result.effect_size, result.ceiling, interval, of_difference is not None)
    limit = ""
    significant = reaches(result.test.p, result.level)
    claim = f"sentences with words of {x} stand nearer to {near} than to {far}, compared with {y}"
    lead = claim[0].upper() + claim[1:]
    against = (result.effect_size < 0) == (result.test.alternative == "greater")
    if not significant and result.test.alternative != "two-sided" and against:
        lead = f"Whether {claim} was not tested, as the test looks in the other direction"
    elif not significant:
        lead = f"It is not clear that {claim}"
    if not significant and of_difference is not None:
        limit = would_show(smallest_effect_of(of_difference), "")
    elif of_difference is not None and 0 in of_difference:
        limit = OTHER_WORDS
    by = result.effect_size_by_template
    spread = (
        f"Over single templates d runs from {number(float(np.nanmin(by)))} to "
        f"{number(float(np.nanmax(by)))}; of the spread of the sentences "
    )
    spread += ", ".join(f"{100 * s:.0f} % are {name}" for name, s in result.shares.items())
    headline = (
        f"{lead}: the {difference_text(result.statistic, of_difference)}, p = "
        f"{p_text(result.test.p)}{limit}. Effect size {size}"
    )
    return "\n".join([headline, spread + ".", caveat(result), *lines(result.dropped)])


def chart(result: SeatResult) -> Chart:
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
