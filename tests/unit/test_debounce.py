"""What is done once nothing has changed for a while, by a clock that nobody waits for."""

from __future__ import annotations

import threading

import pytest

from biaslab_widgets.core.answers import background as debounce
from harness.emitted import PATIENCE_S


class Clock:
    """Time that passes where somebody sleeps; ``meanwhile`` happens during the first sleep."""

    def __init__(self) -> None:
        self.now = 0.0
        self.slept: list[float] = []
        self.meanwhile = lambda: None

    def monotonic(self) -> float:
        """Seconds."""
        return self.now

    def pause(self, seconds: float) -> bool:
        """Go on at once."""
        self.slept.append(seconds)
        if len(self.slept) == 1:
            self.now += seconds / 2
            self.meanwhile()
            self.now += seconds / 2
        else:
            self.now += seconds
        return True


def test_it_is_called_once_when_nothing_was_said_for_so_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock, called = Clock(), threading.Semaphore(0)
    monkeypatch.setattr(debounce, "time", clock)
    monkeypatch.setattr(debounce, "pause", clock.pause)
    at: list[float] = []

    def call() -> None:
        at.append(clock.now)
        called.release()

    looks = debounce.Debounce(1.0, call)
    clock.meanwhile = looks.later
    looks.later()
    assert called.acquire(timeout=PATIENCE_S)
    assert (at, clock.slept) == ([1.5], [1.0, 0.5])
    looks.later()
    assert called.acquire(timeout=PATIENCE_S)
    assert at == [1.5, 2.5]
