"""What the page shows until the psychometric bench has come."""

from __future__ import annotations

from typing import Any

from biaslab_widgets.core.frame import Frame


def _question(state: Any) -> str:
    chosen = state.selected_pairs[0] if state.selected_pairs else 0
    one, two = state.pairs[chosen] if chosen < len(state.pairs) else ("cue 1", "cue 2")
    return f"At which blend of {one} and {two} does the model switch its answer{_for(state.word)}?"


def _for(word: str) -> str:
    return f" for “{word if len(word) <= 32 else word[:31] + '…'}”" if word else ""


FRAME = Frame(
    name="Psychometric bench",
    question=_question,
    layout="rail",
    controls=("Subject", "Word", "Cue pair", "Perceptual noise", "Replicates", "Stimulus levels"),
    axis=("0", "50", "100"),
    room=(1, 3),
    note=1,
)
