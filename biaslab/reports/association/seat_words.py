"""Plain words for SEAT."""

from __future__ import annotations

import numpy as np

from biaslab.probes.association.seat import SeatResult
from biaslab.probes.unknown_words import lines
from biaslab.stats.significance import reaches
from biaslab.wording import number, p_text


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
    ends = {i.kind: i for i in result.intervals}["words"]
    told = reaches(result.test.p, result.level)
    claim = f"sentences with words of {x} stand nearer to {near} than to {far}, compared with {y}"
    lead = claim[0].upper() + claim[1:]
    against = (result.effect_size < 0) == (result.test.alternative == "greater")
    if not told and result.test.alternative != "two-sided" and against:
        lead = f"Whether {claim} was not tested: the test looks in the other direction"
    elif not told:
        lead = f"It is not clear that {claim}"
    by = result.effect_size_by_template
    spread = (
        f"Over single templates d runs from {number(float(np.nanmin(by)))} to "
        f"{number(float(np.nanmax(by)))}; of the spread of the sentences "
    )
    spread += ", ".join(f"{100 * s:.0f} % are {name}" for name, s in result.shares.items())
    found = (
        f"{lead}: d = {number(result.effect_size)} ({number(ends.low)} to {number(ends.high)} "
        f"over words), p = {p_text(result.test.p)}."
    )
    return "\n".join([found, spread + ".", caveat(result), *lines(result.dropped)])
