"""A server with OpenAI's address scheme on loopback that answers, or misbehaves, as it is told."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from harness.service_server import Asked, Says, ServiceServer


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
def scripted_server(script: Callable[[dict[str, Any], int], Scripted]) -> Iterator[Server]:
    """Serve on a free port: `script` gets each request's body and its number, from 0."""
    requests: list[dict[str, Any]] = []

    def answer(asked: Asked) -> Says:
        body, number = asked.json, len(requests)
        requests.append(body | {"authorization": asked.headers.get("authorization", "")})
        says = script(body, number)
        content = says.raw if says.raw is not None else _body(says)
        data = content.encode()[: says.cut_at]
        cut = says.cut_at is not None
        return Says(data, says.status, headers=says.headers, cut=cut, late=says.silent)

    with ServiceServer(answer) as server:
        yield Server(f"{server.url}/v1", requests)


def _body(answer: Scripted) -> str:
    if answer.status != 200:
        return json.dumps({"error": {"message": answer.text, "type": "error"}})
    message = {"role": "assistant", "content": answer.text}
    choice = {"index": 0, "message": message, "finish_reason": answer.finish}
    head = {"id": "1", "object": "chat.completion", "created": 0, "model": "scripted"}
    return json.dumps({**head, "choices": [choice]})
