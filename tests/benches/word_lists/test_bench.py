"""The word-list editor without a page: traits, params and marks follow each other in both hosts."""

from __future__ import annotations

import threading
from typing import Any

import pytest

import biaslab_widgets
from biaslab.errors import SpecError, SubjectError
from biaslab_widgets.benches.word_lists.bench import WordListController
from biaslab_widgets.core.subjects.sources import sources
from harness.emitted import PATIENCE_S, Emitted, SlowSource, observers
from harness.panels import panel

pytestmark = pytest.mark.usefixtures("closed_widgets")


def until(made: Any, holds: Any) -> dict[str, Any]:
    """Wait until the answer shown is as said."""
    seen = threading.Event()

    def look(_: Any = None) -> None:
        if holds(made.answer):
            seen.set()

    if isinstance(made, biaslab_widgets.WordListEditor):
        made.observe(look, names="answer")
    else:
        made.param.watch(look, "answer")
    look()
    assert seen.wait(PATIENCE_S), f"That answer did not come; the last is {made.answer}."
    answer: dict[str, Any] = made.answer
    return answer


def unknown(answer: dict[str, Any]) -> list[str]:
    return [mark["term"] for mark in answer["marks"] if mark["kind"] == "unknown"]


@pytest.fixture(params=["jupyter", "panel"])
def kind(request: pytest.FixtureRequest) -> Any:
    if request.param == "jupyter":
        return biaslab_widgets.WordListEditor
    return panel("word_lists")


def test_lists_are_marked_and_give_a_spec(kind: Any) -> None:
    made = kind(observers(), ["nurse", "nurze"])
    assert unknown(until(made, lambda a: a["marks"])) == ["nurze"]
    assert made.spec().items == ("nurse", "nurze")
    assert made.spec("other", title="T", source="S", notes="N").notes == "N"


def test_an_edit_of_the_front_end_is_observed_and_marked(kind: Any) -> None:
    made = kind(observers(), {"a": ["she"], "b": ["he"]})
    edited = [{"name": "a", "terms": ["she", "zzz"], "kind": "groups"}]
    if kind is biaslab_widgets.WordListEditor:
        seen: list[Any] = []
        made.observe(lambda change: seen.append(change["new"]), names="lists")
        made.set_state({"lists": edited, "generation": 1})
        assert seen == [edited]
    else:
        made.param.update(lists=edited, generation=1)
    assert unknown(until(made, lambda a: a["generation"] == 1)) == ["zzz"]
    assert made.lists == edited
    assert made.spec().groups == {"a": ("she", "zzz")}


def test_a_spec_by_name_and_no_subject(kind: Any) -> None:
    made = kind([], "weat-6")
    answer = until(made, lambda a: a["state"] == "ready")
    assert unknown(answer) == []
    assert made.spec().attribute_groups["career"] == ("male names",)


def test_wrong_input_is_refused_by_the_constructor(kind: Any) -> None:
    with pytest.raises(SpecError, match="No spec is called 'no-such'"):
        kind([], "no-such")
    with pytest.raises(SpecError, match="20,001 terms"):
        kind([], ["x"] * 20_001)
    with pytest.raises(SpecError, match="not text"):
        kind([], ["x", 4])


def test_lists_that_are_none_are_told_on_the_screen(kind: Any) -> None:
    made = kind([], ["nurse"])
    made.lists = [{"name": "a"}]
    answer = until(made, lambda a: a["state"] == "error")
    assert "lists[0]" in answer["message"]["text"]
    with pytest.raises(SpecError, match=r"lists\[0\]"):
        made.spec()
    made.lists = [{"name": "a", "terms": []}]
    until(made, lambda a: a["state"] == "ready")


def test_while_a_subject_opens_the_lists_can_be_edited() -> None:
    slow = SlowSource()
    emitted = Emitted()
    controller = WordListController({"slow": slow}, emitted)
    twice = [{"name": "words", "terms": ["nurze", "nurze"]}]
    controller.change({"lists": twice, "generation": 1})
    state = emitted.until(lambda s: s.get("answer", {}).get("generation") == 1)
    assert state["answer"]["state"] == "loading"
    assert [m["kind"] for m in state["answer"]["marks"]] == ["duplicate"]
    slow.gate.open()
    answer = emitted.answer(generation=1)
    assert unknown(answer) == ["nurze", "nurze"]


def test_a_subject_that_cannot_be_opened_is_told_and_the_lists_stay() -> None:
    slow = SlowSource(error=SubjectError("line 7 is cut off"))
    emitted = Emitted()
    controller = WordListController({"slow": slow} | sources(observers()), emitted)
    controller.change({"lists": [{"name": "words", "terms": ["nurse"]}]})
    slow.gate.open()
    state = emitted.until(lambda s: s.get("answer", {}).get("state") == "error")
    assert "line 7" in state["answer"]["message"]["text"]
    assert controller.lists[0]["terms"] == ["nurse"]


def test_commands_are_answered_and_what_fails_is_told() -> None:
    emitted = Emitted()
    controller = WordListController(sources(observers()), emitted)
    for number, (name, args, ok) in enumerate(
        [
            ("suggest", {"term": "nurze"}, True),
            ("load-spec", {"name": "no-such"}, False),
            ("dance", {}, False),
            ("retry", {}, True),
        ],
        start=1,
    ):
        controller.change({"command": {"id": number, "name": name, "args": args}})
        state = emitted.until(lambda s, n=number: s.get("reply", {}).get("id") == n)  # type: ignore[misc]
        assert state["reply"]["ok"] is ok, state["reply"]
        assert ok or state["reply"]["message"]
