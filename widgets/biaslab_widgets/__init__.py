"""Benches for notebooks: ``from biaslab_widgets import PsychometricBench``."""

from __future__ import annotations

from typing import Any

from biaslab_widgets.benches import BENCHES

_ENTRIES = {entry.notebook_name: entry for entry in BENCHES}
__all__ = sorted(_ENTRIES)  # type checkers read __init__.pyi


def __getattr__(name: str) -> Any:
    """Import a bench when it is first used."""
    if name not in _ENTRIES:
        raise AttributeError(f"module 'biaslab_widgets' has no attribute {name!r}")
    return _ENTRIES[name].notebook_class


def __dir__() -> list[str]:
    return [*globals(), *__all__]
