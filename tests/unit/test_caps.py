"""What is larger than anybody needs is refused before anything reads it, with a sentence."""

from __future__ import annotations

from typing import Any

import pytest

from biaslab_widgets.benches import BENCHES
from biaslab_widgets.benches.association.bench import AssociationController
from biaslab_widgets.core.state.fields import NO_CAP, Cap, TooLargeError
from biaslab_widgets.core.subjects.sources import sources
from harness.emitted import Emitted
from harness.garden import lists, subject

CAP = Cap(text=10, items=4, total=20)


class Bench:
    def __init__(self) -> None:
        self.emitted = Emitted()
        self.controller = AssociationController(sources(subject()), self.emitted, lists())

    def refused(self, **values: Any) -> None:
        """Send what a host sends that is too large."""
        with pytest.raises(TooLargeError) as caught:
            self.controller.change(values)
        self.controller.refuse(values, caught.value)


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("x" * 11, "a text of 11 characters; at most 10"),
        (b"x" * 11, "a text of 11 characters; at most 10"),
        (["x"] * 5, "lists of 5 entries; at most 4"),
        ([["x"] * 3, ["x"] * 3], "lists of 5 entries; at most 4|lists of 8 entries; at most 4"),
        ({"a": "x" * 10, "b": "x" * 10}, "texts of 2[12] characters in all; at most 20"),
        ({"x" * 11: 1}, "a text of 11 characters"),
        (10**30, "too large"),
        (nested(3), None),
    ],
)
def test_a_cap_looks_at_everything(value: Any, told: str | None) -> None:
    if told is None:
        CAP.check(value)
        return
    with pytest.raises(TooLargeError, match=told):
        CAP.check(value)


def test_deep_nesting_is_refused_and_not_followed() -> None:
    with pytest.raises(TooLargeError, match="plain lists"):
        NO_CAP.check(nested(100_000))


def test_every_input_has_a_cap() -> None:
    for entry in BENCHES:
        for field in entry.panel_class.component.inputs:
            assert field.cap != NO_CAP or field.name == "command"
            assert field.cap.total <= 1_000_000 or field.name == "command"


def test_a_bench_says_that_an_input_is_too_large_and_stays_as_it_was() -> None:
    bench = Bench()
    bench.controller.change({"generation": 1})
    picture = bench.emitted.answer(1)["picture"]
    many = [{"name": "g", "terms": ["word"] * 40_000, "kind": "groups"}]
    bench.refused(lists=many, generation=2)
    answer = bench.emitted.answer(2)
    assert answer["state"] == "error"
    assert answer["message"]["title"] == "This is too large"
    assert "at most 30,000 are allowed" in answer["message"]["text"]
    assert answer["picture"] == picture
    assert bench.controller.state["lists"] == lists()
    bench.controller.change({"generation": 3})
    assert bench.emitted.answer(3)["state"] == "ready"


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("suggest", {"term": "a" * 1_000_000}),
        ("read-spec", {"filename": "a.toml", "content": "a" * 13_000_000}),
        ("save-spec", {"lists": [{"name": "g", "terms": ["word"] * 40_000}]}),
        ("a command that there is not", {"text": "a" * 100_000}),
    ],
)
def test_a_command_with_too_large_arguments_is_refused_unread(
    name: str, args: dict[str, Any]
) -> None:
    bench = Bench()
    bench.refused(command={"id": 1, "name": name, "args": args})
    reply = bench.emitted.until(lambda s: s.get("reply", {}).get("id") == 1)["reply"]
    assert not reply["ok"]
    assert "are allowed here" in reply["message"]
    assert bench.controller.state["command"]["id"] == 0
