"""The process in which heavy jobs run: ``python -m biaslab.jobs.processes.worker``.

It carries out one task after the other and keeps subjects open between them. It ends when its
caller has ended, however that happened.
"""

from __future__ import annotations

import contextvars
import importlib
import os
import pickle
import queue
import threading
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from biaslab.errors import JobError
from biaslab.jobs.context import JobContext, JobStatus, JobStopped, reporting_to
from biaslab.jobs.processes.messages import (
    Called,
    Channel,
    Ending,
    Kept,
    Left,
    MemoryFull,
    Raised,
    Report,
    Returned,
    Setup,
    Stop,
    Task,
    packed,
)
from biaslab.network.connections import guard_connections
from biaslab.people.access import acting_as, set_access_otherwise
from biaslab.threads.leaving import JOB

NICENESS = 5
"""Answers to people who drag a handle come before a run of minutes."""
_REPORT_S = 0.05
_MEMORY = ("can't allocate memory", "not enough memory", "CUDA out of memory")
"""What torch says when it has no memory, in errors of several kinds."""
_KEEP_SHARE = 0.1
"""Share of the time that handing on partial results may take."""


def main() -> None:
    """Carry out tasks until the caller ends."""
    channel = _channel()
    setup: Setup = channel.receive()
    set_access_otherwise(setup.otherwise)
    if setup.is_guarded:
        guard_connections()
    _limit(setup.memory)
    tasks: queue.SimpleQueue[Task] = queue.SimpleQueue()
    stops = _Stops()
    threading.Thread(target=_listen, args=(channel, tasks, stops), daemon=True).start()
    while True:
        task = tasks.get()
        context = _Context(channel, stops, task.number)
        ending = _carried_out(task, context)
        context.flush()
        channel.send_packed(_packed(ending))


class _Stops:
    """Which tasks are to stop, and how."""

    def __init__(self) -> None:
        self._how: dict[int, JobStatus] = {}

    def add(self, stop: Stop) -> None:
        # Cancel overrides abort.
        if self._how.get(stop.number) != JobStatus.CANCELLED:
            self._how = {stop.number: stop.how}

    def of(self, number: int) -> JobStatus | None:
        return self._how.get(number)


class _Context(JobContext):
    """The context of a task: hands everything on to the caller's process."""

    def __init__(self, channel: Channel, stops: _Stops, number: int) -> None:
        self._channel, self._stops, self._number = channel, stops, number
        self._reported_at = -float("inf")
        self._report: Report | None = None
        self._kept: Kept | None = None
        self._keep_at = -float("inf")
        self.saw_stop = False

    @property
    def should_stop(self) -> bool:
        if self._stops.of(self._number) is None:
            return False
        self.saw_stop = True
        return True

    def checkpoint(self) -> None:
        if self.should_stop:
            raise JobStopped

    def leave_if_cancelled(self) -> None:
        if self._stops.of(self._number) == JobStatus.CANCELLED:
            raise JobStopped

    def report(self, done: float, total: float | None = None, message: str = "") -> None:
        self._report = Report(done, total, message)
        if time.monotonic() - self._reported_at > _REPORT_S:
            self._send_report()

    def keep(self, partial: Any) -> None:
        self._kept = Kept(partial)
        if time.monotonic() > self._keep_at:
            self._send_kept()

    def forwarder(self, name: str) -> Callable[..., None]:
        """Return what stands for a forwarded argument."""

        def forward(*args: Any, **kwargs: Any) -> None:
            self._channel.send(Called(name, args, kwargs))

        return forward

    def flush(self) -> None:
        """Hand on what was held back."""
        self._send_report()
        self._send_kept()

    def _send_report(self) -> None:
        report, self._report = self._report, None
        if report is not None:
            self._reported_at = time.monotonic()
            self._channel.send(report)

    def _send_kept(self) -> None:
        kept, self._kept = self._kept, None
        if kept is not None:
            begun = time.monotonic()
            self._channel.send(kept)
            took = time.monotonic() - begun
            self._keep_at = begun + took / _KEEP_SHARE


def _carried_out(task: Task, context: _Context) -> Ending:
    try:
        value = contextvars.copy_context().run(_call, task, context)
    except JobStopped:
        return Left()
    except MemoryError:
        return MemoryFull()
    except BaseException as error:  # noqa: BLE001  # raised again in the caller's process
        if any(mark in str(error) for mark in _MEMORY):
            return MemoryFull()
        return Raised(error, traceback.format_exc())
    return Returned(value, context.saw_stop)


def _call(task: Task, context: _Context) -> Any:
    JOB.set(context.leave_if_cancelled)
    with acting_as(task.access), reporting_to(context):
        probe, args, kwargs, forwarded, takes_context = pickle.loads(task.call)  # noqa: S301
        kwargs |= {name: context.forwarder(name) for name in forwarded}
        if takes_context:
            kwargs["context"] = context
        return probe(*args, **kwargs)


def _packed(ending: Ending) -> bytes:
    """Return the last message of a task, whatever it returned or raised."""
    try:
        content = packed(ending)
        if isinstance(ending, Raised):
            pickle.loads(content)  # noqa: S301  # some errors are written and cannot be read
    except MemoryError:
        return packed(MemoryFull())
    except Exception as problem:  # noqa: BLE001  # anybody's result
        if isinstance(ending, Raised):
            error = JobError(f"{type(ending.error).__name__}: {ending.error}")
            return packed(Raised(error, ending.traceback))
        why = f"The result could not be handed on ({type(problem).__name__}: {problem})."
        return packed(Raised(JobError(why), traceback.format_exc()))
    return content


def _channel() -> Channel:
    """Take the pipes, so that nothing that prints disturbs the messages."""
    incoming = os.fdopen(os.dup(0), "rb")
    outgoing = os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    return Channel(incoming, outgoing)


def _listen(channel: Channel, tasks: queue.SimpleQueue[Task], stops: _Stops) -> None:
    try:
        while True:
            message = channel.receive()
            if isinstance(message, Stop):
                stops.add(message)
            else:
                tasks.put(message)
    finally:
        os._exit(0)  # the caller has ended: nobody waits for anything


def _yield_to(callers: Path, own: Path) -> None:
    """Let the caller's session go first: Linux shares a core by sessions before it looks at "nice".

    Parameters
    ----------
    callers, own
        The files in which Linux keeps the niceness of a session. Elsewhere they do not exist, and
        they are empty where a container has no sessions of its own.
    """
    with suppress(OSError, ValueError):
        if words := callers.read_text(encoding="ascii").split():
            own.write_text(str(min(int(words[-1]) + NICENESS, 19)), encoding="ascii")


def _limit(memory: int | None) -> None:
    """Take no more memory than allowed, and processor time after everybody who waits."""
    with suppress(OSError, AttributeError):
        os.nice(NICENESS)
    _yield_to(Path(f"/proc/{os.getppid()}/autogroup"), Path("/proc/self/autogroup"))
    if memory is None:
        return
    with suppress(ImportError, OSError, ValueError, AttributeError):
        resource: Any = importlib.import_module("resource")
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        most = memory if hard == resource.RLIM_INFINITY else min(memory, hard)
        resource.setrlimit(resource.RLIMIT_DATA, (most, hard))


if __name__ == "__main__":
    main()
