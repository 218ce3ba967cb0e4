"""The record of a call, and the form that its values are stored in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from biaslab.record import FrozenDict, Record

Tree: TypeAlias = Any
"""A value as plain data.

None, booleans, numbers and text are themselves, a sequence is a list. All else is a mapping:
``{"call": name, "arguments": {...}, "of": tree}`` (``of`` for a method only), ``{"tuple": [...]}``,
``{"set": [...]}``, ``{"mapping": [[key, value], ...]}``, ``{"array": [...], "dtype": name}``,
``{"path": text}``, ``{"constant": name}``, ``{"attribute": name, "of": tree}``,
``{"item": place, "of": tree}``, ``{"generator": state}``, and ``{"missing": name, "why": text}``
for what cannot be stored.
"""


@dataclass(frozen=True)
class Call(Record):
    """A call of a public function, with what it takes to call it again.

    Attributes
    ----------
    function : str
        Its public name, such as ``bl.two_afc``; of a method ``.re_rate``.
    arguments : mapping of str to value
        Arguments that differ from their defaults, as plain data; those of ``*services`` stand
        under ``*services``. Keys and passwords are left out.
    of : value
        What a method is called on; None for a function.
    """

    function: str
    arguments: Mapping[str, Tree] = field(default_factory=FrozenDict)
    of: Tree = None

    def __post_init__(self) -> None:
        # Not frozen in depth again: values are plain data, and a re-rated result holds many.
        if not isinstance(self.arguments, FrozenDict):
            object.__setattr__(self, "arguments", FrozenDict(self.arguments))

    @property
    def tree(self) -> Tree:
        """The call as a value among the arguments of another."""
        found = {"call": self.function, "arguments": self.arguments}
        return FrozenDict(found if self.of is None else {**found, "of": self.of})

    def item(self, place: int) -> Tree:
        """One item of the sequence that the call returns, as a value among arguments."""
        return FrozenDict({"item": place, "of": self.tree})

    @property
    def missing(self) -> tuple[Mapping[str, str], ...]:
        """Values in it that could not be stored, each with its name and the reason."""
        found: list[Mapping[str, str]] = []
        for one in _missing(self.tree):
            if one not in found:
                found.append(one)
        return tuple(found)


def call_in(tree: Tree) -> Call | None:
    """Return the call that a value is, if it is one."""
    if isinstance(tree, Mapping) and "call" in tree:
        return Call(tree["call"], tree["arguments"], tree.get("of"))
    return None


def _missing(tree: Tree) -> list[Mapping[str, str]]:
    if isinstance(tree, Mapping):
        if "missing" in tree:
            return [tree]
        return [found for value in tree.values() for found in _missing(value)]
    if isinstance(tree, tuple | list):
        return [found for value in tree for found in _missing(value)]
    return []
