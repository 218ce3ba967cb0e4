"""An end to the wait for code that knows no time limit of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from biaslab.background import start_thread

T = TypeVar("T")


class StillRunsError(Exception):
    """What was waited for has not come to its end."""


def within(seconds: float, call: Callable[[], T]) -> T:
    """What `call` returns, if it does so in time.

    It runs in a thread of its own, which nobody can stop: where it takes longer it goes on there,
    and what it returns is not looked at.

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
        What `call` raised.
    """
    values: list[T] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            values.append(call())
        except BaseException as error:  # noqa: BLE001  # handed to the thread that waits
            errors.append(error)

    asking = start_thread("biaslab-within", run)
    asking.join(seconds)
    if errors:
        raise errors[0]
    if not values:
        raise StillRunsError(f"It took longer than {seconds:g} s.")
    return values[0]
