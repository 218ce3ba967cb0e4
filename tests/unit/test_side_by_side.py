"""Calls from several threads: outcomes as they come, errors where they are taken."""

from __future__ import annotations

import threading

import pytest

from biaslab.asking.calling import SideBySide

LONG = 30.0


def test_outcomes_come_in_the_order_in_which_calls_end() -> None:
    let_go = {name: threading.Event() for name in "ab"}

    def call(name: str) -> str:
        assert let_go[name].wait(LONG)
        return name

    calls = SideBySide(call)
    calls.begin("a")
    calls.begin("b")
    assert calls.under_way == 2
    assert calls.next(0.001) is None
    let_go["b"].set()
    assert calls.next(LONG) == "b"
    let_go["a"].set()
    assert calls.next(LONG) == "a"
    assert calls.under_way == 0
    assert list(calls.end()) == []


def test_what_a_call_raised_is_raised_where_its_outcome_is_taken() -> None:
    calls = SideBySide(lambda divisor: 1 / divisor)
    calls.begin(0)
    with pytest.raises(ZeroDivisionError):
        calls.next(LONG)
    calls.begin(2)
    calls.begin(0)
    assert list(calls.end()) == [0.5]


def test_threads_are_as_many_as_calls_were_under_way_and_end() -> None:
    seen: set[threading.Thread] = set()

    def call(number: int) -> int:
        seen.add(threading.current_thread())
        return number

    calls = SideBySide(call)
    for number in range(5):
        calls.begin(number)
        assert calls.next(LONG) == number
    assert list(calls.end()) == []
    assert len(seen) == 1
    assert not any(thread.is_alive() for thread in seen)
