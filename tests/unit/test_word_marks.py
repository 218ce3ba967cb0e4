"""What is odd in word lists is marked where it stands, and nothing else is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import biaslab as bl
from biaslab_widgets.core.state.records import TermMark, WordList
from biaslab_widgets.core.word_marks import SUGGESTED, marks_of
from harness.emitted import observers

# Case is no difference to it: "Nurse" is read as "nurse".
EMBEDDING = bl.WordEmbedding(
    ["nurse", "teacher", "she", "he", "fire", "fighter"], np.eye(6, dtype=np.float32)
)


def words(*terms: str, name: str = "words") -> WordList:
    return {"name": name, "terms": list(terms)}


def places(marks: list[TermMark]) -> list[tuple[int, int, str]]:
    return [(mark["list"], mark["position"], mark["kind"]) for mark in marks]


def test_known_terms_have_no_mark() -> None:
    assert marks_of(observers(), [words("nurse", "teacher"), words("woman", name="cues")]) == []


def test_an_unknown_term_is_marked_at_each_place_with_near_words() -> None:
    marks = marks_of(observers(), [words("nurze", "nurse", "nurze")])
    assert places(marks) == [(0, 0, "unknown"), (0, 2, "unknown"), (0, 2, "duplicate")]
    assert marks[0]["reason"] == "not in the vocabulary"
    assert marks[0]["suggestions"][0] == marks[1]["suggestions"][0] == "nurse"


def test_near_words_are_looked_for_a_few_only_and_the_rest_when_asked() -> None:
    terms = [f"nurse{'x' * n}" for n in range(1, SUGGESTED + 4)]
    marks = marks_of(observers(), [words(*terms)])
    assert ["suggestions" in mark for mark in marks] == [n < SUGGESTED for n in range(len(terms))]


def test_duplicates_are_what_the_subject_reads_as_the_same_words() -> None:
    marks = marks_of(EMBEDDING, [words("nurse", "Nurse", "teacher", "nurse")])
    assert places(marks) == [(0, 1, "duplicate"), (0, 3, "duplicate")]
    assert "“nurse”" in marks[0]["reason"]
    assert marks[1]["reason"] == "is already in this list"
    # A subject that tells cases apart has two words there.
    exact = bl.WordEmbedding(["nurse", "Nurse"], np.eye(2, dtype=np.float32), letter_case="exact")
    assert marks_of(exact, [words("nurse", "Nurse")]) == []


def test_an_overlap_names_the_other_lists_and_stays_in_both() -> None:
    lists = [words("nurse", name="a"), words("Nurse", name="b"), words("nurse", name="c")]
    marks = marks_of(EMBEDDING, lists)
    assert places(marks) == [(0, 0, "overlap"), (1, 0, "overlap"), (2, 0, "overlap")]
    assert [mark["reason"] for mark in marks][:2] == ["also in b and c", "also in a and c"]


def test_without_a_subject_nothing_is_unknown_and_spelling_is_compared() -> None:
    marks = marks_of(None, [words("zzz", "Zzz"), words("ﬁn", "fin", name="b")])
    assert places(marks) == [(0, 1, "duplicate"), (1, 1, "duplicate")]
    assert "case or encoding" in marks[0]["reason"]


def test_a_word_without_a_vector_is_unknown_with_its_reason() -> None:
    silent = bl.WordEmbedding(["nurse", "void"], np.array([[1.0, 0.0], [0.0, 0.0]]))
    marks = marks_of(silent, [words("void", "Void")])
    assert places(marks) == [(0, 0, "unknown"), (0, 1, "unknown")]
    assert marks[0]["reason"] == "its vector is all zeros"


@pytest.mark.parametrize(
    "term", ["<b>nurse</b>", "طبيبة", "👩‍🔬", "a" * 5000, "fire fighter", "x_y", "  "]
)
def test_any_text_is_marked_and_not_changed(term: str) -> None:
    marks = marks_of(observers(), [words(term)])
    assert [(mark["term"], mark["kind"]) for mark in marks] == [(term, "unknown")]


TERMS = st.lists(st.sampled_from(["nurse", "Nurse", "NURSE", "zz", "ZZ", "she", "he", "chef"]))


@given(st.lists(TERMS, max_size=3), st.data())
def test_marks_agree_with_resolve_and_do_not_depend_on_the_order_of_lists(
    terms: list[list[str]], data: Any
) -> None:
    subject = EMBEDDING
    lists = [words(*some, name=str(number)) for number, some in enumerate(terms)]
    marks = marks_of(subject, lists)
    for number, some in enumerate(terms):
        unknown = {m["term"] for m in marks if m["list"] == number and m["kind"] == "unknown"}
        duplicates = [m["term"] for m in marks if m["list"] == number and m["kind"] == "duplicate"]
        found = subject.resolve(some)
        assert unknown == {u.term for u in found.unknown}
        assert sorted(duplicates) == sorted(found.duplicates)
    order = data.draw(st.permutations(range(len(lists))))
    turned = marks_of(subject, [lists[i] for i in order])
    again = {(order[m["list"]], m["position"], m["kind"]) for m in turned}
    assert again == set(places(marks))
