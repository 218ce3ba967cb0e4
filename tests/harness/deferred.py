"""Modules that are imported when they are first used."""

from __future__ import annotations

from importlib import import_module
from typing import Any


class Deferred:
    """A module that is imported when one of its names is first read.

    Names that begin with an underscore are never looked up: while pytest collects, it asks
    everything at the top of a test module for some (``__wrapped__``, ``_mock_name``). Names cannot
    be set either: `pytest.MonkeyPatch.setattr` takes the module by its name.

    Parameters
    ----------
    name : str
        Full name of the module.
    """

    __slots__ = ("_module",)

    def __init__(self, name: str) -> None:
        self._module = name

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"{name} of the deferred {self._module} is not looked up")
        return getattr(import_module(self._module), name)

    def __repr__(self) -> str:
        return f"Deferred({self._module!r})"
