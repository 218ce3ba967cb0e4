"""What the page shows until the rating bench has come."""

from __future__ import annotations

from biaslab_widgets.core.frame import Frame, same

FRAME = Frame(
    name="Rating bench",
    question=same("Does the translator add bias, follow it, or remove it?"),
    layout="row",
    controls=("Service", "Attribute", "Texts per block", "Cost of this design"),
    note=2,
)
