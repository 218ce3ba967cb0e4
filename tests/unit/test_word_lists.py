"""Word lists: to and from specs, the catalogue, saving one's own, and wrong input that is told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import biaslab as bl
from biaslab.errors import BiaslabError, SpecError, SpecFieldError
from biaslab_widgets.core.state.commands import Content
from biaslab_widgets.core.state.records import WordList
from biaslab_widgets.core.word_lists import (
    LIMIT,
    catalogue,
    checked_lists,
    lists_of,
    spec_of,
    word_commands,
    word_lists,
)
from harness.emitted import observers

ABOUT = {"name": "mine", "title": "Mine", "source": "a test"}


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("BIASLAB_HOME", str(tmp_path))
    monkeypatch.delenv("BIASLAB_SPECS", raising=False)
    return tmp_path


def outcome(command: str, subject: Any = None, /, **args: Any) -> Content:
    made = word_commands(lambda: subject)[command](args)
    assert not isinstance(made, str)
    return made


def obey(command: str, subject: Any = None, /, **args: Any) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(outcome(command, subject, **args)["content"])
    return content


@pytest.mark.parametrize("entry", bl.specs.entries(), ids=lambda entry: entry.name)
def test_every_spec_of_the_catalogue_survives_the_editor(entry: bl.specs.Entry) -> None:
    spec = entry.spec
    assert spec is not None
    lists = lists_of(spec)
    if not lists:
        assert spec.distributions
        return
    made = spec_of(checked_lists(lists), **ABOUT)
    for field in ("groups", "attributes", "attribute_groups", "controls", "items", "cue_pairs"):
        assert getattr(made, field) == getattr(spec, field), field


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (None, [("words", [], "items")]),
        (["nurse", " chef "], [("words", ["nurse", "chef"], "items")]),
        ({"mine": ["nurse"]}, [("mine", ["nurse"], "items")]),
        ({"a": ["she"], "b": ("he",)}, [("a", ["she"], "groups"), ("b", ["he"], "groups")]),
        ([{"name": "x", "terms": ["y"]}], [("x", ["y"], None)]),
    ],
)
def test_lists_are_taken_in_every_usual_form(given: Any, expected: Any) -> None:
    found = [(w["name"], w["terms"], w.get("kind")) for w in word_lists(given)]
    assert found == expected


def test_a_spec_is_taken_by_name_or_as_it_is() -> None:
    assert word_lists("weat-6") == word_lists(bl.specs.get("weat-6"))
    assert [w["name"] for w in word_lists("weat-6")] == [
        *bl.specs.get("weat-6").groups,
        *bl.specs.get("weat-6").attributes,
    ]


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("nurse", "not a list of word lists"),
        ([["nurse"]], r"lists\[0\].*Give it a name and terms"),
        ([{"name": " ", "terms": []}], r"lists\[0\]\.name"),
        ([{"name": "a", "terms": ["x", 3]}], r"lists\[0\]\.terms.*not text"),
        ([{"name": "a", "terms": [""]}], r"lists\[0\]\.terms"),
        ([{"name": "a", "terms": ["x"], "kind": "verbs"}], "verbs"),
        ([{"name": "a", "terms": ["x\ny"]}], "line break"),
        ([{"name": "a", "terms": ["x"] * (LIMIT + 1)}], "20,001 terms"),
    ],
)
def test_what_is_no_list_is_refused_and_the_place_named(value: Any, told: str) -> None:
    with pytest.raises(SpecFieldError, match=told):
        checked_lists(value)


def group(name: str, *terms: str, kind: Any = "groups", **more: Any) -> WordList:
    return {"name": name, "terms": list(terms), "kind": kind, **more}


@pytest.mark.parametrize(
    ("lists", "told"),
    [
        ([group("a", "x", kind="items"), group("b", "y", kind="items")], "'a' and 'b'"),
        ([group("a", "x"), group("a", "y")], "'a' twice"),
        ([group("1", "x", kind="cue_1"), group("2", "y", "z", kind="cue_2")], "1 cues 1 with 2"),
        ([group("friendly", "x", kind="controls")], "human or neutral"),
        ([group("a")], "missing"),
        ([], "missing"),
    ],
)
def test_lists_that_make_no_spec_are_told(lists: list[WordList], told: str) -> None:
    with pytest.raises(SpecError, match=told):
        spec_of(lists, **ABOUT)


def test_an_attribute_list_of_a_group_that_is_gone_is_of_none() -> None:
    lists = [group("a", "x"), group("warm", "y", kind="attributes", of=["a", "gone"])]
    assert spec_of(lists, **ABOUT).attribute_groups == {"warm": ("a",)}


def test_what_is_saved_is_in_the_catalogue_and_loads_again() -> None:
    lists = [group("a", "<b>x</b>", "طبيبة"), group("b", "Y", "y")]
    saved = obey("save-spec", lists=lists, **ABOUT)
    assert Path(saved["path"]).name == "mine.toml"
    entry = next(e for e in obey("catalogue")["entries"] if e["name"] == "mine")
    assert entry["where"] == saved["path"]
    assert [(w["name"], w["count"]) for w in entry["lists"]] == [("a", 2), ("b", 2)]
    assert obey("load-spec", name="mine", where=entry["where"])["lists"] == lists
    assert bl.specs.get("mine").groups["a"] == ("<b>x</b>", "طبيبة")


def test_ones_own_are_deleted_and_no_others(home: Path) -> None:
    (home / "specs").mkdir()
    for stem in ("one", "two"):
        bl.specs.write(bl.specs.Spec(**ABOUT, items=("x",)), home / "specs" / f"{stem}.toml")
    own = [entry for entry in catalogue() if entry.get("own")]
    assert [entry["name"] for entry in own] == ["mine", "mine"]
    with pytest.raises(SpecError, match=r"one\.toml and .*two\.toml\. Say which with where="):
        bl.specs.delete("mine")
    delete = word_commands(lambda: None)["delete-spec"]
    assert delete({"name": "mine", "where": own[0]["where"]}) == "Deleted mine."
    assert [file.name for file in (home / "specs").iterdir()] == ["two.toml"]
    with pytest.raises(SpecError, match="no word lists of your own that are called weat-6"):
        bl.specs.delete("weat-6")


def test_a_taken_name_is_refused_and_replaced_when_asked() -> None:
    obey("save-spec", lists=[group("a", "x")], **ABOUT)
    with pytest.raises(SpecError, match=r"already exists.*tick the box"):
        obey("save-spec", lists=[group("a", "z")], **ABOUT)
    assert bl.specs.get("mine").groups["a"] == ("x",)
    obey("save-spec", lists=[group("a", "z")], overwrite=True, **ABOUT)
    assert bl.specs.get("mine").groups["a"] == ("z",)
    with pytest.raises(SpecError, match="predefined spec"):
        obey("save-spec", lists=[group("a", "x")], **ABOUT | {"name": "weat-6"})


@pytest.mark.parametrize(
    ("about", "told"),
    [
        ({"name": "My Words"}, "my-words"),
        ({"name": "../escape"}, "escape"),
        ({"title": ""}, "title"),
        ({"source": "  "}, "source"),
    ],
)
def test_wrong_texts_are_told_by_their_field(home: Path, about: dict[str, str], told: str) -> None:
    with pytest.raises(SpecError, match=told):
        obey("save-spec", lists=[group("a", "x")], **ABOUT | about)
    assert list(home.rglob("*.toml")) == []


def test_a_folder_that_cannot_be_written_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    monkeypatch.setenv("BIASLAB_HOME", str(blocked))
    with pytest.raises(BiaslabError, match=str(blocked)):
        obey("save-spec", lists=[group("a", "x")], **ABOUT)


def test_a_broken_file_of_ones_own_is_listed_with_its_problem(home: Path) -> None:
    (home / "specs").mkdir()
    (home / "specs" / "broken.toml").write_text('name = "broken')
    entry = next(e for e in catalogue() if e["name"] == "broken")
    assert "not valid TOML" in entry["problem"]
    assert entry["lists"] == []
    with pytest.raises(SpecError, match="not valid TOML"):
        obey("load-spec", name="broken", where=entry["where"])


def test_of_two_files_with_one_name_the_chosen_one_is_loaded(home: Path) -> None:
    (home / "specs").mkdir()
    for stem, term in (("one", "x"), ("two", "y")):
        spec = bl.specs.Spec(**ABOUT, items=(term,))
        bl.specs.write(spec, home / "specs" / f"{stem}.toml")
    twins = [e for e in catalogue() if e["name"] == "mine"]
    assert all("is also that of" in e["problem"] for e in twins)
    loaded = [obey("load-spec", name="mine", where=e["where"])["lists"] for e in twins]
    assert [lists[0]["terms"] for lists in loaded] == [["x"], ["y"]]


def test_a_dropped_file_is_read_and_a_wrong_one_told() -> None:
    spec = bl.specs.get("weat-6")
    for ending, content in ((".toml", spec.to_toml()), (".json", spec.to_json())):
        read = obey("read-spec", filename=f"my{ending}", content=content)
        assert read["lists"] == lists_of(spec)
    with pytest.raises(SpecError, match=r"my\.toml: is not valid TOML"):
        obey("read-spec", filename="my.toml", content="x = [")
    with pytest.raises(SpecError, match=r"my\.exe.*\.toml or \.json"):
        obey("read-spec", filename="folder/my.exe", content="")


def test_what_of_a_spec_is_no_word_list_is_told_when_it_is_loaded() -> None:
    for name, told in (("occupations", "outside data"), ("he-she-other", "distributions")):
        assert told in outcome("load-spec", name=name)["message"]
    assert outcome("load-spec", name="weat-6")["message"] == ""


def test_near_words_are_given_on_request() -> None:
    assert obey("suggest", observers(), term="nurze")["suggestions"][0] == "nurse"
    assert obey("suggest", observers(), term="nurse")["suggestions"] == []
    assert obey("suggest", None, term="nurze")["suggestions"] == []


def test_another_benchs_command_is_left_to_it() -> None:
    assert "csv" not in word_commands(lambda: None)
