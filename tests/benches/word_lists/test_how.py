"""How this works, of the word-list editor: what becomes of the lists."""

from __future__ import annotations

from harness.arithmetic import check_how, results_of
from harness.explained import explained
from harness.ready_benches import NEW


def test_unknown_terms_are_taken_off() -> None:
    lists = [{"name": "words", "terms": ["nurse", "zzyzx", "teacher"]}]
    steps = check_how(explained(NEW["word_lists"](), lists=lists), "word_lists")
    assert results_of(steps["Leave out unknown terms"]) == [2]


def test_without_a_subject_nothing_is_left_out() -> None:
    how = explained(NEW["word_lists"](), subject="", lists=[{"name": "words", "terms": ["nurse"]}])
    assert how["about"] == "1 term in 1 list."
    assert [step["title"] for step in how["steps"]] == ["Use the lists"]
