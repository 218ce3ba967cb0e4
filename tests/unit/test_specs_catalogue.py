"""The catalogue: the predefined specs, a person's own beside them, and `biaslab catalog`."""

from __future__ import annotations

import json
import os
import re
import unicodedata
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import biaslab as bl
from biaslab.cli import main
from biaslab.errors import SpecError
from biaslab.specs import Spec, entries
from biaslab.specs.spec_files import parse

PREDEFINED = [entry for entry in entries() if entry.where == "predefined"]
DOCS = Path(__file__).resolve().parents[2] / "docs" / "guide" / "specs.md"
OWN = Spec(name="my-words", title="Mine", source="me", items=("nurse",), aliases=("mine",))


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No spec of the person who runs the tests takes part."""
    monkeypatch.setenv("BIASLAB_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("BIASLAB_SPECS", raising=False)
    return tmp_path / "home"


def own_file(home: Path, name: str, text: str) -> Path:
    (home / "specs").mkdir(parents=True, exist_ok=True)
    file = home / "specs" / name
    file.write_text(text, encoding="utf-8")
    return file


def test_the_catalogue_lists_every_spec_with_its_source() -> None:
    table = bl.specs.catalog().set_index("name")
    assert table.loc["gender-pairs", "cue_pairs"] == 8
    assert table.loc["occupations", "items"] == 60
    assert table.loc["manzini-religion", ["groups", "attributes", "controls"]].tolist() == [3, 3, 2]
    assert table["source"].str.len().min() > 10
    assert set(table["where"]) == {"predefined"}
    assert set(table["problem"]) == {""}
    assert table.index.is_unique


def test_every_predefined_spec_states_a_licence_or_that_none_is_stated(
    capsys: pytest.CaptureFixture[str],
) -> None:
    table = bl.specs.catalog()
    stated = table["licence"].str.extract(r"^(Apache-2\.0|MIT|BSD-3-Clause|No licence stated)\b")[0]
    assert table["name"][stated.isna()].tolist() == []
    assert len(table) == 49
    assert main(["specs", "manzini-religion"]) in (0, None)
    assert "Licence: No licence stated for the lists" in " ".join(capsys.readouterr().out.split())


def test_a_licence_does_not_change_the_hash_and_is_written_and_read(tmp_path: Path) -> None:
    licensed = replace(OWN, licence="CC0-1.0")
    assert licensed.content_hash == OWN.content_hash
    assert bl.specs.read(bl.specs.write(licensed, tmp_path / "own.toml")) == licensed
    assert "licence" not in OWN.to_dict()
    with pytest.raises(SpecError, match="'licence' holds 3"):
        replace(OWN, licence=3)  # type: ignore[arg-type]


@pytest.mark.parametrize("entry", PREDEFINED, ids=lambda entry: entry.name)
def test_every_predefined_spec_can_be_used(entry: bl.specs.Entry) -> None:
    spec = entry.spec
    assert spec is not None
    assert spec.notes
    assert bl.specs.get(spec.name) is spec
    for alias in spec.aliases:
        assert bl.specs.get(alias) is spec
    assert {w.kind for w in spec.warnings} <= {"overlap"}
    for first in spec.groups:
        for second in spec.groups:
            if first != second:
                assert list(spec.two_groups(first, second).groups) == [first, second]


def test_the_docs_list_the_catalogue_and_no_more() -> None:
    rows = [line.split("|") for line in DOCS.read_text(encoding="utf-8").splitlines()]
    cells = [row[1].strip() for row in rows if len(row) == 6]
    assert [c.strip("`") for c in cells if c.startswith("`")] == [e.name for e in PREDEFINED]


def test_the_example_in_the_docs_is_a_spec() -> None:
    example = DOCS.read_text(encoding="utf-8").split("```toml\n")[1].split("```")[0]
    spec = parse(example.encode(), ".toml", "docs/guide/specs.md")
    assert spec.warnings == ()
    assert list(spec.groups) == ["women", "men"]


@pytest.mark.parametrize("topic", ["gender", "race", "religion"])
def test_a_topic_alone_names_no_lists(topic: str) -> None:
    """Many lists are about each: which are meant has to be said."""
    with pytest.raises(SpecError, match=f"No spec is called '{topic}'"):
        bl.specs.get(topic)


def test_no_alias_is_shared() -> None:
    names = [n for e in entries() if e.spec for n in (e.spec.name, *e.spec.aliases)]
    assert len(names) == len(set(names))


def test_names_with_numbers_are_in_their_order() -> None:
    names = [entry.name for entry in entries()]
    numbered = [n for n in names if n.startswith("weat") and n[5:].isdigit()]
    assert numbered == [f"weat-{i}" for i in range(1, 11)]


TRANSLATED = {
    "ar": "ARABIC",
    "hi": "DEVANAGARI",
    "ru": "CYRILLIC",
    **dict.fromkeys(("es", "fr", "it", "pt", "tr"), "LATIN"),
}


@pytest.mark.parametrize(("language", "script"), TRANSLATED.items())
def test_a_translated_spec_is_in_its_script_and_runs_on_its_words(
    language: str, script: str
) -> None:
    spec = bl.specs.get(f"weat-{language}")
    lists = {**spec.groups, **spec.attributes}
    words = [word for terms in lists.values() for word in terms]
    assert {len(terms) for terms in lists.values()} == {8}
    assert len(set(words)) == len(words)
    assert all(unicodedata.is_normalized("NFC", word) for word in words)
    assert all(unicodedata.name(c).startswith(script) for word in words for c in word)
    assert "reviewed by no native speaker" in spec.notes
    belong = {a: g for a, (g, *_) in spec.attribute_groups.items()}
    axes = np.eye(len(lists))[[list(lists).index(belong.get(k, k)) for k in lists for _ in "8" * 8]]
    noise = np.random.default_rng(0).normal(size=axes.shape)
    of = bl.WordEmbedding(words, (axes + 0.2 * noise).astype(np.float32), name="made")
    for pair, attributes in (
        (("flowers", "insects"), ["pleasant", "unpleasant"]),
        (("science", "arts"), ["male terms", "female terms"]),
        (("career", "family"), ["male terms", "female terms"]),
    ):
        found = bl.weat(of, spec, groups=pair, resamples=10)
        assert list(found.lists.attributes) == attributes
        assert not found.dropped
        assert (found.statistic > 0.5) == (pair[0] != "career")  # has nothing planted


def test_the_gender_of_translated_nouns_is_as_the_notes_say() -> None:
    """Where the ending shows it: Russian and Arabic."""
    for language, ending in (("ru", "[аяь]"), ("ar", "(ة|اء)")):
        spec = bl.specs.get(f"weat-{language}")
        for name, terms in {**spec.groups, **spec.attributes}.items():
            if name.endswith("terms") or (language == "ar" and name in ("flowers", "insects")):
                continue
            assert [bool(re.search(f"{ending}$", w)) for w in terms] == [True] * 4 + [False] * 4


def test_only_lists_that_overlap_in_the_source_overlap() -> None:
    overlapping = {e.name for e in entries() if e.spec and e.spec.warnings}
    assert overlapping == {"eec-persons", *(f"biastest-names-{i}" for i in (1, 2, 3))}


def test_gender_pairs_are_those_of_the_paper_with_the_female_cue_first() -> None:
    pairs = bl.specs.get("gender-pairs").cue_pairs
    assert pairs[0] == ("female", "male")
    assert ("daughter", "son") in pairs
    assert len(set(pairs)) == 8


def test_get_cuts_to_two_groups() -> None:
    spec = bl.specs.get("manzini-religion", groups=("Islam", "Judaism"))
    assert list(spec.groups) == ["Islam", "Judaism"]
    assert list(spec.attributes) == ["stereotypes about Jews", "stereotypes about Muslims"]


def test_an_unknown_name_offers_the_nearest_and_lists_the_known_ones() -> None:
    with pytest.raises(SpecError, match=r"Did you mean 'love-hate'\?.*gender-pairs"):
        bl.specs.get("love-hat")


def test_a_saved_spec_is_found_by_name_and_alias_and_shown_as_ones_own(home: Path) -> None:
    file = bl.specs.save(OWN)
    assert file == home / "specs" / "my-words.toml"
    assert bl.specs.get("my-words") == bl.specs.get("mine") == bl.specs.get(file) == OWN
    assert bl.specs.get(str(file)) == OWN
    row = bl.specs.catalog().set_index("name").loc["my-words"]
    assert row["where"] == str(file)
    assert row["problem"] == ""


def test_a_changed_file_is_read_anew(home: Path) -> None:
    file = bl.specs.save(OWN)
    before = file.stat()
    assert bl.specs.get("mine").items == ("nurse",)
    file.write_text(file.read_text(encoding="utf-8").replace("nurse", "baker"), encoding="utf-8")
    # As on a later day: file systems tell times in steps, and this test may fit into one.
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns + 10**9))
    assert bl.specs.get("mine").items == ("baker",)
    file.unlink()
    with pytest.raises(SpecError, match="No spec is called 'mine'"):
        bl.specs.get("mine")


def test_folders_named_in_the_environment_are_searched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders = [tmp_path / "one", tmp_path / "two"]
    for i, folder in enumerate(folders):
        bl.specs.save(Spec(name=f"own-{i}", title="T", source="s", items=("a",)), folder)
    monkeypatch.setenv("BIASLAB_SPECS", os.pathsep.join(map(str, folders)))
    assert bl.specs.get("own-0").name == "own-0"
    assert bl.specs.get("own-1").name == "own-1"


def test_a_named_folder_that_is_not_there_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BIASLAB_SPECS", str(tmp_path / "nowhere"))
    problem = bl.specs.catalog().set_index("name").loc["nowhere", "problem"]
    assert "Correct BIASLAB_SPECS" in problem


def test_a_broken_file_is_listed_with_its_error_and_hides_no_other(home: Path) -> None:
    bl.specs.save(OWN)
    broken = own_file(home, "broken.toml", 'name = "broken"\ntitle = \n')
    table = bl.specs.catalog().set_index("name")
    assert table.loc["my-words", "problem"] == ""
    assert table.loc["broken", "problem"].startswith(f"{broken}: ")
    assert "line 2" in table.loc["broken", "problem"]
    assert bl.specs.get("my-words") == OWN
    with pytest.raises(SpecError, match="line 2"):
        bl.specs.get("broken")


def test_a_dead_link_is_listed(home: Path) -> None:
    (home / "specs").mkdir(parents=True)
    (home / "specs" / "gone.toml").symlink_to(home / "nothing")
    assert "cannot be read" in bl.specs.catalog().set_index("name").loc["gone", "problem"]


def test_a_pipe_and_a_folder_are_listed_and_not_waited_for(home: Path) -> None:
    (home / "specs" / "folder.json").mkdir(parents=True)
    os.mkfifo(home / "specs" / "pipe.toml")
    problems = bl.specs.catalog().set_index("name")["problem"]
    assert "is not a file" in problems["folder"]
    assert "is not a file" in problems["pipe"]


def test_a_folder_that_is_named_in_two_ways_is_searched_once(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bl.specs.save(OWN)
    (tmp_path / "link").symlink_to(home / "specs")
    monkeypatch.setenv("BIASLAB_SPECS", str(tmp_path / "link"))
    assert bl.specs.get("mine") == OWN
    bl.specs.save(OWN, tmp_path / "link", overwrite=True)


def test_other_files_in_the_folder_are_let_be(home: Path) -> None:
    own_file(home, "notes.txt", "not a spec")
    own_file(home, ".hidden.toml", "not a spec")
    assert {entry.where for entry in entries()} == {"predefined"}


@pytest.mark.parametrize("name", ["weat-6", "career-family-vs-gender"])
def test_ones_own_file_never_replaces_a_predefined_spec_and_never_in_silence(
    home: Path, name: str
) -> None:
    text = f'name = "{name}"\ntitle = "T"\nsource = "s"\nitems = ["a"]\n'
    file = own_file(home, "other.toml", text)
    with pytest.warns(UserWarning, match=r"other\.toml.*Rename it"):
        spec = bl.specs.get(name)
    assert list(spec.groups) == ["male names", "female names"]
    rows = bl.specs.catalog().set_index("where")
    assert "predefined spec 'weat-6'" in rows.loc[str(file), "problem"]
    assert bl.specs.get(file).items == ("a",)


def test_two_files_of_one_name_are_both_refused_and_named(home: Path) -> None:
    bl.specs.save(OWN)
    own_file(home, "twin.toml", 'name = "mine"\ntitle = "T"\nsource = "s"\nitems = ["a"]\n')
    with pytest.raises(SpecError, match=r"(my-words|twin)\.toml.*(my-words|twin)\.toml.*Rename"):
        bl.specs.get("mine")


def test_save_keeps_what_is_there(home: Path) -> None:
    file = bl.specs.save(OWN)
    changed = Spec(name="my-words", title="New", source="me", items=("baker",))
    with pytest.raises(SpecError, match="overwrite=True"):
        bl.specs.save(changed)
    assert bl.specs.get(file) == OWN
    bl.specs.save(changed, overwrite=True)
    assert bl.specs.get("my-words") == changed


@pytest.mark.parametrize(
    ("name", "says"),
    [("weat-1", "predefined spec 'weat-1'"), ("mine", "'mine' is already the name of the spec in")],
)
def test_save_refuses_a_name_that_is_taken(name: str, says: str) -> None:
    bl.specs.save(OWN)
    with pytest.raises(SpecError, match=says):
        bl.specs.save(Spec(name=name, title="T", source="s", items=("a",)))


def test_save_where_no_folder_can_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SpecError, match="Choose another"):
        bl.specs.save(OWN, tmp_path / "file" / "specs")


def test_a_probe_takes_ones_own_spec_by_name(home: Path) -> None:
    bl.specs.save(Spec(name="own-pairs", title="T", source="s", cue_pairs=(("she", "he"),)))
    subject = bl.observers.embedding(
        pse={"nurse": 0.6}, jnd=0.1, replicates=4, cues=(("she", "he"),), seed=1
    )
    assert bl.two_afc(subject, ["nurse"], "own-pairs").provenance.parameters["spec"] == "own-pairs"


def test_the_command_lists_shows_and_tells_of_broken_files(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = bl.specs.save(OWN)
    own_file(home, "broken.toml", "name = \n")
    assert main(["catalog"]) == 0
    printed = capsys.readouterr()
    lines = printed.out.splitlines()
    assert any(line.startswith("weat-6\t") and "career" in line for line in lines)
    assert any(line.startswith("my-words\t") and str(file) in line for line in lines)
    assert "broken.toml" in printed.err
    assert main(["catalog", "career-family-vs-gender"]) == 0
    assert "John, Paul, Mike" in capsys.readouterr().out


def test_the_command_prints_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["catalog", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert {row["name"]: row["groups"] for row in rows}["manzini-race"] == 3
    assert main(["catalog", "occupations", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert Spec.from_dict(shown) == bl.specs.get("occupations")


def test_the_command_offers_the_nearest_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["catalog", "gendr-pairs"]) == 1
    assert "Did you mean 'gender-pairs'" in capsys.readouterr().err
