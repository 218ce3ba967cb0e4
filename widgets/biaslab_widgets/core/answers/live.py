"""Live answers of a process: handlers enqueue and return, and people take turns.

Whoever has used the processor least lately is next, so that a drag waits for no line of edits.

One answer is made at a time, in a thread that is not the handlers'. One that takes longer than
`BUDGET_S` goes on beside the others, which no longer wait for it; a person has only one answer
under way. What is known to take long from the start is a job instead.
"""

from __future__ import annotations

import gc
import logging
import math
import threading
import time
from typing import Protocol

from biaslab.jobs.context import JobStopped
from biaslab.jobs.workers import FairQueue
from biaslab.stats.threads import one_blas_thread
from biaslab.threads.background import is_exiting, on_exit, start_thread

LONGEST_S = 2.0
"""Collection is held back for so long at most: somebody who drags does not pause."""


class GcPause:
    """Holds the collection of cyclic garbage back, for one thread that calls it.

    A collection of all generations goes through every object of the process, a quarter of a second
    with all libraries loaded, and the small ones come several times in each answer.
    """

    def __init__(self) -> None:
        self._since: float | None = None

    @property
    def on(self) -> bool:
        """Whether it holds collection back."""
        return self._since is not None

    def begin(self) -> None:
        """Hold back; does nothing where collection is off already, or was held back too long."""
        if self._since is not None and time.monotonic() - self._since > LONGEST_S:
            self.end()
        elif self._since is None and gc.isenabled():
            self._since = time.monotonic()
            gc.disable()

    def end(self) -> None:
        """Let Python collect again, when it finds that it is time to."""
        if self._since is not None:
            self._since = None
            gc.enable()


logger = logging.getLogger("biaslab")


IDLE_S = 0.1
"""An answer is on its way to the screen for so long after it was made."""
BUDGET_S = 0.5
"""After so long, others no longer wait for an answer."""
MOST = 4
"""Answers under way at once: one within its budget, the others beyond it."""
MOST_WAITING = 64
"""Answers that wait for a file, a lock or another process; they do not count among `MOST`."""
HALF_S = 1.0
"""What a person has used counts half after so long."""


ONE_PERSON = "the only one"
"""Owner of tasks where there is one person only, whose answers come one after the other."""


class Task(Protocol):
    """Something with work to do; asked once however often it was enqueued meanwhile."""

    @property
    def owner(self) -> str:
        """Whose it is."""

    def work(self) -> None:
        """Do the newest work."""


class LeastUsedFirst(FairQueue[Task]):
    """A line in which the person is next whose answers took least of the processor lately."""

    def __init__(self) -> None:
        super().__init__(MOST, per_owner=1)
        self._used: dict[str, tuple[float, float]] = {}

    def use(self, owner: str, seconds: float) -> None:
        """Count what an answer took."""
        now = time.monotonic()
        self._used[owner] = (self._left(owner, now) + seconds, now)
        gone = [one for one, (_, at) in self._used.items() if now - at > 20 * HALF_S]
        for one in gone:
            del self._used[one]

    def rank(self, owner: str, turn: int) -> tuple[float, ...]:
        """What the person has used, and then the turn."""
        return (self._left(owner, time.monotonic()), turn)

    def _left(self, owner: str, now: float) -> float:
        seconds, at = self._used.get(owner, (0.0, now))
        return float(seconds * 0.5 ** ((now - at) / HALF_S))


class LiveWorker:
    """Runs tasks of one person after the other; a task waits in line at most once.

    - `budget_s`: seconds after which others no longer wait for a task.
    """

    def __init__(self, budget_s: float = BUDGET_S) -> None:
        self._budget = budget_s
        self._line = LeastUsedFirst()
        self._ready = threading.Condition()
        self._begun: dict[Task, float] = {}
        self._again: list[Task] = []
        self._threads: list[threading.Thread] = []
        self._idle = self._watching = 0
        self._here = threading.local()
        self._collection = GcPause()

    def enqueue(self, task: Task) -> None:
        """Let ``task.work()`` be called soon; newest state wins, repeated calls coalesce."""
        with self._ready:
            if is_exiting():
                return
            if task in self._begun:
                if task not in self._again:
                    self._again.append(task)
                return
            if task not in self._line:
                self._line.add(task)
            self._find_thread()
            # Whoever makes an answer within its budget takes the next one, and somebody watches it.
            if self._wait() == 0 or not self._watching:
                self._ready.notify()

    def let_others_go_on(self) -> None:
        """Let other answers begin now, if this thread makes one: it waits for a file or a lock."""
        task = getattr(self._here, "task", None)
        with self._ready:
            if task in self._begun:
                self._begun[task] = -math.inf
                if len(self._line):
                    self._find_thread()
                self._ready.notify_all()

    def _find_thread(self) -> None:
        """Start a thread if none is idle and the limit allows it."""
        self._threads = [thread for thread in self._threads if thread.is_alive()]
        if not self._idle and len(self._threads) < MOST + self._waiting():
            self._threads.append(start_thread("biaslab-live", self._run, shared=True))

    def _waiting(self) -> int:
        """Answers that let others go on."""
        return min(sum(begun == -math.inf for begun in self._begun.values()), MOST_WAITING)

    def forget(self, task: Task) -> None:
        """Take a task out of the line: nobody waits for its answer any more."""
        with self._ready:
            self._line.remove(task)
            if task in self._again:
                self._again.remove(task)

    def end(self) -> None:
        """Let the threads end after the answers that they make now; at exit."""
        with self._ready:
            self._line = LeastUsedFirst()
            self._again.clear()
            self._ready.notify_all()

    def _run(self) -> None:
        while (task := self._next()) is not None:
            self._here.task, begun = task, time.thread_time()
            try:
                with one_blas_thread():
                    task.work()
            except JobStopped:  # nobody waits for it any more
                pass
            except Exception:
                if not is_exiting():
                    logger.exception(
                        "A bench could not compute its view; the next change tries again."
                    )
            self._here.task = None
            self._ended(task, time.thread_time() - begun)
            del task  # else an idle worker would keep the last bench alive

    def _ended(self, task: Task, seconds: float) -> None:
        with self._ready:
            del self._begun[task]
            self._line.use(task.owner, seconds)
            self._line.ended(task.owner, self._begun)
            if task in self._again:
                self._again.remove(task)
                self._line.add(task)

    def _next(self) -> Task | None:
        """The next task, as soon as there is one and its turn has come; None at exit."""
        with self._ready:
            self._idle += 1
            try:
                while not is_exiting():
                    wait = self._wait()
                    may = wait == 0 and len(self._begun) - self._waiting() < MOST
                    if may and (task := self._line.take(self._begun)) is not None:
                        self._begun[task] = time.monotonic()
                        self._collection.begin()
                        return task
                    self._watching += wait > 0
                    woken = self._ready.wait(wait or self._pause())
                    self._watching -= wait > 0
                    if not woken and not self._begun:
                        self._collection.end()
                return None
            finally:
                self._idle -= 1

    def _wait(self) -> float:
        """Seconds until another answer may begin beside those under way; 0 for now."""
        if not len(self._line):
            return 0
        within = [at + self._budget - time.monotonic() for at in self._begun.values()]
        left = max(within, default=0.0)
        if self._begun and left <= 0:
            self._collection.end()  # a long answer leaves garbage
        return max(left, 0.0)

    def _pause(self) -> float | None:
        """Seconds that an idle thread waits before it lets Python collect garbage."""
        return IDLE_S if self._collection.on and not self._begun else None


LIVE = LiveWorker()
on_exit(LIVE.end)
