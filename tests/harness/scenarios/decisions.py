"""Scenarios of the decision bench: a planted decider, asked at fixed levels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from biaslab_widgets.benches.decisions.bench import DecisionController
from biaslab_widgets.benches.decisions.subjects import decider_sources
from harness.driven import Driven
from harness.planted_decider import PlantedDecider
from harness.recording import Scenarios

FEW = 120
"""Trials of a recorded run: each has a mark in the file."""


class Bench(Driven):
    """The controller over planted deciders."""

    def __init__(self, *deciders: PlantedDecider) -> None:
        sources = decider_sources(list(deciders) or [PlantedDecider()])
        super().__init__(lambda emit: DecisionController(sources, emit))

    def run(
        self, trials: int | None = None, *, give_up: bool = True, **inputs: Any
    ) -> dict[str, Any]:
        """Change inputs, run to the end, and return the picture."""
        if inputs:
            self.answer(**inputs)
        self.controller.start(trials, give_up=give_up).wait()
        return self.until(lambda picture: not picture["run"]["running"] and picture["settled"])

    def settle(self, **inputs: Any) -> None:
        """Change inputs, and wait for the numbers beside the picture too."""
        picture = self.answer(**inputs)["picture"]
        if picture is not None and not picture["settled"]:
            self.until(lambda newer: newer["settled"])


Make = Callable[..., Bench]


def record() -> Scenarios:
    """Before a run, runs of both forms, one without a name, and both readings."""
    bench = Bench()
    told: Scenarios = {}

    def keep(scenario: str, **inputs: Any) -> None:
        bench.settle(**inputs)
        told[scenario] = bench.state

    try:
        bench.answer()
        bench.run(FEW, method="fixed")
        keep("done", trial=40)
        keep("left out", without_cues=["Todd"], without_wordings=[4])
        keep("wide margin", without_cues=[], without_wordings=[], alike=4.0)
        keep("sensitivity", alike=0.5, reading="sensitivity", qualified=6.0)
        keep("not detected", qualified=0.0)
        keep("empty", reading="gap", form="which of two", alike=0.5)
        bench.run(FEW)
        keep("which of two")
        keep("bad text", form="yes or no", case_text='name = "x"')
    finally:
        bench.controller.close()
    return told
