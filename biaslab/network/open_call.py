"""The connections of one call, which are closed at its deadline and when its job is cancelled.

A time limit of a socket is one for each of its reads: a server that sends a byte now and then
would keep a call for ever. Closing the connection ends whatever waits for it, in any thread.
"""

from __future__ import annotations

import heapq
import itertools
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import Any

from biaslab.threads.background import is_exiting, on_exit, start_thread
from biaslab.threads.leaving import closed_when_cancelled


class OpenCall:
    """The connections of one call.

    Attributes
    ----------
    is_late : bool
        Whether it reached its deadline, and was closed.
    """

    def __init__(self) -> None:
        self.is_late = False
        self._lock = threading.Lock()
        self._sockets: list[Any] = []
        self._closed = False

    def add(self, connection: Any) -> None:
        """Close a socket with this call."""
        with self._lock:
            self._sockets.append(connection)
            closed = self._closed
        if closed:
            self.close()

    def close(self) -> None:
        """End all reading and writing, in whichever thread."""
        with self._lock:
            self._closed = True
            sockets = list(self._sockets)
        for connection in sockets:
            with suppress(OSError, ValueError):
                connection.shutdown(socket.SHUT_RDWR)

    def expire(self) -> None:
        """Close it, since its time is over."""
        self.is_late = True
        self.close()


class _Deadlines:
    """One thread that closes calls at their deadlines."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._heap: list[tuple[float, int, OpenCall]] = []
        self._over: set[int] = set()
        self._numbers = itertools.count()
        self._thread: threading.Thread | None = None

    def add(self, seconds: float, call: OpenCall) -> int:
        with self._changed:
            number = next(self._numbers)
            heapq.heappush(self._heap, (time.monotonic() + seconds, number, call))
            if self._thread is None or not self._thread.is_alive():
                self._thread = start_thread("biaslab-deadlines", self._run, shared=True)
            self._changed.notify()
            return number

    def remove(self, number: int) -> None:
        with self._changed:
            self._over.add(number)
            while self._heap and self._heap[0][1] in self._over:
                self._over.discard(heapq.heappop(self._heap)[1])

    def end(self) -> None:
        with self._changed:
            self._changed.notify()

    def _run(self) -> None:
        while (call := self._next()) is not None:
            call.expire()

    def _next(self) -> OpenCall | None:
        with self._changed:
            while not is_exiting():
                left = self._heap[0][0] - time.monotonic() if self._heap else None
                if left is None or left > 0:
                    self._changed.wait(left)
                    continue
                _, number, call = heapq.heappop(self._heap)
                if number not in self._over:
                    return call
                self._over.discard(number)
            return None


_deadlines = _Deadlines()
_call: ContextVar[OpenCall | None] = ContextVar("biaslab-open-call", default=None)
on_exit(_deadlines.end)


@contextmanager
def open_call(seconds: float) -> Iterator[OpenCall]:
    """Close the connections made in this block after so many seconds, or when its job is cancelled.

    - `seconds`: for everything: connecting, sending, and the whole answer.
    """
    call = OpenCall()
    before = _call.set(call)
    number = _deadlines.add(seconds, call)
    try:
        with closed_when_cancelled(call.close):
            yield call
    finally:
        _deadlines.remove(number)
        _call.reset(before)


def belongs_to_call(connection: Any) -> None:
    """Close a socket with the call in whose block it was made."""
    if (call := _call.get()) is not None:
        call.add(connection)
