"""What the page shows until the image bench has come."""

from __future__ import annotations

from typing import Any

from biaslab_widgets.core.frame import Frame


def _question(state: Any) -> str:
    concepts = [one["name"] for one in state.lists if one.get("kind") == "attributes"]
    pair = f": “{concepts[0]}” or “{concepts[1]}”" if len(concepts) > 1 else ""
    return f"Which word does the model pair with a portrait{pair}?"


FRAME = Frame(
    name="Image bench",
    question=_question,
    layout="steps",
    controls=("Specify", "Images", "Test"),
    note=2,
)
