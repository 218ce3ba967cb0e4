"""Fields of the decision bench that describe its trials."""

from __future__ import annotations

from typing import TypedDict

from biaslab_widgets.core.records import Span


class Trials(TypedDict):
    """Every trial on the screen, in the order of asking.

    Attributes
    ----------
    number : list of int
        Of the trial in the run, from 1.
    at : list of float
        Level, or difference.
    group : list of int
        0 or 1; of two candidates that of the chosen one.
    kind : list of int
        0 no, 1 yes, 2 cannot say, 3 refused, 4 unreadable, 5 in another language.
    first : list of int
        1 where the yes is listed first.
    cue, other, wording : list of int
        Places of the cue in its group, of the other candidate's (-1 without), and of the wording.
    """

    number: list[int]
    at: list[float]
    group: list[int]
    kind: list[int]
    first: list[int]
    cue: list[int]
    other: list[int]
    wording: list[int]


class TrialDetail(TypedDict):
    """One trial: what was sent and what came back, word for word."""

    number: int
    of: int
    who: list[Span]
    about: str
    prompt: str
    reply: str
    reasoning: str
    read_as: str
    cost: str
    model: str


NO_TRIALS: Trials = {
    "number": [],
    "at": [],
    "group": [],
    "kind": [],
    "first": [],
    "cue": [],
    "other": [],
    "wording": [],
}
NO_DETAIL: TrialDetail = {
    "number": 0,
    "of": 0,
    "who": [],
    "about": "",
    "prompt": "",
    "reply": "",
    "reasoning": "",
    "read_as": "",
    "cost": "",
    "model": "",
}
