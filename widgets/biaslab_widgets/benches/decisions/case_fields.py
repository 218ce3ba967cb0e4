"""Fields of the decision bench that describe a case."""

from __future__ import annotations

from typing import Literal, TypedDict

from biaslab_widgets.core.records import Span


class CaseOption(TypedDict):
    """A case that can be chosen."""

    name: str
    title: str


class CueChip(TypedDict):
    """A cue, and the pronouns that go with it."""

    text: str
    they: str
    them: str
    their: str


class CueGroup(TypedDict):
    """A group of people with the cues that stand for it."""

    name: str
    cues: list[CueChip]


class Piece(TypedDict):
    """A piece of a wording: plain text, or the name of what stands there.

    ``of`` is the group of the candidate, 0 or 1; of one candidate alone it is -1, and the page
    says who that is.
    """

    kind: Literal["text", "cue", "they", "them", "their", "x"]
    text: str
    of: int


class CaseCard(TypedDict):
    """A case as the page shows it: it fills cue and level into the wordings by itself.

    Attributes
    ----------
    question : list of Span
        In which the spans of groups are empty: the page puts the shown cues there.
    quality, unit, outcome : str
        Name of the axis, its unit, and what happens to who is accepted.
    low, high, step : float
        Of the axis: levels of the quality or, of two candidates, differences between them.
    says : list of str
        Each level of the quality as the case says it, from its lowest on.
    lowest, middle : float
        The first of those levels, and the one that the other of two candidates has.
    level_step : float
        Between two of those levels.
    groups : list of CueGroup
        The two groups.
    group_names : list of str
        All groups of the case.
    wordings : list of list of Piece
    forms : list of str
    answers : list of str
        The answer that is a yes, and the other.
    toml : str
        The case as text, for the editor.
    """

    name: str
    title: str
    question: list[Span]
    quality: str
    unit: str
    outcome: str
    low: float
    high: float
    step: float
    says: list[str]
    lowest: float
    middle: float
    level_step: float
    groups: list[CueGroup]
    group_names: list[str]
    wordings: list[list[Piece]]
    forms: list[str]
    answers: list[str]
    toml: str


NO_CARD: CaseCard = {
    "name": "",
    "title": "",
    "question": [],
    "quality": "",
    "unit": "",
    "outcome": "",
    "low": 0.0,
    "high": 1.0,
    "step": 0.5,
    "says": [],
    "lowest": 0.0,
    "middle": 0.0,
    "level_step": 0.5,
    "groups": [],
    "group_names": [],
    "wordings": [],
    "forms": [],
    "answers": [],
    "toml": "",
}
