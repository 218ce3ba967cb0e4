"""Long work in the background, with progress, cancel and abort.

Jobs that compute run in one worker thread, one after the other: there is one GPU, and two heavy
probes at once are slower than one after the other. Jobs that mostly wait for an external service
have threads of their own, so that computing jobs do not wait for them. Where many people share a
process, owners take turns, and `biaslab.jobs.workers` says how much one of them may take; heavy
jobs have a queue of their own there, and a process that can be killed. When the interpreter ends,
jobs are cancelled: see `biaslab.threads.background`. Nothing here depends on a user interface.
"""

from __future__ import annotations

import contextlib
import contextvars
import inspect
import itertools
import os
import threading
import time
import traceback
import weakref
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from importlib import import_module
from types import TracebackType
from typing import Any, Generic, TypeVar, cast

from biaslab.arguments import with_current_names
from biaslab.errors import JobCancelledError, JobError, JobTimeoutError
from biaslab.jobs.context import JobContext, JobStatus, JobStopped, current_context, reporting_to
from biaslab.jobs.processes.work_process import CannotTravelError, Heavy, WorkProcess, heavy
from biaslab.jobs.progress import JobProgress, ProgressReports, call_safely
from biaslab.jobs.workers import NO_LIMITS, JobLimits, Workers, job_limits
from biaslab.people.access import carrying_access
from biaslab.people.activity import note
from biaslab.threads.background import on_exit, start_timer
from biaslab.threads.leaving import CLOSERS, JOB, Closers

__all__ = [
    "MOST_WAITING",
    "MOST_WAITING_OF_ONE",
    "Job",
    "JobContext",
    "JobGroup",
    "JobStatus",
    "JobStopped",
    "abandoned",
    "abort_all",
    "is_stuck",
    "start",
    "start_waiting",
    "unfinished",
]

R = TypeVar("R")

_numbers = itertools.count(1)
MOST_WAITING = 8
"""Concurrent jobs of `start_waiting`; further ones are queued."""
MOST_WAITING_OF_ONE = 2
"""Of these, jobs of one owner, where jobs have owners."""
MOST_ANSWERING = 4
"""Processes that make answers of `JobGroup.answer`, at most one for each core."""
CALLS_S = 5.0
"""Seconds that calls of services under way have once their job is aborted; then they are closed."""


class Job(Generic[R]):
    """One call of a function in a worker thread; made by `start` and `start_waiting`.

    Attributes
    ----------
    id : int
        Number of the job in this process.
    name : str
        Name of the function.
    group : JobGroup or None
        Its group, which says whose it is.
    ran_out_of_time : bool
        Whether it was aborted because it reached the limit of its group.
    """

    def __init__(self, call: Callable[[_LiveContext], R], name: str, workers: Workers) -> None:
        self.id = next(_numbers)
        self.name = name
        self.group: JobGroup | None = None
        self.ran_out_of_time = False
        self._call = call
        self._workers = workers
        self._pid = os.getpid()
        self._lock = threading.Lock()
        self._finished = threading.Event()
        self._status = JobStatus.QUEUED
        self._stop: JobStatus | None = None
        self._stop_was_seen = False
        self._value: Any = None
        self._has_value = False
        self._error: BaseException | None = None
        self._raised_at: TracebackType | None = None
        self._progress = ProgressReports()
        self._closers = Closers()
        self._done_callbacks: list[Callable[[Job[R]], object]] = []

    @property
    def status(self) -> JobStatus:
        """Queued, running, done, cancelled, aborted or failed."""
        return self._status

    @property
    def finished(self) -> bool:
        """Whether it has ended, in any way."""
        return self._finished.is_set()

    @property
    def stopping(self) -> bool:
        """Whether a stop was requested and it has not stopped yet."""
        return self._stop is not None and not self.finished

    @property
    def was_stopped(self) -> bool:
        """Whether a stop was requested, however it ended."""
        return self._stop is not None

    @property
    def owner(self) -> str:
        """Whose it is; empty where there is one person only."""
        return self.group.owner if self.group is not None else ""

    @property
    def limits(self) -> JobLimits:
        """The limits of its group."""
        return self.group.limits if self.group is not None else NO_LIMITS

    @property
    def most_seconds(self) -> float | None:
        """How long it may run before it is aborted; None for any time."""
        return self.limits.max_wait_s if self._workers.waits else self.limits.max_run_s

    @property
    def waits_for_service(self) -> bool:
        """Whether it mostly waits for an external service."""
        return self._workers.waits

    @property
    def ahead(self) -> tuple[Job[Any], ...]:
        """While it is queued: the jobs that run before it, then those that wait before it."""
        jobs = [job for job in self._workers.jobs() if isinstance(job, Job) and not job.finished]
        queued = self._status == JobStatus.QUEUED and self in jobs
        return tuple(jobs[: jobs.index(self)]) if queued else ()

    @property
    def place(self) -> int:
        """Its place among the jobs that wait for the same workers, from 1; else 0."""
        if self._status != JobStatus.QUEUED:
            return 0
        return 1 + sum(job.status == JobStatus.QUEUED for job in self.ahead)

    @property
    def seconds_left(self) -> float | None:
        """Until it ends, once it has begun; of a queued job, what others of its kind took."""
        if self._status == JobStatus.QUEUED:
            return self._workers.expected_seconds(self._kind)
        return self.progress.seconds_left

    @property
    def progress(self) -> JobProgress:
        """The latest progress."""
        return self._progress.latest

    @property
    def partial(self) -> Any:
        """The partial result (also of a failed job), or the result; else None."""
        return self._value

    @property
    def exception(self) -> BaseException | None:
        """The exception of a failed job, with its traceback; None if it did not fail."""
        return self._error

    @property
    def traceback(self) -> str:
        """The traceback of a failed job as text; empty if it did not fail."""
        if self._error is None:
            return ""
        return "".join(traceback.format_exception(None, self._error, self._raised_at))

    def cancel(self) -> None:
        """Stop it and discard its partial result; a queued job never begins.

        A job of `start_waiting` ends at once and frees its place for the next one, though its
        function may keep waiting for an answer, which is then ignored.
        """
        self._request(JobStatus.CANCELLED)

    def abort(self) -> None:
        """Stop it; its partial result becomes its result. A queued job is cancelled.

        Calls of services that are under way have `CALLS_S` seconds to bring their answers.
        """
        self._request(JobStatus.ABORTED)

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until it has finished, at most `timeout` seconds; return whether it has.

        Interrupting the wait (Ctrl-C, the notebook's stop button) aborts the job: `result` then
        returns the partial result.

        Raises
        ------
        JobError
            If waiting could never end: in the worker thread itself, or after a fork.
        """
        if self.finished:
            return True
        self._require_own_process()
        if self._workers.has_current_thread():
            raise JobError(
                f"Job {self.name!r} cannot be waited for in the thread that runs jobs. Call the"
                " function directly, or use on_done()."
            )
        deadline = None if timeout is None else time.monotonic() + timeout
        while True:
            # In slices: on Windows an interrupt arrives only between two waits.
            left = 0.5 if deadline is None else min(0.5, deadline - time.monotonic())
            try:
                if self._finished.wait(max(left, 0)):
                    return True
            except KeyboardInterrupt:
                self.abort()
                raise
            if deadline is not None and time.monotonic() >= deadline:
                return False

    def result(self, timeout: float | None = None) -> R:
        """Wait for the result, or the partial result of an aborted job.

        Parameters
        ----------
        timeout : float, optional
            Seconds to wait at most.

        Raises
        ------
        JobTimeoutError
            If it has not finished in time; it goes on.
        JobCancelledError
            If it was cancelled, or aborted without a partial result.
        BaseException
            The exception of the function, with its own traceback.
        """
        if not self.wait(timeout):
            raise JobTimeoutError(
                f"Job {self.name!r} has not finished after {timeout} s and is still running. Wait"
                " longer, or call its abort() or cancel()."
            )
        if self._error is not None:
            # Raised afresh each time, else every call would lengthen the traceback.
            raise self._error.with_traceback(self._raised_at)
        if not self._has_value:
            raise JobCancelledError(
                f"Job {self.name!r} was {self._status} and has no result. Start it again."
            )
        value: R = self._value
        return value

    def __await__(self) -> Generator[Any, None, R]:
        """Wait for the result, as `result`, while other tasks of the event loop go on.

        A task that is cancelled while it waits aborts the job.
        """
        import asyncio

        loop = asyncio.get_running_loop()
        ended = asyncio.Event()

        def wake(_: Job[R]) -> None:
            with contextlib.suppress(RuntimeError):  # the loop is closed
                loop.call_soon_threadsafe(ended.set)

        self.on_done(wake)
        try:
            yield from ended.wait().__await__()
        except asyncio.CancelledError:
            self.abort()
            raise
        return self.result()

    def on_progress(self, callback: Callable[[JobProgress], object]) -> Callable[[], None]:
        """Call `callback` with the progress, at most 10 times a second, and at the end.

        It is called at once if there is progress already. Later calls come from another thread,
        one at a time. A callback that raises is logged and not called again. Returns a function
        that ends the calls.
        """
        return self._progress.subscribe(callback)

    def on_done(self, callback: Callable[[Job[R]], object]) -> None:
        """Call `callback` with this job once it has finished; at once if it has already."""
        callback = carrying_access(callback)
        if not self.finished:
            self._require_own_process()
        with self._lock:
            if not self.finished:
                self._done_callbacks.append(callback)
                return
        call_safely(callback, self)

    def __repr__(self) -> str:
        parts = [str(self._status)]
        now = self.progress
        if self._status == JobStatus.RUNNING and now.done:
            parts.append(f"{now.done:g}" + (f" of {now.total:g}" if now.total else ""))
            if now.seconds_left is not None:
                parts.append(f"{now.seconds_left:.0f} s left")
        return f"<Job {self.name}: {', '.join(parts)}>"

    def _request(self, stop: JobStatus) -> None:
        if self.finished:
            return
        self._require_own_process()
        with self._lock:
            if self._finished.is_set():  # meanwhile
                return
            # Cancel overrides abort: the partial result is discarded. Abort does not undo cancel.
            if self._stop != JobStatus.CANCELLED:
                self._stop = stop
            was_queued = self._status == JobStatus.QUEUED
            if was_queued:
                self._status = JobStatus.CANCELLED
        if was_queued:
            self._workers.forget(self)
            self._finish(JobStatus.CANCELLED)
            return
        if stop == JobStatus.CANCELLED:
            if self._workers.waits:
                self._give_up()
            self._closers.close()
        else:
            # Calls under way may bring their answers; one that hangs would keep the place.
            self._unless_done(CALLS_S, Job._close_calls)
        if (grace := self.limits.grace_s) is not None:
            keep = self.limits.keep_s if stop == JobStatus.ABORTED else 0.0
            # Its process is killed after the first grace, which lets its thread return.
            self._unless_done(2 * grace + keep, Job._give_up)

    def _unless_done(self, seconds: float, method: Callable[[Job[Any]], object]) -> None:
        timer = start_timer(seconds, _weakly(self, method))
        self.on_done(lambda _: timer.cancel())

    def _close_calls(self) -> None:
        self._closers.close()

    def _give_up(self) -> None:
        """Go on without it: it has not left although it was stopped."""
        if not self.finished and self._workers.give_up(self):
            self._finish(self._stop or JobStatus.CANCELLED)

    def _run_out_of_time(self) -> None:
        self.ran_out_of_time = not self.finished
        self.abort()

    @property
    def _kind(self) -> tuple[str, str]:
        return (self.group.title if self.group is not None else "", self.name)

    def run_here(self) -> None:
        """Run in this thread, as its worker does; do nothing if it was cancelled before."""
        with self._lock:
            if self._status != JobStatus.QUEUED:
                return
            self._status = JobStatus.RUNNING
        most = self.most_seconds
        timer = None if most is None else start_timer(most, _weakly(self, Job._run_out_of_time))
        begun = time.monotonic()
        try:
            self._run()
        finally:
            if timer is not None:
                timer.cancel()
        if self._status == JobStatus.DONE:
            self._workers.remember(self._kind, time.monotonic() - begun)

    def _run(self) -> None:
        try:
            value = self._call(_LiveContext(self))
        except JobStopped:
            self._finish(JobStatus.ABORTED)
        except BaseException as error:  # noqa: BLE001  # raised again by result()
            self._finish(JobStatus.FAILED, error)
        else:
            self._set_value(value)
            # A function that returned before it saw the request to abort is simply done.
            self._finish(JobStatus.ABORTED if self._stop_was_seen else JobStatus.DONE)

    def refuse(self, error: JobError) -> None:
        """Fail before it begins, with this error."""
        with self._lock:
            if self._status != JobStatus.QUEUED:
                return
        self._finish(JobStatus.FAILED, error)

    def _require_own_process(self) -> None:
        # A forked process has a copy of the job, but not the thread that runs it.
        if os.getpid() != self._pid:
            raise JobError(
                f"Job {self.name!r} belongs to the process that started it. Use it there."
            )

    def _set_value(self, value: Any) -> None:
        with self._lock:
            if not self._finished.is_set():  # else it was given up
                self._value = value
                self._has_value = True

    def _finish(self, status: JobStatus, error: BaseException | None = None) -> None:
        if self.finished:
            return
        self._progress.close()
        with self._lock:
            if self._finished.is_set():  # meanwhile
                return
            if self._stop == JobStatus.CANCELLED and status != JobStatus.FAILED:
                status = JobStatus.CANCELLED
            if status == JobStatus.CANCELLED:
                self._value = None
                self._has_value = False
            if error is not None:
                self._error, self._raised_at = error, error.__traceback__
            self._status = status
            del self._call  # it references the arguments, which may include a whole subject
            self._finished.set()
            callbacks, self._done_callbacks = self._done_callbacks, []
        for callback in callbacks:
            call_safely(callback, self)


def _weakly(job: Job[Any], method: Callable[[Job[Any]], object]) -> Callable[[], None]:
    """Return a call for a timer, which may be held for a while after it has ended."""
    reference = weakref.ref(job)

    def call() -> None:
        if (target := reference()) is not None:
            method(target)

    return call


def start(probe: Callable[..., R], /, *args: Any, **kwargs: Any) -> Job[R]:
    """Run ``probe(*args, **kwargs)`` as a job in the background; returns at once.

    The probe finds the job's `JobContext` by `current_context`; a function of one's own that has a
    parameter ``context`` is also given it there.

    Raises
    ------
    TypeError
        If the probe does not take these arguments.

    Examples
    --------
    >>> job = start(pow, 2, 10)
    >>> job.result()
    1024
    """
    job = _new_job(_computing, probe, args, kwargs)
    job._workers.submit(job)
    return job


def start_waiting(probe: Callable[..., R], /, *args: Any, **kwargs: Any) -> Job[R]:
    """Start a job that mostly waits for an external service; otherwise as `start`.

    Such jobs run beside those of `start` and beside each other, `MOST_WAITING` at once.

    Raises
    ------
    TypeError
        If the probe does not take these arguments.
    """
    job = _new_job(_waiting, probe, args, kwargs)
    job._workers.submit(job)
    return job


def prepare_answers(module: str) -> None:
    """Start the first process of `JobGroup.answer`, with a module, in the background."""
    probe = _InProcess(heavy(import_module), JobLimits(in_process=True), _answerers)
    _answering.submit(_new_job(_answering, probe, (module,), {}))


def abort_all() -> None:
    """Abort every job of this process, and cancel queued ones."""
    for job in _all_jobs():
        job.abort()


def unfinished() -> tuple[Job[Any], ...]:
    """Return the jobs of this process: running ones, then queued ones in their order."""
    jobs = [job for job in _all_jobs() if isinstance(job, Job) and not job.finished]
    return tuple(sorted(jobs, key=lambda job: job.status != JobStatus.RUNNING))


def abandoned() -> int:
    """Return how many threads go on for jobs that were stopped and took no notice."""
    return sum(workers.abandoned for workers in (_computing, _heavy, _light))


def is_stuck() -> bool:
    """Return whether so many threads were abandoned that one more would hold up all jobs."""
    return _computing.is_stuck or _heavy.is_stuck or _light.is_stuck


def _all_jobs() -> list[Any]:
    return [*_computing.jobs(), *_heavy.jobs(), *_light.jobs(), *_waiting.jobs()]


class JobGroup:
    """Jobs of one owner, which are over when the owner leaves.

    Parameters
    ----------
    title : str
        What the jobs are part of, such as the title of a bench.
    owner : str
        Identifies whose jobs these are; empty where there is one person only.
    limits : JobLimits, optional
        How much they may take; by default `biaslab.jobs.workers.job_limits`.

    Attributes
    ----------
    on_add : callable or None
        Called when a job is added that a person waits for.
    on_out_of_time : callable or None
        Called with a job that was aborted because it reached the limit of computing.

    Examples
    --------
    >>> jobs = JobGroup()
    >>> jobs.start(pow, 2, 10).result()
    1024
    >>> jobs.close()
    >>> jobs.start(pow, 2, 10).status.value
    'cancelled'
    """

    def __init__(self, title: str = "", owner: str = "", limits: JobLimits | None = None) -> None:
        self.title, self.owner = title, owner
        self.limits = job_limits() if limits is None else limits
        self.on_add: Callable[[], object] | None = None
        self.on_out_of_time: Callable[[Job[Any]], object] | None = None
        self._lock = threading.Lock()
        self._jobs: set[Job[Any]] = set()
        self._awaited: list[Job[Any]] = []
        self._closed = False

    def start(self, probe: Callable[..., R], /, *args: Any, **kwargs: Any) -> Job[R]:
        """Start a job in this group; it is cancelled at once if the group is closed."""
        return self._add(self._new_computing(probe, args, kwargs))

    def start_awaited(self, probe: Callable[..., R], /, *args: Any, **kwargs: Any) -> Job[R]:
        """As `start`, of a job that a person waits for: its place in the line is shown."""
        return self._await(self._new_computing(probe, args, kwargs))

    def start_light(self, probe: Callable[..., R], /, *args: Any, **kwargs: Any) -> Job[R]:
        """As `start_awaited`, of a job of seconds that does not wait for those of minutes."""
        return self._await(_new_job(_light, probe, args, kwargs))

    def _await(self, job: Job[R]) -> Job[R]:
        with self._lock:
            self._awaited = [one for one in self._awaited if not one.finished] + [job]
        self._add(job)
        if self.on_add is not None:
            self.on_add()
        return job

    @property
    def awaited(self) -> tuple[Job[Any], ...]:
        """Unfinished jobs that a person waits for, in the order in which they were started."""
        with self._lock:
            return tuple(job for job in self._awaited if not job.finished)

    def start_waiting(self, probe: Callable[..., R], /, *args: Any, **kwargs: Any) -> Job[R]:
        """As `start_awaited`, of a job that mostly waits for an external service."""
        return self._await(_new_job(_waiting, probe, args, kwargs))

    def start_beside(self, probe: Callable[..., R], /, *args: Any, **kwargs: Any) -> Job[R]:
        """As `start`, of a job of seconds beside a run, in whose line it does not stand."""
        return self._add(_new_job(_waiting, probe, args, kwargs))

    def answer(self, probe: Heavy[R], /, *args: Any, **kwargs: Any) -> R:
        """Call a function whose answer somebody waits for, and return what it returns.

        Where the group has `biaslab.jobs.workers.JobLimits.aside`, it runs in another process, in
        its owner's turn. Elsewhere it is called here.

        Raises
        ------
        JobStopped
            If the group is closed meanwhile.
        """
        if not self.limits.aside:
            return probe(*args, **kwargs)
        job = _new_job(_answering, _InProcess(probe, self.limits, _answerers), args, kwargs)
        with self._lock:
            if self._closed:
                raise JobStopped
            self._jobs.add(job)
            job.group = self
        job.on_done(self._discard)
        job._workers.submit(job)
        try:
            return cast("R", job.result())
        except JobCancelledError:
            raise JobStopped from None

    @property
    def busy(self) -> bool:
        """Whether any of its jobs runs, or waits for its turn."""
        with self._lock:
            return bool(self._jobs)

    def close(self) -> None:
        """Cancel all jobs of the group, and those started later."""
        with self._lock:
            self._closed = True
            jobs = list(self._jobs)
        for job in jobs:
            job.cancel()

    def _new_computing(
        self, probe: Callable[..., R], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Job[R]:
        if isinstance(probe, Heavy) and self.limits.in_process:
            return _new_job(_heavy, _InProcess(probe, self.limits, _processes), args, kwargs)
        return _new_job(_computing, probe, args, kwargs)

    def _add(self, job: Job[R]) -> Job[R]:
        with self._lock:
            closed = self._closed
            if not closed:
                self._jobs.add(job)
                job.group = self
        if closed:
            job.cancel()
            return job
        job.on_done(self._discard)
        most = self.limits.most_queued if self.owner else None
        if not job._workers.submit(job, most):
            job.refuse(
                JobError(
                    f"You have {most} runs waiting, the most that one person may have here. Wait"
                    " until one of them has begun, or leave its line."
                )
            )
            return job
        note("ran", what=self.title or job.name)
        return job

    def _discard(self, job: Job[Any]) -> None:
        with self._lock:
            self._jobs.discard(job)
        if job.ran_out_of_time and self.on_out_of_time is not None:
            self.on_out_of_time(job)


def _new_job(
    workers: Workers, probe: Callable[..., R], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Job[R]:
    kwargs = with_current_names(probe, kwargs, stacklevel=4)
    takes_context = _takes_context(probe, args, kwargs)
    surroundings = contextvars.copy_context()

    def call(context: _LiveContext) -> R:
        extra = {"context": context} if takes_context else {}
        surroundings.run(JOB.set, context.leave_if_cancelled)
        surroundings.run(CLOSERS.set, context.closers)
        return surroundings.run(reporting_to(context)(probe), *args, **kwargs, **extra)

    return Job(call, getattr(probe, "__name__", type(probe).__name__), workers)


def _takes_context(
    probe: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> bool:
    """Return whether `probe` has a ``context`` that the arguments leave open."""
    try:
        signature = inspect.signature(probe)
    except (TypeError, ValueError):  # some built-in functions have none
        return False
    bound = signature.bind_partial(*args, **kwargs).arguments
    open_context = "context" in signature.parameters and "context" not in bound
    # A wrong argument raises here, not in the job.
    signature.bind(*args, **kwargs, **({"context": None} if open_context else {}))
    return open_context


class _InProcess:
    """Runs a heavy function in one of some processes, or here if it cannot be handed over."""

    def __init__(self, probe: Heavy[Any], limits: JobLimits, processes: _Processes) -> None:
        self._probe, self._limits, self._processes = probe, limits, processes
        self.__name__ = getattr(probe.probe, "__name__", "")
        self.__signature__ = inspect.signature(probe)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        caller = cast("_LiveContext", current_context())
        travelling = {name: value for name, value in kwargs.items() if value is not caller}
        with self._processes.one() as process:
            try:
                return process.run(
                    self._probe, args, travelling, caller,
                    grace_s=self._limits.grace_s or 0.0, keep_s=self._limits.keep_s,
                )  # fmt: skip
            except CannotTravelError:
                return self._probe(*args, **kwargs)


class _Processes:
    """As many work processes as there are threads that use them; the first ones are used most."""

    def __init__(self, *processes: WorkProcess) -> None:
        self._all = processes
        self._free = list(reversed(self._all))

    @contextmanager
    def one(self) -> Iterator[WorkProcess]:
        """Have a process for one call."""
        # A thread that was given up may still have the last one.
        process = self._free.pop() if self._free else WorkProcess(purpose="one run")
        try:
            yield process
        finally:
            if process in self._all:
                self._free.append(process)
            else:
                process.kill()

    def kill(self) -> None:
        """End all of them."""
        for process in self._all:
            process.kill()


class _LiveContext(JobContext):
    """The context of a probe that runs in a job."""

    def __init__(self, job: Job[Any]) -> None:
        self._job = job

    @property
    def closers(self) -> Closers:
        return self._job._closers

    @property
    def stop_requested(self) -> JobStatus | None:
        return self._job._stop

    def see_stop(self) -> None:
        self._job._stop_was_seen = True

    @property
    def should_stop(self) -> bool:
        if self._job._stop is None:
            return False
        self._job._stop_was_seen = True
        return True

    def leave_if_cancelled(self) -> None:
        if self._job._stop == JobStatus.CANCELLED:
            raise JobStopped

    def checkpoint(self) -> None:
        if self.should_stop:
            raise JobStopped

    def report(self, done: float, total: float | None = None, message: str = "") -> None:
        if not self._job.finished:  # else it was given up
            self._job._progress.report(done, total, message)

    def skip(self, steps: float) -> None:
        self._job._progress.skip(steps)

    def wait_for(self, text: str) -> None:
        if not self._job.finished:
            self._job._progress.wait_for(text)

    def keep(self, partial: Any) -> None:
        self._job._set_value(partial)


def _new_workers() -> tuple[Workers, Workers, Workers, Workers, Workers, _Processes, _Processes]:
    waiting = Workers(
        "biaslab-waiting-jobs", MOST_WAITING, per_owner=MOST_WAITING_OF_ONE, waits=True
    )
    most = min(os.cpu_count() or 1, MOST_ANSWERING)
    answering = Workers("biaslab-answers", most, per_owner=1)
    names = ("biaslab-jobs", "biaslab-heavy-jobs", "biaslab-light-jobs")
    computing, heavy, light = (Workers(name, 1) for name in names)
    answerers = _Processes(*(WorkProcess(purpose="answers") for _ in range(most)))
    return computing, heavy, light, waiting, answering, _Processes(WorkProcess()), answerers


_computing, _heavy, _light, _waiting, _answering, _processes, _answerers = _new_workers()


def _renew_workers() -> None:
    global _computing, _heavy, _light, _waiting, _answering, _processes, _answerers
    _computing, _heavy, _light, _waiting, _answering, _processes, _answerers = _new_workers()


def _end_workers() -> None:
    for workers in (_computing, _heavy, _light, _waiting, _answering):
        workers.end()
    for processes in (_processes, _answerers):
        processes.kill()


on_exit(_end_workers)
# A forked process has the parent's locks, perhaps held, and none of its threads.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_workers)
