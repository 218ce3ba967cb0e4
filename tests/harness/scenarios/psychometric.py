"""Scenarios of the psychometric bench: simulated observers, of which one is also alone."""

from __future__ import annotations

from typing import Any

import biaslab as bl
from biaslab_widgets.benches.psychometric.bench import PsychometricController
from biaslab_widgets.benches.psychometric.fields import GENDER_PAIRS
from biaslab_widgets.core.subjects.sources import Source, sources
from harness.driven import Driven
from harness.emitted import SlowSource
from harness.recording import Scenarios

PSE = {
    "nurse": 0.61,
    "electrician": 0.40,
    "teacher": 0.55,
    "engineer": 0.36,
    "librarian": 0.58,
    "chef": 0.49,
    "clerk": 0.70,
}
HTML = "<img src=x onerror=alert(1)><b>nurse</b>"
LARGE = "a large subject"
"""A subject that takes long to load."""


def observers(pse: dict[str, float], **options: Any) -> bl.EmbeddingEnsemble:
    """An ensemble of 32 whose PSEs under eight cue pairs are known."""
    cues = [(one, two) for one, two in GENDER_PAIRS]
    return bl.observers.embedding(**{"pse": pse, "jnd": 0.03, "cues": cues, "seed": 1, **options})


class Bench(Driven):
    """A controller, and what it has emitted."""

    def __init__(self) -> None:
        known = observers(PSE)
        one = bl.WordEmbedding(known.words, known.vectors(known.words)[0], name="one embedding")
        self.slow = SlowSource(LARGE)
        given: dict[str, Source[Any]] = {**sources([known, one]), LARGE: self.slow}
        super().__init__(lambda emit: PsychometricController(given, emit, list(PSE)))


def record() -> Scenarios:
    """Words that are known and not, noise, several pairs, one embedding, and loading."""
    bench = Bench()
    told: Scenarios = {}

    def keep(scenario: str, **inputs: Any) -> None:
        bench.answer(**inputs)
        told[scenario] = bench.state

    try:
        keep("nurse", word="nurse")
        keep("unknown word", word="nurss")
        keep("HTML in the word", word=HTML)
        keep("no word", word="")
        keep("chef", word="chef")
        keep("noise", word="nurse", noise=0.1)
        keep("three cue pairs", noise=0.0, selected_pairs=[0, 1, 2])
        keep("one embedding", selected_pairs=[0], subject="one embedding")
        bench.controller.change({"subject": LARGE})
        bench.emitted.until(
            lambda state: (
                state["answer"]["state"] == "loading"
                and state.get("progress", {}).get("total", 0) > 0
            )
        )
        told["loading"] = bench.state
    finally:
        bench.slow.gate.open()
        bench.controller.close()
    return told
