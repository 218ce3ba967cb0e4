"""Records that every bench exchanges with its front end."""

from __future__ import annotations

import builtins
import math
from collections.abc import Mapping
from typing import Annotated, Any, Literal, NotRequired, TypedDict, cast

from biaslab.records.result import Dropped
from biaslab.records.wording import prose
from biaslab_widgets.core.state.fields import LARGEST, Default, Range


class Span(TypedDict):
    """A piece of text and the role it is shown in."""

    text: str
    role: Literal["plain", "strong", "group1", "group2", "quiet", "with", "against"]
    """Groups and outcomes, with and against the stereotype, have colours."""


class Action(TypedDict):
    """A button: it sets fields, sends a command, or leads to another bench of the app."""

    label: str
    page: NotRequired[str]
    """The address there; a notebook shows no such button."""
    set: NotRequired[dict[str, Any]]
    command: NotRequired[str]
    args: NotRequired[dict[str, Any]]


class Message(TypedDict):
    """What stands where the verdict would: an empty, loading, error or cannot-say state."""

    title: str
    text: str
    actions: list[Action]


class Progress(TypedDict):
    """Progress of long work."""

    done: float
    total: float
    """0 when nothing runs."""
    message: str
    seconds_left: float | None


class JobInLine(TypedDict):
    """A job that runs or waits before the bench's own, or that one."""

    title: str
    own: bool
    """Whether it is the bench's own job; of others only the bench is named."""
    place: int
    """Counts those that wait from 1; 0 for one that runs."""
    done: float
    total: float
    seconds_left: float | None
    """Of one that waits: how long the last ones of its kind took."""


class Line(TypedDict):
    """The line in which a bench waits."""

    jobs: list[JobInLine]
    smaller: bool
    """Whether the bench could compute some of it now."""
    note: str
    """Says what the run waits for, or that the last one reached a limit of the server."""


class DroppedTerm(TypedDict):
    """A term that was left out, and why."""

    term: str
    role: str
    reason: str
    suggestions: list[str]


class SubjectOption(TypedDict):
    """A subject that can be chosen; all but `replicates` is known before it is open."""

    name: str
    about: str
    kind: str
    replicates: int
    group: str
    """The heading under which it is listed."""
    what: str
    """What it is in a few words."""


class Misfit(TypedDict):
    """A known subject that the bench cannot ask."""

    name: str
    group: str
    what: str
    reason: str
    """What the bench needs."""
    bench: str
    """Title of a bench that can ask it; empty where there is none."""
    page: str
    """Address of that bench."""


class Fit(TypedDict):
    """How well the curve describes the answers, at the stimuli, in shares."""

    residual: list[float]
    """The mean answer less the curve."""
    expected: list[float]
    """Half the width of the interval in which that of a right curve lies; empty without spread."""
    predicted: list[float]
    """Half the width of the band around the curve for the mean answer of as many new observers."""
    describes: bool
    verdict: str


class Step(TypedDict):
    """One step of a calculation: its formula, and the same with the current numbers put in.

    ``_{1}`` and ``^{2}`` in formulas and texts are written below and above the line.
    """

    title: str
    formula: str
    numbers: list[str]
    """Lines of arithmetic, such as "(0.2 + 0.4) / 2 = 0.3"."""
    text: str


class Citation(TypedDict):
    """A reference as text, and its address."""

    text: str
    url: str


class How(TypedDict):
    """How a bench comes to what it shows: the steps for `about`, and where to read on."""

    about: str
    steps: list[Step]
    references: list[Citation]
    guide: str
    """The page of the documentation, such as "docs/benches/rating.md"."""


class Command(TypedDict):
    """A request from the front end."""

    id: Annotated[int, Range(0, LARGEST)]
    """Counts up, so that a reply finds its request."""
    name: str
    args: dict[str, Any]


class Reply(TypedDict):
    """The answer to a command, with a file to download where `filename` is set."""

    id: int
    ok: Annotated[bool, Default(True)]
    message: str
    filename: NotRequired[str]
    media_type: NotRequired[str]
    content: NotRequired[str]
    how: NotRequired[How]
    """Answers the command of that name."""


ListKind = Literal["items", "groups", "attributes", "controls", "cue_1", "cue_2"]
"""Which field of a spec a list stands in; cues are paired in their order."""


class WordList(TypedDict):
    """A named list of terms."""

    name: str
    terms: list[str]
    kind: NotRequired[ListKind]
    of: NotRequired[list[str]]
    """The groups that an attribute list is a stereotype of."""


class TermMark(TypedDict):
    """What is odd about one term: the one at `position` of list number `list`."""

    list: int
    position: int
    term: str
    kind: Literal["unknown", "duplicate", "overlap"]
    reason: str
    suggestions: NotRequired[builtins.list[str]]
    """Missing where they were not looked for yet."""


class CatalogueList(TypedDict):
    """A list that a spec of the catalogue offers, with its first terms."""

    name: str
    kind: ListKind
    count: int
    preview: list[str]


class CatalogueEntry(TypedDict):
    """A spec of the catalogue, or a file of one's own with its problem."""

    name: str
    title: str
    source: str
    licence: str
    where: str
    problem: str
    lists: list[CatalogueList]
    share: NotRequired[Literal["share", "withdraw"]]
    """The command that shares it, or ends that; missing where the person cannot."""
    own: NotRequired[bool]
    """There where it can be deleted."""


def message(title: str, text: str, *actions: Mapping[str, Any]) -> Message:
    """A message with its buttons, each an `Action`."""
    return {
        "title": title,
        "text": prose(text),
        "actions": [cast("Action", dict(a)) for a in actions],
    }


def in_sentences(notice: Message) -> str:
    """A message as text, for where it has no buttons: what they offer is written out."""
    text = f"{notice['title']}. {notice['text']}".strip()
    if not text.endswith(":"):
        return text
    offered = " or ".join(f"“{action['label']}”" for action in notice["actions"])
    return f"{text[:-1]} {offered}{'?' if 'Did you mean' in text else '.'}"


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


def finite(value: Any, digits: int | None = None) -> float | None:
    """A finite number, rounded to so many digits; None where there is none."""
    if value is None or not math.isfinite(value):
        return None
    return float(value) if digits is None else round(float(value), digits)
