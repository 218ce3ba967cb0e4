"""The question of a case in one sentence, made from the sentence that says what a gap means."""

from __future__ import annotations

from biaslab.cases import Case
from biaslab_widgets.core.records import Span

_VERBS = (" needs ", " must ")


def question_of(case: Case) -> list[Span]:
    """Return the question; spans of the groups are empty, for the page to fill.

    Examples
    --------
    >>> from biaslab.cases import get
    >>> "".join(span["text"] or "_" for span in question_of(get("hire-by-name")))
    'How many more years does an applicant called _ need to be invited as often as one called _?'
    """
    more = "more" if case.quality.favoured_by == "more" else "fewer"
    who, goal = _parts(case)
    text = f"How many {more} {case.quality.unit} does {who} need to {goal}?"
    return _spans(text)


def _parts(case: Case) -> tuple[str, str]:
    """Return who needs something, and for what."""
    for verb in _VERBS:
        who, found, rest = case.need.partition(verb)
        _, to, goal = rest.partition(" to ")
        if found and to and "{2}" in who and "{1}" in goal:
            return who[:1].lower() + who[1:], goal.rstrip(".")
    return "{2}", f"be {case.outcome} as often as {{1}}"


def _spans(text: str) -> list[Span]:
    before, _, rest = text.partition("{2}")
    between, _, after = rest.partition("{1}")
    return [
        {"text": before, "role": "plain"},
        {"text": "", "role": "group2"},
        {"text": between, "role": "plain"},
        {"text": "", "role": "group1"},
        {"text": after, "role": "plain"},
    ]
