"""Comparison of choices: PSEs or JNDs of the same items, gaps of decisions about one case."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from biaslab.errors import QueryError
from biaslab.probes.comparison.rows import (
    Compared,
    Estimated,
    Floats,
    Measure,
    Total,
    around,
    independent_interval,
)
from biaslab.probes.decisions.result import DecisionsResult
from biaslab.probes.occupations.result import OccupationsResult
from biaslab.probes.psychometrics.answers import Graded, OwnCurves, SwitchPoints
from biaslab.probes.psychometrics.curves import pooled
from biaslab.probes.psychometrics.fit_check import variances
from biaslab.probes.psychometrics.graded import at_half, switch_points_of_answers
from biaslab.probes.psychometrics.result import TwoAFCResult
from biaslab.records.result import Interval
from biaslab.records.wording import counted

_MOST_NAMED = 3
ChangeOf = Callable[[Floats, Floats, Floats], Floats]
"""Change between two sets of mean answers, (n, L), to the stimuli, (L,)."""
Rows = list[list[int]]
"""Places of the shared items in either result."""


def compared_choices(
    a: TwoAFCResult, b: TwoAFCResult, *, measure: Measure, **_: object
) -> Compared:
    """Compare the PSEs or JNDs of two results of `bl.two_afc`.

    Graded answers that do not follow the blend have no PSE. Where a shared item lacks one, the
    answers to an even blend are compared instead, which every item has.
    """
    sides = a.ends or a.pairs[0]
    common: dict[str, Any] = {"rows_are": "items", "level": a.level}
    if measure == "jnd":
        return Compared(**_OF_JND, **common, a=_jnds(a), b=_jnds(b))
    if _lacks_pse(a, b):
        return _compared_at_even(a, b, sides)
    paired, over = _paired(a, b, _change_of_pse)
    return Compared(
        measure="PSE",
        unit="points",
        neutral=0.5,
        sides=sides,
        groups=True,
        **common,
        over=over,
        a=_estimated(a),
        b=_estimated(b),
        paired=paired,
    )


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
    if _at_even(a) is None or _at_even(b) is None:
        return False
    shared = [item for item in a.items if item in set(b.items)]
    pse = [[each.pooled.pse[each.index(item)] for item in shared] for each in (a, b)]
    return not np.isfinite(pse).all()


def _compared_at_even(a: TwoAFCResult, b: TwoAFCResult, sides: tuple[str, str]) -> Compared:
    """Compare the answers to an even blend: a share above one half leans to the first cue."""
    paired, over = _paired(a, b, _change_at_even)
    return Compared(
        measure=f"answers “{sides[0]}” to an even blend",
        unit="points",
        neutral=0.5,
        sides=sides,
        groups=True,
        rows_are="items",
        level=a.level,
        over=over,
        a=_estimated_at_even(a),
        b=_estimated_at_even(b),
        paired=paired,
    )


def compared_occupations(
    a: OccupationsResult, b: OccupationsResult, *, measure: Measure, **_: object
) -> Compared:
    """Compare the PSEs or JNDs of two results of `bl.occupations`, contrast by contrast."""
    shared = [one for one in _contrasts(a) if one in _contrasts(b)]
    parts = []
    for names in shared:
        one, two = (each.contrasts[_contrasts(each).index(names)] for each in (a, b))
        parts.append((names, one, two, *_paired(one, two, _change_of_pse)))
    several = max(len(a.combinations), len(b.combinations)) > 1

    def label(word: str, names: tuple[str, str]) -> str:
        return f"{word}, {names[0]} / {names[1]}" if several else word

    def rows(result: OccupationsResult, of: Callable[[TwoAFCResult], Estimated]) -> Estimated:
        each = [
            _labelled(of(asked), [label(item, names) for item in asked.items])
            for names, asked in zip(_contrasts(result), result.contrasts, strict=True)
        ]
        return _joined(each)

    common: dict[str, Any] = {"rows_are": a.words_are, "level": a.level}
    if measure == "jnd":
        return Compared(**_OF_JND, **common, a=rows(a, _jnds), b=rows(b, _jnds))
    paired = None
    known = [(names, found) for names, _, _, found, _ in parts if found is not None]
    if parts and len(known) == len(parts):
        labels = tuple(label(word, names) for names, found in known for word in found[0])
        change = np.concatenate([found[1] for _, found in known])
        ends = np.concatenate([found[2] for _, found in known])
        paired = labels, change, ends
    axis = a.axis
    outside = {}
    if len(shared) == 1 and not several and axis is not None and b.outside == a.outside:
        numbers = dict(zip(a.words, a.outside_values(), strict=True))
        outside = {word: float(value) for word, value in numbers.items() if value is not None}
    return Compared(
        measure="PSE",
        unit="points",
        neutral=0.5,
        sides=shared[0] if len(shared) == 1 else ("group 1", "group 2"),
        groups=True,
        **common,
        over=" ".join(dict.fromkeys(over for *_, over in parts)),
        a=rows(a, _estimated),
        b=rows(b, _estimated),
        paired=paired,
        outside=outside,
        outside_label="" if axis is None else axis.label,
    )


def _contrasts(result: OccupationsResult) -> list[tuple[str, str]]:
    return [result.of_contrast(i) for i in range(len(result.combinations))]


def _estimated(result: TwoAFCResult) -> Estimated:
    found = result.pooled
    return Estimated(
        labels=result.items,
        values=np.asarray(found.pse, dtype=float),
        intervals=np.asarray(found.corpus, dtype=float),
        leans=np.asarray(found.lean, dtype=np.int64),
    )


def _jnds(result: TwoAFCResult) -> Estimated:
    found = result.pooled
    return Estimated(
        labels=result.items,
        values=np.asarray(found.jnd, dtype=float),
        intervals=np.asarray(found.jnd_interval, dtype=float),
        leans=np.zeros(len(result.items), dtype=np.int64),
    )


def _estimated_at_even(result: TwoAFCResult) -> Estimated:
    even = _at_even(result)
    assert even is not None  # noqa: S101  # see _lacks_pse
    return Estimated(
        labels=result.items,
        values=even[0],
        intervals=even[1],
        leans=np.asarray(result.pooled.lean, dtype=np.int64),
    )


def _at_even(result: TwoAFCResult) -> tuple[Floats, Floats] | None:
    return result.raw.at_even(result.pooled)


def _labelled(rows: Estimated, labels: list[str]) -> Estimated:
    return Estimated(
        labels=tuple(labels), values=rows.values, intervals=rows.intervals, leans=rows.leans
    )


def _joined(parts: list[Estimated]) -> Estimated:
    return Estimated(
        labels=tuple(label for part in parts for label in part.labels),
        values=np.concatenate([part.values for part in parts]),
        intervals=np.concatenate([part.intervals for part in parts]),
        leans=np.concatenate([part.leans for part in parts if part.leans is not None]),
    )


def _change_of_pse(one: Floats, two: Floats, alphas: Floats) -> Floats:
    """Change of the PSE between mean answers, (n, L) each."""
    with np.errstate(invalid="ignore"):
        change = switch_points_of_answers(two, alphas) - switch_points_of_answers(one, alphas)
    return np.asarray(change)


def _change_at_even(one: Floats, two: Floats, alphas: Floats) -> Floats:
    """Change of the share that answers cue 1 to an even blend."""
    return at_half(one, alphas) - at_half(two, alphas)


def _paired(
    a: TwoAFCResult, b: TwoAFCResult, change_of: ChangeOf
) -> tuple[tuple[tuple[str, ...], Floats, Floats] | None, str]:
    """Change of each shared item's PSE with its paired interval, and what is paired."""
    interval = _INTERVALS.get(a.raw.kind)
    alike = (
        set(a.pairs) == set(b.pairs)
        and a.n_observers == b.n_observers
        and interval is _INTERVALS.get(b.raw.kind)
        and a.observer_names == b.observer_names
        and bool(np.allclose(a.weights, a.weights[0]) and np.allclose(b.weights, b.weights[0]))
    )
    items = tuple(item for item in a.items if item in set(b.items))
    if interval is None or not alike or not items:
        return None, ""
    rows = [[each.index(item) for item in items] for each in (a, b)]
    order = [b.pairs.index(pair) for pair in a.pairs]
    before, after = (
        (_estimated if change_of is _change_of_pse else _estimated_at_even)(each).values
        for each in (a, b)
    )
    change = after[rows[1]] - before[rows[0]]
    ends = interval(a, b, rows, order, change, change_of)
    if ends is None:
        return None, ""
    ends = np.where(np.isfinite(change)[:, None], ends, np.nan)
    return (items, change, ends), _shared(a)


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
    a: TwoAFCResult, b: TwoAFCResult, rows: Rows, order: list[int], change: Floats, _: ChangeOf
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
    change_of: ChangeOf,
) -> Floats | None:  # fmt: skip
    """Jackknife of the change over observers, and over cue pairs that stand for others.

    None where not all observers answered about all stimuli in both.
    """
    if len(a.stimuli) != len(b.stimuli) or not (a.raw.answered.all() and b.raw.answered.all()):
        return None
    answers = a.responses()[:, rows[0]], b.responses()[:, rows[1]][:, :, order]
    left_out = [_changes(*answers, a.stimuli, change_of, axis=0)]
    if a.fit.pairs_as == "resampled":
        left_out.append(_changes(*answers, a.stimuli, change_of, axis=2))
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


def _changes(a: Floats, b: Floats, alphas: Floats, change_of: ChangeOf, axis: int) -> Floats:
    """Change of the mean answers without each observer or pair, (units, n)."""
    count = a.shape[axis]
    if count < 2:
        return np.empty((0, a.shape[1]))
    changes = []
    for unit in range(count):
        one, two = (np.delete(answers, unit, axis=axis).mean(axis=(0, 2)) for answers in (a, b))
        changes.append(change_of(one, two, alphas))
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
    own = [run.gap_interval("these") for run in (a, b)]
    ends = [np.array([each.low, each.high]) for each in own]
    same = a.cues == b.cues and set(a.trials.wording) == set(b.trials.wording)
    change = independent_interval(np.array(a.gap), ends[0], np.array(b.gap), ends[1])
    interval = Interval(float(change[0]), float(change[1]), a.level, "answers")
    total = Total(f"gap in {unit}", "", a.gap, b.gap, own[0], own[1], interval, paired=same)
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
