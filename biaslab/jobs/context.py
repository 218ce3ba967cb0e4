"""How a probe and the job that it runs in talk to each other."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from enum import StrEnum
from typing import Any


class JobStatus(StrEnum):
    """Status of a job; each compares equal to its lower-case name."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    CANCELLED = "cancelled"
    ABORTED = "aborted"
    FAILED = "failed"


class JobStopped(BaseException):
    """Raised by `JobContext.checkpoint` to leave a cancelled or aborted probe.

    Not an ``Exception``, so that a probe's own error handling does not swallow it.
    """


class JobContext:
    """How a probe talks to the job it runs in.

    A probe begins with ``context = current_context()``, and hands it to its own functions and
    threads: outside a job, this class does nothing.

    Examples
    --------
    >>> def count(upto):
    ...     context = current_context()
    ...     for n in range(upto):
    ...         context.checkpoint()
    ...         context.report(n + 1, upto, "counting")
    ...         context.keep(n + 1)
    ...     return upto
    >>> count(3)
    3
    """

    @property
    def should_stop(self) -> bool:
        """Whether to return soon. A probe that can return a partial result does so then."""
        return False

    def checkpoint(self) -> None:
        """Leave the probe here, by `JobStopped`, if it was cancelled or aborted."""

    def report(self, done: float, total: float | None = None, message: str = "") -> None:
        """Report progress; cheap enough for every step."""

    def skip(self, steps: float) -> None:
        """Report steps that take no time, such as stored answers: the rate leaves them out."""

    def wait_for(self, text: str) -> None:
        """Report what a call waits for, as a sentence; the next report ends it."""

    def keep(self, partial: Any) -> None:
        """Keep `partial`: it is the job's result if the job is aborted at a checkpoint."""


_context: ContextVar[JobContext] = ContextVar("biaslab-context")


def current_context() -> JobContext:
    """Return the context of the job that the caller runs in; outside a job, one without effect."""
    return _context.get(None) or JobContext()


def is_watched() -> bool:
    """Return whether progress goes somewhere already, or was told to go nowhere."""
    return _context.get(None) is not None


@contextmanager
def reporting_to(context: JobContext | None) -> Iterator[None]:
    """Let this be the context of probes in this block; None: they report to nobody."""
    before = _context.set(context or JobContext())
    try:
        yield
    finally:
        _context.reset(before)
