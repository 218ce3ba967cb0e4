"""The case as the page shows it: wordings in pieces, which the page fills."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from biaslab.cases import Case, Cue, Form
from biaslab.cases.quality import number
from biaslab_widgets.benches.decisions.case_fields import CaseCard, CueGroup, Piece
from biaslab_widgets.benches.decisions.case_text import toml_of
from biaslab_widgets.benches.decisions.question import question_of

_EDGE = "\x01"
"""Stands around what the page fills; no text that a person types has it."""


def card_of(case: Case, form: Form, groups: tuple[str, str], *, cannot_say: bool) -> CaseCard:
    """Return what the page shows of a case.

    Parameters
    ----------
    case : Case
    form : Form
    groups : (str, str)
        Names of the two groups.
    cannot_say : bool
        Whether the answer of who cannot decide is offered.
    """
    quality = case.quality
    levels = quality.levels.tolist()
    middle = levels[(len(levels) - 1) // 2]
    reach = (len(levels) - 1) // 2 * quality.step
    alone = form == "yes or no"
    part = case.yes_or_no if alone else case.which_of_two
    answers = [] if part is None else [getattr(part, name) for name in _ANSWERS[form]]
    return {
        "name": case.name,
        "title": case.title,
        "question": question_of(case),
        "quality": quality.name,
        "unit": quality.unit,
        "outcome": case.outcome,
        "low": levels[0] if alone else -reach,
        "high": levels[-1] if alone else reach,
        "step": float(quality.step),
        "says": [quality.say(level) for level in levels],
        "lowest": levels[0],
        "middle": middle,
        "level_step": float(quality.step),
        "groups": [_group(case, name) for name in groups],
        "group_names": [group.name for group in case.groups],
        "wordings": [_pieces(case, form, at, cannot_say) for at in range(len(case.wordings(form)))],
        "forms": list(case.forms),
        "answers": answers,
        "toml": toml_of(case),
    }


_ANSWERS: dict[Form, tuple[str, str]] = {
    "yes or no": ("yes", "no"),
    "which of two": ("first", "second"),
}


def _group(case: Case, name: str) -> CueGroup:
    group = case.group(name)
    return {
        "name": group.name,
        "cues": [
            {"text": cue.text, "they": cue.they, "them": cue.them, "their": cue.their}
            for cue in group.cues
        ],
    }


def _pieces(case: Case, form: Form, wording: int, cannot_say: bool) -> list[Piece]:
    """Return a wording as it is sent, in pieces; of two candidates the second group's is first."""
    marked = replace(case.quality, text=f"{_EDGE}{{x}}{_EDGE}", one="", words=())
    empty = replace(case, quality=marked)
    low, high = case.quality.low, case.quality.high
    two, one = _marked_cue(1), _marked_cue(0)
    if form == "yes or no":
        question = empty.ask(two, low, wording=wording, cannot_say=cannot_say)
    else:
        question = empty.ask_which((two, low), (one, high), wording=wording, cannot_say=cannot_say)
    alone = form == "yes or no"
    levels = {number(low): 1, number(high): 0}
    pieces: list[Piece] = []
    for place, text in enumerate(question.prompt.split(_EDGE)):
        if place % 2 == 0:
            pieces.append({"kind": "text", "text": text, "of": -1})
        elif text in levels:
            pieces.append({"kind": "x", "text": "", "of": -1 if alone else levels[text]})
        else:
            kind, _, of = text.partition(":")
            pieces.append({"kind": _KINDS[kind], "text": "", "of": -1 if alone else int(of)})
    return [piece for piece in pieces if piece["kind"] != "text" or piece["text"]]


_KINDS: dict[str, Literal["cue", "they", "them", "their"]] = {
    "cue": "cue",
    "they": "they",
    "them": "them",
    "their": "their",
}


def _marked_cue(of: int) -> Cue:
    return Cue(*(f"{_EDGE}{kind}:{of}{_EDGE}" for kind in _KINDS))
