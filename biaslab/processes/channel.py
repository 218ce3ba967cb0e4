"""Messages between a process and the one that it has started: pickles with their length before."""

from __future__ import annotations

import pickle
import struct
import threading
from typing import Any, BinaryIO

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

        Raises
        ------
        OSError
            If the other process has ended.
        """
        with self._lock:
            self._outgoing.write(_LENGTH.pack(len(content)))
            self._outgoing.write(content)
            self._outgoing.flush()

    def receive(self) -> Any:
        """Wait for the next message, and return it.

        Raises
        ------
        EOFError
            If the other process has ended.
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
