"""What the page shows until the association bench has come."""

from __future__ import annotations

from biaslab_widgets.core.frame import Frame, same

FRAME = Frame(
    name="Association bench",
    question=same("Does each word stand closer to its group’s stereotypes than to anything else?"),
    layout="head",
    controls=("Subject", "Replicate", "Debiasing", "What is shown"),
    axis=("closer", "unrelated 1.0", "farther"),
    room=(1, 3),
    note=1,
)
