"""Benches for notebooks: ``from biaslab_widgets import PsychometricBench``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from biaslab_widgets.jupyter.psychometric import PsychometricBench

__all__ = ["PsychometricBench"]


def __getattr__(name: str) -> Any:
    """Import a bench when it is first used."""
    if name == "PsychometricBench":
        from biaslab_widgets.jupyter.psychometric import PsychometricBench

        return PsychometricBench
    raise AttributeError(f"module 'biaslab_widgets' has no attribute {name!r}")
