"""HTTP on 127.0.0.1 for a simulated chat model."""

from __future__ import annotations

import json
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

MODEL: Final = "simulated"
PATIENCE: Final = 30.0
"""Seconds for which a connection may be silent."""
_LARGEST: Final = 2**20
"""Largest request in bytes."""
Answer = tuple[int, str, dict[str, str]]
"""Status, text and headers."""


def listening(port: int, answer: Callable[[dict[str, Any]], Answer]) -> ThreadingHTTPServer:
    """Return a server on 127.0.0.1 that does not serve yet.

    Parameters
    ----------
    port : int
        0: any free one.
    answer : callable
        Takes the body of a request for a chat completion.

    Raises
    ------
    OSError
        If the port cannot be used.
    """
    handler = type("Handler", (_Handler,), {"answer": staticmethod(answer)})
    server = ThreadingHTTPServer(("127.0.0.1", port), handler)
    server.daemon_threads = True
    return server


def error_body(message: str, param: str | None = None) -> str:
    """Return the body of an error in OpenAI's form."""
    error = {"message": message, "type": "error", "param": param, "code": None}
    return json.dumps({"error": error})


class _Handler(BaseHTTPRequestHandler):
    """Requests to one server."""

    answer: Callable[[dict[str, Any]], Answer]
    protocol_version = "HTTP/1.1"
    timeout = PATIENCE

    def do_GET(self) -> None:
        if self.path.rstrip("/") != "/v1/models":
            return self._send(404, error_body("There are /v1/models and /v1/chat/completions."), {})
        models = [{"id": MODEL, "object": "model", "created": 0, "owned_by": "biaslab"}]
        return self._send(200, json.dumps({"object": "list", "data": models}), {})

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or int(length) > _LARGEST:
            self.close_connection = True
            return self._send(413, error_body("Send at most 1 MB, with its length."), {})
        raw = self.rfile.read(int(length))
        if self.path.rstrip("/") != "/v1/chat/completions":
            return self._send(404, error_body("There are /v1/models and /v1/chat/completions."), {})
        try:
            body = json.loads(raw)
        except (ValueError, RecursionError):
            body = None
        if not isinstance(body, dict):
            return self._send(400, error_body("The body is no JSON object."), {})
        return self._send(*self.answer(body))

    def log_message(self, *_: Any) -> None:
        """Write nothing: a request holds somebody's text."""

    def _send(self, status: int, text: str, headers: dict[str, str]) -> None:
        data = text.encode()
        try:
            self.send_response(status)
            for name, value in ({"Content-Type": "application/json"} | headers).items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True  # the client did not wait
