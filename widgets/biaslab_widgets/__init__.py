"""Benches for notebooks: ``from biaslab_widgets import PsychometricBench``."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def __getattr__(name: str) -> Any:
    """Import a bench when it is first used; type checkers read __init__.pyi."""
    benches = import_module("biaslab_widgets.benches").BENCHES
    entries = {entry.notebook_name: entry for entry in benches}
    if name == "__all__":
        return sorted(entries)
    if name not in entries:
        raise AttributeError(f"module 'biaslab_widgets' has no attribute {name!r}")
    return entries[name].notebook_class


def __dir__() -> list[str]:
    return [*globals(), *__getattr__("__all__")]
