"""Frames of a language in the psychometric bench: its items and cues follow."""

from __future__ import annotations

import json
from typing import Any, get_args, get_type_hints

import numpy as np
import pytest

import biaslab as bl
from biaslab.frames import names
from biaslab_widgets.benches.psychometric.bench import PsychometricController
from biaslab_widgets.benches.psychometric.fields import GENDER_PAIRS, PsychometricBenchState
from biaslab_widgets.benches.psychometric.subjects import psychometric_sources
from biaslab_widgets.benches.psychometric.view import picture_of
from harness.driven import Driven
from harness.emitted import observers
from harness.needs import needs
from harness.tiny_multilingual_models import tiny

pytestmark = needs("torch", "transformers", "tokenizers")


class Bench(Driven):
    """A bench of a tiny multilingual model, beside word vectors."""

    def __init__(self, **given: Any) -> None:
        self.lm = tiny("multilingual-bert")
        super().__init__(
            lambda emit: PsychometricController(psychometric_sources([self.lm, observers()]), emit)
        )
        self.answer(word="nurse", levels=5, **given)

    @property
    def pairs(self) -> list[tuple[str, ...]]:
        return [tuple(pair) for pair in self.controller.snapshot().pairs]


def shown(bench: Bench) -> dict[str, Any]:
    """The newest answer with a result, after the model was asked."""
    _ = bench.controller.result
    answer: dict[str, Any] = bench.answer()
    assert answer["state"] in ("ready", "cannot-say"), answer["message"]
    return answer


def test_every_language_of_the_frames_can_be_chosen() -> None:
    field = get_type_hints(PsychometricBenchState)["language"]
    assert set(get_args(field)) == {"en", *names()}


def test_items_and_cues_follow_the_language_and_come_back() -> None:
    bench = Bench(language="de")
    german = bl.frames.get("de")
    assert tuple(bench.pairs) == german.cues
    shown(bench)
    result = bench.controller.result
    assert result.pairs == german.cues[:1]
    wanted = bl.two_afc(bench.lm, ["nurse"], german.cues[0], observers=german, levels=5)
    assert result.responses() == pytest.approx(wanted.responses())

    bench.answer(language="pl", frame_design="both")
    assert tuple(bench.controller.snapshot().words) == bl.frames.get("pl").items
    assert tuple(bench.pairs) == bl.frames.get("pl").cues
    shown(bench)
    assert "the item stands in both genders" in bench.controller.result.summary()

    bench.answer(language="en")
    assert [list(pair) for pair in bench.pairs] == GENDER_PAIRS
    assert "librarian" in bench.controller.snapshot().words


def test_a_curve_on_one_side_of_one_half_can_be_sent() -> None:
    result = bl.two_afc("wiki-clm", ["nurse"], ("sie", "er"), observers=bl.frames.get("de"))
    assert np.isinf(result.pse[0])
    assert np.isfinite(result.jnd[0])
    json.dumps(picture_of(result, "nurse", fit_axis=False), allow_nan=False)


def test_word_vectors_get_english_words_back() -> None:
    bench = Bench(language="fr")
    name = observers().name
    bench.answer(subject=name)
    assert [list(pair) for pair in bench.pairs] == GENDER_PAIRS


def test_given_words_and_cues_stay() -> None:
    own = [("eine Frau", "ein Mann")]
    bench = Bench(language="de", words=["engineer", "nurse"], pairs=own)
    assert bench.pairs == own
    assert list(bench.controller.snapshot().words) == ["engineer", "nurse"]


def test_a_word_that_the_frames_do_not_have_is_refused_with_their_items() -> None:
    bench = Bench(language="de")
    shown(bench)
    answer = bench.answer(word="judge")
    assert answer["state"] == "error"
    assert "is not among the items of the frames in German" in answer["message"]["title"]
    assert answer["message"]["actions"]


def test_a_language_without_gender_offers_its_neutral_frames() -> None:
    bench = Bench(language="tr", frame_design="both")
    answer = bench.answer()
    assert answer["message"]["title"] == "Turkish has no forms for gender"
    bench.answer(**answer["message"]["actions"][0]["set"])
    shown(bench)
