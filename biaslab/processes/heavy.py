"""Functions whose jobs may run in a process of their own, and subjects that are opened there."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

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

    Where the job's group has `biaslab.job_limits.JobLimits.in_process`, it does, unless an argument
    exists in this process only. Elsewhere it runs in a thread, as any other job.

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
