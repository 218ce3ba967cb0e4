"""A subject is opened in the background, once; a failure is told and can be tried again."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from biaslab.errors import EmbeddingFileError, QueryError
from biaslab_widgets.benches.psychometric.bench import PsychometricController
from biaslab_widgets.core.subjects.sources import Source, sources
from harness.emitted import PATIENCE_S, Emitted, SlowSource, observers

DAMAGED = EmbeddingFileError("big.vec: line 17 has 3 numbers, 50 are due.", path="big.vec", line=17)


@pytest.fixture
def slow() -> Iterator[SlowSource]:
    source = SlowSource()
    yield source
    source.gate.open()


def offered(*entries: Source) -> dict[str, Source]:
    return {source.name: source for source in entries}


def begin(entries: dict[str, Source], **values: Any) -> tuple[PsychometricController, Emitted]:
    emitted = Emitted()
    made = PsychometricController(entries, emitted)
    made.change({"word": "nurse", **values})
    return made, emitted


def is_loading(state: dict[str, Any]) -> bool:
    return bool(state.get("answer", {}).get("state") == "loading")


def steps(state: dict[str, Any]) -> float:
    """Steps of the work that is under way; -1 while nothing was told."""
    return float(state.get("progress", {"total": -1})["total"])


def test_loading_is_told_with_progress_and_ends_in_an_answer(slow: SlowSource) -> None:
    _, emitted = begin(offered(slow), generation=1)

    def a_quarter_is_loaded(state: dict[str, Any]) -> bool:
        assert is_loading(state)
        assert state["answer"]["message"]["title"] == "Loading slow"
        assert steps(state) == 4
        assert state["progress"]["done"] == 1
        return True

    emitted.until(a_quarter_is_loaded)
    slow.gate.open()
    answer = emitted.answer(generation=1)
    assert answer["state"] == "ready"
    assert answer["picture"]["word"] == "nurse"
    emitted.until(lambda s: steps(s) == 0 and s["subjects"][0]["replicates"] == 12)
    assert slow.opened == 1


def test_changes_while_loading_are_kept_and_answered_afterwards(slow: SlowSource) -> None:
    made, emitted = begin(offered(slow), generation=1)
    assert slow.gate.entered.wait(PATIENCE_S)
    made.change({"word": "teacher", "noise": 0.1, "generation": 2})
    emitted.until(lambda s: is_loading(s) and s["answer"]["generation"] == 2)
    slow.gate.open()
    picture = emitted.answer(generation=2)["picture"]
    assert (picture["word"], picture["row_noise"]) == ("teacher", 0.1)


def test_another_subject_can_be_used_while_one_loads(slow: SlowSource) -> None:
    ready = Source("ready", lambda _: observers(), observers())
    made, emitted = begin(offered(slow, ready), generation=1)
    assert slow.gate.entered.wait(PATIENCE_S)
    made.change({"subject": "ready", "generation": 2})
    assert emitted.answer(generation=2)["state"] == "ready"
    slow.gate.open()
    emitted.until(lambda s: steps(s) == 0 and s["subjects"][0]["replicates"])
    assert emitted.answer(generation=2)["state"] == "ready"


def test_result_waits_for_the_subject(slow: SlowSource) -> None:
    made, _ = begin(offered(slow))
    read: list[Any] = []
    reader = threading.Thread(target=lambda: read.append(made.result))
    reader.start()
    assert slow.gate.entered.wait(PATIENCE_S)
    assert read == []
    slow.gate.open()
    reader.join(PATIENCE_S)
    assert read[0].items == ("nurse",)
    assert slow.opened == 1


def test_a_failure_is_told_keeps_the_input_and_another_try_may_succeed() -> None:
    source = SlowSource(error=DAMAGED)
    source.gate.open()
    made, emitted = begin(offered(source), noise=0.2, generation=1)
    answer = emitted.answer(generation=1)
    assert answer["state"] == "error"
    assert "slow could not be opened" in answer["message"]["title"]
    assert "line 17" in answer["message"]["text"]
    assert made.snapshot().word == "nurse"
    with pytest.raises(QueryError, match="line 17"):
        _ = made.result
    retry = answer["message"]["actions"][-1]
    assert retry["command"] == "retry"
    source.error = None
    made.change({"command": {"id": 1, "name": "retry", "args": {}}, "generation": 2})
    emitted.until(lambda s: s["answer"]["state"] == "ready" and s["reply"]["id"] == 1)
    assert made.result.noise == 0.2


def test_a_failure_is_not_tried_again_by_every_change() -> None:
    source = SlowSource(error=DAMAGED)
    source.gate.open()
    made, emitted = begin(offered(source), generation=1)
    emitted.answer(generation=1)
    for generation in range(2, 6):
        made.change({"alpha": generation / 10, "generation": generation})
        assert emitted.answer(generation=generation)["state"] == "error"
    assert source.opened == 1


def test_after_a_failure_the_first_button_is_a_subject_that_is_open() -> None:
    bad, good = SlowSource(error=DAMAGED), Source("good", lambda _: observers(), observers())
    bad.gate.open()
    made, emitted = begin(offered(bad, good), generation=1)
    first = emitted.answer(generation=1)["message"]["actions"][0]
    assert first["set"] == {"subject": "good"}
    made.change({**first["set"], "generation": 2})
    assert emitted.answer(generation=2)["state"] == "ready"


def test_opening_can_be_stopped_and_begun_again(slow: SlowSource) -> None:
    made, emitted = begin(offered(slow), generation=1)
    state = emitted.until(is_loading)
    assert slow.gate.entered.wait(PATIENCE_S)
    (stop,) = state["answer"]["message"]["actions"]
    made.change({"command": {"id": 1, "name": stop["command"], "args": {}}})
    assert emitted.until(lambda s: s.get("reply", {}).get("id") == 1)["reply"]["ok"]
    slow.gate.open()  # it reports once more, and is stopped there
    answer = emitted.answer(generation=1)
    assert answer["state"] == "empty"  # what a person has stopped is no error
    assert "was stopped" in answer["message"]["title"]
    made.change({"command": {"id": 2, "name": "retry", "args": {}}})
    emitted.until(lambda s: s["answer"]["state"] == "ready")
    assert slow.opened == 2


def test_a_subject_shared_by_sessions_is_opened_once(slow: SlowSource) -> None:
    shared = offered(slow)
    sessions = [begin(shared, generation=1) for _ in range(3)]
    assert slow.gate.entered.wait(PATIENCE_S)
    slow.gate.open()
    for _, emitted in sessions:
        assert emitted.answer(generation=1)["state"] == "ready"
    assert slow.opened == 1
    subjects = {id(shared["slow"].open()) for _ in sessions}
    assert len(subjects) == 1


def test_subjects_of_one_name_are_told_apart() -> None:
    assert list(sources([observers(), observers(), "file.vec"])) == [
        "simulated observers",
        "simulated observers (2)",
        "file.vec",
    ]


def test_without_any_subject_the_bench_says_to_choose_one() -> None:
    made, emitted = begin({}, generation=1)
    assert emitted.answer(generation=1)["state"] == "empty"
    with pytest.raises(QueryError, match="Choose a subject"):
        _ = made.result
