"""Vectors in memory as subjects; the vector of a word, and the words nearest to it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import biaslab as bl
from biaslab.errors import ArgumentError, SubjectError, UnknownTermError
from harness.heavy import pd, torch

ROWS = {"he": [1.0, 0.0], "him": [0.6, 0.8], "she": [0.0, 2.0], "void": [0.0, 0.0]}


def test_a_dict_and_a_table_make_the_same_embedding() -> None:
    from_dict = bl.load(ROWS)
    from_table = bl.load(pd.DataFrame(ROWS).T, name="mine", letter_case="lower")
    assert isinstance(from_dict, bl.WordEmbedding)
    assert from_dict.content_hash == from_table.content_hash
    assert (from_dict.name, from_table.name, from_table.letter_case) == (
        "my vectors",
        "mine",
        "lower",
    )
    assert from_dict.dtype == np.float32
    assert list(bl.load(ROWS, limit=2).words) == ["he", "him"]
    result = bl.two_afc(from_dict, ["him"], [("he", "she")])
    assert result.items == ("him",)


@pytest.mark.parametrize("dtype", ["float16", "int8"])
def test_vectors_in_memory_take_the_stored_types(dtype: str) -> None:
    subject = bl.load(ROWS, dtype=dtype)
    assert subject.dtype == dtype
    np.testing.assert_allclose(subject["him"], ROWS["him"], atol=0.01)


def test_a_matrix_in_memory_takes_its_words() -> None:
    words, rows = list(ROWS)[:3], np.array(list(ROWS.values())[:3])
    layer = torch.nn.Embedding(3, 2, _weight=torch.tensor(rows, dtype=torch.float32))
    for source in (rows, torch.tensor(rows), layer, layer.weight):
        subject = bl.load(source, words=words, name="mine")
        assert subject.name == "mine"
        assert subject["she"].tolist() == [0.0, 2.0]
    with pytest.raises(SubjectError, match=r"2 words and a matrix of shape \(3, 2\)"):
        bl.load(rows, words=words[:2])
    with pytest.raises(SubjectError, match="words= is for a table in memory"):
        bl.load("wiki-bootstraps", words=words)


@pytest.mark.parametrize(
    ("source", "error", "message"),
    [
        (dict, SubjectError, "The dict is empty"),
        (lambda: {"a": [1.0], "b": [1.0, 2.0]}, SubjectError, "vector of 'b' has the shape"),
        (lambda: {"a": ["x"]}, SubjectError, "vector of 'a' holds something that is not a number"),
        (lambda: {3: [1.0]}, SubjectError, r"3 is not a word\. .*set_index"),
        (lambda: pd.DataFrame({"word": ["a"], "x": [1.0]}), SubjectError, "The table holds some"),
        (lambda: pd.DataFrame({"x": [1.0]}), SubjectError, r"0 is not a word\. .*set_index"),
        *(
            (lambda one=one: one, ArgumentError, "Pass a name, a path, a dict")
            for one in (None, 3, ["nurse"], object())
        ),
    ],
)
def test_what_is_no_embedding_says_how_to_make_it_one(
    source: Callable[[], Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        bl.load(source())


def test_an_open_subject_needs_no_load() -> None:
    subject: Any = bl.load(ROWS)
    with pytest.raises(ArgumentError, match=r"'my vectors', an embedding.*to the probe directly"):
        bl.load(subject)


def test_options_of_models_mean_nothing_to_vectors() -> None:
    with pytest.raises(SubjectError, match="leave out kind and device"):
        bl.load(ROWS, kind="mlm")


def test_a_word_gives_its_vector() -> None:
    subject = bl.load(ROWS)
    assert subject["him"].shape == (2,)
    ensemble = bl.load("wiki-bootstraps")
    assert ensemble["nurse"].shape == (ensemble.n_replicates, ensemble.dim)
    np.testing.assert_array_equal(ensemble["nurse"], ensemble.vectors(["nurse"])[:, 0])
    with pytest.raises(UnknownTermError, match="'hers'"):
        subject["hers"]
    with pytest.raises(ArgumentError, match=r"vectors\(\) takes a list"):
        subject[["he", "she"]]  # type: ignore[index]


def test_the_nearest_words_come_in_order_without_those_that_have_no_direction() -> None:
    found = bl.load(ROWS).nearest("she")
    assert [word for word, _ in found] == ["him", "he"]
    np.testing.assert_allclose([n.cosine for n in found], [0.8, 0.0], atol=1e-6)
    assert bl.load(ROWS).nearest("she", 1) == found[:1]
    with pytest.raises(ValueError, match="at least 1 word"):
        bl.load(ROWS).nearest("she", 0)


def test_the_nearest_words_of_an_ensemble_are_by_the_mean_cosine() -> None:
    subject = bl.load("wiki-bootstraps")
    first = subject.nearest("nurse", 3)[0]
    one, two = (subject.vectors([word])[:, 0].astype(float) for word in ("nurse", first.word))
    norms = np.linalg.norm(one, axis=1) * np.linalg.norm(two, axis=1)
    assert first.cosine == pytest.approx(float(((one * two).sum(axis=1) / norms).mean()), abs=1e-5)
    assert first.cosine >= max(n.cosine for n in subject.nearest("nurse", 20))


def test_of_a_word_with_two_vectors_the_first_counts() -> None:
    rows = np.array([[1, 0], [0, 1], [1, 0.1]], dtype=np.float32)
    subject = bl.WordEmbedding(["he", "she", "she"], rows)
    assert [word for word, _ in subject.nearest("he")] == ["she"]


def test_the_package_knows_its_version() -> None:
    from importlib.metadata import version

    assert bl.__version__ == version("biaslab")
