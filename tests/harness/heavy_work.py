"""Work for a process of its own: well behaved, deaf, greedy, crashing."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from biaslab.jobs.context import JobContext, current_context
from biaslab.people.access import current_access
from biaslab.threads.leaving import leave_if_cancelled


def identity(value: Any) -> Any:
    """Return the value."""
    return value


def process() -> int:
    """Return the number of the process."""
    return os.getpid()


def user() -> str:
    """Return whose work it is."""
    return current_access().user


def count(
    upto: int, hook: Callable[[int], object] | None = None, context: JobContext | None = None
) -> int:
    """Count, keep, report and call back."""
    context = context or JobContext()
    for n in range(1, upto + 1):
        context.checkpoint()
        context.keep(n)
        context.report(n, upto, "counting")
        if hook is not None:
            hook(n)
    return upto


def count_on() -> int:
    """Count until it is stopped, and return how far it came."""
    context = current_context()
    n = 0
    while not context.should_stop:
        n += 1
        context.keep(n)
        context.report(n, None, "counting")
        leave_if_cancelled()
    return n


def deaf(context: JobContext | None = None) -> None:
    """Keep something, then take no notice of anything."""
    context = context or JobContext()
    context.keep("so far")
    context.report(1, 2, "begun")
    threading.Event().wait()


def greedy(megabytes: int) -> int:
    """Take memory."""
    return int(np.ones(megabytes * 125_000).sum())


def crash() -> None:
    """End the process as a crash would."""
    os.kill(os.getpid(), 9)


def address(subject: Any) -> tuple[int, int, tuple[str, ...]]:
    """Return the process, the object's address there, and the labels of a classifier."""
    return os.getpid(), id(subject), subject.labels


def process_and_name(subject: Any) -> tuple[int, str]:
    """Return the process, and the subject's name."""
    return os.getpid(), subject.name


def fail() -> None:
    """Raise."""
    raise ZeroDivisionError("on purpose")


def unpicklable() -> Any:
    """Return what cannot be handed on."""
    return lambda: None


def loud() -> int:
    """Print, as some libraries do."""
    print("noise" * 10_000)  # noqa: T201
    return 7
