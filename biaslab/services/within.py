"""An end to the wait for code that knows no time limit of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

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

    # A daemon, so that leaving the interpreter does not wait for it.
    asking = threading.Thread(target=run, name="biaslab-within", daemon=True)
    asking.start()
    asking.join(seconds)
    if errors:
        raise errors[0]
    if not values:
        raise StillRunsError(f"It took longer than {seconds:g} s.")
    return values[0]
