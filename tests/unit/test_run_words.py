"""The words by which a search finds a run are the short texts of its result."""

from __future__ import annotations

from biaslab.store.run_fields import run_words


def test_short_texts_are_kept_once_and_folded() -> None:
    texts = ["Algebra", "algebra", "é", 3, 0.5, "NaN", "", "x" * 81, ["y" * 80]]
    document = {"schema": "left out", "name": "STRAẞE", "texts": texts, "call": {"of": "left out"}}
    assert run_words(document).split("\n") == ["strasse", "algebra", "é", "y" * 80]


def test_as_many_words_as_fit_into_20000_characters() -> None:
    found = run_words({"texts": [f"word{number:05}" for number in range(2100)]})
    assert len(found) == 19_999  # with its line break, each of 2,000 words takes 10
    assert found.endswith("word01999")
