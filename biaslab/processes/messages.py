"""Messages that a work process and its caller exchange."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from biaslab.access import Access
from biaslab.job_context import JobStatus


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
class Told:
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
