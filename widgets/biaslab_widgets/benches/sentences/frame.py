"""What the page shows until the sentence bench has come."""

from __future__ import annotations

from biaslab_widgets.core.frame import Frame, same

FRAME = Frame(
    name="Sentence bench",
    question=same("Which version of a sentence does the model find more probable?"),
    layout="steps",
    controls=("Specify", "Sentences", "Test"),
    note=2,
)
