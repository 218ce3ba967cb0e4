"""Words for what is seen: portraits that a vision-language model was shown."""

from __future__ import annotations

import numpy as np

from biaslab.probes.psychometrics.result import TwoAFCResult
from biaslab.probes.sentences.terms import Kind, Term
from biaslab.probes.sentences.words import GENDERED_NOUNS, article
from biaslab.wording import Span, percent, range_text

SEEN = "portraits"
"""What observers are called where pictures were shown."""
_ADJECTIVES = {"woman": "female", "man": "male"}


def is_seen(result: TwoAFCResult) -> bool:
    """Whether the model was shown pictures."""
    return result.observer == SEEN


def seen_needs(result: TwoAFCResult, item: str, pse: float) -> list[Span]:
    """How far an item's portraits must be along before the model gives the second answer."""
    share, cue_2 = percent(pse), said(result.pairs[0][1])
    if result.ends is None:
        reach = [(" must be ", "plain"), (f"{share} % of the way", "strong")]
    else:
        look = _ADJECTIVES.get(result.ends[1], result.ends[1])
        reach = [(" must look ", "plain"), (f"{share} % {look}", "strong")]
    lead: list[Span] = [(_a(item, capital=True), "strong")]
    lead += reach  # type: ignore[arg-type]
    return [*lead, (f" before the model answers {cue_2}", "plain")]


def seen_always(item: str, cue: str) -> list[Span]:
    """That the model gives one answer from end to end."""
    return [
        ("However ", "plain"),
        (_a(item), "strong"),
        (" looks, the model tends to answer ", "plain"),
        (said(cue), "strong"),
    ]


def each_switches(result: TwoAFCResult, item: str) -> str:
    """Between which stimuli single portraits switch: what the mean does not tell."""
    found = result.most_switch(item)
    if found is None:
        return ""
    low, high = found
    count = len(result.switches_of(item))
    who = "Nine in ten portraits" if count >= 20 else "Single portraits"
    if np.isinf(low) or np.isinf(high):
        if np.isinf(low) and np.isinf(high):
            return ""
        side, at, cue = ("below", high, 1) if np.isinf(low) else ("above", low, 0)
        throughout = said(result.pairs[0][cue])
        return f"{who} switch {side} {percent(at)} %, or are {throughout} throughout."
    return f"{who} switch between {range_text(low, high)} %."


def said(cue: str) -> str:
    """An answer as the model gives it: a noun for a person with its article, in quotes."""
    noun = cue.lower() in GENDERED_NOUNS or Term.of(cue).kind is Kind.PERSON
    whole = (
        noun and not Term.of(cue).is_plural and not cue.lower().startswith(("a ", "an ", "the "))
    )
    return f"“{article(cue)} {cue}”" if whole else f"“{cue}”"


def _a(item: str, *, capital: bool = False) -> str:
    if item.lower().startswith(("a ", "an ", "the ")):
        return item[:1].upper() + item[1:] if capital else item
    before = article(item)
    return f"{before.capitalize() if capital else before} {item}"
