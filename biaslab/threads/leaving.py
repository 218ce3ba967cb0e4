"""Leave the work of a cancelled job from deep inside it.

A probe checks its `JobContext` between steps. Functions that it calls have no context and may
run long; they call this. An aborted job keeps its partial result, so only cancelling leaves here.
What such a function waits for, such as a server, it puts into `closed_when_cancelled`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar


def _stay() -> None:
    """Do nothing: outside a job, nothing can be cancelled."""


JOB: ContextVar[Callable[[], None]] = ContextVar("biaslab-job", default=_stay)
"""Raises if the job that runs in this context was cancelled; set by the job."""


class Closers:
    """What a job waits for: it is closed when the job is stopped, so that its threads end."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._calls: set[Callable[[], object]] = set()
        self._closed = False

    def add(self, close: Callable[[], object]) -> None:
        """Call `close` when the job is stopped; at once if it was."""
        with self._lock:
            closed = self._closed
            if not closed:
                self._calls.add(close)
        if closed:
            close()

    def remove(self, close: Callable[[], object]) -> None:
        """Call it no longer."""
        with self._lock:
            self._calls.discard(close)

    def close(self) -> None:
        """Close everything, and what is added later."""
        with self._lock:
            self._closed = True
            calls, self._calls = self._calls, set()
        for close in calls:
            close()


CLOSERS: ContextVar[Closers | None] = ContextVar("biaslab-closers", default=None)
"""Those of the job that runs in this context; set by the job."""


def leave_if_cancelled() -> None:
    """Raise `biaslab.jobs.job.JobStopped` if the job of this thread was cancelled."""
    JOB.get()()


@contextmanager
def closed_when_cancelled(close: Callable[[], object]) -> Iterator[None]:
    """Call `close`, from another thread, if the job of this thread is cancelled in this block."""
    closers = CLOSERS.get()
    if closers is None:
        yield
        return
    closers.add(close)
    try:
        yield
    finally:
        closers.remove(close)
