"""Plain words for MAC."""

from __future__ import annotations

import math

from biaslab.probes.association.lists import CONTROLS
from biaslab.probes.association.mac_result import MacResult
from biaslab.probes.unknown_words import lines
from biaslab.wording import Span, joined, number

_NAMES = {
    "associated": "own stereotypes",
    "different": "other groups' stereotypes",
    "human": "human control words",
    "none": "neutral words",
}
_OTHERS = {"words": "other words like these", "words and corpora": "other words and corpora"}


def verdict(result: MacResult) -> tuple[Span, ...]:
    """The finding in plain words, as pieces of text with their roles."""
    widest = result.mac_intervals[-1]
    between = ""
    if math.isfinite(widest.low):
        between = (
            f", between {number(widest.low)} and {number(widest.high)} over {_OTHERS[widest.kind]}"
        )
    unrelated = "1" if result.as_ == "distance" else "0"
    found: list[Span] = [
        (f"MAC is {number(result.mac)}", "strong"),
        (f" as a {result.as_}{between}; {unrelated} is unrelated.", "plain"),
    ]
    each = ", ".join(f"{_NAMES[k]} {number(v)}" for k, v in result.by_connection.items())
    return (*found, (f" By connection: {each}.", "plain")) if each else tuple(found)


def caveat(result: MacResult) -> str:
    """One line on what it is a mean of, what was dropped, what limits it."""
    n, lists = len(result.lists.words), len(result.lists.attributes)
    many = sum(len(words) for words in result.lists.attributes.values()) * n
    parts = [f"A mean of {n * lists} means of {many:,} cosines; their spread and number are lost."]
    if empty := [k for k in CONTROLS if not result.lists.controls.get(k)]:
        parts.append(f"No {' and no '.join(empty)} control words: nothing to compare with.")
    if result.n_replicates > 1:
        parts.append(f"Means over {result.n_replicates} replicates.")
    if result.dropped:
        parts.append(f"{len(result.dropped)} words dropped.")
    return " ".join([*parts, *result.lists.overlaps])


def summary(result: MacResult) -> str:
    """The finding, every connection with its intervals, and what was dropped."""
    told = [joined(verdict(result)), caveat(result)]
    for name, found in result.connection_intervals.items():
        ends = "; ".join(
            f"{number(i.low, 3)} to {number(i.high, 3)} over {i.kind}"
            for i in found
            if math.isfinite(i.low)
        )
        told.append(f"{_NAMES[name]}: {number(result.by_connection[name], 3)} ({ends}).")
    return "\n".join([*told, *lines(result.dropped)])
