"""What the page shows until the occupations view has come."""

from __future__ import annotations

from typing import Any

from biaslab_widgets.core.frame import Frame


def _question(state: Any) -> str:
    groups = len(state.groups)
    which = f"which of {groups} groups" if groups > 2 else "which group"
    return f"Which occupations does the model tie to {which}?"


FRAME = Frame(
    name="Occupations",
    question=_question,
    layout="bar",
    controls=("Subject", "Groups"),
    axis=("0 %", "50 %", "100 %"),
)
