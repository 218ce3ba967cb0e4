"""Subjects in other processes: opened again there, and the same object on return."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

import numpy as np
import pytest

import biaslab as bl
from biaslab.records.calls import reopening

VECTORS = {f"w{row}": np.eye(40)[row % 40] + row for row in range(600)}
KINDS: dict[str, Callable[[], Any]] = {
    "bundled ensemble": lambda: bl.load("wiki-bootstraps"),
    "its replicate": lambda: bl.load("wiki-bootstraps").replicate(3),
    "words of a classifier": lambda: bl.load("imdb-sentiment").words,
    "few vectors": lambda: bl.load({"he": [1.0, 0.0], "she": [0.0, 1.0]}, name="mine"),
    "many vectors": lambda: bl.load(VECTORS),
    "words and array": lambda: bl.WordEmbedding(["he", "she"], np.eye(2)),
    "debiased": lambda: bl.debias(bl.load("wiki-bootstraps").replicate(0), "weat-6"),
    "observer without a seed": lambda: bl.observers.embedding(0.6),
    "classifier without a seed": lambda: bl.observers.classifier(dim=3),
    "simulated decider": lambda: bl.observers.decider(gap=2.0),
    "simulated scorer": lambda: bl.observers.scorer(0.6),
    "simulated service": bl.observers.service,
    "function of a module": lambda: bl.services.FunctionService(str.upper, name="upper"),
}  # fmt: skip

MODELS: dict[str, Callable[[], Any]] = {
    "classifier": lambda: bl.load("imdb-sentiment"),
    "language model": lambda: bl.load("wiki-clm", name="mine"),
    "vision-language model": lambda: bl.load("portrait-clip"),
    "decider": lambda: bl.deciders.LanguageModelDecider(bl.load("clerk-lm")),
}


def content(subject: Any) -> tuple[Any, ...]:
    """Return what tells subjects apart, and the subject itself."""
    hashes = [getattr(subject, name, "") for name in ("content_hash", "identity", "name")]
    return type(subject).__name__, *map(str, hashes), subject


def test_subjects_of_every_kind_open_in_a_spawned_process() -> None:
    subjects = [make() for make in KINDS.values()]
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        there = pool.map(content, subjects, chunksize=len(subjects))
    for kind, subject, returned in zip(KINDS, subjects, there, strict=True):
        assert returned[:-1] == content(subject)[:-1], kind
        assert returned[-1] is subject, kind


@pytest.mark.parametrize("kind", MODELS)
def test_models_are_opened_again(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    subject = MODELS[kind]()
    stored = pickle.dumps(subject)
    monkeypatch.setattr(reopening, "_open", WeakValueDictionary())  # as in another process
    again = pickle.loads(stored)
    assert again is not subject
    assert content(again)[:-1] == content(subject)[:-1]
    assert pickle.loads(stored) is again


@pytest.mark.validate
def test_joblib_sends_a_subject_to_its_workers() -> None:
    joblib = pytest.importorskip("joblib", reason="joblib is not installed")
    subject = bl.observers.embedding(0.6)
    (estimate,) = joblib.Parallel(n_jobs=2)([joblib.delayed(bl.two_afc)(subject, ["item"])])
    assert estimate.summary() == bl.two_afc(subject, ["item"]).summary()


def test_a_pickle_opens_the_file_again_where_the_subject_is_gone(tmp_path: Path) -> None:
    path = bl.load(VECTORS).save(tmp_path / "mine.npz")
    subject = bl.load(path, limit=100)
    stored, before = pickle.dumps(subject), subject.content_hash
    assert pickle.loads(stored) is subject
    assert len(stored) < 1000
    del subject
    assert pickle.loads(stored).content_hash == before


def test_a_copy_is_another_subject() -> None:
    model = bl.load("wiki-clm")
    assert copy.copy(model) is not model
    assert copy.deepcopy(model) is model


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda: bl.deciders.ChatDecider("m", base_url="http://127.0.0.1:9/v1", key="k"), "key"),
        (lambda: bl.services.FunctionService(lambda text: text, name="f"), "Python function"),
        (lambda: bl.subjects.LanguageModel(*_parts(), kind="clm", name="own"), "in memory only"),
    ],
    ids=["key", "lambda", "model in memory"],
)
def test_what_cannot_travel_says_why(make: Callable[[], Any], why: str) -> None:
    with pytest.raises(pickle.PicklingError, match=f"{why}.*Open it inside the function"):
        pickle.dumps(make())


def _parts() -> tuple[Any, Any]:
    model = bl.load("clerk-lm")
    return model.model, model.tokenizer
