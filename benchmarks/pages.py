"""A page of a bench as its browser talks to it over Bokeh's websocket, without a browser."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit

from tornado.httpclient import AsyncHTTPClient, HTTPRequest
from tornado.websocket import WebSocketClientConnection, WebSocketClosedError, websocket_connect

from biaslab_widgets.core.state.delta import patched
from harness.isolation import BEARER

__all__ = ["OPEN_S", "Page", "WebSocketClosedError"]

OPEN_S = 120
OUTPUTS = "outputs"
_TOKEN = re.compile(r'render_items = \[\{"token":"([^"]+)"')
_FIELDS = ('"attr":"answer"', f'"attr":"{OUTPUTS}"')
_READY = {
    "kind": "MessageSent",
    "msg_type": "bokeh_event",
    "msg_data": {"type": "event", "name": "document_ready", "values": {"type": "map"}},
}
"""Panel answers nothing before the page has said this."""


class Page:
    """One page and its websocket.

    - `url`: address of the bench's page.
    - `cookie`: what the browser is known by; empty for a new one.
    - `model`: id of the model that holds the fields.
    - `received`: bytes of all answers.
    - `lost`: set when the server has closed the connection.
    """

    def __init__(self, url: str, cookie: str = "") -> None:
        self.url, self.cookie = url, cookie
        self.received = 0
        self.lost = asyncio.Event()
        self._news = asyncio.Event()
        self._messages = 0
        self._answers: list[str] = []

    async def open(self) -> None:
        """Open the page and pull its document."""
        here = f"{urlsplit(self.url).scheme}://{urlsplit(self.url).netloc}"
        known = {"Cookie": self.cookie, **BEARER} if self.cookie else BEARER
        request = HTTPRequest(self.url, headers=known, request_timeout=OPEN_S)
        page = await AsyncHTTPClient().fetch(request)
        token = _TOKEN.search(page.body.decode())
        assert token is not None, "The page has no session."
        given = [one.partition(";")[0] for one in page.headers.get_list("Set-Cookie")]
        self.cookie = "; ".join(filter(None, [self.cookie, *given]))
        address = f"{here.replace('http://', 'ws://')}{urlsplit(self.url).path}/ws"
        self.socket: WebSocketClientConnection = await websocket_connect(
            HTTPRequest(address, headers={"Origin": here, "Cookie": self.cookie}),
            subprotocols=["bokeh", token[1]],
            max_message_size=64 * 1024 * 1024,
        )
        assert self.socket.protocol is not None
        self.socket.protocol.set_nodelay(True)  # as browsers do
        await self._next("ACK")
        self.send("PULL-DOC-REQ", {})
        document = json.loads(await self._next("PULL-DOC-REPLY"))
        self.model, fields = next(_data_models(document))
        self.generation = int(fields.get("generation", 0))
        self._shown = {name: _record(value) for name, value in fields.items()}
        self.send("PATCH-DOC", {"events": [_READY]})
        self._reader = asyncio.ensure_future(self._read())

    def set(self, changes: dict[str, Any]) -> None:
        """Change inputs."""
        self.generation += 1
        model = {"id": self.model}
        self.send("PATCH-DOC", {"events": [
            {"kind": "ModelChanged", "model": model, "attr": name, "new": _encoded(value)}
            for name, value in {**changes, "generation": self.generation}.items()
        ]})  # fmt: skip

    async def command(self, name: str, **args: Any) -> dict[str, Any]:
        """Send a command; return the reply."""
        number = self.generation + 1
        self.set({"command": {"id": number, "name": name, "args": args}})
        await self.until(lambda shown: shown["reply"]["id"] >= number)
        reply: dict[str, Any] = self.shown["reply"]
        return reply

    async def until(self, state: Callable[[dict[str, Any]], Any], within_s: float = 40) -> None:
        """Wait until what is shown is so."""
        async with asyncio.timeout(within_s):
            while not state(self.shown):
                self._news.clear()
                await self._news.wait()

    @property
    def shown(self) -> dict[str, Any]:
        """The fields of the bench, put together as its page does."""
        messages, self._answers = self._answers, []
        for message in messages:
            for event in json.loads(message)["events"]:
                if event.get("attr") == "answer":  # before answers travelled as deltas
                    self._shown["answer"] = _record(event["new"])
                elif event.get("attr") == OUTPUTS and event["new"]:
                    for name, change in json.loads(event["new"])["changed"].items():
                        self._shown[name] = patched(self._shown.get(name), change)
        return self._shown

    def heard(self, text: str) -> None:
        """Note a message; for pages that look into it at once."""

    async def _read(self) -> None:
        while (text := await self.socket.read_message()) is not None:
            if isinstance(text, str) and any(field in text for field in _FIELDS):
                self.received += len(text)
                self._answers.append(text)
                self.heard(text)
                self._news.set()
        self.lost.set()

    async def _next(self, kind: str) -> str:
        """Content of the next message of a kind."""
        while True:
            header = await self.socket.read_message()
            assert header is not None, "The server closed the connection."
            await self.socket.read_message()
            content = await self.socket.read_message()
            if json.loads(header)["msgtype"] == kind:
                return str(content)

    def send(self, kind: str, content: dict[str, Any]) -> None:
        """Send a message of Bokeh's protocol."""
        self.send_text(kind, json.dumps(content))

    def send_text(self, kind: str, content: str) -> None:
        """Send a message whose content is written already."""
        self._messages += 1
        head = json.dumps({"msgid": str(self._messages), "msgtype": kind})
        for part in (head, "{}", content):
            self.socket.write_message(part)

    def leave(self) -> None:
        """Close the page."""
        self._reader.cancel()
        self.socket.close()

    def vanish(self) -> None:
        """Cut the connection without a word, as a machine does that is switched off."""
        self._reader.cancel()
        assert self.socket.protocol is not None
        self.socket.protocol._abort()


def _data_models(part: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Models of a document that hold the fields of a bench: ids and fields."""
    if isinstance(part, dict):
        if "data" in part and "esm" in part:  # the component of a bench
            yield part["data"]["id"], part["data"]["attributes"]
        part = list(part.values())
    if isinstance(part, list):
        for inner in part:
            yield from _data_models(inner)


def _encoded(value: Any) -> Any:
    """A value as Bokeh writes it."""
    if isinstance(value, dict):
        return {"type": "map", "entries": [[n, _encoded(v)] for n, v in value.items()]}
    return [_encoded(one) for one in value] if isinstance(value, list) else value


def _record(value: Any) -> Any:
    if not (isinstance(value, dict) and "entries" in value):
        return value
    entries = dict(value["entries"])
    return json.loads(entries["json"]) if "json" in entries else entries
