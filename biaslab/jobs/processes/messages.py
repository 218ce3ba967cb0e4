"""Messages that a work process and its caller exchange."""

from __future__ import annotations

import pickle
import struct
import threading
from dataclasses import dataclass
from typing import Any, BinaryIO

from biaslab.jobs.context import JobStatus
from biaslab.people.access import Access

_LENGTH = struct.Struct("<Q")


class Channel:
    """Sends and receives whole messages; several threads may send.

    Parameters
    ----------
    incoming, outgoing : file
        Pipes, in binary.
    """

    def __init__(self, incoming: BinaryIO, outgoing: BinaryIO) -> None:
        self._incoming, self._outgoing = incoming, outgoing
        self._lock = threading.Lock()

    def send(self, message: Any) -> None:
        """Send a message; what cannot be pickled raises before anything is sent."""
        self.send_packed(packed(message))

    def send_packed(self, content: bytes) -> None:
        """Send a message that is pickled already.

        Raises `OSError` if the other process has ended.
        """
        with self._lock:
            self._outgoing.write(_LENGTH.pack(len(content)))
            self._outgoing.write(content)
            self._outgoing.flush()

    def receive(self) -> Any:
        """Wait for the next message, and return it.

        Raises `EOFError` if the other process has ended.
        """
        (length,) = _LENGTH.unpack(self._read(_LENGTH.size))
        return pickle.loads(self._read(length))  # noqa: S301  # from our own process

    def _read(self, length: int) -> bytes:
        content = self._incoming.read(length)
        if len(content) < length:
            raise EOFError
        return content


def packed(message: Any) -> bytes:
    """Return a message as bytes."""
    return pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)


@dataclass(frozen=True)
class Setup:
    """The first message to a process: what it may take and reach.

    ``otherwise`` is the access of work that belongs to nobody, ``is_guarded`` whether connections
    are refused that nobody has checked.
    """

    memory: int | None
    otherwise: Access
    is_guarded: bool


@dataclass(frozen=True)
class Task:
    """A call to carry out; ``call`` is the pickled function with its arguments."""

    number: int
    access: Access
    call: bytes


@dataclass(frozen=True)
class Stop:
    """A task is to stop: cancelled, or aborted with what it has."""

    number: int
    how: JobStatus


@dataclass(frozen=True)
class Report:
    """Progress of a task."""

    done: float
    total: float | None
    message: str


@dataclass(frozen=True)
class Kept:
    """A partial result."""

    value: Any


@dataclass(frozen=True)
class Called:
    """A call of a forwarded argument."""

    name: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]


@dataclass(frozen=True)
class Returned:
    """What a task returned; ``saw_stop`` whether it had noticed that it was to stop."""

    value: Any
    saw_stop: bool


@dataclass(frozen=True)
class Left:
    """A task left at a checkpoint."""


@dataclass(frozen=True)
class Raised:
    """What a task raised, with its traceback as text."""

    error: BaseException
    traceback: str


@dataclass(frozen=True)
class MemoryFull:
    """A task needed more memory than the process may take."""


Ending = Returned | Left | Raised | MemoryFull
"""The last message about a task."""
