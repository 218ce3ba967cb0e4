"""Tests of a bench: begun, looked at while they go on, stopped, and seen to their end."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Any, Generic, Protocol, TypeVar

from biaslab.background import start_timer
from biaslab.errors import QueryError
from biaslab.jobs import Job, JobContext, JobStatus, JobStopped

logger = logging.getLogger("biaslab")
BETWEEN_S = 0.2
"""Seconds between two looks at a run that goes on."""
PATIENCE_S = 10.0
MOST_TIMES = 4


class AnyRun(Protocol):
    """What a run needs to have."""

    running: bool
    ended: threading.Event

    def never_began(self) -> None:
        """It was stopped while it waited for its turn."""


T = TypeVar("T", bound=AnyRun)


class ShortTime(JobContext):
    """Stops a probe after some seconds; what it has by then is kept.

    A busy machine may need longer for the first answer, at most `MOST_TIMES` as long.
    """

    def __init__(self, seconds: float) -> None:
        now = time.monotonic()
        self._end, self._last = now + seconds, now + MOST_TIMES * seconds
        self._has_some = False

    @property
    def should_stop(self) -> bool:
        """Whether the time is over."""
        now = time.monotonic()
        return now > (self._end if self._has_some else self._last)

    def checkpoint(self) -> None:
        """Leave the probe here once the time is over."""
        if self.should_stop:
            raise JobStopped

    def report(self, done: float, total: float | None = None, message: str = "") -> None:  # noqa: ARG002
        """Note that there is an answer."""
        self._has_some = self._has_some or done > 0


class Tests(Generic[T]):
    """The tests of one bench.

    Parameters
    ----------
    look : callable
        Lets the bench look at the run; called from any thread.
    start : callable
        That of the bench's jobs, or their ``start_waiting`` where somebody else does the work.

    Attributes
    ----------
    run : AnyRun or None
        The one that goes on, or the last; None before the first.
    job : Job or None
    count : int
        How many there were.
    """

    __test__ = False  # pytest takes classes of this name for its own

    def __init__(self, look: Callable[[], object], start: Callable[..., Job[Any]]) -> None:
        self._look, self._start = look, start
        self._lock = threading.Lock()
        self._looked_at = 0.0
        self._waiting: threading.Timer | None = None
        self.run: T | None = None
        self._put_away: T | None = None
        self.job: Job[Any] | None = None
        self._work: tuple[Callable[..., Any], tuple[Any, ...]] | None = None
        self.count = 0

    @property
    def running(self) -> bool:
        """Whether a test goes on."""
        return self.run is not None and self.run.running

    @property
    def seconds_left(self) -> float | None:
        """Of a test that goes on; None where nobody knows."""
        return self.job.progress.seconds_left if self.job is not None and self.running else None

    def begin(self, run: T, function: Callable[..., Any], *args: Any) -> Job[Any]:
        """Run ``function(run, *args, on_change=...)`` as a job."""
        self.run, self._put_away = run, None
        self._work = (function, args)
        job = self.job = self._start(function, run, *args, on_change=self.look_soon)
        job.on_done(lambda finished: self._ended(finished, run))
        return job

    @property
    def waits(self) -> bool:
        """Whether a test waits for its turn."""
        return self.running and self.job is not None and self.job.status is JobStatus.QUEUED

    def run_some(self, run: T, seconds: float) -> None:
        """Do for so long, in this thread, what the job that waits will do; it goes on from there.

        Parameters
        ----------
        run : AnyRun
            Takes the place of the one that waits, which stays as it is.
        seconds : float
        """
        if self._work is not None:
            function, args = self._work
            function(run, *args, context=ShortTime(seconds))

    def next_number(self) -> int:
        """The number of a new run.

        Raises
        ------
        QueryError
            When one goes on already.
        """
        if self.running:
            raise QueryError("A test is already running. Wait for it, or stop it first.")
        self.count += 1
        return self.count

    def look_soon(self) -> None:
        """Look at the run now, or in a moment where it was looked at just now."""
        with self._lock:
            if self._waiting is not None:
                return
            left = self._looked_at + BETWEEN_S - time.monotonic()
            if left > 0:
                self._waiting = start_timer(left, self._look_at_run)
                return
        self._look_at_run()

    def stop(self) -> bool:
        """Stop what goes on, and keep what is tested; False where nothing goes on."""
        if not self.running or self.job is None:
            return False
        self.job.abort()
        return True

    def forget(self) -> None:
        """As if there had been no test; one that has ended can be brought back."""
        self._put_away = None if self.running else (self.run or self._put_away)
        self.stop()
        self.run = None

    def bring_back(self) -> None:
        """Show the test that was put away.

        Raises
        ------
        QueryError
            When there is none, or another has begun since.
        """
        if self._put_away is None or self.run is not None:
            raise QueryError("There are no results to bring back.")
        self.run, self._put_away = self._put_away, None

    def last(self) -> T:
        """The run whose results can be taken along.

        Raises
        ------
        QueryError
            While one goes on, or when there was none.
        """
        run, job = self.run, self.job
        if run is not None and job is not None and (job.finished or job.stopping):
            run.ended.wait(PATIENCE_S)
        if run is not None and run.running:
            raise QueryError("A test is running. Wait for it, or stop it: its scores are kept.")
        if run is None:
            raise QueryError("Nothing has been tested yet: press Test, or call test().")
        return run

    def _look_at_run(self) -> None:
        with self._lock:
            self._waiting, self._looked_at = None, time.monotonic()
        self._look()

    def _ended(self, job: Job[Any], run: T) -> None:
        if run.running:  # a job that never began
            run.never_began()
        if job.exception is not None:
            logger.error("A test failed: %s", job.traceback)
        self._look()
