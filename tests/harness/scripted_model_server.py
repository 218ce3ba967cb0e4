"""A server with OpenAI's address scheme on loopback that answers, or misbehaves, as it is told."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Scripted:
    """What one request is answered.

    Attributes
    ----------
    text : str
        The model's answer.
    status : int
        HTTP status; other than 200, `text` is the error's message.
    headers : dict
        Further headers, such as Retry-After.
    finish : str
        Why the model stopped: ``"stop"`` or ``"length"``.
    cut_at : int or None
        After how many bytes the body ends, though it is announced in full.
    silent : bool
        Whether to answer only after the client has gone.
    raw : str or None
        The whole body, in place of one that is made of `text`.
    """

    text: str = ""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    finish: str = "stop"
    cut_at: int | None = None
    silent: bool = False
    raw: str | None = None


@dataclass
class Server:
    """A running server.

    Attributes
    ----------
    url : str
        Its base URL.
    requests : list of dict
        Bodies of the requests so far, with the key under ``"authorization"``.
    """

    url: str
    requests: list[dict[str, Any]]


@contextmanager
def scripted_server(
    script: Callable[[dict[str, Any], int], Scripted],
) -> Iterator[Server]:
    """Serve on a free port: `script` gets each request's body and its number, from 0."""
    seen: list[dict[str, Any]] = []
    done = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            number = len(seen)
            seen.append(body | {"authorization": self.headers.get("Authorization", "")})
            answer = script(body, number)
            if answer.silent:
                done.wait(30)
                self.close_connection = True
                return
            content = answer.raw if answer.raw is not None else _body(answer)
            data = content.encode()
            self.send_response(answer.status)
            for name, value in ({"Content-Type": "application/json"} | answer.headers).items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data if answer.cut_at is None else data[: answer.cut_at])
            if answer.cut_at is not None:
                self.close_connection = True

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield Server(f"http://127.0.0.1:{server.server_address[1]}/v1", seen)
    finally:
        done.set()
        server.shutdown()
        server.server_close()
        thread.join()


def _body(answer: Scripted) -> str:
    if answer.status != 200:
        return json.dumps({"error": {"message": answer.text, "type": "error"}})
    message = {"role": "assistant", "content": answer.text}
    choice = {"index": 0, "message": message, "finish_reason": answer.finish}
    return json.dumps(
        {
            "id": "1",
            "object": "chat.completion",
            "created": 0,
            "model": "scripted",
            "choices": [choice],
        }
    )
