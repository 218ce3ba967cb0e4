"""A server on 127.0.0.1 that never answers, or answers a byte at a time."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress

_STEP_S = 0.02


class DripServer:
    """Runs while a test uses it as a context manager.

    Parameters
    ----------
    start : bytes
        Sent at once.
    drip : bytes
        Sent again and again, a byte at a time; empty: nothing more comes.

    Attributes
    ----------
    begun, ended : Semaphore
        Released when a call has come, and when its connection was closed by the caller.
    """

    def __init__(self, start: bytes = b"", drip: bytes = b"") -> None:
        self._start, self._drip = start, drip
        self.begun, self.ended = threading.Semaphore(0), threading.Semaphore(0)
        self._over = threading.Event()
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._threads = [threading.Thread(target=self._listen, daemon=True)]
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"

    def _listen(self) -> None:
        with suppress(OSError):
            while not self._over.is_set():
                connection, _ = self._socket.accept()
                thread = threading.Thread(target=self._serve, args=(connection,), daemon=True)
                self._threads.append(thread)
                thread.start()

    def _serve(self, connection: socket.socket) -> None:
        with connection, suppress(OSError):
            connection.recv(65536)
            connection.sendall(self._start)
            self.begun.release()
            connection.settimeout(_STEP_S)
            while not self._over.is_set():
                if self._drip:
                    connection.sendall(self._drip[:1])
                try:
                    if connection.recv(65536) == b"":
                        break
                except TimeoutError:
                    continue
        self.ended.release()

    def __enter__(self) -> DripServer:
        self._threads[0].start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        # Closing alone does not end a wait for the next caller.
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        for thread in self._threads:
            thread.join()
