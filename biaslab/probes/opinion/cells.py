"""Recorded answers by model and case, and what their design leaves out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from biaslab.answers.recorded import RecordedAnswers
from biaslab.errors import AnswersError
from biaslab.probes.opinion.result import NeverAsked
from biaslab.records.result import Dropped
from biaslab.records.wording import counted, listed

_MOST_CASES: Final = 20
_FEWEST: Final = 20
_LONGEST: Final = 200


@dataclass(frozen=True)
class Cell:
    """Rows of one model in one case, as places among the used answers."""

    model: str
    case: str
    rows: np.ndarray[tuple[int], np.dtype[np.int64]]


def cells_of(
    answers: RecordedAnswers, fewest: int = _FEWEST, most: int = _MOST_CASES
) -> tuple[list[Cell], str]:
    """Return the cells of the used answers, and the name of what a case is.

    More than `most` cases, or cases with fewer than `fewest` answers, are not looked at one by
    one: the name is empty then.
    """
    if not answers.n_used:
        raise AnswersError(
            f"None of the {counted(len(answers), 'answer')} in {answers.source} can be used."
            " `set_aside` says why; name the columns with group=, answer= and order= if they were"
            " mistaken."
        )
    n = answers.n_used
    models = _column(answers, "model", answers.source)
    cases = _column(answers, "case", "")
    n_cases = len(set(cases))
    keys = list(zip(models, cases, strict=True))
    is_split = n_cases <= most and min(Counter(keys).values()) >= fewest
    if not is_split:
        keys = list(zip(models, [""] * n, strict=True))
    number = {key: i for i, key in enumerate(dict.fromkeys(keys))}
    cell = np.fromiter(map(number.__getitem__, keys), int, n)
    rows = np.split(np.argsort(cell, kind="stable"), np.cumsum(np.bincount(cell))[:-1])
    name = answers.roles.get("case", "") if is_split and n_cases > 1 else ""
    return [Cell(*key, one) for key, one in zip(number, rows, strict=True)], name


def _column(answers: RecordedAnswers, role: str, other: str) -> list[str]:
    if role not in answers.roles:
        return [other] * answers.n_used
    return list(map(str, answers.column(role)))


def clusters_of(answers: RecordedAnswers, roles: Sequence[str]) -> list[Any] | None:
    """Return the values of the first of some roles that the answers have and that recur."""
    for role in roles:
        if role in answers.roles:
            values = list(answers.column(role))
            if 1 < len(set(values)) < len(values):
                return values
    return None


def dropped_of(answers: RecordedAnswers) -> tuple[Dropped, ...]:
    """Return the answers that are not used, at most 50 for each reason."""
    return tuple(
        Dropped(one.text[:_LONGEST], f"row {one.row}", one.reason or aside.reason)
        for aside in answers.set_aside
        for one in aside.examples
    )


def splits_of(groups: Sequence[str]) -> list[tuple[str, tuple[str, ...], np.ndarray]]:
    """Return the groups, and the sets that their names cross: race, and women and men.

    Examples
    --------
    >>> [one[0] for one in splits_of(["White women", "White men", "Black women", "Black men"])]
    ['groups', 'White and Black', 'women and men']
    """
    splits = [("groups", tuple(groups), np.arange(len(groups)))]
    parts = [re.split(r"[ _/|-]+", name.strip()) for name in groups]
    if len({len(one) for one in parts}) > 1 or len(parts[0]) < 2:
        return splits
    factors = [tuple(dict.fromkeys(column)) for column in zip(*parts, strict=True)]
    if np.prod([len(one) for one in factors]) != len(groups):
        return splits
    for at, values in enumerate(factors):
        if len(values) > 1 and len(values) < len(groups):
            into = np.array([values.index(one[at]) for one in parts])
            splits.append((listed(values), values, into))
    return splits


def never_asked(answers: RecordedAnswers) -> tuple[NeverAsked, ...]:
    """Return what these answers cannot show, from the columns and values that they have."""
    gaps: list[NeverAsked] = []
    whole = {name: answers.column(name) for name in answers.columns}
    described = {name.lower() for name in whole}
    context = [whole[answers.roles[r]] for r in ("model", "case", "level", "group")
               if r in answers.roles]  # fmt: skip
    if answers.kind == "ranking":
        sets = Counter(zip(*map(_as_sets, (*context, whole[answers.roles["order"]])), strict=True))
        again = sum(count > 1 for count in sets.values())
        if again < len(sets) / 10:
            gaps.append(
                NeverAsked(
                    "The same candidates twice",
                    f"{again or 'none'} of {counted(len(sets), 'set')} came back in a second"
                    " order, so a whim and a rule look alike",
                )
            )
    elif "item" in answers.roles:
        keys = Counter(zip(whole[answers.roles["item"]], *context, strict=True))
        if max(keys.values()) < 2:
            gaps.append(
                NeverAsked(
                    "The same question twice",
                    "no question came back for the same group, so a whim and a rule look alike",
                )
            )
    if answers.kind == "ranking" and "item" not in answers.roles:
        gaps.append(
            NeverAsked(
                "One candidate under two names",
                "no two answers are known to differ in the name alone",
            )
        )
    if answers.kind != "word pairs" and not _has_control(answers):
        gaps.append(
            NeverAsked(
                "A control without groups",
                "nothing shows how uneven these answers are where no group is named",
            )
        )
    for what, words, lacking in (
        ("A second wording", ("prompt", "wording", "template", "variation"),
         "no column names wordings, so there may be only one"),
        ("A later version", ("version", "date", "time"),
         "no column gives a version or a date, so there may be only one of each model"),
    ):  # fmt: skip
        named = next((name for name in whole if name.lower() in words), None)
        if named is None:
            gaps.append(NeverAsked(what, lacking))
        elif len(set(whole[named])) <= _models(answers):
            shown = listed([str(one) for one in dict.fromkeys(whole[named])][:3])
            gaps.append(NeverAsked(what, f"the file has only {shown}"))
    if not described & {"prompt", "question", "input", "resume", "text"}:
        trusted = (
            "that candidates are equally good"
            if answers.kind == "ranking"
            else "for how they are worded"
        )
        gaps.append(
            NeverAsked(
                "The questions themselves",
                f"they are not in the file: you have only its authors’ word {trusted}",
            )
        )
    return tuple(gaps)


def _as_sets(column: Sequence[Any]) -> Iterator[Any]:
    """Yield the values of a column, of lists without their order."""
    sets = {one: frozenset(one) if isinstance(one, tuple) else one for one in set(column)}
    return map(sets.__getitem__, column)


def _models(answers: RecordedAnswers) -> int:
    return answers.columns[answers.roles["model"]].n_values if "model" in answers.roles else 1


def _has_control(answers: RecordedAnswers) -> bool:
    names = {str(name).lower() for name in answers.groups()}
    return bool(names & {"", "none", "control", "no name", "unknown", "anonymous", "neutral"})
