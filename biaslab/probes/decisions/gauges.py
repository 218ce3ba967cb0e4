"""Position bias, lapses, indecision and refusals, which the gap leaves out."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from biaslab.probes.decisions.result import DecisionsResult, Estimate
from biaslab.stats.decisions.fit import Rate
from biaslab.stats.significance import wilson

Name = Literal[
    "picks the first option",
    "yes at any level",
    "no at any level",
    "chosen at any difference",
    "cannot say",
    "refused or unreadable",
]
FIRST: Final[Name] = "picks the first option"
YES: Final[Name] = "yes at any level"
NO: Final[Name] = "no at any level"
CHOSEN: Final[Name] = "chosen at any difference"
CANNOT_SAY: Final[Name] = "cannot say"
NO_ANSWER: Final[Name] = "refused or unreadable"
NOT_READ: Final = ("refused", "unreadable", "other language")
"""Outcomes that it counts: an answer in another language cannot be read either."""

_COUNTED: Final = "answers (Wilson)"


@dataclass(frozen=True)
class Gauge:
    """A share that says nothing about the gap.

    Attributes
    ----------
    name : str
    of : str
        A group, or empty for all answers.
    estimate : Estimate
        As a share.
    kind : str
        Of its interval.
    """

    name: Name
    of: str
    estimate: Estimate
    kind: str


def gauges(result: DecisionsResult) -> tuple[Gauge, ...]:
    """Return the gauges of a result; lapses only where there is a fit.

    Without a fit the preference for the first option is the share of answers that took it.
    """
    shown: list[Gauge] = []
    fit = result.fit
    if fit.has_orders:
        shown.append(Gauge(FIRST, "", Estimate(*fit.position(result.level)), "likelihood"))
    elif len(set(result.trials.yes_first.tolist())) > 1 and result.trials.answered.any():
        shown.append(Gauge(FIRST, "", first_option(result), _COUNTED))
    if result.form == "which of two":
        shown += _chosen(result)
    rates: tuple[tuple[Name, Rate], ...] = ((YES, "lapse_yes"), (NO, "lapse_no"))
    whose: list[tuple[int | None, str]] = [(None, "")]
    if result.lapses == "free" and len(fit.sides) == len(result.groups):
        whose = list(enumerate(result.groups))
    for name, rate in rates if result.form == "yes or no" else ():
        for place, group in whose:
            ends = fit.rate_interval(rate, result.level, place)
            share = Estimate(fit.rate(rate, place), *ends)
            if not math.isnan(share.value):
                shown.append(Gauge(name, group, share, "profile likelihood"))
    if result.cannot_say:
        shown.append(Gauge(CANNOT_SAY, "", result.rate(("cannot say",)), _COUNTED))
    shown += [
        Gauge(NO_ANSWER, group, result.rate(NOT_READ, place), _COUNTED)
        for place, group in enumerate(result.groups)
    ]
    return tuple(shown)


def _chosen(result: DecisionsResult) -> list[Gauge]:
    """Return how often either group's candidate is chosen whatever the difference."""
    found = []
    lapses: tuple[Rate, ...] = ("lapse_no", "lapse_yes")
    for group, rate in zip(result.groups, lapses, strict=True):
        share = Estimate(result.fit.rate(rate), *result.fit.rate_interval(rate, result.level))
        if not math.isnan(share.value):
            found.append(Gauge(CHOSEN, group, share, "profile likelihood"))
    return found


def first_option(result: DecisionsResult) -> Estimate:
    """Return the share of answers that took the option listed first, with Wilson's interval."""
    answered = result.trials.take(result.trials.answered)
    if not len(answered):
        return Estimate(math.nan, math.nan, math.nan)
    took = int(np.sum((answered.yes >= 0.5) == answered.yes_first))
    low, high = wilson(took, len(answered), result.level)
    return Estimate(took / len(answered), float(low), float(high))
