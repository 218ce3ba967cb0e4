"""The verdict over several models, and the grey line under it."""

from __future__ import annotations

from collections.abc import Sequence

from biaslab.probes.sentences.stereotype_result import StereotypeScore
from biaslab.reports.sentences.words import SWAPPED
from biaslab.wording import percent
from biaslab_widgets.controllers import models_verdict
from biaslab_widgets.controllers.records import Span


def verdict_of(found: Sequence[StereotypeScore]) -> list[Span]:
    """What is found, in plain words: of the first model in full, of others in short."""
    return models_verdict.verdict_of(found, _short)


def _short(one: StereotypeScore) -> list[Span]:
    if not one.overall.decided:
        name = models_verdict.strong(one.provenance.subject)
        undecided = models_verdict.plain(", no pair is decided.")
        return [models_verdict.plain(" For "), name, undecided]

    def between(low: float, high: float) -> str:
        return f"{percent(low)} to {percent(high)} %"

    share = f"{percent(one.share)} %"
    return models_verdict.in_short(one, share, between, neutral="50 %", joint=": ", bias="a bias ")


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
