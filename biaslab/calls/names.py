"""Public names of functions and classes, and what they name."""

from __future__ import annotations

import functools
import importlib
import sys
import types
from collections.abc import Callable
from typing import Any, Final

from biaslab.errors import CallError

_SHORTER: Final = {
    "bl.probes.association": "bl.association",
    "bl.probes.posterior": "bl.posterior",
}
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
        if exported and getattr(found, name, None) is thing:
            public = "bl" + module.removeprefix("biaslab")
            return f"{_SHORTER.get(public, public)}.{name}"
    is_there = getattr(sys.modules.get(home), name, None) is thing
    return f"{home}.{name}" if is_there else ""


def named(name: str) -> Any:
    """Return what a public name names.

    Raises
    ------
    CallError
        If biaslab has nothing of that name, or it is no recorded function and no record: a stored
        call calls nothing else.
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
