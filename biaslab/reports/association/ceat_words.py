"""Plain words for CEAT."""

from __future__ import annotations

import math

from biaslab.probes.association.ceat import CeatResult
from biaslab.probes.unknown_words import lines
from biaslab.wording import count, number


def caveat(result: CeatResult) -> str:
    """What limits it."""
    c = result.combined
    fewest = min(result.contexts.values())
    where = "the same templates for all words" if result.templates else "texts that hold them"
    return (
        f"Combined over {count(c.n)} draws by random effects: standard error {c.se:.2g}, "
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
    found = (
        f"{lead}: d = {number(result.effect_size)}, {number(contexts.low)} to "
        f"{number(contexts.high)} over contexts{over_words}."
    )
    return "\n".join([found, caveat(result), *lines(result.dropped)])
