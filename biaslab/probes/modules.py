"""Modules named as probes, which say what to call when they are called."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any, NoReturn


class _Called(ModuleType):
    _instead: str

    def __call__(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError(f"bl.{self.__name__.rpartition('.')[2]} is a module: call {self._instead}.")


def say_when_called(module: str, instead: str) -> None:
    """Let a module, called as a function, name the functions to call instead."""
    called = sys.modules[module]
    called.__class__ = _Called
    called.__dict__["_instead"] = instead
