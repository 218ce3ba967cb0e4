"""Progress of a job, sent to listeners at a rate that a screen can follow."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from biaslab.people.access import carrying_access
from biaslab.threads.background import is_exiting, start_timer

SECONDS_BETWEEN_REPORTS = 0.1
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class JobProgress:
    """Progress of a job.

    Attributes
    ----------
    done : float
        Steps done.
    total : float or None
        Steps in all; None while unknown.
    message : str
        Current step, in plain words.
    seconds_left : float or None
        Estimate from the rate since the first report; None until there is one.
    waits_for : str
        What it waits for, as a sentence, such as a server that failed; empty while it goes on.
    """

    done: float = 0
    total: float | None = None
    message: str = ""
    seconds_left: float | None = None
    waits_for: str = ""


class ProgressReports:
    """Reports of one job to its listeners: at most 10 calls a second, the last included."""

    def __init__(self) -> None:
        self.latest = JobProgress()
        self._lock = threading.Lock()
        # Reentrant: a callback may subscribe another, or stop the job.
        self._delivery = threading.RLock()
        self._callbacks: list[Callable[[JobProgress], object]] = []
        self._first: tuple[float, float] | None = None
        self._delivered = self.latest
        self._delivered_at = -float("inf")
        self._timer: threading.Timer | None = None

    def report(self, done: float, total: float | None, message: str) -> None:
        """Take a report; send it now, or as soon as the rate limit allows."""
        now = time.monotonic()
        self._take(JobProgress(done, total, message, self._seconds_left(now, done, total)), now)

    def skip(self, steps: float) -> None:
        """Leave steps out of the rate."""
        with self._lock:
            if self._first is not None:  # else the first report has them
                self._first = self._first[0], self._first[1] + steps

    def wait_for(self, text: str) -> None:
        """Take what it waits for, as a report."""
        self._take(replace(self.latest, seconds_left=None, waits_for=text), time.monotonic())

    def _take(self, progress: JobProgress, now: float) -> None:
        with self._lock:
            self.latest = progress
            if self._timer is not None:
                return
            delay = self._delivered_at + SECONDS_BETWEEN_REPORTS - now
            if delay > 0 and self._callbacks:
                self._timer = start_timer(delay, self._deliver)
                return
        self._deliver()

    def subscribe(self, callback: Callable[[JobProgress], object]) -> Callable[[], None]:
        """Send reports to `callback`, the latest at once; return an unsubscribe function."""
        callback = carrying_access(callback)
        with self._delivery:
            with self._lock:
                self._callbacks.append(callback)
                present = self._delivered
            if self._first is not None:
                self._call(callback, present)

        def unsubscribe() -> None:
            with self._lock:
                if callback in self._callbacks:
                    self._callbacks.remove(callback)

        return unsubscribe

    def close(self) -> None:
        """Send the pending report at once."""
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
        self._deliver()

    def _deliver(self) -> None:
        with self._delivery:
            with self._lock:
                self._timer = None
                if self.latest is self._delivered:
                    return
                self._delivered = self.latest
                self._delivered_at = time.monotonic()
                progress, callbacks = self.latest, list(self._callbacks)
            for callback in callbacks:
                self._call(callback, progress)

    def _call(self, callback: Callable[[JobProgress], object], progress: JobProgress) -> None:
        if not call_safely(callback, progress):
            with self._lock:
                if callback in self._callbacks:
                    self._callbacks.remove(callback)

    def _seconds_left(self, now: float, done: float, total: float | None) -> float | None:
        # Loading before the first report does not count towards the rate.
        if self._first is None:
            self._first = now, done
        begun, done_before = self._first
        if total is None:
            return None
        if done >= total:
            return 0.0
        if done <= done_before or now <= begun:
            return None
        return (total - done) * (now - begun) / (done - done_before)


def call_safely(callback: Callable[[Any], object], argument: Any) -> bool:
    """Call `callback`; log its exceptions, so that the calling thread continues.

    At exit nothing is called: listeners are being torn down.

    - Returns: whether it returned without an exception.
    """
    if is_exiting():
        return True
    try:
        callback(argument)
    except BaseException:  # noqa: BLE001  # not even SystemExit may end the worker
        if not is_exiting():
            _log.exception("A job's callback raised an error and is not called again: %r", callback)
        return False
    return True
