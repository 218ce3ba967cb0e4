"""Own subjects: remembered under a name, opened by it everywhere, removed and taken back."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import biaslab as bl
from biaslab.errors import EndpointError, ServiceSetupError, SubjectError
from biaslab.subjects import library
from biaslab.subjects.opening import names as own
from harness import embedding_files

WORDS = ["she", "he", "nurse", "engineer"]
VECTORS = np.random.default_rng(1).normal(size=(4, 3)).astype(np.float32)


@pytest.fixture(autouse=True)
def _home(own_home: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own, "_functions", {})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return embedding_files.write(
        tmp_path / "vectors.txt", embedding_files.glove_text(WORDS, VECTORS)
    )


def test_an_own_file_is_opened_by_its_name(path: Path) -> None:
    assert library.add(path, name="mine").kind == "embedding"
    assert list(library.own_subjects()) == ["mine"]
    embedding = bl.load("mine")
    assert (embedding.name, len(embedding)) == ("mine", 4)
    assert bl.subjects.load_shared("mine") is bl.subjects.load_shared("mine")
    result = bl.two_afc("mine", ["nurse"], [("she", "he")])
    assert result.subjects[0] == "mine" if hasattr(result, "subjects") else result
    assert bl.subjects.inspect("mine").words == 4


def test_it_is_remembered_by_other_processes(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    library.add(path, name="mine")
    monkeypatch.setattr(own, "_cached", {})
    assert library.own_subject("mine").source == str(path)


def test_removing_forgets_the_name_and_keeps_the_file(path: Path) -> None:
    library.add(path, name="mine")
    removed = library.remove("mine")
    assert path.exists()
    with pytest.raises(SubjectError, match="no subject 'mine'"):
        bl.load("mine")
    library.restore(removed)
    assert len(bl.load("mine")) == 4
    with pytest.raises(SubjectError, match="Yours are: mine"):
        library.remove("other")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("", "1 to 80"),
        ("a/b", "reads as a path"),
        ("hf:x", "reads as a path"),
        ("wiki-mlm", "already"),
        ("mine", "already"),
    ],
)
def test_names_that_cannot_be_taken(path: Path, name: str, message: str) -> None:
    library.add(path, name="mine")
    with pytest.raises(SubjectError, match=message):
        library.add(path, name=name)


def test_what_cannot_be_read_is_not_added(tmp_path: Path) -> None:
    with pytest.raises(SubjectError, match=r"no config\.json"):
        library.add(tmp_path, name="mine")
    assert library.own_subjects() == {}


def test_a_function_lives_as_long_as_the_process(tmp_path: Path) -> None:
    library.add(str.upper, name="loud")
    assert bl.services.open_own("loud").answer(["nurse"]) == ["NURSE"]
    assert not (tmp_path / "home" / own.FILE).exists()
    with pytest.raises(SubjectError, match="open_own"):
        bl.load("loud")


def test_a_chat_model_keeps_the_name_of_its_key_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    described = {"address": "http://127.0.0.1:9/v1", "model": "local", "key_variable": "LAB_KEY"}
    library.add_service("lab", "chat", described)
    with pytest.raises(ServiceSetupError, match="LAB_KEY is not set"):
        bl.services.open_own("lab")
    monkeypatch.setenv("LAB_KEY", "sk-very-secret")
    assert bl.services.open_own("lab").endpoint.model == "local"
    assert "secret" not in (tmp_path / "home" / own.FILE).read_text()
    with pytest.raises(SubjectError, match="not the key itself"):
        library.add_service("other", "chat", described | {"key_variable": "sk-very-secret"})


def test_a_damaged_list_says_where_it_is(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / own.FILE).write_text("{")
    with pytest.raises(SubjectError, match=r"subjects\.json, is damaged"):
        library.own_subjects()
    assert bl.load("wiki-bootstraps").n_replicates == 32


def test_a_model_on_a_server_is_remembered_without_asking_it() -> None:
    address = "openai:org/my-model@http://127.0.0.1:9/v1"
    added = library.add(address)
    assert (added.name, added.kind, added.source) == ("my-model", "server", address)
    info = bl.subjects.inspect("my-model")
    assert [fit.name for fit in info.questions if fit.fits] == ["sentences", "decisions"]
    said = {fit.name: fit.explanation for fit in info.questions}
    assert "whole texts only" in said["psychometric"]
    with pytest.raises(EndpointError, match=r"127\.0\.0\.1:9"):
        bl.load("my-model")
    for wrong in ("openai:my-model", "openai:@http://127.0.0.1:9/v1", "openai:m@127.0.0.1"):
        with pytest.raises(SubjectError, match="names no model on a server"):
            library.add(wrong)
    with pytest.raises(SubjectError, match="leave out dtype"):
        library.add(address, "other", options={"dtype": "float16"})
