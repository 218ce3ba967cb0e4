"""Worker threads for jobs, their queue, which is fair over owners, and what an owner may take."""

from __future__ import annotations

import itertools
import statistics
import threading
from collections import deque
from collections.abc import Collection, Hashable, Iterable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from biaslab.threads.background import is_exiting, start_thread


class Owned(Protocol):
    """Something that belongs to somebody."""

    @property
    def owner(self) -> str:
        """Whose it is; empty where there is one person only."""


J = TypeVar("J", bound=Owned)


class FairQueue(Generic[J]):
    """Items that wait, in the order in which they are taken.

    Owners who wait take turns. An owner's turn ends when its item has ended, so that whoever comes
    meanwhile is served before the owner's next item; nobody is passed over for ever.

    Parameters
    ----------
    places : int
        Items that are under way at once.
    per_owner : int, optional
        Items of one owner that are under way at once. The empty owner, who is alone, has all
        places.
    """

    def __init__(self, places: int = 1, per_owner: int | None = None) -> None:
        self._places, self._per_owner = places, per_owner
        self._items: list[J] = []
        self._numbers = itertools.count()
        self._turns: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._items)

    def __contains__(self, item: object) -> bool:
        return item in self._items

    def add(self, item: J) -> None:
        """Let an item wait, as its owner's last."""
        self._items.append(item)
        self._turns.setdefault(item.owner, next(self._numbers))

    def remove(self, item: J) -> None:
        """Take an item out, wherever it waits; do nothing if it does not."""
        if item in self._items:
            self._items.remove(item)

    def count(self, owner: str) -> int:
        """Return how many items of an owner wait."""
        return sum(item.owner == owner for item in self._items)

    def take(self, under_way: Iterable[J], held: Collection[str] = ()) -> J | None:
        """Take the item whose turn it is out of the queue; None if no owner may have another.

        Owners in `held` have no turn.
        """
        owners = [item.owner for item in under_way]
        items = [item for item in self._items if item.owner not in held]
        item = self._next(items, owners, self._turns)
        if item is not None:
            self._items.remove(item)
            self._turns[item.owner] = next(self._numbers)
        return item

    def ended(self, owner: str, under_way: Iterable[J]) -> None:
        """End an owner's turn: an item of theirs is no longer under way."""
        still = {item.owner for item in [*self._items, *under_way]}
        self._turns = {one: turn for one, turn in self._turns.items() if one in still}
        if owner in still:
            self._turns[owner] = next(self._numbers)

    def order(self, under_way: Iterable[J], held: Collection[str] = ()) -> list[J]:
        """Return the items in the order in which they are taken, if none comes or leaves.

        Items that are under way are taken to end in their order; owners in `held` come last.
        """
        items = [item for item in self._items if item.owner not in held]
        turns = dict(self._turns)
        owners = [item.owner for item in under_way]
        ordered: list[J] = []
        later = max(turns.values(), default=0)
        while items:
            item = self._next(items, owners, turns) if len(owners) < self._places else None
            later += 1
            if item is None:
                turns[owners.pop(0)] = later
                continue
            items.remove(item)
            ordered.append(item)
            owners.append(item.owner)
            turns[item.owner] = later
        return [*ordered, *(item for item in self._items if item.owner in held)]

    def _next(self, items: list[J], owners: list[str], turns: dict[str, int]) -> J | None:
        first: dict[str, J] = {}
        for item in items:
            first.setdefault(item.owner, item)
        most = self._per_owner
        may = [one for one in first if not one or most is None or owners.count(one) < most]
        if not may:
            return None
        # An owner may be known by another name since its item came.
        newest = max(turns.values(), default=0) + 1
        return first[min(may, key=lambda one: self.rank(one, turns.get(one, newest)))]

    def rank(self, owner: str, turn: int) -> tuple[float, ...]:  # noqa: ARG002
        """Return what decides whose turn it is: that of the smallest."""
        return (turn,)


@dataclass(frozen=True)
class JobLimits:
    """Limits of an owner's jobs; by default there are none.

    Attributes
    ----------
    max_run_s : float or None
        Seconds that one job may compute; then it is aborted, and keeps its partial result.
    max_wait_s : float or None
        The same for a job that mostly waits for an external service.
    most_queued : int or None
        Jobs of one owner that wait for their turn.
    grace_s : float or None
        Seconds that a cancelled job has to leave. Then the others go on without it: its process is
        killed, or its thread abandoned. None: the others wait until it has left.
    keep_s : float
        Seconds that an aborted job has in addition, to return what it has.
    in_process : bool
        Whether heavy jobs run in a process of their own, which can be killed.
    aside : bool
        Whether answers that take long are made in other processes, too, so that nobody else waits.
    """

    max_run_s: float | None = None
    max_wait_s: float | None = None
    most_queued: int | None = None
    grace_s: float | None = None
    keep_s: float = 30.0
    in_process: bool = False
    aside: bool = False


NO_LIMITS = JobLimits()
SERVED = JobLimits(
    max_run_s=15 * 60.0,
    max_wait_s=2 * 3600.0,
    most_queued=8,
    grace_s=5.0,
    in_process=True,
    aside=True,
)
"""Of a page that is served to others."""
OWN_MACHINE = JobLimits(grace_s=5.0, in_process=True)
"""Of a page that only its owner reaches."""

_limits = NO_LIMITS


def job_limits() -> JobLimits:
    """Return the limits of groups of jobs that name none."""
    return _limits


def set_job_limits(limits: JobLimits) -> None:
    """Set the limits of groups of jobs that name none, in this process."""
    global _limits
    _limits = limits


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

        - `most_queued`: jobs of its owner that may wait.
        - Returns: whether it is queued: False if too many of its owner's jobs wait already.
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
