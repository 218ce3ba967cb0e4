"""Predictions beside the notebook, and answers that check themselves."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness.deferred import Deferred

classroom = Deferred("biaslab_widgets.classroom")
kept = Deferred("biaslab_widgets.classroom.kept")
digest = Deferred("biaslab_widgets.classroom.digest")


pytestmark = pytest.mark.usefixtures("closed_widgets")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "predictions.json"


def asked(file: Path, question: str = "Which?") -> classroom.Prediction:
    return classroom.Prediction(question, ["one", "two"], kept.KeptPredictions(file))


def test_a_prediction_comes_back_in_the_next_kernel(file: Path) -> None:
    asked(file).answer("two")
    again = asked(file)
    assert again.choice == "two"
    assert again.selected == "two"
    assert again.phase == "answered"
    assert not asked(file, "Another?").is_committed


def test_what_was_passed_by_comes_back_as_that(file: Path) -> None:
    asked(file).pass_by()
    again = asked(file)
    assert again.passed
    assert again.choice is None


def test_a_prediction_that_is_taken_back_is_forgotten(file: Path) -> None:
    prediction = asked(file)
    prediction.answer("one")
    asked(file, "Another?").answer("two")
    prediction.reopen()
    assert json.loads(file.read_text(encoding="utf-8")) == {"Another?": "two"}


@pytest.mark.parametrize("text", ["", "{", "[1]", '{"Which?": "three"}'])
def test_a_file_that_holds_no_prediction_of_ours_is_as_none(file: Path, text: str) -> None:
    file.write_text(text, encoding="utf-8")
    prediction = asked(file)
    assert not prediction.is_committed
    prediction.answer("one")
    assert asked(file).choice == "one"


def test_a_folder_that_cannot_be_written_is_reported(tmp_path: Path) -> None:
    prediction = asked(tmp_path / "missing" / "predictions.json")
    prediction.answer("one")
    assert prediction.choice == "one"
    assert "could not be written to predictions.json" in prediction.note


def test_outside_a_kernel_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    classroom.Prediction("Which?", ["one", "two"]).answer("one")
    assert list(tmp_path.iterdir()) == []


def test_the_progress_counts_what_was_predicted(tmp_path: Path) -> None:
    assert kept.progress(tmp_path) == "You have made no predictions yet."
    (tmp_path / "predictions.json").write_text('{"a": "x", "b": "", "c": "y"}', encoding="utf-8")
    assert kept.progress(tmp_path) == "Predictions that you have made: 2. You skipped 1."


def test_a_number_is_checked_as_people_type_it() -> None:
    check = classroom.SelfCheck("Where?", right=62.5, digits=1, within=1, hint="Think again.")
    for typed in ("62.5", "62,5", " 62.50 %", "62.4", "62.6"):
        check.answer(typed)
        assert check.is_right, typed
    for typed in ("62.3", "-62.5", "6250"):
        check.answer(typed)
        assert not check.is_right, typed
        assert check.note == f"{typed}: not yet. Think again."
    check.answer("half")
    assert "not a number" in check.note


def test_a_choice_is_checked_and_can_be_made_again() -> None:
    check = classroom.SelfCheck("Which?", ["one", "two"], right="two")
    check.answer("one")
    assert not check.is_right
    check.answer("two")
    assert check.is_right
    assert check.note == "two: right."


def test_a_check_works_from_its_digest_alone() -> None:
    made = digest.digest_of("Where?", "62.5", 1)
    check = classroom.SelfCheck("Where?", digest=made, digits=1)
    check.answer("62.5")
    assert check.is_right
    assert made != digest.digest_of("Elsewhere?", "62.5", 1)
    with pytest.raises(ValueError, match="the right answer or its digest"):
        classroom.SelfCheck("Where?")
    with pytest.raises(ValueError, match="'three' is not among the options"):
        classroom.SelfCheck("Which?", ["one", "two"], right="three")


def test_a_self_check_comes_back_with_what_it_said(tmp_path: Path) -> None:
    def check() -> classroom.SelfCheck:
        file = kept.KeptPredictions(tmp_path / "self-checks.json")
        return classroom.SelfCheck("Where?", right=62.5, digits=1, kept=file)

    check().answer("62.5")
    assert check().is_right
    assert check().note == "62.5: right."
    check().answer("many")
    assert check().selected == "62.5"
    assert kept.progress(tmp_path) == "You have made no predictions yet."
