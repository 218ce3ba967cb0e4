"""The psychometric bench over a language model: asked once, in the background, then live."""

from __future__ import annotations

from typing import Any

import pytest

import biaslab as bl
from biaslab.errors import QueryError
from biaslab.jobs import job as jobs
from biaslab_widgets.benches.psychometric import asking as psychometric_asking
from biaslab_widgets.benches.psychometric.bench import PsychometricController
from biaslab_widgets.benches.psychometric.subjects import psychometric_sources
from biaslab_widgets.core.word_marks import ModelWords
from harness.driven import Driven
from harness.emitted import Emitted, Gate, observers
from harness.needs import needs
from harness.planted_language_models import all_frames, planted

pytestmark = [needs("torch", "transformers"), pytest.mark.usefixtures("one_thread")]

PAIRS = [["she", "he"], ["woman", "man"]]


class Bench(Driven):
    """A psychometric bench of a planted language model, and of embeddings beside it."""

    def __init__(self, adds: dict[str, float] | None = None, **options: Any) -> None:
        self.lm = planted(adds or {"nurse": -0.6, "engineer": -0.4}, 0.2, words=all_frames())
        offered = psychometric_sources([self.lm, observers()])
        super().__init__(lambda emit: PsychometricController(offered, emit, **options))

    @property
    def batches(self) -> int:
        return len(self.lm.model.seen)


def start(**values: Any) -> dict[str, Any]:
    return {"word": "nurse", "pairs": PAIRS, "selected_pairs": [0], **values}


def test_the_picture_holds_the_numbers_of_the_probe() -> None:
    bench = Bench()
    answer = bench.answer(**start())
    picture = answer["picture"]
    result = bench.controller.result
    again = bl.two_afc(bench.lm, ["nurse"], ("she", "he"))
    assert result.answers.tolist() == again.answers.tolist()
    assert answer["state"] == "ready"
    assert picture["pse"] == result.pse[0] == pytest.approx(0.6, abs=1e-6)
    assert picture["pse_at"] == "at"
    assert picture["unit"] == "frames"
    assert picture["available"] == 20 == len(picture["names"])
    assert picture["rows"]["answers"][3] == pytest.approx(again.answers[3, 0, 0], abs=1e-5)
    assert picture["interval_over"] == "resampled frames"
    assert picture["verdict"][-2]["text"] == "a bias toward she"
    assert picture["lean"] == "cue_1"


def test_what_only_says_how_answers_are_read_asks_the_model_nothing() -> None:
    bench = Bench()
    bench.answer(**start())
    before = bench.batches
    for change in (
        {"alpha": 0.2}, {"jnd": "sd"}, {"curve": "logistic"}, {"replicates": 5}, {"noise": 0.1},
        {"prior_sd": 0.3}, {"scoring": "mixture"}, {"fit_axis": True}, {"pairs_as": "fixed"},
    ):  # fmt: skip
        assert bench.answer(**change)["state"] == "ready", change
    assert bench.batches == before
    assert bench.controller.result.n_observers == 5
    assert bench.controller.result.fit.family == "logistic"
    # Another word is asked; the first one is remembered.
    bench.answer(word="engineer")
    asked = bench.batches
    assert asked > before
    bench.answer(word="nurse")
    assert bench.batches == asked


@pytest.mark.parametrize("again", ["after it has stopped", "while it is stopping"])
def test_an_asking_that_takes_long_shows_how_far_it_is_and_can_be_stopped(
    again: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(psychometric_asking, "AT_ONCE_S", 0.0)
    monkeypatch.setattr("biaslab_widgets.benches.psychometric.bench.AT_ONCE_S", 0.0)
    bench = Bench()
    gate = Gate()
    forward = type(bench.lm.model).forward
    count = 0

    def slow(self: Any, *args: Any, **options: Any) -> Any:
        nonlocal count
        count += 1
        # The first forwards try whether the model takes blends.
        if count > 6:
            gate.pass_through()
        return forward(self, *args, **options)

    bench.lm.model.forward = slow.__get__(bench.lm.model)
    bench.controller.change(start(generation=1))
    state = bench.emitted.until(
        lambda s: s.get("answer", {}).get("state") == "loading" and gate.entered.is_set()
    )
    assert "Asking planted clm about “nurse”" in state["answer"]["message"]["title"]
    assert "420 answers" in state["answer"]["message"]["text"]
    assert bench.reply("stop")["message"] == "Stopping."
    if again == "after it has stopped":
        gate.open()
        assert jobs.start(int).result(60) == 0  # jobs run one after the other: this one has ended
    stopped = bench.emitted.until(
        lambda s: (
            (s.get("answer") or {}).get("message", {})
            and s["answer"]["message"]["title"] == "The test was stopped"
        )
    )
    assert stopped["answer"]["message"]["actions"][0]["command"] == "retry"
    bench.reply("retry")
    gate.open()
    answer = bench.emitted.until(lambda s: s["answer"]["state"] == "ready")["answer"]
    assert answer["picture"]["pse"] == pytest.approx(0.6, abs=1e-6)


def test_no_pse_is_said_and_the_answers_are_shown() -> None:
    bench = Bench({"nurse": 0.4, "he": 0.0})
    answer = bench.answer(**start())
    assert answer["state"] == "ready"
    assert answer["picture"]["pse_at"] == "none"
    assert answer["picture"]["verdict"][0]["text"] == "The model hardly listens"
    assert len(answer["picture"]["rows"]["answers"]) == 20


def test_one_frame_and_pair_cannot_say_how_sure_and_offers_all() -> None:
    bench = Bench()
    answer = bench.answer(**start(replicates=1))
    assert answer["state"] == "cannot-say"
    assert answer["message"]["actions"][0]["set"] == {"replicates": 0}
    assert answer["picture"]["available"] == 20


def test_words_that_the_model_does_not_know_are_marked_and_refused() -> None:
    bench = Bench(words=["nurse", "astronaut", "nurse"])
    answer = bench.answer(**start(word="astronaut"))
    assert answer["state"] == "error"
    assert "has a part that" in answer["unknown"]["reason"]
    marks = bench.controller.snapshot().marks
    assert [(m["position"], m["kind"]) for m in marks] == [(1, "unknown"), (2, "duplicate")]
    with pytest.raises(QueryError, match="astronaut"):
        _ = bench.controller.result
    assert bench.answer(word="nurse")["state"] == "ready"


def test_words_of_several_tokens_say_so_beside_the_word() -> None:
    from biaslab.subjects.language_model.model import LanguageModel
    from harness import tiny_language_models as tiny

    lm = LanguageModel.of(*tiny.llama(), kind="clm", name="tiny")
    words = ModelWords(lm)
    assert len(words.pieces("zoologist")) > 1
    assert "zoologist" in words
    emitted = Emitted()
    controller = PsychometricController(psychometric_sources(lm), emitted, ["zoologist"])
    controller.change({"word": "zoologist", "levels": 3, "generation": 1})
    pieces = len(words.pieces("zoologist"))
    assert emitted.answer(1)["position"] == f"1 of 1, {pieces} tokens"


def test_default_words_are_the_occupations_that_the_model_knows() -> None:
    bench = Bench()
    bench.answer(**start())
    assert set(bench.controller.snapshot().words) == {"nurse", "engineer", "teacher"}


def test_a_change_between_embeddings_and_a_language_model() -> None:
    bench = Bench()
    bench.answer(**start())
    answer = bench.answer(subject=observers().name, pairs=[["woman", "man"]])
    assert answer["picture"]["unit"] == "replicates"
    assert answer["picture"]["rows"]["answers"] == []
    answer = bench.answer(subject="planted clm", noise=0.2)
    assert answer["picture"]["unit"] == "frames"
    kinds = {s["name"]: s["kind"] for s in bench.controller.snapshot().subjects}
    assert kinds["planted clm"] == "clm"


def test_a_model_that_takes_no_blends_is_told_and_another_subject_can_be_chosen() -> None:
    bench = Bench()
    forward = type(bench.lm.model).forward

    def without(self: Any, input_ids: Any = None, attention_mask: Any = None) -> Any:
        return forward(self, input_ids, attention_mask)

    bench.lm.model.forward = without.__get__(bench.lm.model)
    answer = bench.answer(**start())
    assert answer["state"] == "error"
    assert "cannot be shown a blend" in answer["message"]["text"]
    with pytest.raises(QueryError, match="cannot be shown a blend"):
        _ = bench.controller.result
    other = bench.answer(subject=observers().name, pairs=[["woman", "man"]])
    assert other["state"] == "ready"
