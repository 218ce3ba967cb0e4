"""What the page shows until the decision bench has come."""

from __future__ import annotations

from typing import Any

from biaslab_widgets.core.frame import Frame


def _question(state: Any) -> str:
    cues = [group["cues"][0]["text"] for group in state.card["groups"] if group["cues"]]
    fill = dict(zip(("group1", "group2"), cues, strict=False))
    question = state.card["question"]
    return "".join(fill.get(span["role"], span["text"]) for span in question)


FRAME = Frame(
    name="Decision bench",
    question=_question,
    layout="row",
    controls=("Subject", "Case", "Answers", "Treated alike"),
    axis=("0", "50", "100"),
    room=(2, 4),
    note=2,
)
