"""Python's part of what a person waits for, without a page."""

from __future__ import annotations

import statistics
import time
from dataclasses import replace
from typing import Any

from biaslab_widgets.benches.psychometric.bench import PsychometricController
from biaslab_widgets.core.subjects.sources import sources

ROUNDS = 50


def answer_seconds() -> float:
    """Median seconds in which the psychometric controller answers a new perceptual noise."""
    offered = sources("wiki-bootstraps")
    offered["wiki-bootstraps"].open()
    controller = PsychometricController(offered, _nowhere)
    state = replace(controller.snapshot(), word="nurse")
    taken = []
    for step in range(ROUNDS + 5):
        start = time.perf_counter()
        answer = controller.answer(replace(state, noise=0.01 * (1 + step % 40), generation=step))
        taken.append(time.perf_counter() - start)
        assert answer["answer"]["state"] == "ready", answer["answer"]["message"]
    return statistics.median(taken[5:])


def _nowhere(outputs: dict[str, Any]) -> None:
    """Take an answer that nobody waits for."""
    del outputs


def has_ended(state: dict[str, Any]) -> bool:
    """Whether what a controller has sent says that its run has ended."""
    picture = state.get("answer", {}).get("picture")
    return picture is not None and not picture["run"]["running"]
