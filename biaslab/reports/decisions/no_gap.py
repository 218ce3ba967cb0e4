"""Why a result has no gap, in plain words, and what to do about it."""

from __future__ import annotations

import math
from collections import Counter
from typing import Final

from biaslab.cases.quality import number as level_text
from biaslab.probes.decisions import DecisionsResult, first_option
from biaslab.stats.decisions.answers import FEWEST
from biaslab.wording import count, counted

_BY_PLACE: Final = 0.9
"""Share of answers with the option in one place from which on its place decides."""
_FEW: Final = 20
"""Answers from which on such a share means something."""
_ALIKE: Final = 5
"""Answers of one kind from which on a point lies outside the levels: by chance once in 32 times."""


def why_no_gap(result: DecisionsResult) -> str:
    """Return sentences on what the answers lack, without the caveats of a gap."""
    answered = result.counts()["answered"]
    if answered < FEWEST:
        return _too_few(result, answered)
    if told := _one_sided(result):
        return told
    return f"{result.reason}.{_by_place(result)}"


def amount(result: DecisionsResult, value: float) -> str:
    """Return a number of the case's unit."""
    unit = result.case.quality.unit
    return f"{level_text(value)} {unit.removesuffix('s') if value == 1 else unit}"


def always(result: DecisionsResult, group: int) -> str:
    """Say what happens to a group with one kind of answer."""
    when = "at every level" if result.fit.sides[group] == "below" else "at no level"
    return f"are {result.case.outcome} {when}"


def is_outside(result: DecisionsResult, group: int) -> bool:
    """Return whether a group has enough answers, all of one kind, to lie outside the levels."""
    return bool(result.fit.sides[group]) and (
        result.trials.gives_probabilities or _answers(result, group) >= _ALIKE
    )


def outside(result: DecisionsResult, group: int) -> str:
    """Say where the point of a group with one kind of answer lies: ``beyond 20 years``."""
    quality = result.case.quality
    low, high = quality.low, quality.high
    if result.form == "which of two":
        high = (quality.high - quality.low) / 2
        low = -high
    is_low = (result.fit.sides[group] == "below") == (quality.sign > 0)
    return f"below {amount(result, low)}" if is_low else f"beyond {amount(result, high)}"


def _one_sided(result: DecisionsResult) -> str:
    """Who is accepted, or not, at every level, and how far that bounds the gap."""
    sides = result.fit.sides[:2]
    few = [place for place, side in enumerate(sides) if side and not is_outside(result, place)]
    if few:
        return " ".join(_few_alike(result, place) for place in few)
    if result.form == "which of two":
        if not sides[0]:
            return ""
        chosen = result.groups[1 if sides[0] == "below" else 0]
        told = [f"the subject chooses {chosen} at every difference"]
    elif len(sides) == 2 and sides[0] and sides[0] == sides[1]:
        told = [f"both groups {always(result, 0)}, so their points lie {outside(result, 0)}"]
    else:
        told = [
            f"{result.groups[place]} {always(result, place)}, so their point lies"
            f" {outside(result, place)}"
            for place, side in enumerate(sides)
            if side
        ]
    if not told:
        return ""
    low, high = result.gap_between()[1:]
    bound = ""
    if math.isfinite(low) and low > 0:
        bound = f" The gap is at least {amount(result, round(low, 1))}."
    elif math.isfinite(high) and high < 0:
        bound = f" {result.groups[0]} must bring at least {amount(result, round(-high, 1))} more."
    return f"{', and '.join(told)}.{bound}"


def _answers(result: DecisionsResult, group: int) -> int:
    """Return how many answers a group's curve has."""
    answered = result.trials.answered
    if result.form == "yes or no":
        answered = answered & (result.trials.group == result.places[group])
    return int(answered.sum())


def _few_alike(result: DecisionsResult, group: int) -> str:
    """Say that a group has too few answers of one kind."""
    said = "yes" if result.fit.sides[group] == "below" else "no"
    told = counted(_answers(result, group), "answer")
    return f"{result.groups[group]} have {told} only, {said} each time: ask more questions."


def _too_few(result: DecisionsResult, answered: int) -> str:
    """Say why replies are no answers, the most frequent reason first."""
    total = len(result.trials)
    if answered == total:
        return f"{counted(total, 'answer')} are too few: ask at least {FEWEST} questions."
    replies = f"{count(total)} {'reply' if total == 1 else 'replies'}"
    told = (
        f"{count(answered) if answered else 'none'} of {replies} can be fitted, at least {FEWEST}"
    )
    reasons = Counter(reason for reason in result.trials.reason if reason).most_common(2)
    why = [f"{count(times)} times: {reason}" for reason, times in reasons]
    return " ".join([f"{told} are needed.", *why])


def _by_place(result: DecisionsResult) -> str:
    """Say whether the place of an option decides, whatever the case says."""
    share = first_option(result)
    of = int(result.trials.answered.sum())
    if of < _FEW or not (share.value >= _BY_PLACE or share.value <= 1 - _BY_PLACE):
        return ""
    place = "first" if share.value > 0.5 else "second"
    often = round(of * (share.value if place == "first" else 1 - share.value))
    return f" It takes the option listed {place} in {count(often)} of {count(of)} answers."
