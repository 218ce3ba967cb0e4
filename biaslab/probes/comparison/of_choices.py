"""Comparison of choices: PSEs or JNDs of items, gaps of decisions, sensitivity by group."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from biaslab.errors import QueryError
from biaslab.probes.comparison.rows import (
    Compared,
    Estimated,
    Floats,
    Measure,
    around,
    independent_total,
)
from biaslab.probes.decisions.result import KINDS, DecisionsResult
from biaslab.probes.occupations.result import OccupationsResult
from biaslab.probes.psychometrics.answers import Graded, OwnCurves, SwitchPoints
from biaslab.probes.psychometrics.curves import pooled
from biaslab.probes.psychometrics.fit_check import variances
from biaslab.probes.psychometrics.graded import at_half, switch_points_of_answers
from biaslab.probes.psychometrics.result import TwoAFCResult
from biaslab.probes.sensitivity.result import DetectionEstimate, SensitivityResult
from biaslab.records.result import Interval
from biaslab.records.wording import counted
from biaslab.stats.significance import Adjust

_MOST_NAMED = 3
Rows = list[list[int]]
"""Indices of the shared items in either result."""
Names = tuple[str, str]


@dataclass(frozen=True)
class Quantity:
    """What is compared of each item.

    Attributes
    ----------
    estimated : callable
        The items' numbers of a result, with leans that are adjusted for their number or not.
    change : callable
        Change between two sets of mean answers, (n, L), to the stimuli, (L,).
    """

    estimated: Callable[[TwoAFCResult, Adjust], Estimated]
    change: Callable[[Floats, Floats, Floats], Floats]


def compared_choices(
    a: TwoAFCResult, b: TwoAFCResult, *, measure: Measure, adjust: Adjust = "holm", **_: object
) -> Compared:
    """Compare the PSEs or JNDs of two results of `bl.two_afc`.

    Graded answers that do not follow the blend have no PSE. Where a shared item lacks one, the
    answers to an even blend are compared instead, which every item has.
    """
    if measure == "jnd":
        return Compared(**_OF_JND, rows_are="items", level=a.level, a=_jnds(a), b=_jnds(b))
    a, b = a.of_means, b.of_means
    sides = a.ends or a.pairs[0]
    at_even = _lacks_pse(a, b)
    quantity = _AT_EVEN if at_even else _PSE
    ends, over = _paired(a, b, quantity)
    return Compared(
        **_OF_PSE | ({"measure": f"answers “{sides[0]}” to an even blend"} if at_even else {}),
        sides=sides,
        rows_are="items",
        level=a.level,
        over=over,
        a=quantity.estimated(a, adjust),
        b=quantity.estimated(b, adjust),
        change_intervals=ends,
    )


_OF_PSE: dict[str, Any] = {"measure": "PSE", "unit": "points", "neutral": 0.5, "groups": True}
# Nothing pairs how sharply two models switch: their JNDs are taken as independent.
_OF_JND: dict[str, Any] = {
    "measure": "JND",
    "unit": "points",
    "neutral": float("nan"),
    "sides": ("less sharp", "sharper"),
    "over": "",
}


def _lacks_pse(a: TwoAFCResult, b: TwoAFCResult) -> bool:
    """Whether two graded results have answers to a shared item, but not a PSE in both."""
    if any(each.raw.at_even(each.pooled) is None for each in (a, b)):
        return False
    shared = [item for item in a.items if item in set(b.items)]
    pse = [[each.pooled.pse[each.index(item)] for item in shared] for each in (a, b)]
    return not np.isfinite(pse).all()


def compared_occupations(
    a: OccupationsResult,
    b: OccupationsResult,
    *,
    measure: Measure,
    adjust: Adjust = "holm",
    **_: object,
) -> Compared:
    """Compare the PSEs or JNDs of two results of `bl.occupations`, contrast by contrast."""
    one, two = _contrasts(a), _contrasts(b)
    shared = [names for names in one if names in two]
    several = max(len(one), len(two)) > 1
    common: dict[str, Any] = {"rows_are": a.words_are, "level": a.level}
    if measure == "jnd":
        return Compared(
            **_OF_JND, **common, a=_joined(one, _jnds, several), b=_joined(two, _jnds, several)
        )
    one, two = ({names: each.of_means for names, each in side.items()} for side in (one, two))
    pairings = [_paired(one[names], two[names], _PSE) for names in shared]
    known = [ends for ends, _ in pairings if ends is not None]
    axis = a.axis
    outside = {}
    if len(shared) == 1 and not several and axis is not None and b.outside == a.outside:
        numbers = dict(zip(a.words, a.outside_values(), strict=True))
        outside = {word: float(value) for word, value in numbers.items() if value is not None}
    return Compared(
        **_OF_PSE,
        sides=shared[0] if len(shared) == 1 else ("group 1", "group 2"),
        **common,
        over=" ".join(dict.fromkeys(over for _, over in pairings)),
        a=_joined(one, partial(_estimated, adjust=adjust), several),
        b=_joined(two, partial(_estimated, adjust=adjust), several),
        change_intervals=np.concatenate(known) if known and len(known) == len(shared) else None,
        outside=outside,
        outside_label="" if axis is None else axis.label,
    )


def _contrasts(result: OccupationsResult) -> dict[Names, TwoAFCResult]:
    return {result.of_contrast(i): each for i, each in enumerate(result.contrasts)}


def _joined(
    contrasts: Mapping[Names, TwoAFCResult],
    estimated: Callable[[TwoAFCResult], Estimated],
    several: bool,
) -> Estimated:
    """Rows of all contrasts, which their labels name where there are several."""
    parts = [estimated(each) for each in contrasts.values()]
    return Estimated(
        labels=tuple(
            f"{item}, {names[0]} / {names[1]}" if several else item
            for names, part in zip(contrasts, parts, strict=True)
            for item in part.labels
        ),
        values=np.concatenate([part.values for part in parts]),
        intervals=np.concatenate([part.intervals for part in parts]),
        leans=np.concatenate([part.lean(math.nan) for part in parts]),
    )


def _estimated(result: TwoAFCResult, adjust: Adjust) -> Estimated:
    of = result.pooled
    return _of_items(result, of.pse, of.corpus, result.leans(adjust))


def _jnds(result: TwoAFCResult) -> Estimated:
    of = result.pooled
    return _of_items(result, of.jnd, of.jnd_interval, np.zeros(len(result.items)))


def _at_even(result: TwoAFCResult, adjust: Adjust) -> Estimated:
    even = result.raw.at_even(result.pooled)
    assert even is not None  # noqa: S101  # see _lacks_pse
    return _of_items(result, *even, result.leans(adjust))


def _of_items(result: TwoAFCResult, values: Any, intervals: Any, leans: Any) -> Estimated:
    return Estimated(
        labels=result.items,
        values=np.asarray(values, dtype=float),
        intervals=np.asarray(intervals, dtype=float),
        leans=np.asarray(leans, dtype=np.int64),
    )


def _change_of_pse(one: Floats, two: Floats, alphas: Floats) -> Floats:
    """Change of the PSE between mean answers, (n, L) each."""
    with np.errstate(invalid="ignore"):
        change = switch_points_of_answers(two, alphas) - switch_points_of_answers(one, alphas)
    return np.asarray(change)


def _change_at_even(one: Floats, two: Floats, alphas: Floats) -> Floats:
    """Change of the share that answers cue 1 to an even blend."""
    return at_half(one, alphas) - at_half(two, alphas)


_PSE, _AT_EVEN = Quantity(_estimated, _change_of_pse), Quantity(_at_even, _change_at_even)


def _paired(a: TwoAFCResult, b: TwoAFCResult, quantity: Quantity) -> tuple[Floats | None, str]:
    """Paired interval of the change of each shared item, and what is paired."""
    interval = _INTERVALS.get(a.raw.kind)
    alike = (
        set(a.pairs) == set(b.pairs)
        and a.n_observers == b.n_observers
        and interval is _INTERVALS.get(b.raw.kind)
        and a.observer_names == b.observer_names
        and bool(np.allclose(a.weights, a.weights[0]) and np.allclose(b.weights, b.weights[0]))
    )
    items = [item for item in a.items if item in set(b.items)]
    if interval is None or not alike or not items:
        return None, ""
    rows = [[each.index(item) for item in items] for each in (a, b)]
    order = [b.pairs.index(pair) for pair in a.pairs]
    before, after = (quantity.estimated(each, "none").values for each in (a, b))
    change = after[rows[1]] - before[rows[0]]
    ends = interval(a, b, rows, order, change, quantity)
    if ends is None:
        return None, ""
    return np.where(np.isfinite(change)[:, None], ends, np.nan), _shared(a)


def _shared(result: TwoAFCResult) -> str:
    pairs = counted(len(result.pairs), "cue pair")
    if len(result.pairs) <= _MOST_NAMED:
        pairs = ", ".join(f"{one} / {two}" for one, two in result.pairs)
    if result.n_observers == 1:
        return f"the same {pairs}"
    observers = f"{result.n_observers} {result.observer}"
    how = "the same" if result.observer_names else "paired by number"
    if len(result.pairs) == 1:
        return f"{observers}, {how}"
    return f"the same {pairs}; {observers}, {how}"


def _moved_interval(
    a: TwoAFCResult, b: TwoAFCResult, rows: Rows, order: list[int], change: Floats, _: Quantity
) -> Floats:
    """Interval of the mean shift of the observers' switch points."""
    one, two = (np.asarray(each.balance, dtype=float) for each in (a, b))
    moved = two[:, rows[1]][:, :, order] - one[:, rows[0]]
    of_mean = pooled(
        moved, 0.0, "normal", a.fit.jnd, a.level, a.fit.pairs_as, a.weights, a.crossing
    )
    ends = of_mean.corpus + (change - of_mean.pse)[:, None]
    return np.where((moved == 0).all(axis=(0, 2))[:, None], 0.0, ends)


def _graded_interval(
    a: TwoAFCResult, b: TwoAFCResult, rows: Rows, order: list[int], change: Floats,
    quantity: Quantity,
) -> Floats | None:  # fmt: skip
    """Jackknife of the change over observers, and over cue pairs that stand for others.

    None where not all observers answered about all stimuli in both.
    """
    if len(a.stimuli) != len(b.stimuli) or not (a.raw.answered.all() and b.raw.answered.all()):
        return None
    answers = a.responses()[:, rows[0]], b.responses()[:, rows[1]][:, :, order]
    left_out = [_changes(*answers, a.stimuli, quantity, axis=0)]
    if a.fit.pairs_as == "resampled":
        left_out.append(_changes(*answers, a.stimuli, quantity, axis=2))
    kinds = [values for values in left_out if len(values) > 1]
    if not kinds:
        return np.full((len(change), 2), np.nan)
    return around(change, variances(kinds), a.level)


_INTERVALS = {
    SwitchPoints.kind: _moved_interval,
    OwnCurves.kind: _moved_interval,
    Graded.kind: _graded_interval,
}
"""By the kind of answers: what is paired. Trials are not."""


def _changes(a: Floats, b: Floats, alphas: Floats, quantity: Quantity, axis: int) -> Floats:
    """Change of the mean answers without each observer or pair, (units, n)."""
    count = a.shape[axis]
    if count < 2:
        return np.empty((0, a.shape[1]))
    changes = []
    for unit in range(count):
        one, two = (np.delete(answers, unit, axis=axis).mean(axis=(0, 2)) for answers in (a, b))
        changes.append(quantity.change(one, two, alphas))
    return np.array(changes)


def compared_decisions(a: DecisionsResult, b: DecisionsResult, **_: object) -> Compared:
    """Compare the gaps of two runs for the cues and wordings that both asked about.

    Both runs have the same cues and wordings, so that only the noise of the answers is in the
    interval of the change.

    Raises
    ------
    QueryError
        If the runs are about different questions.
    """
    if (a.case, a.form, a.groups) != (b.case, b.form, b.groups):
        raise QueryError(
            f"The first run is about {_about(a)}, the second about {_about(b)}. Compare two runs"
            " about the same case, groups and form."
        )
    unit = a.case.quality.unit
    same = a.cues == b.cues and set(a.trials.wording) == set(b.trials.wording)
    # At the nominal level: what looks at a verdict add is no noise of the answers.
    of_a, of_b = (
        Interval(*run.fit.gap_interval(run.level, "these"), run.level, KINDS["these"])
        for run in (a, b)
    )
    total = independent_total(f"gap in {unit}", a.gap, b.gap, of_a, of_b, "answers", paired=same)
    return Compared(
        measure=f"point of subjective equality (PSE) in {unit}",
        unit="",
        neutral=float("nan"),
        sides=("higher", "lower"),
        rows_are="cues",
        level=a.level,
        over="answers about the same cues and wordings",
        a=_estimated_cues(a),
        b=_estimated_cues(b),
        totals=(total,),
    )


def _about(run: DecisionsResult) -> str:
    return f"{run.case.name} ({run.form}; {', '.join(run.groups)})"


def _estimated_cues(run: DecisionsResult) -> Estimated:
    rows = run.cue_pses()
    texts = [run.case.groups[group].cues[cue].text for group, cue in run.cues]
    return Estimated(labels=tuple(texts), values=rows[:, 0], intervals=rows[:, 1:])


def compared_sensitivity(a: SensitivityResult, b: SensitivityResult, **_: object) -> Compared:
    """Compare the criteria of the groups, and how far their criterion and d' lie apart.

    Where both runs know the same names, only the noise of the answers is in the intervals.

    Raises
    ------
    QueryError
        If the runs are about different groups.
    """
    names = [tuple(one.name for one in run.groups) for run in (a, b)]
    if names[0] != names[1]:
        raise QueryError(
            f"The first run is about {', '.join(names[0])}, the second about {', '.join(names[1])}."
            " Compare two runs about the same groups, in the same order."
        )
    cues = [[tuple(cue.name for cue in one.cues) for one in run.groups] for run in (a, b)]
    same = cues[0] == cues[1] and a.over == b.over == "names"

    def ends(one: DetectionEstimate) -> Interval:
        return one.these if same else one.interval

    pairs = list(zip(a.differences, b.differences, strict=True))
    totals = [
        independent_total(
            f"{title} of {one.name} less {one.reference}",
            *(getattr(each, field).value for each in (one, two)),
            *(ends(getattr(each, field)) for each in (one, two)),
            paired=same,
        )
        for one, two in pairs
        for title, field in (("criterion c", "criterion"), ("sensitivity d′", "d_prime"))
    ]  # fmt: skip
    of_a, of_b = (
        Estimated.of((one.name, one.criterion.value, ends(one.criterion)) for one in run.groups)
        for run in (a, b)
    )
    return Compared(
        measure="criterion c", unit="", neutral=float("nan"), sides=("higher", "lower"),
        rows_are="groups", level=a.level,
        over="answers about the same names" if same else "", a=of_a, b=of_b, totals=tuple(totals),
    )  # fmt: skip
