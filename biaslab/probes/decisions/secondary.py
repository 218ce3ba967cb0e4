r"""Secondary outcomes of decisions: gauges of the answers, effects of traits, their tables.

The effect of a trait's label against another is a contrast :math:`\sum_g c_g\,\mathrm{PSE}_g` with
:math:`\sum_g c_g = 0`, the mean difference between groups that share all other traits. Pooling of
the groups toward main effects is part of the PSEs: see `biaslab.stats.decision_fit.fit_decisions`.

The variance of such a contrast follows from those of all pairwise differences,
:math:`-\tfrac12 \sum_{g,h} c_g c_h \operatorname{Var}(\mathrm{PSE}_g - \mathrm{PSE}_h)`, so its
interval follows from the intervals of the gaps.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from biaslab.deciders import OUTCOMES
from biaslab.probes.decisions.result import KINDS, DecisionsResult, Estimate, Scope
from biaslab.probes.decisions.trials import OUTCOME, Floats
from biaslab.stats.decisions.fit import Rate
from biaslab.stats.quantiles import t_quantile
from biaslab.stats.significance import wilson

if TYPE_CHECKING:
    import pandas as pd


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
FOUR_FIFTHS: Final = 0.8
"""Below it an impact ratio fails the four-fifths rule."""
_WIDEST: Final = 4.0
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
            interval = fit.rate_interval(rate, result.level, place)
            share = Estimate(fit.rate(rate, place), *interval)
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
    chosen = []
    lapses: tuple[Rate, ...] = ("lapse_no", "lapse_yes")
    for group, rate in zip(result.groups, lapses, strict=True):
        share = Estimate(result.fit.rate(rate), *result.fit.rate_interval(rate, result.level))
        if not math.isnan(share.value):
            chosen.append(Gauge(CHOSEN, group, share, "profile likelihood"))
    return chosen


def first_option(result: DecisionsResult) -> Estimate:
    """Return the share of answers that took the option listed first, with Wilson's interval."""
    answered = result.trials.take(result.trials.answered)
    if not len(answered):
        return Estimate(math.nan, math.nan, math.nan)
    took = int(np.sum((answered.yes >= 0.5) == answered.yes_first))
    low, high = wilson(took, len(answered), result.level)
    return Estimate(took / len(answered), float(low), float(high))


def level_effect(result: DecisionsResult) -> Estimate:
    """Return how much more often the answer is yes beyond the middle level than before it.

    As a share, with the normal interval; of two candidates of the difference between them. Beyond
    is where the quality should bring a yes.
    """
    answered = result.trials.take(result.trials.answered)
    alone = result.form == "yes or no"
    levels = result.sign * (answered.level - (0 if alone else answered.other_level))
    middle = np.median(levels) if len(levels) else math.nan
    halves = [answered.yes[levels < middle], answered.yes[levels > middle]]
    if min(map(len, halves)) < 2:  # a variance needs two
        return Estimate(math.nan, math.nan, math.nan)
    before, beyond = (float(half.mean()) for half in halves)
    variance = sum(float(half.var(ddof=1)) / len(half) for half in halves)
    half_width = float(t_quantile(np.inf, (1 + result.level) / 2)) * math.sqrt(variance)
    change = beyond - before
    return Estimate(change, change - half_width, change + half_width)


def refusal_difference(result: DecisionsResult) -> Estimate:
    """Return how much more often questions about the second group are refused, as a share.

    The interval is over other cues like these (Welch's t over the shares of the cues), or, where a
    single cue stands for a group, over other answers (Newcombe 1998). NaN of two candidates.
    """
    if result.form != "yes or no":
        return Estimate(math.nan, math.nan, math.nan)
    one, two = (result.rate(["refused"], group) for group in range(2))
    first, second = (_refused_by_cue(result, place) for place in result.places[:2])
    if min(len(first), len(second)) < 2:
        change = two.value - one.value
        below = math.hypot(two.value - two.low, one.high - one.value)
        above = math.hypot(two.high - two.value, one.value - one.low)
        return Estimate(change, change - below, change + above)
    change = float(second.mean() - first.mean())
    variances = [np.var(shares, ddof=1) / len(shares) for shares in (first, second)]
    if not sum(variances):
        return Estimate(change, change, change)
    df = sum(variances) ** 2 / sum(
        variance**2 / (len(shares) - 1)
        for variance, shares in zip(variances, (first, second), strict=True)
    )
    half = float(t_quantile(df, (1 + result.level) / 2)) * math.sqrt(sum(variances))
    return Estimate(change, change - half, change + half)


def _refused_by_cue(result: DecisionsResult, place: int) -> Floats:
    trials = result.trials
    is_refused, own = trials.outcome == OUTCOME["refused"], trials.group == place
    cues = np.unique(trials.cue[own])
    return np.array([is_refused[own & (trials.cue == cue)].mean() for cue in cues])


def gap_if_refused_is(result: DecisionsResult, answer: Literal["yes", "no"]) -> Estimate:
    """Return the gap if each refused question had been answered so: both bound the true one."""
    trials = result.trials
    is_refused = trials.outcome == OUTCOME["refused"]
    answered = replace(
        trials,
        outcome=np.where(is_refused, OUTCOME["answered"], trials.outcome),
        yes=np.where(is_refused, float(answer == "yes"), trials.yes),
    )
    return replace(result, trials=answered).gap_between()


def ratio_is_known(ratio: Estimate) -> bool:
    """Return whether an impact ratio is precise enough to be quoted.

    Its interval ends within a factor of 4 of it, and includes at most one of 0.8 and 1: else it
    neither says whether the four-fifths rule is failed nor which group has the higher rate. Rates
    near 0 give ratios such as 0.04 (0.0002 to 8).
    """
    is_narrow = ratio.high <= _WIDEST * ratio.value and ratio.low >= ratio.value / _WIDEST
    return bool(is_narrow and not ratio.low <= FOUR_FIFTHS <= 1 <= ratio.high)


@dataclass(frozen=True)
class TraitEffect:
    """What a label of a trait must bring beyond another one.

    Attributes
    ----------
    trait : str
        ``gender``.
    one, two : str
        Labels: the effect is what `two` must bring beyond `one`.
    estimate : Estimate
        In the case's unit, with the interval for other cues and wordings like these, or for just
        these; the ends are infinite where some gap has no bound.
    """

    trait: str
    one: str
    two: str
    estimate: Estimate


def trait_effects(result: DecisionsResult, scope: Scope = "population") -> tuple[TraitEffect, ...]:
    """Return the main effects of a result's crossed traits, each label against its trait's first.

    Parameters
    ----------
    result : DecisionsResult
        Of groups with traits, asked yes or no.
    scope : {"population", "these"}
        Over other cues and wordings like these, or for just these.

    Returns
    -------
    tuple of TraitEffect
        Empty if groups are not crossed, or a group has no point. A label that shares no
        combination of the other traits with the first one is left out.
    """
    if not result.traits or result.fit.reason:
        return ()
    names = tuple(result.case.groups[result.places[0]].traits)
    contrasts = [
        (name, labels[0], label, weights)
        for name, labels, of in zip(names, map(_labels, result.traits), result.traits, strict=True)
        if len(names) > 1
        for label in labels[1:]
        if (weights := _contrast(result, of, labels[0], label)) is not None
    ]
    if not contrasts:
        return ()
    gaps, halves = _gaps(result, scope)
    return tuple(
        TraitEffect(name, one, two, _estimate(weights, gaps, halves))
        for name, one, two, weights in contrasts
    )


def _labels(of: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(of))


def _contrast(result: DecisionsResult, of: tuple[str, ...], one: str, two: str) -> Floats | None:
    """Return the weight of each group: pairs that differ in this trait alone count equally."""
    others = list(zip(*(trait for trait in result.traits if trait is not of), strict=True))
    weights = np.zeros(len(of))
    shared = {
        rest
        for label, rest in zip(of, others, strict=True)
        if label == one and (two, rest) in zip(of, others, strict=True)
    }
    if not shared:
        return None
    for sign, label in ((-1.0, one), (1.0, two)):
        for rest in shared:
            members = [
                place
                for place, labels in enumerate(zip(of, others, strict=True))
                if labels == (label, rest)
            ]
            weights[members] += sign / len(members) / len(shared)
    return weights


def _gaps(result: DecisionsResult, scope: Scope) -> tuple[Floats, Floats]:
    """Return each group's gap to the first one, (G,), and half the width of all gaps, (G, G)."""
    count = len(result.groups)
    gaps, halves = np.zeros(count), np.zeros((count, count))
    for one, two in combinations(range(count), 2):
        value, low, high = result.gap_between(one, two, scope)
        halves[one, two] = halves[two, one] = (high - low) / 2
        if one == 0:
            gaps[two] = value
    return gaps, halves


def _estimate(weights: Floats, gaps: Floats, halves: Floats) -> Estimate:
    value = float(weights @ gaps)
    some = np.outer(weights, weights) != 0
    if not np.isfinite(halves[some]).all():
        return Estimate(value, -math.inf, math.inf)
    squared = -0.5 * float(weights @ np.where(some, halves, 0.0) ** 2 @ weights)
    half = math.sqrt(max(squared, 0.0))
    return Estimate(value, value - half, value + half)


def estimates_frame(result: DecisionsResult) -> pd.DataFrame:
    """One row per estimate.

    Columns: ``estimate``, ``of`` (a group, or empty), ``value``, ``low``, ``high``, ``unit``,
    ``interval`` (what varies), ``reason`` (why there is no value).
    """
    import pandas as pd

    unit, likes = result.case.quality.unit, KINDS["population"]
    rows: list[dict[str, Any]] = []

    def add(
        name: str, of: str, value: float, low: float, high: float, unit: str, kind: str
    ) -> None:
        rows.append(
            {"estimate": name, "of": of, "value": value, "low": low, "high": high, "unit": unit,
             "interval": kind}
        )  # fmt: skip

    for other, group in enumerate(result.groups[1:], start=1):
        for scope, kind in KINDS.items():
            estimate = result.gap_between(0, other, scope)
            add("gap", f"{group} − {result.groups[0]}", *estimate, unit, kind)
    for scope, kind in KINDS.items():
        for effect in trait_effects(result, scope):
            of = f"{effect.trait}: {effect.two} − {effect.one}"
            add("main effect", of, *effect.estimate, unit, kind)
    for place, group in enumerate(result.groups if result.form == "yes or no" else ()):
        add("PSE", group, *result.pse(place), unit, likes)
    add("JND", "", *result.jnd, unit, likes)
    if not math.isnan(result.indecision.value):
        add("indecision", "", *result.indecision, unit, "profile likelihood")
    for gauge in gauges(result):
        add(gauge.name, gauge.of, *gauge.estimate, "share", gauge.kind)
    if not math.isnan(result.naive_gap.value):
        # A plain regression gives one for any answers, such as 700 years for those of a coin.
        naive = (math.nan,) * 3 if result.reason else result.naive_gap
        add("gap of a plain logistic regression", "", *naive, unit, "answers")
    frame = pd.DataFrame(rows)
    return frame.assign(reason=np.where(frame["value"].isna(), result.reason, ""))


def trials_frame(result: DecisionsResult) -> pd.DataFrame:
    """One row per trial, in the order of asking.

    Columns: ``trial``, ``group``, ``cue``, ``level``, the same of the ``other`` candidate where
    there is one, ``wording``, ``detail`` (from 1), ``listed_first``, ``outcome``, ``answer``,
    ``reason`` (why it is none), ``probability`` (of a yes, where replies are probabilities),
    ``reply``, ``reasoning``, ``model``, ``tokens_in``, ``tokens_out``, ``seconds``.
    """
    import pandas as pd

    trials, case = result.trials, result.case
    cues = [[cue.text for cue in group.cues] for group in case.groups]
    columns: dict[str, Any] = {
        "trial": np.arange(1, len(trials) + 1),
        "group": [case.groups[place].name for place in trials.group],
        "cue": [cues[group][cue] for group, cue in zip(trials.group, trials.cue, strict=True)],
        "level": trials.level,
    }
    if result.form == "which of two":
        others = zip(trials.other_group, trials.other_cue, strict=True)
        columns["other_group"] = [case.groups[place].name for place in trials.other_group]
        columns["other_cue"] = [cues[group][cue] for group, cue in others]
        columns["other_level"] = trials.other_level
    answers = ("yes", "no") if result.form == "yes or no" else (result.groups[1], result.groups[0])
    chosen = np.where(trials.yes >= 0.5, *answers)
    columns |= {
        "wording": trials.wording + 1,
        "detail": trials.detail + 1,
        "listed_first": np.where(trials.yes_first, *answers),
        "outcome": [OUTCOMES[place] for place in trials.outcome],
        "answer": np.where(trials.answered, chosen, ""),
        "reason": list(trials.reason or ("",) * len(trials)),
    }
    if trials.gives_probabilities:
        columns |= {"probability": trials.yes, "cannot_say": trials.silent, "mass": trials.mass}
    columns |= {
        name: list(getattr(trials, name))
        for name in ("reply", "reasoning", "model", "tokens_in", "tokens_out", "seconds")
    }
    return pd.DataFrame(columns)
