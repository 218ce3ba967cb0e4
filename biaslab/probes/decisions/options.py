"""Options of the decision probe, checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, get_args

from biaslab.arguments import check_choice
from biaslab.cases import FORMS, Case, Form
from biaslab.deciders import Decider
from biaslab.errors import CaseError, QueryError
from biaslab.probes.decisions.design import Design

Method = Literal["fixed", "adaptive"]
Orders = Literal["both", "given"]
BATCH = 16
"""Questions that are chosen and put together."""


def method_of(
    method: Method | None,
    decider: Decider,
    levels: int | Sequence[float] | None,
    width: float | None,
) -> Method:
    """Return where levels are placed.

    Raises
    ------
    QueryError
        If an option does not apply to it, or it does not to the decider.
    """
    if method is None:
        fixed = decider.gives_probabilities or levels is not None
        return "fixed" if fixed else "adaptive"
    check_choice(method, get_args(Method), "method")
    if method == "fixed" and width is not None:
        raise QueryError("width belongs to adaptive placement: add method='adaptive'.")
    if method == "adaptive" and levels is not None:
        raise QueryError("levels belong to fixed placement: leave them out, or method='fixed'.")
    if method == "adaptive" and decider.gives_probabilities:
        raise QueryError(
            f"{decider.name} says how probable each answer is, so one reply tells all about a"
            " level and nothing is saved by choosing levels. Use method='fixed'."
        )
    return method


def design_of(
    case: Case,
    form: Form | None,
    groups: Sequence[str] | None,
    cues: Mapping[str, Sequence[str]] | None,
    wordings: Sequence[int] | None,
    orders: Orders,
) -> Design:
    """Return what may be asked.

    Raises
    ------
    CaseError
        If the case lacks the form, a group, a cue or a wording.
    ValueError
        If an option is unknown.
    """
    if form is not None:
        check_choice(form, FORMS, "form")
    how: Form = form or case.forms[0]
    check_choice(orders, get_args(Orders), "orders")
    names = [group.name for group in case.groups]
    wanted = list(groups) if groups is not None else names
    if groups is None and how == "which of two":
        wanted = names[:2]
    places = tuple(names.index(case.group(name).name) for name in wanted)
    if len(set(places)) < 2 or len(set(places)) < len(places):
        raise CaseError(f"A gap needs two different groups of {case.name}: {', '.join(names)}.")
    if how == "which of two" and len(places) > 2:
        raise CaseError("Which of two compares two groups: pass groups=(one, two).")
    all_wordings = len(case.wordings(how))
    numbers = range(1, all_wordings + 1) if wordings is None else wordings
    for number in numbers:
        if not 1 <= number <= all_wordings:
            raise CaseError(f"{case.name} has the wordings 1 to {all_wordings}, not {number}.")
    if not numbers:
        raise CaseError("wordings is empty: keep at least one.")
    return Design(
        case, how, places, tuple(_cues(case, place, cues) for place in places),
        tuple(number - 1 for number in numbers), tuple(range(max(1, len(case.details)))),
        both_orders=orders == "both",
    )  # fmt: skip


def _cues(case: Case, place: int, cues: Mapping[str, Sequence[str]] | None) -> tuple[int, ...]:
    group = case.groups[place]
    texts = [cue.text for cue in group.cues]
    if cues is None or group.name not in cues:
        return tuple(range(len(texts)))
    for name in cues:
        case.group(name)
    for text in cues[group.name]:
        if text not in texts:
            raise CaseError(f"{group.name} has no cue {text!r}: it has {', '.join(texts)}.")
    if not cues[group.name]:
        raise CaseError(f"{group.name} has no cue left. Keep at least one.")
    return tuple(texts.index(text) for text in dict.fromkeys(cues[group.name]))
