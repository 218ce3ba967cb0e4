"""A process for heavy work, as its caller sees it: one task at a time, stopped or killed."""

from __future__ import annotations

import inspect
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final, Generic, Protocol, TypeVar, cast

from biaslab.errors import JobError
from biaslab.jobs.context import JobStatus, JobStopped
from biaslab.jobs.processes.messages import (
    Called,
    Channel,
    Ending,
    Kept,
    Left,
    Raised,
    Report,
    Returned,
    Setup,
    Stop,
    Task,
    packed,
)
from biaslab.network.connections import is_guarded
from biaslab.people.access import current_access, without_access
from biaslab.threads.background import is_exiting, start_thread
from biaslab.threads.cores import THREADS_WAIT

R = TypeVar("R")
S = TypeVar("S")


@dataclass(frozen=True)
class SubjectReference(Generic[S]):
    """A subject for a heavy job: in this process the open one, elsewhere opened by its name.

    Its files are mapped into memory where their format allows it, so that processes share them.

    Attributes
    ----------
    subject : object
        The open subject.
    opener : callable or None
        Opens the same subject in another process, where it stays open for later jobs; a function
        of a module, or a partial of one. None: it exists in this process only.
    """

    subject: S
    opener: Callable[[], S] | None = None

    def __reduce__(self) -> Any:
        if self.opener is None:
            raise TypeError("This subject has no name by which another process could open it.")
        return (_opened, (self.opener,))


def _opened(opener: Callable[[], S]) -> S:
    return opener()


@dataclass(frozen=True)
class Heavy(Generic[R]):
    """A function whose job may run in a process of its own; made by `heavy`.

    Attributes
    ----------
    probe : callable
        A function of a module.
    forwarded : tuple of str
        Keyword arguments that are called back, in this process; what they return is not handed on.
    """

    probe: Callable[..., R]
    forwarded: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        # A job is named after it, and checks its arguments.
        object.__setattr__(self, "__name__", getattr(self.probe, "__name__", ""))
        object.__setattr__(self, "__signature__", inspect.signature(self.probe))

    def __call__(self, *args: Any, **kwargs: Any) -> R:
        """Call it in this process, with its subjects themselves."""
        return self.probe(
            *(_itself(value) for value in args),
            **{name: _itself(value) for name, value in kwargs.items()},
        )


def heavy(probe: Callable[..., R], forwarded: tuple[str, ...] = ()) -> Heavy[R]:
    """Mark a function whose job may run in a process of its own.

    Where the job's group has `biaslab.jobs.workers.JobLimits.in_process`, it does, unless an
    argument exists in this process only. Elsewhere it runs in a thread, as any other job.

    Parameters
    ----------
    probe : callable
        A function of a module; its other arguments and what it returns can be pickled.
    forwarded : tuple of str
        Keyword arguments that are called back, in this process; what they return is not handed on.

    Examples
    --------
    >>> heavy(pow)(2, 10)
    1024
    """
    return Heavy(probe, forwarded)


def _itself(value: Any) -> Any:
    return value.subject if isinstance(value, SubjectReference) else value


SHARE: Final = 0.5
"""Of this machine's memory that the process may take."""
_LOOK_S = 0.05
_GPU = Path("/dev/nvidiactl")
_ENDED = object()


class Caller(Protocol):
    """The job that a task belongs to."""

    @property
    def stop_requested(self) -> JobStatus | None:
        """Cancelled or aborted, if that was requested; else None."""

    def see_stop(self) -> None:
        """Note that the task had noticed that it was to stop."""

    def report(self, done: float, total: float | None = None, message: str = "") -> None:
        """Take progress."""

    def keep(self, partial: Any) -> None:
        """Take a partial result."""


class CannotTravelError(Exception):
    """A task cannot be handed to another process: an argument exists in this one only."""


class WorkProcess:
    """One process for heavy work; it starts with the first task, and again after it was killed.

    Parameters
    ----------
    memory : int, optional
        Bytes that it may take; by default half of this machine's memory. Where there is a GPU,
        whose driver maps more memory than it uses, there is no limit.
    purpose : str
        What it is for; stands at the end of its command line.
    """

    def __init__(self, memory: int | None = None, purpose: str = "runs") -> None:
        self._memory, self._purpose = memory, purpose
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._channel: Channel | None = None
        self._messages: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._number = 0

    @property
    def pid(self) -> int | None:
        """Number of the process; None while there is none."""
        process = self._process
        return process.pid if process is not None and process.poll() is None else None

    def run(
        self,
        task: Heavy[Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        caller: Caller,
        *,
        grace_s: float,
        keep_s: float,
    ) -> Any:
        """Carry out a task there, and return what it returns.

        Parameters
        ----------
        task : Heavy
        args : tuple
        kwargs : dict
        caller : Caller
            Says when to stop, and takes progress and partial results.
        grace_s : float
            Seconds that it has to leave once it was cancelled; then the process is killed.
        keep_s : float
            Seconds in addition that it has once it was aborted, to return what it has.

        Raises
        ------
        CannotTravelError
            If it cannot be handed over; nothing has been done.
        JobStopped
            If it was stopped.
        JobError
            If the process has ended, or needed too much memory.
        BaseException
            What the task raised.
        """
        forwarded, call = _call_of(task, args, kwargs)
        messages = self._begin(call)
        try:
            ending = self._await(messages, forwarded, caller, grace_s, keep_s)
        except BaseException:
            self.kill()  # it would go on with this task
            raise
        return self._end(ending, caller)

    def _await(
        self,
        messages: queue.SimpleQueue[Any],
        forwarded: dict[str, Callable[..., object]],
        caller: Caller,
        grace_s: float,
        keep_s: float,
    ) -> Ending:
        deadline = float("inf")
        sent: JobStatus | None = None
        while True:
            if (stop := caller.stop_requested) not in (None, sent):
                sent = stop
                extra = keep_s if stop == JobStatus.ABORTED else 0.0
                deadline = time.monotonic() + grace_s + extra
                self._send(Stop(self._number, JobStatus(str(stop))))
            try:
                message = messages.get(timeout=_LOOK_S)
            except queue.Empty:
                if time.monotonic() > deadline:
                    raise JobStopped from None
                continue
            if isinstance(message, Report):
                caller.report(message.done, message.total, message.message)
            elif isinstance(message, Kept):
                caller.keep(message.value)
            elif isinstance(message, Called):
                forwarded[message.name](*message.args, **message.kwargs)
            elif message is _ENDED:
                if caller.stop_requested is not None:
                    raise JobStopped
                raise JobError(self._why_ended())
            else:
                ending: Ending = message
                return ending

    def kill(self) -> None:
        """End the process at once; the next task begins another one."""
        process, self._process, self._channel = self._process, None, None
        if process is None:
            return
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except OSError:  # what was to be written is lost, as the process is
                    continue

    @property
    def _most(self) -> int:
        if self._memory is not None:
            return self._memory
        from biaslab.subjects.pretrained.memory import total_memory

        return int(SHARE * total_memory("cpu"))

    def _end(self, ending: Ending, caller: Caller) -> Any:
        if isinstance(ending, Returned):
            if ending.saw_stop:
                caller.see_stop()
            return ending.value
        if isinstance(ending, Left):
            raise JobStopped
        if isinstance(ending, Raised):
            ending.error.add_note(ending.traceback)
            raise ending.error
        self.kill()  # what filled it may still be there
        raise JobError(
            f"The run needs more than {self._most / 1e9:.1f} GB of memory, the most that one may"
            " take here. Choose fewer draws, chains or words."
        )

    def _begin(self, call: bytes) -> queue.SimpleQueue[Any]:
        with self._lock:
            for _ in range(2):  # it may have ended while it had nothing to do
                if self.pid is None:
                    self._start()
                self._number += 1
                if self._send(Task(self._number, current_access(), call)):
                    return self._messages
                self.kill()
        raise JobError("The process for heavy runs cannot be started. Try again later.")

    def _start(self) -> None:
        self.kill()
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "biaslab.jobs.processes.worker", self._purpose],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=_environment(),
            # Ctrl-C in a terminal is for its caller, which ends it.
            start_new_session=os.name == "posix",
        )
        pipes = cast("BinaryIO", process.stdout), cast("BinaryIO", process.stdin)
        self._process = process
        self._channel = channel = Channel(*pipes)
        messages: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._messages = messages
        memory = None if _GPU.exists() else self._most
        self._send(Setup(memory, without_access(), is_guarded()))
        start_thread("biaslab-work-process", lambda: _read(channel, messages), shared=True)

    def _send(self, message: Any) -> bool:
        channel = self._channel
        try:
            if channel is not None:
                channel.send(message)
        except (OSError, ValueError):  # it has ended, or was killed
            return False
        return channel is not None

    def _why_ended(self) -> str:
        process = self._process
        code = process.wait() if process is not None else 0
        self.kill()
        how = f"signal {-code}" if code < 0 else f"exit status {code}"
        return (
            f"The process of this run ended before the run did ({how}), perhaps because memory ran"
            " out. Nothing else has changed. Choose a smaller run, or try again."
        )


def _call_of(
    task: Heavy[Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[dict[str, Callable[..., object]], bytes]:
    """Return the callbacks of a call, and the rest of it as bytes."""
    forwarded = {n: kwargs[n] for n in task.forwarded if callable(kwargs.get(n))}
    rest = {name: value for name, value in kwargs.items() if name not in forwarded}
    takes_context = "context" in inspect.signature(task.probe).parameters
    try:
        call = packed((task.probe, args, rest, tuple(forwarded), takes_context))
    except Exception as error:  # anybody's argument
        raise CannotTravelError(str(error)) from error
    return forwarded, call


def _read(channel: Channel, messages: queue.SimpleQueue[Any]) -> None:
    try:
        while not is_exiting():
            messages.put(channel.receive())
    except (EOFError, OSError, ValueError):  # it has ended, or was killed
        pass
    finally:
        messages.put(_ENDED)


def _environment() -> dict[str, str]:
    """Return the environment of this process; modules are found where this one finds them."""
    own = str(Path(__file__).resolve().parents[3])
    path = dict.fromkeys([*(entry for entry in sys.path if entry), own])
    return {**dict([THREADS_WAIT]), **os.environ, "PYTHONPATH": os.pathsep.join(path)}
