"""Read a whole answer, headers too, within one time limit.

A socket's own limit begins anew with every byte, so that a server can hold a caller for as long as
it sends one in time.
"""

from __future__ import annotations

import http.client
import io
import socket
import time
from collections.abc import Callable
from functools import partial
from typing import Any

_LEAST = 1e-3
"""A socket takes a limit of 0 as "do not wait at all"."""


def until(seconds: float | None) -> Callable[..., http.client.HTTPResponse]:
    """Return what makes responses that have to be there within so many seconds from now."""
    end = float("inf") if seconds is None else time.monotonic() + seconds
    return partial(_Response, end)


class _Response(http.client.HTTPResponse):
    def __init__(self, end: float, sock: socket.socket, *args: Any, **options: Any) -> None:
        super().__init__(sock, *args, **options)
        buffered: Any = self.fp
        if end < float("inf"):
            self.fp = io.BufferedReader(_Until(end, sock, buffered.detach()))


class _Until(io.RawIOBase):
    """The bytes of a socket until a moment; then `TimeoutError`."""

    def __init__(self, end: float, sock: socket.socket, raw: io.RawIOBase) -> None:
        super().__init__()
        self._end, self._sock, self._raw = end, sock, raw

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        left = self._end - time.monotonic()
        if left <= 0:
            raise TimeoutError
        self._sock.settimeout(max(left, _LEAST))
        return self._raw.readinto(buffer)

    def close(self) -> None:
        if not self.closed:
            self._raw.close()
        super().close()
