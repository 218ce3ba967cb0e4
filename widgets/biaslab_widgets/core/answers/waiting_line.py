"""A bench that waits for its turn: which jobs come before its own, and how far they are.

It also says that a run reached the limit of computing, which only a server has.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from biaslab.jobs.job import MOST_WAITING, MOST_WAITING_OF_ONE, Job, JobGroup, JobStatus
from biaslab.records.wording import duration
from biaslab.threads.background import start_timer
from biaslab_widgets.core.answers.live import LIVE, ONE_PERSON
from biaslab_widgets.core.state.fields import empty
from biaslab_widgets.core.state.records import JobInLine, Line

if TYPE_CHECKING:
    from threading import Timer

FIRST_LOOK_S = 0.3
"""A wait that is shorter than this is not shown."""
LOOK_S = 0.5


class WaitingLine:
    """Shows the line while a job of a bench waits in it.

    - `group`: the bench's. Of its jobs those count that a person waits for.
    - `emit`: receives ``{"line": ...}``, in the live worker's thread.
    - `smaller`: says whether the bench could compute a smaller run at once.
    """

    def __init__(
        self,
        group: JobGroup,
        emit: Callable[[dict[str, Any]], object],
        smaller: Callable[[], bool] = lambda: False,
    ) -> None:
        self._group, self._emit, self._smaller = group, emit, smaller
        self._lock = threading.Lock()
        self._timer: Timer | None = None
        self._closed = False
        self._shown = empty(Line)
        self._note = ""
        group.on_add = self._added
        group.on_out_of_time = self._out_of_time

    @property
    def owner(self) -> str:
        """Whose bench it is."""
        return self._group.owner or ONE_PERSON

    def work(self) -> None:
        """Show the line as it is now; the live worker calls this."""
        line = self.line()
        if line != self._shown:
            self._shown = line
            self._emit({"line": line})
        if self._waiting():
            self._look_in(LOOK_S)

    def line(self) -> Line:
        """Return the jobs up to the bench's own; empty while it does not wait."""
        nothing: Line = {**empty(Line), "note": self._note}
        waiting = self._waiting()
        if not waiting:
            return nothing
        own = waiting[0]
        jobs = [*own.ahead, own]
        if own.status is not JobStatus.QUEUED:  # meanwhile
            return nothing
        # What the bench itself prepares, such as by imports, is part of its run.
        if all(job.group is self._group for job in jobs):
            return nothing
        running = sum(job.status is JobStatus.RUNNING for job in jobs)
        shown = [_shown(job, max(at - running + 1, 0), own) for at, job in enumerate(jobs)]
        return {"jobs": shown, "smaller": self._smaller(), "note": _waits_for(own, running)}

    def leave(self) -> bool:
        """Take the bench's jobs out of the line; whether one waited."""
        waiting = self._waiting()
        for job in waiting:
            job.cancel()
        LIVE.enqueue(self)
        return bool(waiting)

    def close(self) -> None:
        """Show the line no longer."""
        # A job is kept by whoever started it, and keeps its group.
        self._group.on_add = self._group.on_out_of_time = None
        with self._lock:
            self._closed = True
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
        LIVE.forget(self)

    def _added(self) -> None:
        self._note = ""
        self._look_in(FIRST_LOOK_S)

    def _out_of_time(self, job: Job[Any]) -> None:
        kept = "What was computed is kept." if job.partial is not None else "Nothing came of it."
        self._note = (
            f"The run was stopped after {duration(job.most_seconds or 0)}, the most that one run"
            f" may take on this server. {kept} Choose a smaller run, or compute it in a notebook."
        )
        LIVE.enqueue(self)

    def _waiting(self) -> list[Job[Any]]:
        return [job for job in self._group.awaited if job.status is JobStatus.QUEUED]

    def _look_in(self, seconds: float) -> None:
        with self._lock:
            if self._timer is None and not self._closed:
                # A timer that has ended may be held for a while: it must not hold the bench.
                line = weakref.ref(self)
                self._timer = start_timer(seconds, lambda: _look(line()))


def _look(line: WaitingLine | None) -> None:
    if line is not None:
        with line._lock:
            line._timer = None
        LIVE.enqueue(line)


def _waits_for(own: Job[Any], running: int) -> str:
    """Say what a run waits for that computes nothing itself."""
    if not own.waits_for_service:
        return ""
    if running < MOST_WAITING:
        return f"Waiting: {MOST_WAITING_OF_ONE} of your runs are asking services already."
    return f"Waiting: {running} other services are being asked, the most at once."


def _shown(job: Job[Any], place: int, own: Job[Any]) -> JobInLine:
    progress = job.progress
    return {
        "title": (job.group and job.group.title) or "A notebook or script",
        "own": job is own,
        "place": place,
        "done": progress.done,
        "total": progress.total or 0,
        "seconds_left": job.seconds_left,
    }
