"""Words and chart of CEAT."""

from __future__ import annotations

import math

import numpy as np

from biaslab.probes.association.ceat import CeatResult
from biaslab.probes.unknown_words import lines
from biaslab.records.wording import counted, number, would_show
from biaslab.reports.chart import Axis, Chart, Mark, Panel, Rule, axis_over, bins, finding
from biaslab.reports.palette import CHANCE, GROUP_1, INK, OBSERVED
from biaslab.stats.significance import smallest_effect_of


def caveat(result: CeatResult) -> str:
    """What limits it."""
    c = result.combined
    fewest = min(result.contexts.values())
    where = "the same templates for all words" if result.templates else "texts that hold them"
    return (
        f"Combined over {counted(c.n, 'draw')} by random effects: standard error {c.se:.2g}, "
        f"tau² {c.tau2:.3f}, I² {100 * c.i2:.0f} %. Draws use the same words and contexts "
        "again and again and are no independent studies: that standard error, and its p, "
        "shrink with the number of draws and say nothing of other words. "
        f"Contexts are {where}; "
        f"the word with fewest has {fewest}; ddof {result.ddof}."
    )


def summary(result: CeatResult) -> str:
    """The finding over contexts and words, and its limits."""
    x, y = result.lists.groups
    a, b = result.lists.attributes
    near, far = (a, b) if result.effect_size >= 0 else (b, a)
    share = result.share_positive if result.effect_size >= 0 else 1 - result.share_positive
    both, contexts = result.over_words_and_contexts, result.over_contexts
    claim = f"words of {x} stand nearer to {near} than to {far}, compared with {y}"
    lead = f"In {100 * share:.0f} % of draws of contexts, {claim}"
    if math.isnan(both.low):
        over_words = "; an attribute list of one word does not show how other words would vary"
    else:
        over_words = f", {number(both.low)} to {number(both.high)} over words and contexts"
        if 0 in both:
            lead += "; with other words it could be none or the reverse"
            over_words += would_show(smallest_effect_of(both), "", result.ceiling)
    headline = (
        f"{lead}: d = {number(result.effect_size)}, {number(contexts.low)} to "
        f"{number(contexts.high)} over contexts{over_words}."
    )
    return "\n".join([headline, caveat(result), *lines(result.dropped)])


def chart(result: CeatResult) -> Chart:
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
