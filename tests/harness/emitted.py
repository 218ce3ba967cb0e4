"""What a controller emits, and subjects that answer or open only when a test lets them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import biaslab as bl
from biaslab.subjects.embedding.base import EmbeddingSubject
from biaslab_widgets.core.subjects.sources import OnProgress, Source

PATIENCE_S = 60.0
"""A wait for a state that never comes fails after so long; nothing waits this long otherwise."""
NOT_YET_S = 0.2
"""A thread that could go on though it must not has done so after this time."""

PAIRS = (("female", "male"), ("woman", "man"), ("she", "he"))
PSE = {"nurse": 0.61, "electrician": 0.35, "teacher": 0.5, "librarian": 0.56}


def observers(**options: Any) -> bl.EmbeddingEnsemble:
    """A small ensemble with known PSEs under three cue pairs."""
    return bl.observers.embedding(
        **{"pse": PSE, "jnd": 0.03, "replicates": 12, "cues": PAIRS, "seed": 1, **options}
    )


class Emitted:
    """An ``emit`` that remembers every output, for tests that wait for one.

    Attributes
    ----------
    log : list of dict
        The outputs in the order in which they came.
    state : dict
        The newest value of each.
    """

    def __init__(self) -> None:
        self.log: list[dict[str, Any]] = []
        self.state: dict[str, Any] = {}
        self._changed = threading.Condition()

    def __call__(self, outputs: dict[str, Any]) -> None:
        with self._changed:
            self.log.append(dict(outputs))
            self.state.update(outputs)
            self._changed.notify_all()

    def until(self, holds: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
        """Wait until the state is as said, and return a copy of it.

        Parameters
        ----------
        holds : callable
            Given the state, returns whether it holds; it may also assert what has to, so that a
            failure says what did not come.
        """
        unmet: list[AssertionError] = []

        def is_met() -> bool:
            try:
                return bool(holds(self.state))
            except AssertionError as error:
                unmet[:] = [error]
                return False

        with self._changed:
            if not self._changed.wait_for(is_met, PATIENCE_S):
                reason = f"That state did not come; the last is {self.state}."
                raise AssertionError(reason) from next(iter(unmet), None)
            return dict(self.state)

    def ended(self) -> dict[str, Any]:
        """Wait until a run has ended; return the state then."""

        def has_ended(state: dict[str, Any]) -> bool:
            picture = state.get("answer", {}).get("picture")
            return picture is not None and not picture["run"]["running"]

        return self.until(has_ended)

    def answer(self, generation: int | None = None) -> dict[str, Any]:
        """Wait for a finished answer, to a generation if one is named, and return it."""

        def arrived(state: dict[str, Any]) -> bool:
            answer = state.get("answer")
            return (
                answer is not None
                and answer["state"] != "loading"
                and generation in (None, answer["generation"])
            )

        answer: dict[str, Any] = self.until(arrived)["answer"]
        return answer

    @property
    def answers(self) -> list[dict[str, Any]]:
        """All answers in the order in which they came."""
        with self._changed:
            return [outputs["answer"] for outputs in self.log if "answer" in outputs]


class Gate:
    """A place where a thread waits until the test lets it pass."""

    def __init__(self) -> None:
        self.entered = threading.Event()
        self._open = threading.Event()

    def pass_through(self) -> None:
        """Say that a thread is here, and wait."""
        self.entered.set()
        if not self._open.wait(PATIENCE_S):
            raise TimeoutError("The gate was never opened.")

    def open(self) -> None:
        """Let everyone pass from now on."""
        self._open.set()


class GatedSubject(bl.EmbeddingEnsemble):
    """Observers whose vectors are handed out only after ``gate`` is open; counts the requests."""

    def __init__(self, gate: Gate, name: str = "gated") -> None:
        known = observers()
        words = list(known.words)
        super().__init__(words, known.vectors(words), name=name)
        self.gate = gate
        self.asked: list[tuple[str, ...]] = []

    def vectors(self, terms: Sequence[str]) -> NDArray[np.float32]:
        """The vectors, once the gate is open."""
        self.asked.append(tuple(terms))
        self.gate.pass_through()
        return super().vectors(terms)


class SlowSource(Source):
    """A source that reports half and then waits at ``gate``; it fails while ``error`` is set.

    Attributes
    ----------
    opened : int
        How often it was opened.
    awaited : threading.Event
        Set when a second thread wants it while it is being opened.
    """

    def __init__(self, name: str = "slow", error: Exception | None = None) -> None:
        super().__init__(name, self._open)
        self.gate = Gate()
        self.error = error
        self.opened = 0
        self.awaited = threading.Event()

    def open(self, on_progress: OnProgress = lambda done, total: None) -> EmbeddingSubject:
        """The subject, after the gate is open."""
        if self._lock.locked():
            self.awaited.set()
        return super().open(on_progress)

    def _open(self, on_progress: OnProgress) -> EmbeddingSubject:
        self.opened += 1
        on_progress(1, 4)
        self.gate.pass_through()
        on_progress(2, 4)
        if self.error is not None:
            raise self.error
        return observers()
