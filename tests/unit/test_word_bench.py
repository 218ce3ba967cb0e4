"""Benches with word lists: what is marked and when, and what the editor may ask them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import pytest

import biaslab as bl
from biaslab_widgets.benches.association.bench import AssociationController
from biaslab_widgets.benches.occupations.bench import OccupationsController
from biaslab_widgets.benches.psychometric.bench import PsychometricController
from biaslab_widgets.core.bench.subject_bench import SubjectController
from biaslab_widgets.core.subjects.sources import sources
from harness.driven import Driven
from harness.emitted import PSE, Emitted, SlowSource, observers


class Counting(bl.EmbeddingEnsemble):
    """Observers that remember which lists they were asked to read."""

    def __init__(self, name: str = "counting", extra: Iterable[str] = ()) -> None:
        known = observers(pse={**PSE, **dict.fromkeys(extra, 0.5)})
        words = list(known.words)
        super().__init__(words, known.vectors(words), name=name)
        self.read: list[tuple[str, ...]] = []

    def resolve(self, terms: Iterable[str], **options: Any) -> Any:
        """What it knows of the terms."""
        asked = tuple(terms)
        self.read.append(asked)
        return super().resolve(asked, **options)


class Bench(Driven):
    """A psychometric bench with its own words."""

    def __init__(self, words: list[str], *subjects: Any) -> None:
        given = sources(list(subjects) or observers())
        super().__init__(lambda emit: PsychometricController(given, emit, words))

    def marks(self, **values: Any) -> list[tuple[int, str, str]]:
        self.answer(**values)
        found = self.controller.snapshot().marks
        assert {m["list"] for m in found} <= {0}
        return [(m["position"], m["term"], m["kind"]) for m in found]


def test_unknown_and_repeated_words_are_marked_as_the_list_is_edited() -> None:
    bench = Bench(["nurse", "teacher"])
    assert bench.marks() == []
    odd = ["nurse", "nurze", "teacher", "nurse"]
    assert bench.marks(words=odd) == [(1, "nurze", "unknown"), (3, "nurse", "duplicate")]
    assert bench.controller.snapshot().marks[0]["suggestions"][0] == "nurse"
    assert bench.marks(words=["nurse"]) == []


def test_an_edit_of_the_list_moves_the_place_and_does_not_ask_the_probe_again() -> None:
    bench = Bench(["nurse", "teacher"])
    assert bench.answer(word="nurse")["position"] == "1 of 2"
    before = bench.controller.result
    assert bench.answer(words=["librarian", "teacher", "nurse"])["position"] == "3 of 3"
    assert bench.answer(words=[])["position"] == ""
    assert bench.controller.result is before


def test_marks_are_made_again_for_another_list_or_subject_only() -> None:
    words = ["nurse", "baker", "nurze"]
    one, two = Counting("one"), Counting("two", ["baker"])
    bench = Bench(words, one, two)

    def read(subject: Counting) -> int:
        return sum(set(words) <= set(asked) for asked in subject.read)

    assert bench.marks(word="nurse") == [(1, "baker", "unknown"), (2, "nurze", "unknown")]
    for step in range(20):
        bench.answer(alpha=step / 20, noise=step / 50, word=("nurse", "teacher")[step % 2])
    assert read(one) == 1
    # The same words in a new list, as a host hands them over.
    bench.answer(words=list(words))
    assert read(one) == 1
    assert bench.marks(subject="two") == [(2, "nurze", "unknown")]
    assert (read(one), read(two)) == (1, 1)
    assert bench.marks(words=[*words, "teacher"]) == [(2, "nurze", "unknown")]
    assert (read(one), read(two)) == (1, 2)


def test_until_the_subject_is_open_nothing_is_unknown() -> None:
    source = SlowSource()
    emitted = Emitted()
    made = PsychometricController({source.name: source}, emitted, ["nurze", "Nurze"])
    made.change({"word": "nurse"})
    waiting = emitted.until(lambda s: bool(s.get("marks")))
    assert [m["kind"] for m in waiting["marks"]] == ["duplicate"]
    source.gate.open()
    emitted.answer()
    opened = emitted.until(lambda s: any(m["kind"] == "unknown" for m in s["marks"]))
    assert [m["term"] for m in opened["marks"] if m["kind"] == "unknown"] == ["nurze", "Nurze"]


def test_the_psychometric_bench_answers_what_the_editor_asks() -> None:
    bench = Bench(["nurse"])
    bench.answer(word="nurse")
    entries = json.loads(bench.reply("catalogue")["content"])["entries"]
    assert "occupations" in [entry["name"] for entry in entries]
    loaded = bench.reply("load-spec", name="occupations", where="predefined")
    (items,) = json.loads(loaded["content"])["lists"]
    assert items["terms"] == list(bl.specs.get("occupations").items)
    near = json.loads(bench.reply("suggest", term="electrixian")["content"])
    assert near["suggestions"][0] == "electrician"
    assert bench.reply("csv")["filename"] == "two-afc-nurse.csv"
    assert not bench.reply("unheard-of")["ok"]


@pytest.mark.parametrize(
    "controller", [AssociationController, OccupationsController, PsychometricController]
)
def test_every_bench_with_word_lists_has_the_output_that_tells_the_marks(
    controller: type[SubjectController[Any, Any, Any, Any]],
) -> None:
    assert controller.component.by_name["marks"].output
    made = controller(sources(observers()), Emitted())
    lists = made.lists.lists(made.snapshot())
    assert all(set(words) >= {"name", "terms"} for words in lists)
    assert len(lists) > 0
