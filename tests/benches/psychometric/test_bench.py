"""The psychometric controller: many changes, one answer to the newest; bad input is refused."""

from __future__ import annotations

import gc
import json
import logging
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import biaslab as bl
from biaslab.errors import QueryError
from biaslab.observers.psychometric import Distribution
from biaslab_widgets.benches.psychometric.bench import PsychometricController
from biaslab_widgets.benches.psychometric.fields import Answer, PsychometricBenchState
from biaslab_widgets.core.answers.live import IDLE_S, ONE_PERSON, GcPause, LiveWorker
from biaslab_widgets.core.subjects.sources import sources
from harness.emitted import NOT_YET_S, PATIENCE_S, Emitted, Gate, GatedSubject, observers


@pytest.fixture
def gate() -> Iterator[Gate]:
    gate = Gate()
    yield gate
    gate.open()


def controller(subject: Any = None, **values: Any) -> tuple[PsychometricController, Emitted]:
    emitted = Emitted()
    made = PsychometricController(sources(subject or observers()), emitted)
    made.change({"word": "nurse", **values})
    return made, emitted


def test_many_changes_while_one_answer_is_made_lead_to_one_more_answer(gate: Gate) -> None:
    made, emitted = controller(GatedSubject(gate), generation=1)
    assert gate.entered.wait(PATIENCE_S)
    for generation in range(2, 40):
        made.change({"alpha": generation / 100, "noise": generation / 100})
        made.change({"generation": generation})
    gate.open()
    last = emitted.answer(generation=39)
    assert [a["generation"] for a in emitted.answers] == [1, 39]
    assert last["picture"]["row_noise"] == pytest.approx(0.39)


def test_garbage_is_collected_between_answers_and_not_in_one(gate: Gate) -> None:
    seen: list[bool] = []

    class Task:
        owner = ONE_PERSON

        def work(self) -> None:
            seen.append(gc.isenabled())
            gate.pass_through()

    worker = LiveWorker()
    worker.enqueue(Task())
    assert gate.entered.wait(PATIENCE_S)
    assert seen == [False]
    gate.open()
    assert _collecting()


def _collecting() -> bool:
    """Whether garbage is collected again, waiting for it."""
    until = time.monotonic() + PATIENCE_S
    while not gc.isenabled() and time.monotonic() < until:
        threading.Event().wait(IDLE_S / 4)
    return gc.isenabled()


def test_collection_is_not_held_back_for_ever_nor_begun_for_who_has_it_off(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert _collecting()  # the worker of other tests has come to rest
    held = GcPause()
    held.begin()
    assert not gc.isenabled()
    monkeypatch.setattr("biaslab_widgets.core.answers.live.LONGEST_S", -1.0)
    held.begin()
    assert gc.isenabled()
    gc.disable()
    try:
        held.begin()
        held.end()
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_answers_come_in_the_order_of_their_generations() -> None:
    made, emitted = controller()
    for generation in range(1, 120):
        made.change({"alpha": generation / 120, "generation": generation})
        if generation % 10 == 0:
            emitted.answer(generation=generation)
    emitted.answer(generation=119)
    seen = [a["generation"] for a in emitted.answers]
    assert seen == sorted(seen)
    assert len(seen) > 10


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"alpha": 1.5}, "alpha is 1.5"),
        ({"alpha": float("nan")}, "alpha"),
        ({"noise": -0.1}, "noise"),
        ({"curve": "cubic"}, "logistic"),
        ({"replicates": -1}, "replicates"),
        ({"levels": 2}, "levels"),
        ({"colour": "red"}, "no input 'colour'"),
        ({"answer": {}}, "no input 'answer'"),
    ],
)
def test_a_value_that_is_not_allowed_is_refused_with_all_that_came_with_it(
    values: dict[str, Any], says: str
) -> None:
    made, emitted = controller(generation=1)
    emitted.answer(generation=1)
    before = made.snapshot()
    with pytest.raises(ValueError, match=says):
        made.change({"word": "teacher", **values})
    assert made.snapshot() == before


def test_the_result_is_that_of_the_newest_change_at_once() -> None:
    subject = observers()
    words = ("teacher", "electrician", "nurse")
    expected = dict(zip(words, bl.two_afc(subject, words, ("female", "male")).pse, strict=True))
    made, _ = controller(subject)
    for word in words * 20:
        made.change({"word": word})
        assert made.result.items == (word,)
        assert made.result.pse[0] == pytest.approx(expected[word], abs=1e-6)


def test_a_result_is_not_swapped_by_an_answer_to_an_older_state() -> None:
    made, _ = controller()
    older = replace(made.snapshot(), word="electrician")
    answer = made._answer

    def then_let_the_worker_answer(snapshot: PsychometricBenchState) -> Answer:
        found = answer(snapshot)
        worker = threading.Thread(target=answer, args=(older,))
        worker.start()
        worker.join(NOT_YET_S)
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(made, "_answer", then_let_the_worker_answer)
        assert made.result.items == ("nurse",)


def test_two_controllers_do_not_disturb_each_other() -> None:
    one, seen_one = controller(generation=1)
    two, seen_two = controller(generation=1)
    one.change({"word": "electrician", "noise": 0.2, "generation": 2})
    two.change({"word": "teacher", "curve": "logistic", "generation": 2})
    first, second = seen_one.answer(generation=2), seen_two.answer(generation=2)
    assert (first["picture"]["word"], second["picture"]["word"]) == ("electrician", "teacher")
    assert (one.result.fit.family, two.result.fit.family) == ("auto", "logistic")
    assert (one.result.noise, two.result.noise) == (0.2, 0.0)


def test_a_controller_that_fails_does_not_stop_another(caplog: pytest.LogCaptureFixture) -> None:
    def broken(_: dict[str, Any]) -> None:
        raise RuntimeError("planted")

    PsychometricController(sources(observers()), broken).change({"word": "nurse"})
    _, emitted = controller(generation=1)
    with caplog.at_level(logging.ERROR, logger="biaslab"):
        assert emitted.answer(generation=1)["state"] == "ready"
    assert "planted" in caplog.text


def test_an_unknown_word_says_whose_the_picture_is_and_leads_on() -> None:
    made, emitted = controller(generation=1)
    emitted.answer(generation=1)
    made.change({"word": "zzyzx", "generation": 2})
    notice = emitted.answer(generation=2)["message"]
    assert "The grey picture still shows “nurse”." in notice["text"]
    words = [action["set"]["word"] for action in notice["actions"]]
    assert words[0] == "nurse"
    assert len(words) == len(set(words)) > 1
    assert "zzyzx" not in words
    made.change({"word": "nurze", "generation": 3})
    notice = emitted.answer(generation=3)["message"]
    assert "Did you mean" in notice["text"]
    assert {"word": "nurse"} in [action["set"] for action in notice["actions"]]


STRANGE: list[dict[str, Any]] = [
    {"word": ""},
    {"word": "   "},
    {"word": "<img src=x onerror=alert(1)>"},
    {"word": "nurse " * 50},
    {"word": "nurse\x00\ud83d\ude00"},
    {"pairs": []},
    {"pairs": [["female", "female"]]},
    {"pairs": [["", "male"]]},
    {"pairs": [["female"]]},
    {"pairs": [["unheard", "of"]]},
    {"selected_pairs": []},
    {"selected_pairs": [7]},
    {"selected_pairs": [10_000]},
    {"subject": "gone"},
    {"replicates": 1},
    {"replicates": 4096},
    {"curve": "weibull"},
    {"noise": 0.5, "prior_sd": 1.0, "decision": "sample"},
    {"noise": 0.001, "prior_sd": 0.001},
    {"fit_axis": True, "levels": 101},
]


@pytest.mark.parametrize("values", STRANGE, ids=lambda v: json.dumps(v)[:40])
def test_whatever_is_asked_gets_a_state_with_a_message_or_a_picture(values: dict[str, Any]) -> None:
    made, emitted = controller(generation=1)
    good = emitted.answer(generation=1)
    made.change({**values, "generation": 2})
    answer = emitted.answer(generation=2)
    json.dumps(answer, allow_nan=False)  # the front end reads strict JSON
    if answer["state"] == "ready":
        assert answer["message"] is None
        assert made.result.items == (made.snapshot().word.strip(),)
        assert answer["picture"]["pse"] == made.result.pse[0]
    else:
        assert answer["message"]["title"]
        assert "index out of range" not in str(answer["message"])
        # What was on the screen stays there, in grey, unless it is of another subject.
        assert (answer["picture"] is None) == ("subject" in values)
        assert values.items() <= vars(made.snapshot()).items()
    if answer["state"] in ("error", "empty"):
        with pytest.raises(QueryError, match=r"\w"):
            _ = made.result
        assert answer["picture"] in (None, good["picture"])


@pytest.mark.parametrize(
    ("distribution", "family"), [("normal", "normal"), ("skewed", "empirical")]
)
def test_the_picture_names_the_curve_that_was_chosen(
    distribution: Distribution, family: str
) -> None:
    subject = bl.observers.embedding({"nurse": 0.6}, distribution=distribution, seed=1)
    _, emitted = controller(subject, generation=1)
    assert emitted.answer(generation=1)["picture"]["curve"]["family"] == family


def test_extreme_switch_points_are_numbers_that_json_can_hold() -> None:
    """A word along the axis between nearly equal cues switches far outside, or nowhere."""
    rng = np.random.default_rng(0)
    cue = rng.standard_normal((4, 8))
    vectors = np.stack([cue, cue * 1.0000001, cue[:, ::-1]], axis=1).astype(np.float32)
    subject = bl.EmbeddingEnsemble(["female", "male", "nurse"], vectors)
    _, emitted = controller(subject, generation=1)
    answer = emitted.answer(generation=1)
    json.dumps(answer, allow_nan=False)
    assert answer["state"] in ("error", "ready")


def test_an_unknown_word_offers_its_neighbours_and_each_repairs_it() -> None:
    made, emitted = controller(generation=1)
    made.change({"word": "nurze", "generation": 2})
    answer = emitted.answer(generation=2)
    assert answer["state"] == "error"
    assert answer["unknown"]["term"] == "nurze"
    repair = answer["message"]["actions"][0]
    assert repair["set"] == {"word": "nurse"}
    made.change({**repair["set"], "generation": 3})
    assert emitted.answer(generation=3)["state"] == "ready"


def test_every_button_of_a_message_leads_to_a_picture() -> None:
    """Empty, one embedding, and a curve that cannot be fitted: each offers ways on that work."""
    negative = bl.observers.embedding(pse={"nurse": 0.0}, jnd=0.05, replicates=8, seed=1)
    for subject, values, state in (
        (observers(), {"word": ""}, "empty"),
        (observers().replicate(0), {"pairs": [["female", "male"], ["she", "he"]]}, "cannot-say"),
        (negative, {"curve": "weibull"}, "error"),
    ):
        made, emitted = controller(subject, generation=1, **values)
        offered = emitted.answer(generation=1)
        assert offered["state"] == state
        assert offered["message"]["actions"]
        for number, action in enumerate(offered["message"]["actions"], start=2):
            made.change({**values, "noise": 0.0, "selected_pairs": [0], **action["set"]})
            made.change({"generation": number})
            assert emitted.answer(generation=number)["state"] == "ready", action


def test_the_place_in_the_word_list_is_told_from_the_first_answer_on() -> None:
    made, emitted = controller(generation=1)
    words = ("nurse", "electrician", "teacher", "librarian")
    answer = emitted.answer(generation=1)
    assert set(made.snapshot().words) == set(words)
    assert answer["position"] == f"{made.snapshot().words.index('nurse') + 1} of 4"
