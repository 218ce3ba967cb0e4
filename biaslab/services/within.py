"""Run a call with a time limit."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import copy_context
from typing import TypeVar

from biaslab.background import start_thread

T = TypeVar("T")


class StillRunsError(Exception):
    """A call has not ended within its time limit."""


def within(seconds: float, call: Callable[[], T]) -> T:
    """Return the result of `call`, if it ends within the time limit.

    It runs in its own thread, which cannot be stopped: after the limit it continues there,
    and its result is ignored.

    Parameters
    ----------
    seconds : float
        To wait at most.
    call : callable

    Raises
    ------
    StillRunsError
        If it has not returned in time.
    BaseException
        The exception of `call`.
    """
    values: list[T] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            values.append(call())
        except BaseException as error:  # noqa: BLE001  # handed to the thread that waits
            errors.append(error)

    surroundings = copy_context()
    asking = start_thread("biaslab-within", lambda: surroundings.run(run))
    asking.join(seconds)
    if errors:
        raise errors[0]
    if not values:
        raise StillRunsError(f"It took longer than {seconds:g} s.")
    return values[0]
