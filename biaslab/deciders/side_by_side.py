"""Ask several questions at once, and give each reply as it arrives."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from biaslab.background import pause
from biaslab.errors import DeciderError
from biaslab.jobs import JobContext, JobStopped
from biaslab.services.calling import Gate
from biaslab.services.side_by_side import SideBySide

In = TypeVar("In")
Out = TypeVar("Out")
_LOOK_AGAIN = 0.1
"""Seconds after which a wait looks whether it was stopped."""


class _Stoppable(JobContext):
    """The context of calls that end together."""

    def __init__(self, stopping: threading.Event) -> None:
        self._stopping = stopping

    @property
    def should_stop(self) -> bool:
        return self._stopping.is_set()

    def checkpoint(self) -> None:
        if self.should_stop:
            raise JobStopped


def each_of(
    call: Callable[[In, JobContext], Out],
    items: Sequence[In],
    *,
    concurrency: int,
    gate: Gate,
    calls_per_second: float | None,
    context: JobContext,
) -> Iterator[tuple[int, Out]]:
    """Call a function with each item, several at once; yield numbers and values as they come.

    After a failure no further call begins, and what the running calls bring is yielded before the
    error is raised. After a stop, running calls are left alone.

    Parameters
    ----------
    call : callable
        Takes an item, and a context that ends its waits.
    items : sequence
    concurrency : int
        Calls at once.
    gate, calls_per_second
        When a call may begin.
    context : JobContext
        A stop ends it without an error.

    Raises
    ------
    DeciderError
        The first of a call.
    """
    stopping = threading.Event()
    inner = _Stoppable(stopping)

    def numbered(number: int) -> tuple[int, Out]:
        begins = time.monotonic() + gate.turn(calls_per_second)
        while (left := begins - time.monotonic()) > 0:
            inner.checkpoint()
            if not pause(min(left, _LOOK_AGAIN)):
                raise JobStopped
        return number, call(items[number], inner)

    calls: SideBySide[int, tuple[int, Out]] = SideBySide(numbered)
    problem: DeciderError | None = None
    number = 0
    try:
        while number < len(items) or calls.under_way:
            if context.should_stop:
                yield from calls.ended()
                return
            while number < len(items) and calls.under_way < concurrency:
                calls.begin(number)
                number += 1
            if (ended := calls.next(_LOOK_AGAIN)) is not None:
                yield ended
    except DeciderError as error:
        problem = error
    finally:
        stopping.set()
        calls.dismiss()
    if problem is not None:
        yield from calls.end()
        raise problem
