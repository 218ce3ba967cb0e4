"""Threads that run jobs, and the queue before them."""

from __future__ import annotations

import threading
from collections import deque
from typing import Protocol

from biaslab.background import is_exiting, start_thread


class Runnable(Protocol):
    """What waits for a thread."""

    def run_here(self) -> None:
        """Run it in this thread; nothing where it was cancelled before."""

    def abort(self) -> None:
        """Stop it and keep what it has."""

    def cancel(self) -> None:
        """Stop it and discard what it has."""


class Workers:
    """Threads of this process that run jobs, and the queue before them.

    Parameters
    ----------
    name : str
        Of the threads.
    most : int
        Jobs that run at once.
    gives_up : bool
        Whether the place of a cancelled job is free before its function has returned: it waits for
        somebody else, and takes nothing from the others.
    """

    def __init__(self, name: str, most: int, *, gives_up: bool = False) -> None:
        self._name, self._most, self._gives_up = name, most, gives_up
        self._condition = threading.Condition()
        self._queue: deque[Runnable] = deque()
        self._running: dict[Runnable, threading.Thread] = {}
        self._threads: list[threading.Thread] = []
        self._idle = 0

    def submit(self, job: Runnable) -> None:
        """Run it as soon as there is a thread; at exit it is cancelled."""
        if is_exiting():
            job.cancel()
            return
        with self._condition:
            self._queue.append(job)
            self._find_thread()
            self._condition.notify()

    def forget(self, job: Runnable) -> None:
        """Take it out of the queue."""
        with self._condition:
            if job in self._queue:
                self._queue.remove(job)

    def give_up(self, job: Runnable) -> bool:
        """Leave a job's thread to itself, so that it ends with the job; whether that was done."""
        with self._condition:
            if not self._gives_up or job not in self._running or is_exiting():
                return False
            self._threads.remove(self._running.pop(job))
            self._find_thread()
            return True

    def has_current_thread(self) -> bool:
        """Whether the caller is one of the threads."""
        return threading.current_thread() in self._threads

    def jobs(self) -> list[Runnable]:
        """What runs and what waits."""
        with self._condition:
            return [*self._running, *self._queue]

    def end(self) -> None:
        """Cancel what runs and what waits, and let the threads end; at exit."""
        with self._condition:
            self._condition.notify_all()
        for job in self.jobs():
            job.cancel()

    def _find_thread(self) -> None:
        """Start a thread where jobs wait for one, if there may be more."""
        if len(self._queue) > self._idle and len(self._threads) < self._most:
            self._threads.append(start_thread(self._name, self._work))

    def _work(self) -> None:
        while (job := self._next()) is not None:
            job.run_here()
            with self._condition:
                self._running.pop(job, None)
            del job  # else an idle worker would keep the last result alive

    def _next(self) -> Runnable | None:
        """The next job, as soon as there is one; None at exit, and for a thread left to itself."""
        with self._condition:
            if not self.has_current_thread():
                return None
            self._idle += 1
            while not self._queue and not is_exiting():
                self._condition.wait()
            self._idle -= 1
            if is_exiting():
                return None
            job = self._queue.popleft()
            self._running[job] = threading.current_thread()
            return job
