"""Spreading work over threads does each piece once, and errors come through."""

from __future__ import annotations

import threading

import pytest

from biaslab.threads import cores as threads


@pytest.mark.parametrize("cores", [1, 2, 5])
@pytest.mark.parametrize("numbers", [0, 10**9])
def test_each_piece_is_done_once(monkeypatch: pytest.MonkeyPatch, cores: int, numbers: int) -> None:
    monkeypatch.setattr(threads, "_cores", lambda: cores)
    done: list[int] = []
    threads.spread(done.append, 11, numbers)
    assert sorted(done) == list(range(11))


def test_little_work_stays_on_the_callers_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "_cores", lambda: 4)
    seen: list[threading.Thread] = []
    threads.spread(lambda _: seen.append(threading.current_thread()), 3, 1000)
    assert set(seen) == {threading.current_thread()}


def test_an_error_in_a_thread_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "_cores", lambda: 2)

    def fail(number: int) -> None:
        if number == 3:
            raise ValueError("piece 3")

    with pytest.raises(ValueError, match="piece 3"):
        threads.spread(fail, 8, 10**9)


@pytest.mark.parametrize("count", [0, 1, 10, 61, 400])
@pytest.mark.parametrize("numbers", [0, 10**9])
def test_portions_begin_every_block_once(
    monkeypatch: pytest.MonkeyPatch, count: int, numbers: int
) -> None:
    monkeypatch.setattr(threads, "_cores", lambda: 2)
    begun: list[int] = []
    threads.spread_portions(begun.extend, count, 10, numbers)
    assert sorted(begun) == list(range(0, count, 10))
