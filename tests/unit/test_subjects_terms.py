"""From what is typed to vectors: case, several words, suggestions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from biaslab.errors import UnknownTermError
from biaslab.subjects import WordEmbedding

WORDS = ["the", "nurse", "Nurse", "Paris", "NATO", "New_York", "self-made", "software",
         "engineer", "teacher", "house", "African", "american"]  # fmt: skip
VECTORS = np.random.default_rng(0).normal(size=(len(WORDS), 4)).astype(np.float32)


def row(word: str) -> np.ndarray:
    return VECTORS[WORDS.index(word)]


@pytest.mark.parametrize(
    ("case", "term", "expected"),
    [
        ("smart", "Nurse", "Nurse"),
        ("smart", "NURSE", "nurse"),
        ("smart", "paris", "Paris"),
        ("smart", "nato", None),
        ("exact", "Nurse", "Nurse"),
        ("exact", "Teacher", None),
        ("lower", "Nurse", "nurse"),
        ("lower", "Paris", None),
        ("smart", "new york", "New_York"),
        ("smart", "New York", "New_York"),
        ("smart", "  new   york ", "New_York"),
        ("exact", "new york", None),
        ("exact", "New York", "New_York"),
        ("smart", "self made", "self-made"),
        ("smart", "self_made", "self-made"),
        ("smart", " nurse\t", "nurse"),
    ],
)
def test_case_and_joined_words(case: str, term: str, expected: str | None) -> None:
    embedding = WordEmbedding(WORDS, VECTORS, letter_case=case)  # type: ignore[arg-type]
    if expected is None:
        assert term not in embedding
        return
    assert embedding.resolve([term]).read_as == {term: (expected,)}
    np.testing.assert_array_equal(embedding.vectors([term])[0, 0], row(expected))


def test_a_phrase_is_the_mean_of_its_words_raw_vectors() -> None:
    embedding = WordEmbedding(WORDS, VECTORS)
    got = embedding.vectors(["teacher", "Software Engineer", "the software engineer", "nurse"])
    assert got.shape == (1, 4, 4)
    np.testing.assert_array_equal(got[0, 0], row("teacher"))
    np.testing.assert_allclose(got[0, 1], (row("software") + row("engineer")) / 2, rtol=1e-6)
    expected = (row("the") + row("software") + row("engineer")) / 3
    np.testing.assert_allclose(got[0, 2], expected, rtol=1e-6)
    np.testing.assert_array_equal(got[0, 3], row("nurse"))
    np.testing.assert_allclose(
        embedding.vectors(["African_American"])[0, 0], (row("African") + row("american")) / 2
    )


def test_resolution_keeps_order_and_tells_duplicates() -> None:
    embedding = WordEmbedding(WORDS, VECTORS)
    found = embedding.resolve(
        ["teacher", "qqq", "TEACHER", "nurse", "teacher", "", "qqq", "the qqq"]
    )
    assert found.known == ("teacher", "nurse")
    assert found.duplicates == ("TEACHER", "teacher", "qqq")
    assert [(u.term, u.reason) for u in found.unknown] == [
        ("qqq", "not in the vocabulary"),
        ("", "empty"),
        ("the qqq", "'qqq' is not in the vocabulary"),
    ]


def test_suggestions_are_near_and_known() -> None:
    vectors = VECTORS.copy()
    vectors[WORDS.index("Nurse")] = 0
    embedding = WordEmbedding(WORDS, vectors)
    assert embedding.suggest("nruse")[0] == "nurse"
    assert "Nurse" not in embedding.suggest("nruse")
    assert embedding.suggest("teachers") == ["teacher"]
    assert embedding.suggest("xxxxxxxxxxxx") == []
    assert embedding.suggest("") == []
    assert embedding.suggest("nurse") == []
    assert len(embedding.suggest("nouse", limit=1)) == 1


def test_suggestion_for_a_phrase_is_the_whole_phrase() -> None:
    embedding = WordEmbedding(WORDS, VECTORS)
    assert embedding.suggest("software enginer") == ["software engineer"]
    unknown = embedding.resolve(["software enginer"]).unknown[0]
    assert unknown.suggestions == ("software engineer",)
    assert all(s in embedding for s in unknown.suggestions)


def test_unknown_terms_are_all_named_with_the_nearest() -> None:
    embedding = WordEmbedding(WORDS, VECTORS, name="tiny")
    with pytest.raises(UnknownTermError) as caught:
        embedding.vectors(["teacher", "nruse", "techer"])
    assert [u.term for u in caught.value.unknown] == ["nruse", "techer"]  # type: ignore[attr-defined]
    assert "tiny does not know 'nruse'" in str(caught.value)
    assert "did you mean nurse" in str(caught.value)
    with pytest.raises(UnknownTermError, match="and 95 more"):
        embedding.vectors([f"qq{i}" for i in range(100)])


def test_control_characters_and_long_terms_cannot_spoil_a_message() -> None:
    embedding = WordEmbedding(WORDS, VECTORS)
    with pytest.raises(UnknownTermError) as caught:
        embedding.vectors(["\x1b[31m" + "a" * 5000])
    assert "\x1b" not in str(caught.value)
    assert len(str(caught.value)) < 400


def test_a_lone_string_is_no_list() -> None:
    embedding = WordEmbedding(WORDS, VECTORS)
    with pytest.raises(TypeError, match=r"\['nurse'\]"):
        embedding.vectors("nurse")
    with pytest.raises(TypeError, match="text"):
        embedding.resolve([3])  # type: ignore[list-item]


def test_no_terms_give_no_vectors() -> None:
    assert WordEmbedding(WORDS, VECTORS).vectors([]).shape == (1, 0, 4)


@given(st.lists(st.text(max_size=12), max_size=20))
def test_any_terms_are_sorted_without_loss(terms: list[str]) -> None:
    embedding = WordEmbedding(WORDS, VECTORS)
    found = embedding.resolve(terms)
    together = [*found.known, *(u.term for u in found.unknown), *found.duplicates]
    assert sorted(together) == sorted(terms)
    assert embedding.vectors(found.known).shape == (1, len(found.known), 4)


@given(st.permutations(["teacher", "nurse", "software engineer", "new york", "house"]))
def test_order_of_vectors_follows_the_terms(terms: list[str]) -> None:
    embedding = WordEmbedding(WORDS, VECTORS)
    together = embedding.vectors(terms)
    for i, term in enumerate(terms):
        np.testing.assert_array_equal(together[:, i], embedding.vectors([term])[:, 0])
