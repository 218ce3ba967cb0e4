"""A server that sends a byte now and then holds a caller no longer than its time limit."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator

import pytest

from biaslab.asking.http import fetch
from biaslab.errors import ServiceTimeoutError

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 4\r\n\r\n"
PAUSE = 0.15
LIMIT = 0.6
"""Far above a pause, far below all of them together: only a limit on the whole can end it."""


@contextlib.contextmanager
def dripping(at_once: bytes, slowly: bytes) -> Iterator[tuple[str, list[int]]]:
    """The address of a server that answers completely, but slowly, and the bytes sent so far."""
    sent: list[int] = []
    ended = threading.Event()

    def serve() -> None:
        with contextlib.suppress(OSError):
            connection, _ = listener.accept()
            with connection:
                connection.recv(65536)
                connection.sendall(at_once)
                for byte in slowly:
                    if ended.wait(PAUSE):
                        return
                    connection.sendall(bytes([byte]))
                    sent.append(byte)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}/", sent
        finally:
            ended.set()
            thread.join()


@pytest.mark.parametrize(
    ("at_once", "slowly"),
    [(HEAD[:9], HEAD[9:] + b"fine"), (HEAD.replace(b" 4\r", b" 60\r"), b"f" * 60)],
    ids=["headers", "body"],
)
def test_the_limit_is_of_the_whole_answer(at_once: bytes, slowly: bytes) -> None:
    with dripping(at_once, slowly) as (address, sent):
        with pytest.raises(ServiceTimeoutError, match=r"within 0\.6 s"):
            fetch(address, name="slow", timeout=LIMIT)
        assert len(sent) < len(slowly) / 2


def test_a_server_that_answers_in_time_is_read_whole() -> None:
    with dripping(HEAD, b"fine") as (address, _):
        assert fetch(address, name="slow", timeout=60) == "fine"
