"""bl.probes.psychometrics.memory: recovers a planted effect of the previous answer."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import biaslab as bl
from biaslab.errors import QueryError
from biaslab.probes.psychometrics import Conversation, Memory, memory

CUES = ("woman", "man")


def _observer(
    effect: float, seed: int = 0, spread: float = 0.5, silent: float = 0.0
) -> Callable[..., np.ndarray]:
    """Observers of slope 10 with PSEs of their own, whose log-odds move by the last answer."""
    rng = np.random.default_rng(seed)
    last: dict[int, float] = {}
    own: dict[int, float] = {}

    def respond(item: Any, one: Any, two: Any, alpha: Any, who: Any) -> np.ndarray:
        answers = []
        for first, share, b in zip(one, alpha, who, strict=True):
            towards = share if first == CUES[0] else 1 - share
            pull = effect * (last.get(b, 0.5) - 0.5)
            logit = 10 * (towards - 0.5) + own.setdefault(b, spread * rng.standard_normal()) + pull
            man = float(rng.random() < 1 / (1 + math.exp(-logit)))
            last[b] = man
            seen = man if first == CUES[0] else 1 - man
            answers.append(math.nan if rng.random() < silent else seen)
        return np.array(answers)

    return respond


@pytest.mark.parametrize("effect", [1.5, -1.5])
def test_a_planted_memory_is_recovered(effect: float) -> None:
    found = memory(_observer(effect), "nurse", CUES, trials=300, observers=10)
    assert effect in found.interval
    assert found.lean == np.sign(effect)
    assert found.shift == pytest.approx(-effect / 10, abs=0.05)
    assert (found.trials, found.silent, found.observers) == (10 * 299, 0, 10)
    assert ("repeats" if effect > 0 else "alternates") in repr(found)


def test_observers_that_differ_but_forget_show_no_memory() -> None:
    clear = [memory(_observer(0.0, seed), "nurse", CUES).lean for seed in range(30)]
    assert sum(map(abs, clear)) <= 5  # of 30; 1 or 2 are expected


def test_one_observer_has_an_interval_over_its_trials() -> None:
    found = memory(_observer(1.5, silent=0.1), "nurse", CUES, trials=600, observers=1)
    assert 1.5 in found.interval
    assert found.interval.kind == "trials"
    assert found.silent > 30
    assert found.trials < 599 - found.silent


def _chat(seen: list[str]) -> bl.services.FunctionService:
    """A chat that repeats the reply before it, and else says which the question names first."""

    def answer(text: str) -> str:
        seen.append(text)
        replies = [line for line in text.splitlines() if line in CUES]
        return replies[-1] if replies and len(seen) % 3 else text.rpartition("a ")[2].split()[0]

    return bl.services.FunctionService(answer)


def _question(item: str, first: str, second: str, alpha: float) -> str:
    return f"Is this {item}, {100 * alpha:.0f} % {second}, a {first} or the other?"


def test_a_conversation_sends_earlier_turns_and_a_fresh_one_none() -> None:
    seen: list[str] = []
    found = memory(Conversation(_chat(seen), _question), "nurse", CUES, trials=60, observers=4)
    assert isinstance(found, Memory)
    assert found.lean == 1
    assert [text.count("Is this") for text in seen[:12:4]] == [1, 2, 3]
    seen.clear()
    fresh = Conversation(_chat(seen), _question, remembered=0)
    assert memory(fresh, "nurse", CUES, trials=60, observers=4).lean == 0
    assert all(text.count("Is this") == 1 for text in seen)


def test_what_shows_no_memory_is_refused() -> None:
    with pytest.raises(QueryError, match="at least 50"):
        memory(_observer(0.0), "nurse", CUES, trials=20)
    with pytest.raises(QueryError, match="alike"):
        memory(lambda *q: (q[1] == "woman").astype(float), "nurse", CUES, trials=50)
