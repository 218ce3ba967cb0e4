"""Refuse, on a server, every connection that does not come through `biaslab.network`."""

from __future__ import annotations

import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from biaslab.access import current_access, has_person

_checked: ContextVar[bool] = ContextVar("biaslab-checked-connection", default=False)
_UNIX = getattr(socket, "AF_UNIX", None)
_is_on = False


@contextmanager
def connecting() -> Iterator[None]:
    """Let this block connect: its address was checked."""
    before = _checked.set(True)
    try:
        yield
    finally:
        _checked.reset(before)


def guard_connections() -> None:
    """Refuse unchecked connections in this process from now on; it cannot be undone.

    The owner's work connects freely, and so does the server itself, which works for no person in
    the main thread. What a library does in a person's name without `biaslab.network`, or in a
    thread that has lost its person, is refused.
    """
    global _is_on
    if not _is_on:
        _is_on = True
        sys.addaudithook(_look)


def is_guarded() -> bool:
    """Return whether unchecked connections are refused in this process."""
    return _is_on


def _look(event: str, args: tuple[Any, ...]) -> None:
    if event != "socket.connect":
        return
    if args[0].family == _UNIX or _checked.get() or current_access().is_owner:
        return
    if not has_person() and threading.current_thread() is threading.main_thread():
        return
    raise ConnectionRefusedError("This connection is not allowed on this server.")
