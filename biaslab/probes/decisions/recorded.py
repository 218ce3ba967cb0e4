"""Recorded decisions: rows with a group, a level and a yes or no, as trials of a case."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from biaslab.answers import RecordedAnswers
from biaslab.cases import Case, Cue, Group
from biaslab.cases.case import YesOrNo
from biaslab.cases.quality import MOST_LEVELS, Quality
from biaslab.errors import QueryError
from biaslab.probes.decisions.trials import OUTCOME, DecisionTrials
from biaslab.records.wording import counted, listed

_OUTCOMES: Final = {
    "answered": "answered", "refused": "refused", "declined": "refused",
    "other language": "other language", "unreadable": "unreadable",
}  # fmt: skip
"""Outcomes of rows that are trials; others, such as copies, are none."""


def recorded_decisions(
    record: RecordedAnswers, groups: Sequence[str] | None
) -> tuple[Case, DecisionTrials, float, tuple[str, ...]]:
    """Return a case and trials that stand for recorded answers, the usual step, and notes.

    Of items and of what belongs together (`cluster`), values that belong to one group each, such
    as names, are cues, and values that groups share are wordings. The columns ``listed_first`` and
    ``detail`` are read as `DecisionsResult.raw_frame` writes them.

    Parameters
    ----------
    record : RecordedAnswers
    groups : sequence of str, optional
        Of which the answers are taken; by default all.

    Raises
    ------
    QueryError
        If the answers are of several models or cases, no yes or no, or their level never varies.
    AnswersError
        If there is no column of groups, levels or answers, or only one group.
    """
    record.require("group", "level", "answer")
    names = record.groups()
    wanted = tuple(groups) if groups is not None else names
    if unknown := [name for name in wanted if name not in names]:
        raise QueryError(f"{record.name} has no group {listed(unknown)}: it has {listed(names)}.")
    if record.kind != "yes or no":
        raise QueryError(
            f"Decisions need a yes or no in each row, and the answers of {record.name} are"
            f" {_KINDS[record.kind]}. Name the column of decisions with bl.replay(..., answer=)."
        )
    for role in ("model", "case"):
        several = sorted(map(str, record.split(role))) if role in record.roles else []
        if len(several) > 1:
            raise QueryError(
                f"{record.name} has {len(several)} values of {role}: {listed(several)}. Take one:"
                f" record.where({role}={several[0]!r})."
            )
    rows = [
        row
        for row, (outcome, group, level) in enumerate(
            zip(
                record.outcomes,
                record.column("group", used=False),
                record.column("level", used=False),
                strict=True,
            )
        )
        if outcome in _OUTCOMES and group in wanted and level is not None
    ]
    group = [record.column("group", used=False)[row] for row in rows]
    level = np.array([record.column("level", used=False)[row] for row in rows], dtype=float)
    quality, step = _quality(record, level, [record.readings[row] for row in rows])
    cue, wording = cues_and_wordings(record, rows, group)
    cues = {
        name: list(dict.fromkeys(one for one, own in zip(cue, group, strict=True) if own == name))
        for name in wanted
    }
    wordings = list(dict.fromkeys(wording))
    more = "more" if quality.favoured_by == "more" else "fewer"
    case = Case(
        name="recorded", title=f"Decisions in {record.name}",
        need=f"{{2}} needs {{gap}} {more} {quality.unit} to get a yes as often as {{1}}",
        outcome="accepted", quality=quality,
        groups=tuple(Group(name, tuple(map(Cue, cues[name]))) for name in wanted),
        yes_or_no=YesOrNo(
            wordings=tuple(f"{one.translate(_BRACES)} {{cue}}, {{x}}".strip() for one in wordings),
            yes=record.options[1], no=record.options[0],
        ),
        cannot_say="—", source=record.name,
    )  # fmt: skip
    count = len(rows)
    first = record.values.get("listed_first", ("yes",) * len(record))
    detail = record.values.get("detail", (0,) * len(record))
    details = list(dict.fromkeys(detail))
    none = np.full(count, -1)
    nothing = np.full(count, math.nan)
    texts = record.column("answer", used=False)
    model = record.column("model", used=False) if "model" in record.roles else [""] * len(record)
    trials = DecisionTrials(
        group=np.array([wanted.index(one) for one in group]),
        cue=np.array([cues[own].index(one) for one, own in zip(cue, group, strict=True)]),
        level=level, other_group=none, other_cue=none, other_level=nothing,
        wording=np.array([wordings.index(one) for one in wording]),
        detail=np.array([details.index(detail[row]) for row in rows]),
        yes_first=np.array([first[row] == "yes" for row in rows]),
        outcome=np.array([OUTCOME[_OUTCOMES[record.outcomes[row]]] for row in rows]),
        yes=np.array([
            record.readings[row] if record.outcomes[row] == "answered" else math.nan
            for row in rows
        ]),
        silent=np.zeros(count), mass=nothing, reply=tuple(str(texts[row]) for row in rows),
        reasoning=("",) * count, model=tuple(str(model[row]) for row in rows),
        tokens_in=np.zeros(count, dtype=np.int64), tokens_out=np.zeros(count, dtype=np.int64),
        seconds=np.zeros(count), reason=tuple(record.reasons[row] for row in rows),
    )  # fmt: skip
    notes = list(record.notes)
    if "listed_first" not in record.values:
        notes.append("The order in which the two answers were offered is not recorded.")
    of_groups = sum(one in wanted for one in record.column("group", used=False))
    if of_groups > count:
        notes.append(f"{counted(of_groups - count, 'row')} without an answer or level, or copies.")
    if quality.favoured_by == "less":
        notes.append(f"A yes becomes rarer with {quality.name}: less of it counts as better.")
    return case, trials, step, tuple(notes)


def cues_and_wordings(
    record: RecordedAnswers, rows: Sequence[int], group: Sequence[str]
) -> tuple[list[str], list[str]]:
    """Return the cue and the wording of each row; the group, and nothing, where none is known."""
    cue, wording = list(group), [""] * len(rows)
    for role in ("item", "cluster"):
        if role not in record.roles:
            continue
        values = record.column(role, used=False)
        own = [str(values[row]) for row in rows]
        if 2 * len(set(own)) > len(rows):
            continue  # a text that no other row has stands for nothing that recurs
        if len(set(zip(own, group, strict=True))) == len(set(own)):
            cue = own
        else:
            wording = own
    return cue, wording


_BRACES: Final = str.maketrans("{}", "()")
"""In a recorded wording, braces are no placeholders of a case."""
_KINDS: Final = {
    "ranking": "rankings", "number": "numbers", "word pairs": "word pairs",
    "text": "texts that are neither",
}  # fmt: skip


def _quality(
    record: RecordedAnswers, level: np.ndarray[Any, np.dtype[np.float64]], yes: Sequence[Any]
) -> tuple[Quality, float]:
    """Return the quality that a column of levels stands for, and its usual step."""
    name = record.roles["level"]
    levels = np.unique(level)
    if len(levels) < 3:
        raise QueryError(
            f"{name} has {counted(len(levels), 'value')} in {record.name}: a curve over the level"
            " needs at least 3."
        )
    steps = np.diff(levels)
    low, high, step = float(levels[0]), float(levels[-1]), float(np.median(steps))
    whole = (levels - low) / steps.min()
    even = float(steps.min()) if np.allclose(whole, whole.round()) else 0.0
    if not even or (high - low) / even >= MOST_LEVELS - 1:
        even = (high - low) / 100
    known = np.array([value is not None for value in yes])
    said = np.array([value for value in yes if value is not None], dtype=float)
    noun = "levels" if name == "level" else name
    # A covariance over the levels says whether a yes becomes more frequent with them.
    falls = float(np.sum((level[known] - level[known].mean()) * said)) < 0 if known.any() else False
    return (
        Quality(
            name=noun, unit=noun, low=low, high=high, step=even,
            favoured_by="less" if falls else "more",
        ),
        step,
    )  # fmt: skip
