"""State of the opinion bench, shared by its controller, both hosts and the front end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal, TypedDict

from biaslab_widgets.core.state.bench_state import BenchAnswer, SubjectState
from biaslab_widgets.core.state.fields import Component, Default, empty, field, output
from biaslab_widgets.core.state.records import Span

Role = Literal[
    "", "group", "answer", "item", "level", "order", "cluster", "score", "model", "case"
]  # fmt: skip
Tone = Literal["", "clear", "first", "second"]


class ColumnRole(TypedDict):
    """What a person says that a column means; empty where it is only kept with each answer."""

    column: str
    role: Role


class ColumnCard(ColumnRole):
    """A column of the file."""

    values: int
    """How many different ones it has; 0 where the file could not be read with these roles."""
    about: str


class GroupName(TypedDict):
    """What a group of the file is called on the screen."""

    group: str
    """As the file calls it."""
    name: str


class SetAside(TypedDict):
    """Rows that are not used, for one reason."""

    reason: str
    count: int
    examples: list[list[str]]
    """The first few: row, reply, and why it is not used."""


class ForestRow(TypedDict):
    """An estimate with its interval, and what is printed of it."""

    label: str
    value: float | None
    low: float | None
    high: float | None
    beside: float | None
    """The same as published."""
    text: str
    tone: Tone
    line: str
    """The same in words."""


class Ratio(TypedDict):
    """Least over most often, and where it lies for a ranker that ignores groups."""

    value: float
    fair: list[float]
    """Ends of its interval for such a ranker."""
    edges: list[float]
    heights: list[float]


class Panel(TypedDict):
    """The rows of one model in one case."""

    model: str
    title: str
    status: str
    note: str
    clear: bool
    axis: Annotated[tuple[float, float], Default((0.0, 1.0))]
    neutral: float | None
    neutral_label: str
    margin: float
    """Half the width of the band in which groups count as treated alike; 0 without one."""
    rows: list[ForestRow]
    ratio: Ratio | None
    places: list[float]
    """Share of first places, in percent, by place in the prompt."""


class Tab(TypedDict):
    """One way to look at the same answers, such as women and men."""

    name: str
    unit: str
    panels: list[Panel]


class Printed(TypedDict):
    """A sentence, and the number that it rests on or fails at."""

    text: str
    why: str


class Picture(TypedDict):
    """Everything drawn."""

    verdict: list[Span]
    caveat: str
    footer: list[str]
    source: str
    title: str
    tabs: list[Tab]
    used: int
    set_aside: list[SetAside]
    notes: list[str]
    may: list[Printed]
    may_not: list[Printed]
    never: list[Printed]
    groups: list[GroupName]
    """Of answers that compare groups by name; else empty."""
    options: list[str]
    """Of yes or no: the answers that can count as a yes; the one that does stands last."""
    margin: float
    reference: str
    """As the file calls it."""
    ranked: bool


class Answer(BenchAnswer):
    """The answer of the bench."""

    columns: list[ColumnCard]
    """Of the chosen file, also where it cannot be judged."""
    about: str
    """The chosen file in a few words."""
    wants_words: bool
    """Word pairs cannot be scored before a file of their tests is there."""
    picture: Picture | None
    """The newest valid one, which stays through errors."""


@dataclass(frozen=True, kw_only=True)
class OpinionBenchState(SubjectState):
    """State of the opinion bench."""

    roles: list[ColumnRole] = field(
        [], "What columns mean, where they are not recognised; a role of none only keeps one."
    )
    reading: Literal["first place", "first name"] = field(
        "first place", "Of rankings: whose first place counts, or whose name comes first."
    )
    yes: str = field("", "Of two answers, the one that counts as a yes; empty where it is known.")
    reference: str = field("", "Group that others are compared with; empty takes the first.")
    labels: list[GroupName] = field(
        [], "Names for groups of the file, such as Asian women for A_W."
    )
    alike: float = field(
        0.0, "Differences up to this count as alike; 0 takes the usual one.", low=0, high=1e6
    )
    level: float = field(0.95, "Level of the intervals.", low=0.5, high=0.999, step=0.01)
    tab: str = field("", "Name of the way of looking that is shown.", view=True)
    answer: Answer = output(empty(Answer), "What is on the screen.")


COMPONENT = Component(name="OpinionBench", module="opinion", state=OpinionBenchState)
