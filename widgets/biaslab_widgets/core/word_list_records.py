"""Records of word lists, as benches exchange them with the front end."""

from __future__ import annotations

import builtins
from typing import Literal, NotRequired, TypedDict

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
