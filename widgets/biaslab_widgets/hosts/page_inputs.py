"""Inputs that a page sends: which bench they are for, read from a message of Bokeh's protocol."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol
from weakref import WeakKeyDictionary, WeakValueDictionary


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

    Parameters
    ----------
    document : bokeh.document.Document
        Of the session that the message is for.
    content : mapping
        Of a ``PATCH-DOC`` message.
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
