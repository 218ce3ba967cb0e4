"""The Panel components of the benches, by the name of a bench."""

from __future__ import annotations

from typing import Any

from biaslab_widgets.benches import BENCHES


def panel(name: str) -> type[Any]:
    """The class of a bench in the served app."""
    return next(entry.panel_class for entry in BENCHES if entry.name == name)
