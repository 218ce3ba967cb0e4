"""Equal questions of several sessions are answered once, and nobody gets another's answer."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import biaslab as bl
from biaslab_widgets.benches.association import bench as association
from biaslab_widgets.benches.occupations import bench as occupations
from biaslab_widgets.benches.psychometric import bench as psychometric
from biaslab_widgets.core.answers.cache import ANSWERS, SharedAnswers, size_of
from biaslab_widgets.core.subjects.sources import Source, sources
from harness.emitted import PATIENCE_S


class Subject:
    """Something that is asked."""


@pytest.fixture(autouse=True)
def nothing_kept() -> Iterator[None]:
    ANSWERS.forget()
    yield
    ANSWERS.forget()


class Counted:
    """A function whose calls are counted."""

    def __init__(self, call: Any) -> None:
        self._call, self.calls = call, 0

    def __call__(self, *args: Any, **options: Any) -> Any:
        self.calls += 1
        return self._call(*args, **options)


def truth(seed: int) -> Any:
    """Simulated embeddings whose switch points are known."""
    return bl.observers.embedding(pse={"nurse": 0.6, "teacher": 0.4}, replicates=8, seed=seed)


def session(controller: Any, shared: dict[str, Source[Any]], **inputs: Any) -> Any:
    """A controller of one visitor, whose answers are asked for by hand."""
    made = controller(shared, lambda _: None)
    made.state |= inputs
    return made


def picture(made: Any) -> Any:
    return made.answer(made.snapshot())["answer"]["picture"]


def test_a_class_that_asks_the_same_is_answered_once(monkeypatch: pytest.MonkeyPatch) -> None:
    probe = Counted(bl.two_afc)
    monkeypatch.setattr(bl, "two_afc", probe)
    paint = Counted(psychometric.picture_of)
    monkeypatch.setattr(psychometric, "picture_of", paint)
    shared = sources(truth(1))
    visitors = [
        session(psychometric.PsychometricController, shared, word="nurse", words=["teacher"])
        for _ in range(5)
    ]
    for noise in (0.0, 0.1, 0.0):
        for visitor in visitors:
            visitor.state["noise"] = noise
            assert picture(visitor)["row_noise"] == noise
    assert (probe.calls, paint.calls) == (2, 2)
    assert visitors[0].result is visitors[4].result
    # What only the session knows is not shared: its place in its own list.
    visitors[1].state["words"] = ["teacher", "nurse"]
    positions = [v.answer(v.snapshot())["answer"]["position"] for v in visitors[:2]]
    assert positions == ["", "2 of 2"]


def test_another_subject_of_the_same_name_is_another(monkeypatch: pytest.MonkeyPatch) -> None:
    probe = Counted(bl.two_afc)
    monkeypatch.setattr(bl, "two_afc", probe)
    mine, yours = truth(1), truth(2)
    assert mine.name == yours.name
    drawn = [
        picture(session(psychometric.PsychometricController, sources(one), word="nurse"))
        for one in (mine, yours, mine)
    ]
    assert probe.calls == 2
    assert drawn[0] == drawn[2]
    assert drawn[0]["rows"]["switch"] != drawn[1]["rows"]["switch"]


def test_lists_of_ones_own_are_answered_for_themselves() -> None:
    shared = sources(bl.load("wiki-bootstraps"))
    lists = [
        {"name": "women", "terms": ["she", "her"], "kind": "groups"},
        {"name": "men", "terms": ["he", "him"], "kind": "groups"},
        {"name": "work", "terms": ["nurse", "maid"], "kind": "attributes", "of": ["women"]},
        {"name": "craft", "terms": ["smith", "driver"], "kind": "attributes", "of": ["men"]},
    ]
    other = [*lists[:2], {**lists[2], "terms": ["nurse", "pilot"]}, lists[3]]
    one, same, own = (
        session(association.AssociationController, shared, lists=given, replicate=0)
        for given in (lists, [*map(dict, lists)], other)
    )
    for made in (one, same, own):
        assert picture(made) is not None
    assert one.result is same.result
    words = [set(made.result.distance_model.table.attributes) for made in (one, own)]
    assert words[0] != words[1]
    assert one.result is not own.result


def test_a_table_of_ones_own_is_not_taken_for_anothers() -> None:
    """Both call theirs the same, so that the question looks the same."""
    shared = sources(bl.load("wiki-bootstraps"))
    words = ["nurse", "teacher", "lawyer", "engineer", "maid", "carpenter"]
    found = []
    for values in ((90, 80, 40, 10, 95, 5), (10, 20, 60, 90, 5, 95)):
        made = session(occupations.OccupationsController, shared, words=words)
        text = "word,share\n" + "\n".join(f"{w},{v}" for w, v in zip(words, values, strict=True))
        made._load_table({"name": "mine", "text": text, "of": "women"})
        assert picture(made) is not None
        found.append(made.result.outside_values())
    assert found == [(90, 80, 40, 10, 95, 5), (10, 20, 60, 90, 5, 95)]


def test_an_answer_is_computed_once_however_many_ask_at_a_time() -> None:
    answers, subject = SharedAnswers(), Subject()
    inside, go = threading.Event(), threading.Event()

    def slow() -> object:
        inside.set()
        assert go.wait(PATIENCE_S)
        return object()

    compute, got = Counted(slow), []
    threads = [
        threading.Thread(target=lambda: got.append(answers.of(subject, "q", compute)))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    assert inside.wait(PATIENCE_S)
    go.set()
    for thread in threads:
        thread.join(PATIENCE_S)
    assert compute.calls == 1
    assert len(got) == 4
    assert len({id(one) for one in got}) == 1


def test_what_failed_is_not_kept_and_fails_for_its_asker_alone() -> None:
    answers, subject = SharedAnswers(), Subject()

    def fails() -> object:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        answers.of(subject, "q", fails)
    assert answers.of(subject, "q", lambda: 3) == 3


def test_the_answers_kept_are_bounded_in_number_and_size() -> None:
    subject = Subject()
    few = SharedAnswers(most=3)
    for number in range(10):
        few.of(subject, number, lambda number=number: number)
    assert len(few) == 3
    assert few.of(subject, 9, lambda: -1) == 9
    assert few.of(subject, 0, lambda: -1) == -1
    small = SharedAnswers(most_bytes=10_000)
    for number in range(10):
        small.of(subject, number, lambda: np.zeros(500))
    assert len(small) == 2
    huge = np.zeros(10_000)
    assert small.of(subject, "huge", lambda: huge) is huge
    assert len(small) == 0


@pytest.mark.usefixtures("small_heap")
def test_answers_about_a_subject_that_is_gone_are_let_go() -> None:
    answers, subject = SharedAnswers(), Subject()
    answers.of(subject, "q", lambda: 1)
    del subject
    gc.collect()
    assert len(answers) == 0


def test_the_size_of_a_result_is_that_of_its_arrays_and_records() -> None:
    assert size_of(np.zeros(1000)) == 8000
    assert size_of({"a": np.zeros(1000), "b": [1.0] * 100}) >= 8000
    result = bl.two_afc(truth(1), ["nurse"])
    assert size_of(result) > sum(
        value.nbytes for value in vars(result).values() if isinstance(value, np.ndarray)
    )
