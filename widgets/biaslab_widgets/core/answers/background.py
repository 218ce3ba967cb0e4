"""Work in the background: the newest job of a kind, how far it is, and what it has so far."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from biaslab.errors import QueryError
from biaslab.jobs.job import Job, JobContext, JobStatus
from biaslab.jobs.progress import JobProgress
from biaslab.records.wording import prose
from biaslab.threads.background import pause, start_thread
from biaslab_widgets.core.state.bench_state import NO_MAKING, Making

V = TypeVar("V")


class Background(Generic[V]):
    """The newest job of one kind, and what came of it.

    - `changed`: called from any thread when the newest job has ended, so that the bench answers
      again.
    - `on_progress`: given the newest job's progress as it comes, and None when that job has ended.
    - `key`: what the newest job is about.
    - `job`: None before the first.
    """

    def __init__(
        self,
        changed: Callable[[], object],
        on_progress: Callable[[JobProgress | None], object] | None = None,
    ) -> None:
        self._changed, self._on_progress = changed, on_progress
        self.key: object = None
        self.job: Job[V] | None = None

    def begin(
        self, key: object, job: Job[V], then: Callable[[Job[V]], object] | None = None
    ) -> Job[V]:
        """Hold a job that was just started in place of the last one, which is cancelled.

        - `key`: what it is about.
        - `then`: given the job when it has ended, unless a newer one has begun; from any thread.
        """
        last, self.key, self.job = self.job, key, job
        if last is not None:
            last.cancel()
        if (on_progress := self._on_progress) is not None:
            job.on_progress(lambda now: on_progress(now) if self.job is job else None)
        job.on_done(lambda ended: self._ended(ended, then))
        return job

    @property
    def running(self) -> bool:
        """Whether a job goes on, or waits for its turn."""
        return self.job is not None and not self.job.finished

    def works_on(self, key: object) -> bool:
        """Whether the newest job is about this, and goes on until it has an answer."""
        return self.job is not None and self.key == key and self.running and not self.job.stopping

    @property
    def result(self) -> V | None:
        """What the job returned; None while it goes on, and where it failed or was stopped."""
        job = self.job
        return job.result() if job is not None and job.status is JobStatus.DONE else None

    def problem(self, stopped: str) -> str:
        """Why an ended job has no result: its error, or `stopped`; empty where there is none."""
        job = self.job
        if job is None or not job.finished or job.status is JobStatus.DONE:
            return ""
        return stopped if job.exception is None else prose(job.exception)

    def cancel(self) -> bool:
        """Stop the job and discard what it has; whether one went on."""
        running = self.running
        if running and self.job is not None:
            self.job.cancel()
        return running

    def abort(self) -> bool:
        """Stop the job and keep what it has; whether one went on."""
        running = self.running
        if running and self.job is not None:
            self.job.abort()
        return running

    def forget(self) -> None:
        """Cancel the job, and hold none: it ends without a word."""
        last, self.key, self.job = self.job, None, None
        if last is not None:
            last.cancel()
            if self._on_progress is not None:
                self._on_progress(None)

    def _ended(self, job: Job[V], then: Callable[[Job[V]], object] | None) -> None:
        if self.job is not job:
            return
        if then is not None:
            then(job)
        if self._on_progress is not None:
            self._on_progress(None)
        self._changed()


class Maker:
    """The job that makes something, and how far it is.

    - `changed`: lets the bench answer again; called from any thread.
    - `refusal`: the error text when more is requested while a making runs.
    - `shown`: how far it is; its message stays when it has ended.
    """

    def __init__(self, changed: Callable[[], object], refusal: str) -> None:
        self._changed, self._refusal = changed, refusal
        self._background: Background[Any] = Background(changed, self._show_progress)
        self.shown: Making = {**NO_MAKING}

    @property
    def job(self) -> Job[Any] | None:
        """The job that goes on, or the last one."""
        return self._background.job

    @property
    def running(self) -> bool:
        """Whether something is being made."""
        return self._background.running

    @property
    def waits(self) -> bool:
        """Whether that is still waiting for its turn."""
        job = self.job
        return job is not None and job.status is JobStatus.QUEUED

    def refuse_while_running(self) -> None:
        """Refuse to make more meanwhile.

        Raises `QueryError` when something is being made.
        """
        if self.running:
            raise QueryError(self._refusal)

    def begin(self, job: Job[Any], total: int, text: str, ended: Callable[[Job[Any]], str]) -> None:
        """Show how far a job is; `ended` takes what it has made and says so.

        - `job`: just started.
        - `total`: things to make.
        - `text`: what is going on.
        """
        self._show(0, total, f"in line: {text}" if job.ahead else text)
        self._background.begin(None, job, lambda done: self._end(ended(done)))

    def abort(self) -> bool:
        """Stop the job and keep what it has made; whether one went on."""
        return self._background.abort()

    def _show_progress(self, now: JobProgress | None) -> None:
        if now is not None:
            self._show(now.done, now.total or 0, now.message, now.seconds_left)

    def _show(
        self, done: float, total: float, text: str, seconds_left: float | None = None
    ) -> None:
        self.shown = {
            "done": int(done),
            "total": max(int(total), 1),
            "message": text,
            "seconds_left": seconds_left,
        }
        self._changed()

    def _end(self, text: str) -> None:
        self.shown = {**NO_MAKING, "message": text}


class Tee(JobContext):
    """Passes everything on to another context, and partial results to a callback too.

    - `on_kept`: receives each partial result, in the job's thread.
    """

    def __init__(self, whole: JobContext, on_kept: Callable[[Any], object]) -> None:
        self._whole, self._on_kept = whole, on_kept

    @property
    def should_stop(self) -> bool:
        """As of the whole."""
        return self._whole.should_stop

    def checkpoint(self) -> None:
        """As of the whole."""
        self._whole.checkpoint()

    def report(self, done: float, total: float | None = None, message: str = "") -> None:
        """As of the whole."""
        self._whole.report(done, total, message)

    def keep(self, partial: Any) -> None:
        """Keep it, and hand it on."""
        self._whole.keep(partial)
        self._on_kept(partial)


class Debounce:
    """Calls once `later` has not been called for so long, from a thread of its own.

    One thread waits through all calls: a drag starts none with each of its moves.
    """

    def __init__(self, seconds: float, call: Callable[[], object]) -> None:
        self._seconds, self._call = seconds, call
        self._lock = threading.Lock()
        self._due = 0.0
        self._waits = False

    def later(self) -> None:
        """Call in a while, or later if this is called again."""
        with self._lock:
            self._due = time.monotonic() + self._seconds
            if self._waits:
                return
            self._waits = True
        start_thread("biaslab-debounce", self._run)

    def _run(self) -> None:
        while (left := self._left()) > 0:
            if not pause(left):
                return
        self._call()

    def _left(self) -> float:
        with self._lock:
            left = self._due - time.monotonic()
            self._waits = left > 0
            return left
