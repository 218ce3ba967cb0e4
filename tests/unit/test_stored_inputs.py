"""Stored inputs of a bench: which are kept, and which come back."""

from __future__ import annotations

from typing import Any

import pytest

from biaslab_widgets.benches import BENCHES
from biaslab_widgets.benches.psychometric.fields import COMPONENT
from biaslab_widgets.benches.sentences.fields import COMPONENT as SENTENCES
from biaslab_widgets.core.state.inputs import inputs_to_store, stored_inputs


def test_what_is_stored_comes_back_whole_for_every_bench() -> None:
    for entry in BENCHES:
        stored = inputs_to_store(entry.component, entry.component.initial())
        assert "command" not in stored
        assert "answer" not in stored
        assert stored_inputs(entry.component, stored, []) == (stored, ())


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("curve", "cubic"),
        ("noise", 7),
        ("noise", "much"),
        ("levels", 5.5),
        ("fit_axis", 1),
        ("pairs", [["woman"]]),
        ("words", "nurse"),
        ("retired", True),
    ],
)
def test_what_does_not_fit_is_left_out_and_named(name: str, value: Any) -> None:
    inputs, notices = stored_inputs(COMPONENT, {"word": "nurse", name: value}, [])
    assert inputs == {"word": "nurse"}
    (notice,) = notices
    assert name in notice


def test_a_subject_that_is_not_offered_is_named_and_another_stays() -> None:
    inputs, notices = stored_inputs(COMPONENT, {"subject": "mine", "word": "nurse"}, ["other"])
    assert inputs == {"word": "nurse"}
    assert notices == (
        "mine is not in the library now: add it under Subjects to see the same numbers.",
    )


def test_models_that_are_offered_stay_chosen() -> None:
    inputs, notices = stored_inputs(SENTENCES, {"models": ["a", "b"]}, ["b"])
    assert inputs == {"models": ["b"]}
    assert len(notices) == 1


def test_a_list_of_records_with_an_unknown_member_is_left_out() -> None:
    lists = [{"name": "words", "terms": ["nurse"], "colour": "red"}]
    assert stored_inputs(SENTENCES, {"lists": lists}, [])[0] == {}
