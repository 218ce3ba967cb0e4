"""The record of a call, its stored values, and the public names of what it calls."""

from __future__ import annotations

import functools
import importlib
import inspect
import sys
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from biaslab.errors import CallError
from biaslab.records.record import FrozenDict, Record

Tree: TypeAlias = Any
"""A value as plain data.

None, booleans, numbers and text are themselves, a sequence is a list. All else is a mapping:
``{"call": name, "arguments": {...}, "of": tree}`` (``of`` for a method only), ``{"tuple": [...]}``,
``{"set": [...]}``, ``{"mapping": [[key, value], ...]}``, ``{"array": [...], "dtype": name}``,
``{"path": text}``, ``{"constant": name}``, ``{"function": name}`` of a recorded one,
``{"attribute": name, "of": tree}``, ``{"item": place, "of": tree}``, ``{"generator": state}``,
and ``{"missing": name, "why": text}``
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


_SHORTER: Final = {"bl.probes.association": "bl.association", "bl.probes.posterior": "bl.posterior"}
_FACADES: Final = ("biaslab.deciders", "biaslab.services")
"""What `biaslab.asking` has is written by their names, imported or not."""
_MOVED: Final = {"biaslab.endpoint.Endpoint": "biaslab.asking.endpoint.Endpoint"}
"""Names in stored calls to those of today."""


def public_name(thing: Callable[..., Any]) -> str:
    """Return the name that a person writes, such as ``bl.association.rnd``.

    Empty for what is not at the top of a module of biaslab. A name that no module exports begins
    with ``biaslab.`` and has to be imported.
    """
    return _public_name(thing)


@functools.cache
def _public_name(thing: Any) -> str:
    name, home = str(thing.__qualname__), str(thing.__module__)
    if not _is_ours(home) or "." in name or name.startswith("_"):
        return ""
    if home.startswith("biaslab.asking."):
        for facade in _FACADES:
            importlib.import_module(facade)
    for module in sorted(filter(_is_ours, list(sys.modules)), key=lambda m: (m.count("."), m)):
        found = sys.modules[module]
        exported = name in getattr(found, "__all__", ()) and "._" not in module
        if exported and _has(found, name, thing):
            public = "bl" + module.removeprefix("biaslab")
            return f"{_SHORTER.get(public, public)}.{name}"
    return f"{home}.{name}" if _has(sys.modules.get(home), name, thing) else ""


def _has(module: types.ModuleType | None, name: str, thing: Any) -> bool:
    """Return whether a module has it under a name, perhaps with more decorators."""
    held: Any = getattr(module, name, None)
    return inspect.unwrap(held) is inspect.unwrap(thing)


def named(name: str) -> Any:
    """Return what a public name names.

    Raises `CallError` if biaslab has nothing of that name, or it is no recorded function and no
    record: a stored call calls nothing else.
    """
    first, *parts = _MOVED.get(name, name).split(".")
    if first == "biaslab":  # not exported: its module may not have been imported yet
        module, parts = _module(parts)
    else:
        module = importlib.import_module("biaslab")
    found: Any = module
    for part in parts:
        is_open = isinstance(found, types.ModuleType | type) and not part.startswith("_")
        found = getattr(found, part, None) if is_open else None
        if found is None or not _is_ours(_home(found)):
            raise CallError(
                f"This biaslab has no {name!r}. The result was made by another version: install"
                " that one, or make the call yourself."
            )
    return found


def _module(parts: list[str]) -> tuple[types.ModuleType, list[str]]:
    try:
        return importlib.import_module(".".join(["biaslab", *parts[:-1]])), parts[-1:]
    except ModuleNotFoundError:
        return importlib.import_module("biaslab"), parts


def _home(thing: Any) -> str:
    if isinstance(thing, types.ModuleType):
        return thing.__name__
    return str(getattr(thing, "__module__", type(thing).__module__))


def _is_ours(module: str) -> bool:
    return module == "biaslab" or module.startswith("biaslab.")
