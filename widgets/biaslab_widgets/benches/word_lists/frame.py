"""What the page shows until the word list editor has come."""

from __future__ import annotations

from biaslab_widgets.core.frame import Frame, same

FRAME = Frame(
    name="Word lists",
    question=same("Which words describe each group?"),
    room=(1, 1),
)
