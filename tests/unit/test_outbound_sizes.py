"""Answers without end: reading stops at the cap, whichever way the request went."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from biaslab.asking.http import fetch
from biaslab.errors import EndpointAnswerError, ServiceAnswerError
from biaslab.jobs.job import JobContext
from harness.needs import needs
from harness.service_server import Says, ServiceServer

CAP = 2**20
MOST = 64 * CAP
BLOCK = b" " * 65536


class Endless:
    """A server whose answer would go on to 64 MB.

    Attributes
    ----------
    sent : int
        Bytes that were taken from it.
    """

    def __init__(self) -> None:
        self.sent = 0
        self.ended = threading.Event()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.end_headers()
                try:
                    while outer.sent < MOST:
                        self.wfile.write(BLOCK)
                        outer.sent += len(BLOCK)
                except OSError:
                    pass
                outer.ended.set()

            do_GET = do_POST

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))

    def __enter__(self) -> Endless:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@pytest.fixture
def endless() -> Iterator[Endless]:
    """The server, running."""
    with Endless() as server:
        yield server


def is_left(server: Endless) -> bool:
    """Whether the server was left long before the end; some of it lies in buffers."""
    return server.ended.wait(30) and server.sent < MOST // 2


def test_a_described_service_is_read_up_to_the_cap(
    endless: Endless, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("biaslab.asking.http._LARGEST", CAP)
    with pytest.raises(ServiceAnswerError, match="more than 1 MB"):
        fetch(endless.url, name="Endless")
    assert is_left(endless)


@needs("openai")
def test_a_chat_model_is_read_up_to_the_cap(
    endless: Endless, monkeypatch: pytest.MonkeyPatch
) -> None:
    from biaslab.asking.endpoint import Endpoint

    monkeypatch.setattr("biaslab.asking.endpoint._LARGEST", CAP)
    endpoint = Endpoint("m", base_url=endless.url, key="k")
    messages: Any = [{"role": "user", "content": "x"}]
    with pytest.raises(EndpointAnswerError, match="more than 1 MB"):
        endpoint.ask(
            lambda client: client.chat.completions.create(model="m", messages=messages),
            JobContext(),
        )
    assert is_left(endless)


def test_a_described_service_is_not_unpacked() -> None:
    packed = Says(gzip.compress(b"[" + 2**22 * b" "), headers={"Content-Encoding": "gzip"})
    with ServiceServer(lambda _: packed) as server:
        with pytest.raises(ServiceAnswerError, match="compressed answer"):
            fetch(server.url, name="Packed")
        assert server.asked[0].headers["accept-encoding"] == "identity"
