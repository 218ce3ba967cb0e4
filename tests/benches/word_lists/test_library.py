"""The library of word lists: what a subject knows of each, and which benches open with it."""

from __future__ import annotations

import json
from typing import Any

import pytest

import biaslab as bl
from biaslab_widgets.benches import BENCHES
from biaslab_widgets.benches.word_lists.bench import WordListController
from biaslab_widgets.core.list_uses import USES, inputs_with
from biaslab_widgets.core.state.inputs import stored_inputs
from biaslab_widgets.core.subjects.sources import sources
from harness.driven import Driven
from harness.emitted import observers

COMPONENTS = {entry.slug: entry.component for entry in BENCHES}


@pytest.fixture
def bench() -> Any:
    driven = Driven(lambda emit: WordListController(sources([observers()]), emit))
    yield driven
    driven.controller.close()


def test_all_lists_are_there_on_arrival_with_the_words_that_the_subject_knows(bench: Any) -> None:
    bench.answer()
    rows = {row["name"]: row for row in bench.state["library"]}
    assert rows.keys() == {entry.name for entry in bl.specs.entries()}
    weat = rows["weat-6"]
    terms = {term for words in bl.specs.get("weat-6").groups.values() for term in words}
    assert weat["terms"] > len(terms)
    assert 0 <= weat["known"] <= weat["terms"]
    assert weat["uses"] == []  # nothing has pages of other benches here
    bench.controller.know([])
    bench.answer()
    rows = {row["name"]: row for row in bench.state["library"]}
    assert {"title": "Association", "page": "association?word-lists=weat-6"} in rows["weat-6"][
        "uses"
    ]


def test_a_list_is_exported_as_a_file_that_can_be_read_again(bench: Any) -> None:
    reply = bench.reply("export-spec", name="weat-6", where="predefined")
    assert reply["filename"] == "weat-6.toml"
    again = bench.reply("read-spec", filename="weat-6.toml", content=reply["content"])
    assert again["ok"]


@pytest.mark.parametrize("slug", USES)
def test_a_bench_can_be_set_to_the_lists_that_it_is_offered(slug: str) -> None:
    component = COMPONENTS[slug]
    offered = 0
    for entry in bl.specs.entries():
        inputs = inputs_with(slug, [entry.name.encode()])
        if inputs is not None:
            offered += 1
            assert stored_inputs(component, inputs, ()) == (dict(inputs), ())
    assert offered


def test_an_address_names_lists_of_the_catalogue_and_no_path(tmp_path: Any) -> None:
    own = tmp_path / "mine.toml"
    own.write_text(bl.specs.get("weat-6").to_toml(), encoding="utf-8")
    assert inputs_with("association", [str(own).encode()]) is None
    assert inputs_with("association", []) is None


@pytest.mark.parametrize(
    ("text", "terms", "column"),
    [
        ("Nurse\t12\nTaxi driver\t80", ["Nurse", "Taxi driver"], "column 1"),
        ("occupation,women in %\nnurse,88\nbaker,5", ["nurse", "baker"], "occupation"),
        ("\ufeffyear;occupation;share\n2020;nurse;0,88\n2020;chef;0,2", ["nurse", "chef"],
         "occupation"),
        ("she\twomen\nhe\tmen", ["she", "he"], "column 1"),
        ("she, woman\nhe, man", [], ""),
    ],
)  # fmt: skip
def test_a_table_gives_the_words_of_its_first_column_of_text(
    bench: Any, text: str, terms: list[str], column: str
) -> None:
    reply = bench.reply("read-words", text=text)
    assert json.loads(reply["content"]) == {"terms": terms}
    expected = f"{len(terms)} words taken from the column “{column}”." if terms else ""
    assert reply["message"] == expected


def test_numbers_are_no_words(bench: Any) -> None:
    reply = bench.reply("read-words", text="1\t2\n3\t4")
    assert not reply["ok"]
    assert "Paste a column of words" in reply["message"]
