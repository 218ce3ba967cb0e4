"""What a page sends for one bench is read from Bokeh's message without Bokeh's document."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from harness.deferred import Deferred

bokeh_document = Deferred("bokeh.document")
page_link = Deferred("biaslab_widgets.hosts.page_link")
serialization = Deferred("bokeh.core.serialization")


class Bench:
    """Keeps what it is handed."""

    def __init__(self) -> None:
        self.taken: list[tuple[dict[str, Any], str]] = []

    def take_inputs(self, values: Mapping[str, Any], model: str) -> None:
        self.taken.append((dict(values), model))


def message(*events: tuple[str, str, Any]) -> dict[str, Any]:
    return {
        "events": [
            {"kind": "ModelChanged", "model": {"id": model}, "attr": name, "new": value}
            for model, name, value in events
        ]
    }


@pytest.fixture
def page() -> tuple[Any, Bench]:
    document, bench = bokeh_document.Document(), Bench()
    page_link.receive(document, "p1", bench)
    return document, bench


@pytest.mark.parametrize(
    "value",
    [
        None,
        0.25,
        "nurse",
        ["a", ["b"]],
        {"id": 3, "name": "save", "args": {"label": "x", "deep": [{"a": None}]}},
        [{"name": "group 1", "terms": ["blow", "blue"], "of": []}],
        {},
    ],
)
def test_plain_values_and_records_come_as_bokeh_writes_them(
    page: tuple[Any, Bench], value: Any
) -> None:
    document, bench = page
    content = message(
        ("p1", "lists", serialization.Serializer().encode(value)), ("p1", "generation", 4)
    )
    take = page_link.inputs_of(document, content)
    assert take is not None
    take()
    assert bench.taken == [({"lists": value, "generation": 4}, "p1")]


@pytest.mark.parametrize(
    "written",
    [
        {"type": "number", "value": "nan"},
        {"type": "bytes", "data": "AA=="},
        {"id": "p1"},
        {"type": "symbol", "name": "a"},
        {"type": "map", "entries": [], "id": "p1"},
        {"type": "map", "entries": [[1, "a"]]},
        {"type": "map", "entries": [["a", {"type": "set", "entries": []}]]},
        [{"type": "object", "name": "Range1d", "id": "p9"}],
    ],
)
def test_what_is_written_otherwise_is_left_to_bokeh(page: tuple[Any, Bench], written: Any) -> None:
    assert page_link.inputs_of(page[0], message(("p1", "lists", written))) is None


def test_messages_of_two_models_or_of_none_that_is_known_are_left_to_bokeh(
    page: tuple[Any, Bench],
) -> None:
    assert page_link.inputs_of(page[0], message(("p1", "word", "a"), ("p2", "word", "b"))) is None
    assert page_link.inputs_of(page[0], message(("p2", "word", "b"))) is None
    assert page_link.inputs_of(bokeh_document.Document(), message(("p1", "word", "a"))) is None
