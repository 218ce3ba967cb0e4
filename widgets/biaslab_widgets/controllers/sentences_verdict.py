"""The verdict over several models, and the grey line under it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from biaslab.probes.sentences.stereotype_result import StereotypeScore
from biaslab.probes.sentences.stereotype_verdicts import SWAPPED
from biaslab.probes.wording import percent
from biaslab_widgets.controllers.records import Span

SPOKEN = 3
"""Models that the verdict names; the rows under it have all."""


def verdict_of(found: Sequence[StereotypeScore]) -> list[Span]:
    """What is found, in plain words: of the first model in full, of others in short."""
    if not found:
        return []
    spoken: list[Span] = [{"text": text, "role": role} for text, role in found[0].verdict()]
    for one in found[1:SPOKEN]:
        spoken += _short(one)
    if (more := len(found) - SPOKEN) > 0:
        spoken.append(_plain(f" {more} more model{'s' if more > 1 else ''} below."))
    return spoken


def _short(one: StereotypeScore) -> list[Span]:
    name: Span = {"text": one.provenance.subject, "role": "strong"}
    if not one.overall.decided:
        return [_plain(" For "), name, _plain(", no pair is decided.")]
    share: Span = {"text": f"{percent(one.share)} %", "role": "strong"}
    ends = one.interval
    if not np.isfinite([ends.low, ends.high]).all():
        return [_plain(" For "), name, _plain(", it is "), share,
                _plain("; how sure that is cannot be told.")]  # fmt: skip
    between = f" ({percent(ends.low)} to {percent(ends.high)} %)"
    if one.lean == 0:
        return [_plain(" For "), name, _plain(", "), share,
                _plain(f"{between} cannot be told from 50 %.")]  # fmt: skip
    bias: Span = (
        {"text": "a bias with the stereotype", "role": "with"}
        if one.lean > 0
        else {"text": "a bias against the stereotype", "role": "against"}
    )
    return [_plain(" For "), name, _plain(", it is "), share, _plain(f"{between}: "), bias,
            _plain(".")]  # fmt: skip


def _plain(text: str) -> Span:
    return {"text": text, "role": "plain"}


def caveat_of(found: Sequence[StereotypeScore]) -> str:
    """What the intervals are over, what was counted apart, and with which scorers."""
    if not found:
        return ""
    first = found[0]
    kinds = list(dict.fromkeys(one.interval.kind for one in found))
    one_of = "Intervals resample" if len(found) > 1 else "The interval resamples"
    parts = [f"{one_of} {' or '.join(kinds)} ({percent(first.level)} %)."]
    if len(first.attributes) == 1:
        parts.append("One attribute says nothing about others.")
    ties = _counts([one.ties for one in found], "tie")
    failures = _counts([one.failures for one in found], "failure")
    alone = len(found) == 1 and first.ties == 1
    parts.append(f"{ties} {'is' if alone else 'are'} counted apart, not flipped; {failures}.")
    sides = {pair.groups for pair in first.pairs}
    if first.pairing == "group" and len(sides) == 1 and all(one := next(iter(sides))):
        parts.append(
            f"In all pairs the stereotype is of {one[0]}: a model that finds these terms more "
            "common whatever the sentence looks biased."
        )
    labels = list(dict.fromkeys(one.scorer_label for one in found))
    parts.append(f"{'Scorer' if len(labels) == 1 else 'Scorers'}: {', '.join(labels)}.")
    parts.append(f"Swapped: {SWAPPED[first.pairing]}.")
    return " ".join(parts)


def _counts(numbers: Sequence[int], noun: str) -> str:
    """One number for each model; only one where none has any."""
    shown = numbers if any(numbers) else numbers[:1]
    return " and ".join(_count(n, noun) for n in shown)


def _count(n: int, noun: str) -> str:
    return f"{n:,} {noun}{'' if n == 1 else 's'}"
