"""A server on 127.0.0.1 that answers what a test tells it to, and remembers what it was asked."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit


@dataclass(frozen=True)
class Asked:
    """One request."""

    method: str
    path: str
    query: dict[str, list[str]]
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """Its body."""
        return json.loads(self.body)

    @property
    def form(self) -> dict[str, str]:
        """Its body as a form."""
        return {name: values[0] for name, values in parse_qs(self.body.decode()).items()}


@dataclass(frozen=True)
class Says:
    """One answer; `cut` ends the connection before all of it was sent, `late` waits for the end."""

    body: str | bytes = ""
    status: int = 200
    kind: str = "application/json"
    headers: dict[str, str] = field(default_factory=dict)
    cut: bool = False
    late: bool = False

    @classmethod
    def of(cls, value: Any, status: int = 200, **options: Any) -> Says:
        """A value as JSON."""
        return cls(json.dumps(value), status, **options)

    @classmethod
    def chat(
        cls, message: str | dict[str, Any], finish: str = "stop", logprobs: Any = None, **other: Any
    ) -> Says:
        """A completion of a chat, as OpenAI's interface has it; `logprobs` are of its one token."""
        said = {"content": message} if isinstance(message, str) else message
        choice = {"index": 0, "message": {"role": "assistant"} | said, "finish_reason": finish}
        if logprobs is not None:
            tops = [{"token": token, "logprob": log} for token, log in logprobs.items()]
            drawn = {"token": message, "logprob": -0.1, "top_logprobs": tops}
            choice["logprobs"] = {"content": [drawn]}
        body = {"id": "1", "object": "chat.completion", "created": 0, "model": "m-2"}
        return cls.of(body | {"choices": [choice]} | other)


class ServiceServer:
    """Runs while a test uses it as a context manager.

    Parameters
    ----------
    answer : callable
        Given each `Asked`, says what is answered; it may wait for `released`.
    """

    def __init__(self, answer: Callable[[Asked], Says]) -> None:
        self.answer = answer
        self.asked: list[Asked] = []
        self.released = threading.Event()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer._handle(self)

            def do_POST(self) -> None:
                outer._handle(self)

            def do_HEAD(self) -> None:
                outer._handle(self)

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self._server.server_port}"

    def stop(self) -> None:
        """Nobody answers there any more; once is enough."""
        self.released.set()
        if self._thread.is_alive():
            self._server.shutdown()
            self._thread.join()
            self._server.server_close()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _handle(self, handler: BaseHTTPRequestHandler) -> None:
        parts = urlsplit(handler.path)
        length = int(handler.headers.get("content-length") or 0)
        asked = Asked(
            handler.command, parts.path, parse_qs(parts.query),
            {name.lower(): value for name, value in handler.headers.items()},
            handler.rfile.read(length),
        )  # fmt: skip
        self.asked.append(asked)
        says = self.answer(asked)
        if says.late:
            self.released.wait(30)
        body = says.body.encode() if isinstance(says.body, str) else says.body
        try:
            handler.send_response(says.status)
            handler.send_header("content-length", str(len(body) + (10 if says.cut else 0)))
            for name, value in ({"Content-Type": says.kind} | says.headers).items():
                handler.send_header(name, value)
            handler.end_headers()
            if handler.command != "HEAD":
                handler.wfile.write(body)
        except (BrokenPipeError, ConnectionResetError):
            return  # whoever asked has gone
