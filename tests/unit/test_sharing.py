"""What is one person's, and what a teacher or the owner shares with everybody on a server."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import biaslab as bl
from biaslab.errors import NotAllowedError, RunNotFoundError, SpecError, StoreError, SubjectError
from biaslab.people.access import Access, Role, acting_as
from biaslab.records.kinds import brief_of
from biaslab.specs import Spec
from biaslab.store import Store
from biaslab.store.sharing import (
    ReadableStore,
    share_run,
    share_spec,
    share_subject,
    shared_runs,
    sharers,
    withdraw,
)
from biaslab.subjects import library
from biaslab.subjects.opening.names import own_folder, own_subjects
from biaslab_widgets.core.word_lists import catalogue, word_commands
from harness.emitted import observers

LISTS = [{"name": "words", "terms": ["nurse", "baker"], "kind": "items"}]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The owner's folder, with a list of their own that an environment variable names."""
    monkeypatch.setenv("BIASLAB_HOME", str(tmp_path / "owner"))
    monkeypatch.setenv("BIASLAB_SPECS", str(tmp_path / "elsewhere"))
    (tmp_path / "elsewhere").mkdir()
    bl.specs.save(spec("owners-words", "secret"), tmp_path / "elsewhere")
    return tmp_path / "owner"


def spec(name: str, *words: str) -> Spec:
    return Spec(name=name, title=name, source="me", items=words or ("nurse",))


def person(folder: Path, name: str, role: Role = Role.VISITOR) -> Access:
    return Access(name, role, folder / "users" / name, folder / "shared")


@pytest.fixture
def anna(folder: Path) -> Access:
    return person(folder, "anna", Role.TEACHER)


@pytest.fixture
def ben(folder: Path) -> Access:
    return person(folder, "ben")


def owner(folder: Path) -> Access:
    return Access("olga", Role.OWNER, None, folder / "shared")


def save_list(name: str, *, overwrite: bool = False) -> str:
    """Save in the editor of a bench; its message."""
    texts = {"name": name, "title": name, "source": "me", "overwrite": overwrite}
    outcome = word_commands(lambda: None)["save-spec"]({**texts, "lists": LISTS})
    assert isinstance(outcome, dict)
    return f"{outcome['message']} {outcome['content']}"


def saved_run(word: str) -> str:
    result = bl.two_afc(observers(), [word], [("woman", "man")])
    return Store().save(result, f"about {word}", inputs={"word": word})


def own_lists() -> dict[str, str]:
    return {one["name"]: one["where"] for one in catalogue() if one["where"] != "predefined"}


def test_a_list_of_one_is_not_shown_to_another_nor_overwritten(anna: Access, ben: Access) -> None:
    with acting_as(anna):
        save_list("mine")
    with acting_as(ben):
        assert own_lists() == {}
        with pytest.raises(SpecError, match="No spec is called"):
            bl.specs.get("mine")
        assert bl.specs.save(spec("mine", "pilot"), overwrite=True).is_relative_to(ben.home or "")
    with acting_as(anna):
        assert bl.specs.get("mine").items == ("nurse", "baker")


def test_lists_and_messages_name_no_folder_of_the_server(anna: Access, folder: Path) -> None:
    with acting_as(anna):
        said = save_list("mine")
        with pytest.raises(SpecError, match="already exists") as again:
            save_list("mine")
        with pytest.raises(StoreError) as missing:
            Store().open("nothing")
        assert own_lists() == {"mine": "specs/mine.toml"}
    for text in (said, str(again.value), str(missing.value)):
        assert str(folder.parent) not in text
    assert str(folder.parent) in repr(Store())


def test_folders_that_the_owner_named_are_the_owners(anna: Access, folder: Path) -> None:
    with acting_as(owner(folder)):
        assert "owners-words" in own_lists()
    with acting_as(anna):
        assert "owners-words" not in own_lists()


def test_a_shared_run_is_read_by_all_and_changed_by_none(anna: Access, ben: Access) -> None:
    with acting_as(anna):
        original = saved_run("nurse")
        shared = share_run(original)
        assert share_run(original) == shared, "it is shared once"
    with acting_as(ben):
        store = ReadableStore()
        assert brief_of(store.open(shared)) == store.run(shared).headline
        assert store.run(shared).inputs == {"word": "nurse"}
        assert sharers("run") == {shared: "anna"}
        with pytest.raises(RunNotFoundError):
            store.open(original)
        own = saved_run("teacher")
        for change in (
            lambda: store.delete([shared]),
            lambda: store.rename(shared, "mine"),
            lambda: store.tag(shared, "mine"),
        ):
            with pytest.raises(RunNotFoundError):
                change()
        assert list(store.runs()["id"]) == [own]
    with acting_as(anna):
        withdraw("run", shared)
        assert Store().run(original).label == "about nurse"
    with acting_as(ben):
        assert sharers("run") == {}
        for read in (ReadableStore().open, ReadableStore().run):
            with pytest.raises(RunNotFoundError):
                read(shared)
        assert shared_runs() == []


def test_what_is_shared_no_longer_is_not_read_by_its_id(
    anna: Access, ben: Access, folder: Path
) -> None:
    with acting_as(anna):
        forgotten, deleted, kept = (
            share_run(saved_run(word)) for word in ("nurse", "teacher", "nurse")
        )
    copies = Store(folder / "shared")
    copies.delete(deleted)
    record = folder / "shared" / "shared.json"
    known = json.loads(record.read_text())
    del known["run"][forgotten]
    record.write_text(json.dumps(known))
    with acting_as(ben):
        store = ReadableStore()
        for gone in (forgotten, deleted):
            for read in (store.open, store.run):
                with pytest.raises(RunNotFoundError):
                    read(gone)
            with pytest.raises(RunNotFoundError):
                store.export(gone, folder / "run.json")
        assert [run["id"] for run in shared_runs("about")] == [kept]
    with acting_as(anna):
        withdraw("run", kept)
    assert copies.count() + len(copies.runs(deleted=True)) == 1, "the other was never withdrawn"


def test_a_visitor_shares_nothing(ben: Access) -> None:
    with acting_as(ben):
        run = saved_run("nurse")
        save_list("mine")
        own_folder().mkdir(parents=True)
        file = own_folder() / "vectors.txt"
        file.write_text("nurse 1 0\nman 0 1\n", encoding="utf-8")
        library.add(file, "mine", uploaded=True)
        for share, name in ((share_run, run), (share_spec, "mine"), (share_subject, "mine")):
            with pytest.raises(NotAllowedError, match="Only a teacher or the owner"):
                share(name)
        assert all("share" not in one for one in catalogue())


def test_only_who_shared_it_and_the_owner_withdraw(anna: Access, folder: Path) -> None:
    with acting_as(anna):
        shared = [share_run(saved_run(word)) for word in ("nurse", "teacher")]
    with (
        acting_as(person(folder, "carl", Role.TEACHER)),
        pytest.raises(NotAllowedError, match="was shared by anna"),
    ):
        withdraw("run", shared[0])
    with acting_as(owner(folder)):
        withdraw("run", shared[0])
        assert list(sharers("run")) == shared[1:]


def test_a_shared_list_is_loaded_by_all_and_says_whose_it_is(anna: Access, ben: Access) -> None:
    with acting_as(anna):
        save_list("care")
        outcome = word_commands(lambda: None)["share-spec"]({"name": "care"})
        assert outcome == "Everybody on this server can load care now."
        assert [one["share"] for one in catalogue() if one["name"] == "care"] == ["withdraw"]
    with acting_as(ben):
        assert own_lists() == {"care": "care.toml, shared by anna"}
        assert bl.specs.get("care").items == ("nurse", "baker")
        bl.specs.save(spec("care", "pilot"))
        assert bl.specs.get("care").items == ("pilot",), "a person's own list comes first"
    with acting_as(anna):
        assert bl.specs.get("care").items == ("nurse", "baker")
        word_commands(lambda: None)["withdraw-spec"]({"name": "care"})
        assert own_lists() == {"care": "specs/care.toml"}


def test_two_teachers_do_not_share_under_one_name(anna: Access, folder: Path) -> None:
    for teacher in (anna, person(folder, "carl", Role.TEACHER)):
        with acting_as(teacher):
            bl.specs.save(spec("care", teacher.user))
    with acting_as(anna):
        share_spec("care")
    with (
        acting_as(person(folder, "carl", Role.TEACHER)),
        pytest.raises(SpecError, match="anna has shared a word list care already"),
    ):
        share_spec("care")
    with acting_as(person(folder, "dora")):
        assert bl.specs.get("care").items == ("anna",)


def test_a_shared_upload_is_a_copy_that_others_only_open(anna: Access, ben: Access) -> None:
    with acting_as(anna):
        file = own_folder() / ("a" * 12) / "vectors.txt"
        file.parent.mkdir(parents=True)
        file.write_text("nurse 1 0\nman 0 1\nwoman 1 1\n", encoding="utf-8")
        library.add(file, "mine", uploaded=True)
        share_subject("mine")
        library.discard_upload(library.remove("mine"))
        assert not file.exists()
    with acting_as(ben):
        assert own_subjects()["mine"].shared_by == "anna"
        assert "nurse" in bl.load("mine")
        with pytest.raises(SubjectError, match="was shared by anna"):
            library.remove("mine")
    with acting_as(anna):
        withdraw("subject", "mine")
    with acting_as(ben):
        assert "mine" not in own_subjects()
    record = json.loads((anna.shared or Path()).joinpath("shared.json").read_text())
    assert record["subject"] == {}


def test_a_function_is_the_owners_and_not_shared(folder: Path, ben: Access) -> None:
    with acting_as(owner(folder)):
        library.add(lambda text: text, "a function")
        try:
            with pytest.raises(SubjectError, match="cannot be shared"):
                share_subject("a function")
            with acting_as(ben):
                assert "a function" not in own_subjects()
        finally:
            library.remove("a function")
