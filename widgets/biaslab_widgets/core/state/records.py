"""Records that every bench exchanges with its front end."""

from __future__ import annotations

import builtins
from collections.abc import Mapping
from typing import Any, Literal, NotRequired, TypedDict, cast

from biaslab.records.result import Dropped


class Span(TypedDict):
    """A piece of text and the role it is shown in.

    ``group1`` and ``group2`` have the colours of the two groups, ``with`` and ``against`` those of
    an outcome: with the stereotype, or against it.
    """

    text: str
    role: Literal["plain", "strong", "group1", "group2", "quiet", "with", "against"]


class Action(TypedDict):
    """A button: it sets fields, sends a command, or leads to another bench of the app.

    ``page`` is the address there; a notebook shows no such button.
    """

    label: str
    page: NotRequired[str]
    set: NotRequired[dict[str, Any]]
    command: NotRequired[str]
    args: NotRequired[dict[str, Any]]


class Message(TypedDict):
    """What stands where the verdict would: an empty, loading, error or cannot-say state."""

    title: str
    text: str
    actions: list[Action]


class Progress(TypedDict):
    """Progress of long work; ``total`` 0 when nothing runs."""

    done: float
    total: float
    message: str
    seconds_left: float | None


class JobInLine(TypedDict):
    """A job that runs or waits before the bench's own, or that one.

    ``place`` counts those that wait from 1 and is 0 for one that runs. ``own`` marks the bench's
    own job; of others only the bench is named. ``seconds_left`` of one that waits is how long the
    last ones of its kind took.
    """

    title: str
    own: bool
    place: int
    done: float
    total: float
    seconds_left: float | None


class Line(TypedDict):
    """The line in which a bench waits; ``smaller`` says whether it could compute some of it now.

    ``note`` says that the last run reached a limit of the server; empty otherwise.
    """

    jobs: list[JobInLine]
    smaller: bool
    note: str


class DroppedTerm(TypedDict):
    """A term that was left out, and why."""

    term: str
    role: str
    reason: str
    suggestions: list[str]


class SubjectOption(TypedDict):
    """A subject that can be chosen.

    ``group`` is the heading under which it is listed, ``what`` what it is in a few words; both are
    known before it is open.
    """

    name: str
    about: str
    kind: str
    replicates: int
    group: str
    what: str


class Misfit(TypedDict):
    """A known subject that the bench cannot ask.

    ``reason`` says what the bench needs; ``bench`` and ``page`` are title and address of one that
    can ask it, empty where there is none.
    """

    name: str
    group: str
    what: str
    reason: str
    bench: str
    page: str


class Fit(TypedDict):
    """How well the curve describes the answers, at the stimuli, in shares.

    ``residual`` is the mean answer less the curve. ``expected`` is half the width of the interval
    in which that of a right curve lies, and ``predicted`` that of the band around the curve in
    which the mean answer of as many new observers would lie; both are empty where nothing varies.
    """

    residual: list[float]
    expected: list[float]
    predicted: list[float]
    describes: bool
    verdict: str


class Step(TypedDict):
    """One step of a calculation: its formula, and the same with the current numbers put in.

    ``_{1}`` and ``^{2}`` in formulas and texts are written below and above the line. ``numbers``
    has lines of arithmetic, such as "(0.2 + 0.4) / 2 = 0.3".
    """

    title: str
    formula: str
    numbers: list[str]
    text: str


class Citation(TypedDict):
    """A reference as text, and its address."""

    text: str
    url: str


class How(TypedDict):
    """How a bench comes to what it shows: the steps for ``about``, and where to read on.

    ``guide`` is the page of the documentation, such as "docs/benches/rating.md".
    """

    about: str
    steps: list[Step]
    references: list[Citation]
    guide: str


class Command(TypedDict):
    """A request from the front end: ``id`` counts up, so that a reply finds its request."""

    id: int
    name: str
    args: dict[str, Any]


class Reply(TypedDict):
    """The answer to a command; a file to download when ``filename`` is set.

    ``how`` answers the command of that name.
    """

    id: int
    ok: bool
    message: str
    filename: NotRequired[str]
    media_type: NotRequired[str]
    content: NotRequired[str]
    how: NotRequired[How]


ListKind = Literal["items", "groups", "attributes", "controls", "cue_1", "cue_2"]
"""Which field of a spec a list stands in; cues are paired in their order."""


class WordList(TypedDict):
    """A named list of terms; ``of`` names the groups that an attribute list is a stereotype of."""

    name: str
    terms: list[str]
    kind: NotRequired[ListKind]
    of: NotRequired[list[str]]


class TermMark(TypedDict):
    """What is odd about one term: the one at ``position`` of list number ``list``.

    ``suggestions`` is missing where they were not looked for yet.
    """

    list: int
    position: int
    term: str
    kind: Literal["unknown", "duplicate", "overlap"]
    reason: str
    suggestions: NotRequired[builtins.list[str]]


class CatalogueList(TypedDict):
    """A list that a spec of the catalogue offers, with its first terms."""

    name: str
    kind: ListKind
    count: int
    preview: list[str]


class CatalogueEntry(TypedDict):
    """A spec of the catalogue, or a file of one's own with its problem.

    ``share`` is the command that shares it with everybody, or ends that; it is missing where the
    person cannot.
    """

    name: str
    title: str
    source: str
    licence: str
    where: str
    problem: str
    lists: list[CatalogueList]
    share: NotRequired[Literal["share", "withdraw"]]


def message(title: str, text: str, *actions: Mapping[str, Any]) -> Message:
    """A message with its buttons, each an `Action`."""
    return {"title": title, "text": text, "actions": [cast("Action", dict(a)) for a in actions]}


def error_message(error: Exception, title: str = "This cannot be computed") -> Message:
    """What went wrong, in the words of the error."""
    return message(title, str(error))


def dropped_term(record: Dropped) -> DroppedTerm:
    """A dropped term as the front end gets it."""
    return {
        "term": record.term,
        "role": record.role,
        "reason": record.reason,
        "suggestions": list(record.suggestions),
    }
