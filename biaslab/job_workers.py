"""Worker threads for jobs, and their queue."""

from __future__ import annotations

import statistics
import threading
from collections import deque
from collections.abc import Hashable
from typing import Protocol

from biaslab.background import is_exiting, start_thread
from biaslab.fair_queue import FairQueue

MOST_ABANDONED = 4
"""Threads that may go on for jobs that were given up; beyond it the next job waits for one."""
_REMEMBERED = 5
_KINDS = 200


class Runnable(Protocol):
    """An item of the queue."""

    @property
    def owner(self) -> str:
        """Whose it is."""

    def run_here(self) -> None:
        """Run in this thread; do nothing if it was cancelled before."""

    def abort(self) -> None:
        """Stop, and keep the partial result."""

    def cancel(self) -> None:
        """Stop, and discard the partial result."""


class Workers:
    """Worker threads of this process, and their queue, in which owners take turns.

    Parameters
    ----------
    name : str
        Name of the threads.
    most : int
        Number of jobs that run at once.
    per_owner : int, optional
        Of these, jobs of one owner; see `FairQueue`.
    waits : bool
        Whether jobs wait for an external service: a cancelled one then frees its place at once,
        before its function has returned, since it uses no resources that other jobs need.
    """

    def __init__(
        self, name: str, most: int, *, per_owner: int | None = None, waits: bool = False
    ) -> None:
        self.waits = waits
        self._name, self._most = name, most
        self._condition = threading.Condition()
        self._queue: FairQueue[Runnable] = FairQueue(most, per_owner)
        self._running: dict[Runnable, threading.Thread] = {}
        self._threads: list[threading.Thread] = []
        self._abandoned: list[tuple[threading.Thread, str]] = []
        self._idle = 0
        self._seconds: dict[Hashable, deque[float]] = {}

    def submit(self, job: Runnable, most_queued: int | None = None) -> bool:
        """Queue it; it runs when a thread is free and is cancelled at exit.

        Parameters
        ----------
        job : Runnable
        most_queued : int, optional
            Jobs of its owner that may wait.

        Returns
        -------
        bool
            Whether it is queued: False if too many of its owner's jobs wait already.
        """
        if is_exiting():
            job.cancel()
            return True
        with self._condition:
            if most_queued is not None and self._queue.count(job.owner) >= most_queued:
                return False
            self._queue.add(job)
            self._find_thread()
            self._condition.notify()
        return True

    def forget(self, job: Runnable) -> None:
        """Remove it from the queue."""
        with self._condition:
            self._queue.remove(job)

    def give_up(self, job: Runnable) -> bool:
        """Abandon a job's thread, so that it ends with the job; return whether it could."""
        with self._condition:
            if job not in self._running or is_exiting():
                return False
            if not self.waits:
                if len(self._still_abandoned()) >= MOST_ABANDONED:
                    return False
                self._abandoned.append((self._running[job], job.owner))
            self._threads.remove(self._running.pop(job))
            self._queue.ended(job.owner, self._running)
            self._find_thread()
            self._condition.notify_all()
            return True

    @property
    def abandoned(self) -> int:
        """Threads that go on for jobs that were given up."""
        with self._condition:
            return len(self._still_abandoned())

    @property
    def is_stuck(self) -> bool:
        """Whether the next job that takes no notice of its end would hold up all others."""
        return self.abandoned >= MOST_ABANDONED

    def _still_abandoned(self) -> list[tuple[threading.Thread, str]]:
        self._abandoned = [one for one in self._abandoned if one[0].is_alive()]
        return self._abandoned

    def _held(self) -> set[str]:
        """Owners whose abandoned thread goes on: their next job waits for its end."""
        current = threading.current_thread()
        return {owner for thread, owner in self._still_abandoned() if owner and thread != current}

    def has_current_thread(self) -> bool:
        """Return whether the caller is one of the threads."""
        return threading.current_thread() in self._threads

    def jobs(self) -> list[Runnable]:
        """Return running jobs, then queued ones in the order in which they will begin."""
        with self._condition:
            return [*self._running, *self._queue.order(self._running, self._held())]

    def remember(self, kind: Hashable, seconds: float) -> None:
        """Note how long a job of a kind took."""
        with self._condition:
            while len(self._seconds) >= _KINDS:
                del self._seconds[next(iter(self._seconds))]
            self._seconds.setdefault(kind, deque(maxlen=_REMEMBERED)).append(seconds)

    def expected_seconds(self, kind: Hashable) -> float | None:
        """Return how long the last jobs of a kind took, their median; None if there was none."""
        with self._condition:
            took = self._seconds.get(kind)
            return statistics.median(took) if took else None

    def end(self) -> None:
        """Cancel running and queued jobs, and end the threads; called at exit."""
        with self._condition:
            self._condition.notify_all()
        for job in self.jobs():
            job.cancel()

    def _find_thread(self) -> None:
        """Start a thread if jobs are queued and the limit allows it."""
        if len(self._queue) > self._idle and len(self._threads) < self._most:
            self._threads.append(start_thread(self._name, self._work, shared=True))

    def _work(self) -> None:
        while (job := self._next()) is not None:
            job.run_here()
            with self._condition:
                if self._running.pop(job, None) is not None:
                    self._queue.ended(job.owner, self._running)
            del job  # else an idle worker would keep the last result alive

    def _next(self) -> Runnable | None:
        """Wait for the next job; return None at exit, and to an abandoned thread."""
        with self._condition:
            if not self.has_current_thread():
                # Its owner's next job may begin.
                self._abandoned = [
                    one for one in self._abandoned if one[0] is not threading.current_thread()
                ]
                self._find_thread()
                self._condition.notify_all()
                return None
            self._idle += 1
            try:
                while not is_exiting():
                    if (job := self._queue.take(self._running, self._held())) is not None:
                        self._running[job] = threading.current_thread()
                        return job
                    self._condition.wait()
            finally:
                self._idle -= 1
            return None
