"""What the page shows until the posterior bench has come."""

from __future__ import annotations

from typing import Any

from biaslab_widgets.core.frame import Frame


def _question(state: Any) -> str:
    return f"What does the classifier imagine when it says “{state.label or 'positive'}”?"


FRAME = Frame(
    name="Posterior bench",
    question=_question,
    layout="row",
    controls=("Subject", "Label", "Prior p(s)", "Prior width", "Engine"),
    axis=("closer", "orthogonal 0.5", "farther"),
    note=2,
)
