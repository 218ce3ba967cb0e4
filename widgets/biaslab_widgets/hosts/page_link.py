"""The link between a bench and its page in the served app, over Bokeh's websocket.

Panel would take each change through its params, timers and threads, and Bokeh would look through
every value four times: ten milliseconds an answer, of which the answer takes three. Instead all
outputs that belong together travel as one text, with a number and only what has changed since
the last (`core.state.delta`); the page puts them together (`js/src/outputs.ts`), and asks for the
whole where a number is missing. Messages of all sessions that wait for the server's thread wake
it once. What a page sends is read from a message of Bokeh's protocol.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, Final, Protocol
from weakref import WeakKeyDictionary, WeakValueDictionary

from bokeh.core.serialization import Serializer
from bokeh.protocol.messages.patch_doc import patch_doc
from bokeh.server.connection import ServerConnection

from biaslab_widgets.core.state.delta import delta_of


class Receiver(Protocol):
    """A bench that takes inputs."""

    def take_inputs(self, values: Mapping[str, Any], model: str) -> None:
        """Take what the page has changed, in the server's thread."""


_receivers: WeakKeyDictionary[Any, WeakValueDictionary[str, Any]] = WeakKeyDictionary()


def receive(document: Any, model: str, bench: Receiver) -> None:
    """Hand a bench the inputs that pages of a document send for a model."""
    _receivers.setdefault(document, WeakValueDictionary())[model] = bench


def inputs_of(document: Any, content: Mapping[str, Any]) -> Callable[[], None] | None:
    """Return what takes a message that only sets plain inputs of one bench; None of any other.

    - `document`: of the session that the message is for.
    - `content`: of a ``PATCH-DOC`` message.
    """
    receivers = _receivers.get(document)
    if not receivers:
        return None
    models, values = set(), {}
    for event in content["events"]:
        if event.get("kind") != "ModelChanged":
            return None
        models.add(event["model"]["id"])
        try:
            values[event["attr"]] = _plain(event.get("new"))
        except _OtherwiseWritten:
            return None
    if len(models) != 1:
        return None
    model = models.pop()
    bench = receivers.get(model)
    return None if bench is None else lambda: bench.take_inputs(values, model)


class _OtherwiseWritten(Exception):
    """A value that only Bokeh can read."""


def _plain(value: Any) -> Any:
    """Return a value as JSON has it: Bokeh writes a record as a list of its entries."""
    if isinstance(value, list):
        return [_plain(member) for member in value]
    if isinstance(value, dict):
        if value.get("type") != "map" or value.keys() - {"type", "entries"}:
            raise _OtherwiseWritten
        return {_name(name): _plain(member) for name, member in value.get("entries", [])}
    return value


def _name(value: Any) -> str:
    if not isinstance(value, str):
        raise _OtherwiseWritten
    return value


OUTPUTS: Final = "outputs"
"""Field of the page's model that the messages go to."""
SEEN: Final = "outputs_seen"
"""Field by which the page says ``[number, question]``: the last message that it has."""
LAST: Final = ("answer", "reply")
"""Outputs that end a wait: a page tells of them after all others."""


class Now:
    """Stands in the page's model for an output: what it is when the document is written."""

    def __init__(self, value: Callable[[], Any]) -> None:
        self.value = value


Serializer.register(Now, lambda now, serializer: serializer.encode(now.value()))


class PageLink:
    """What the pages of one bench have been sent.

    - `outputs`: names of the bench's outputs.
    - `read`: given a name, what Python holds.
    """

    def __init__(self, outputs: Iterable[str], read: Callable[[str], Any]) -> None:
        self._now = {name: read(name) for name in outputs}
        self._number = 0
        self._pages: dict[str, tuple[Any, str]] = {}

    def join(self, page: str, model: Any) -> None:
        """Let the model of a page show the outputs from now on."""
        self._pages[page] = model, model.id
        for name in self._now:
            model._property_values[name] = Now(partial(self._whole, name))
        model._property_values[OUTPUTS] = Now(lambda: _text({"n": self._number}))

    def leave(self, page: str) -> None:
        """Send nothing more to a page; Bokeh may have taken its model apart."""
        self._pages.pop(page, None)

    def _whole(self, name: str) -> Any:
        return _whole(self._now[name])

    def show(self, values: Mapping[str, Any]) -> None:
        """Send what has changed of inputs and outputs; in the server's thread only."""
        outputs, inputs = {}, {}
        for name, value in values.items():
            if name not in self._now:
                inputs[name] = value
            elif (delta := delta_of(self._now[name], value)) is not None:
                outputs[name] = delta
                self._now[name] = value
        if outputs:
            self._number += 1
        if outputs or inputs:
            self._send(inputs, {"n": self._number, "changed": _in_order(outputs)})

    def lacks(self, inputs: Mapping[str, Any]) -> bool:
        """Whether a page does not have these inputs yet."""
        models = [model for model, _ in self._pages.values()]
        return any(getattr(model, n) != v for model in models for n, v in inputs.items())

    def note(self, model: str, inputs: Mapping[str, Any]) -> None:
        """Hold inputs as a page's model, known by its id, has them."""
        for one, name in self._pages.values():
            if name == model:
                one._property_values.update(inputs)

    def seen(self, number: int) -> None:
        """Send the whole to a page that has missed a message."""
        if number != self._number:
            whole = {name: [value] for name, value in self._now.items()}
            self._send({}, {"n": self._number, "whole": True, "changed": _in_order(whole)})

    def _send(self, inputs: Mapping[str, Any], outputs: Mapping[str, Any]) -> None:
        text = _text(outputs) if outputs["changed"] else ""
        for model, name in list(self._pages.values()):
            moved = {n: value for n, value in inputs.items() if getattr(model, n) != value}
            self.note(name, moved)
            if (moved or text) and (connections := _connections(model.document)):
                serializer = Serializer()
                events = [_changed(name, n, serializer.encode(v)) for n, v in moved.items()]
                if text:
                    events.append(_changed(name, OUTPUTS, text))
                content = _text({"events": events})
                for connection in connections:
                    _post(connection, content)


class Outbox:
    """Calls that wait for the thread of a server; all of them wake it once."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._waiting: deque[Callable[[], object]] = deque()
        self._lock = threading.Lock()

    def post(self, call: Callable[[], object]) -> None:
        """Let the server's thread make a call soon, after those that were posted before."""
        with self._lock:
            if self._loop.is_closed():
                return
            self._waiting.append(call)
            if len(self._waiting) == 1:
                self._loop.call_soon_threadsafe(self._make)

    def _make(self) -> None:
        with self._lock:
            calls, self._waiting = self._waiting, deque()
        for call in calls:
            try:
                call()
            except Exception as error:  # noqa: BLE001  # the next call is of another session
                handler = {"message": "A page could not be told of a change.", "exception": error}
                self._loop.call_exception_handler(handler)


_on_their_way: set[asyncio.Future[Any]] = set()
"""A loop holds its tasks weakly: one that nobody else holds can vanish before it has ended."""
_outboxes: WeakKeyDictionary[asyncio.AbstractEventLoop, Outbox] = WeakKeyDictionary()


def outbox_of(loop: asyncio.AbstractEventLoop) -> Outbox:
    """Return the one outbox of a server's loop; call it in the loop's thread."""
    if loop not in _outboxes:
        _outboxes[loop] = Outbox(loop)
    return _outboxes[loop]


def _connections(document: Any) -> list[ServerConnection]:
    """Websockets of a document's pages; none before they are open and after they are lost."""
    context = document.session_context if document is not None else None
    session = getattr(context, "session", None)
    if session is None or session.destroyed:
        return []
    return list(session._subscribed_connections)


def _post(connection: ServerConnection, content: str) -> None:
    message: Any = patch_doc(patch_doc.create_header(), {}, None)
    message._content_json = content
    sending = asyncio.ensure_future(connection._socket.send_message(message))
    _on_their_way.add(sending)
    sending.add_done_callback(_on_their_way.discard)


def _changed(model: str, name: str, value: Any) -> dict[str, Any]:
    return {"kind": "ModelChanged", "model": {"id": model}, "attr": name, "new": value}


def _in_order(outputs: dict[str, Any]) -> dict[str, Any]:
    return {n: outputs[n] for n in sorted(outputs, key=lambda name: name in LAST)}


def _whole(value: Any) -> Any:
    """A record as text, and anything else as it is: Bokeh looks through the parts of a record."""
    return {"json": _text(value)} if isinstance(value, dict) else value


def _text(value: Any) -> str:
    return json.dumps(value, allow_nan=False, separators=(",", ":"))
