"""Fields that every bench over a subject has, and what all their answers hold."""

from __future__ import annotations

from typing import Literal, TypedDict

from biaslab_widgets.core.fields import Field
from biaslab_widgets.core.records import (
    Command,
    DroppedTerm,
    Message,
    Progress,
    Reply,
    SubjectOption,
)


class StepState(TypedDict):
    """One of the three steps: what it holds, and whether it can be opened.

    ``why`` says of a step that is ``closed`` what is missing before it.
    """

    title: str
    note: str
    state: Literal["closed", "open", "done"]
    why: str


class BenchAnswer(TypedDict):
    """What Python answers to a state of the inputs; ``generation`` says to which."""

    generation: int
    state: Literal["empty", "loading", "ready", "cannot-say", "error"]
    message: Message | None
    unknown: DroppedTerm | None
    dropped: list[DroppedTerm]


class Making(TypedDict):
    """How far making or fetching is, of what a bench tests; ``total`` 0 when nothing goes on."""

    done: int
    total: int
    message: str
    seconds_left: float | None


NO_MAKING: Making = {"done": 0, "total": 0, "message": "", "seconds_left": None}
NO_BENCH_ANSWER: BenchAnswer = {
    "generation": 0,
    "state": "empty",
    "message": None,
    "unknown": None,
    "dropped": [],
}

SUBJECT = Field("subject", str, "", "Name of the subject that is probed.")

# Options of the two-alternative task.
PAIRS_AS = Field(
    "pairs_as",
    str,
    "resampled",
    "Whether pooled cue pairs are a sample or all there is.",
    choices=("resampled", "fixed"),
)

CURVE = Field(
    "curve",
    str,
    "normal",
    "Family of the psychometric curve.",
    choices=("normal", "logistic", "weibull", "gumbel"),
)

JND = Field("jnd", str, "quartile", "Convention of the JND.", choices=("quartile", "eq6", "sd"))

SCORING = Field(
    "scoring",
    str,
    "eq8",
    "Scoring: eq. 8 of Liang and Acuna (2020), or cosine to the true mixture.",
    choices=("eq8", "mixture"),
)

EXCHANGE = (
    Field("generation", int, 0, "Counts the front end's changes."),
    Field("command", Command, {"id": 0, "name": "", "args": {}}, "Last command of the front end."),
    Field("subjects", list[SubjectOption], [], "Subjects that can be chosen.", output=True),
    Field(
        "progress",
        Progress,
        {"done": 0, "total": 0, "message": "", "seconds_left": None},
        "Progress of long work.",
        output=True,
    ),
    Field(
        "reply",
        Reply,
        {"id": 0, "ok": True, "message": ""},
        "Reply to the last command.",
        output=True,
    ),
)
