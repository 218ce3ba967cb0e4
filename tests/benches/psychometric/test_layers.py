"""Layers in the psychometric bench: asked while they are shown, one of them in the picture."""

from __future__ import annotations

from typing import Any

import pytest

import biaslab as bl
from biaslab.errors import QueryError
from biaslab.probes.psychometrics import LayersResult
from biaslab_widgets.benches.psychometric.bench import PsychometricController
from biaslab_widgets.benches.psychometric.subjects import psychometric_sources
from harness.driven import Driven
from harness.emitted import observers
from harness.layered_models import FRAMES, gpt2
from harness.needs import needs
from harness.planted_language_models import all_frames, planted

pytestmark = needs("torch", "transformers")


class Bench(Driven):
    """A bench of a tiny model with a lean that its second block makes."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, lm: Any = None) -> None:
        from biaslab.probes.psychometrics import framed_model, frames

        shown = frames.own_frames(FRAMES)
        monkeypatch.setattr(framed_model, "shipped_frames", lambda *_: shown)
        self.lm = gpt2(4, plant=2, push=0.2) if lm is None else lm
        offered = psychometric_sources([self.lm, observers()])
        super().__init__(lambda emit: PsychometricController(offered, emit))
        self.answer(word="nurse", pairs=[["she", "he"]], selected_pairs=[0], levels=5)

    def layered(self, state: str = "ready", word: str = "nurse") -> dict[str, Any]:
        def holds(told: dict[str, Any]) -> bool:
            found = told.get("layered", {})
            return found.get("state") == state and (state == "error" or (
                found["current"] and found["word"] == word))  # fmt: skip

        found: dict[str, Any] = self.emitted.until(holds)["layered"]
        return found

    def result(self, word: str = "nurse", **options: Any) -> LayersResult:
        found: LayersResult = bl.two_afc_layers(
            self.lm, [word], ("she", "he"), observers=FRAMES, layers="all", levels=5, **options
        )
        return found


def test_layers_are_asked_when_they_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench(monkeypatch)
    assert bench.controller.snapshot().layered["state"] == "none"
    bench.answer(all_layers=True)
    shown, result = bench.layered(), bench.result()
    assert [one["layer"] for one in shown["layers"]] == [0, 1, 2, 3, 4]
    assert [one["pse"] for one in shown["layers"]] == pytest.approx(result.pse[:, 0].tolist())
    assert [one["jnd"] for one in shown["layers"]] == pytest.approx(result.jnd[:, 0].tolist())
    assert shown["layers"][4]["name"] == "4, output"
    assert (shown["before"], shown["after"], shown["arises"]) == (1, 2, True)
    assert "".join(span["text"] for span in shown["verdict"]) == " ".join(result.verdict())
    share = result.answers[3, :, 0, 0].mean(axis=0)
    assert shown["layers"][3]["share"] == pytest.approx(share.tolist(), abs=1e-5)


def test_layers_follow_the_word_and_the_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench(monkeypatch)
    bench.answer(all_layers=True)
    bench.layered()
    bench.answer(word="clerk", jnd="sd")
    shown = bench.layered(word="clerk")
    result = bench.result("clerk", jnd="sd")
    assert [one["jnd"] for one in shown["layers"]] == pytest.approx(result.jnd[:, 0].tolist())


def test_a_chosen_layer_is_the_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench(monkeypatch)
    answer = bench.answer(layer=3)
    assert answer["state"] == "ready"
    expected = bench.result().at(3)
    assert answer["picture"]["pse"] == pytest.approx(float(expected.pse[0]))
    found = bench.controller.result
    assert found.answers == pytest.approx(expected.answers, abs=1e-6)
    assert "layer=3" in found.code()
    assert bench.answer(layer=0)["picture"]["pse"] == pytest.approx(bench.result().pse[0, 0])


def test_a_layer_that_is_not_there_is_refused_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    answer = Bench(monkeypatch).answer(layer=9)
    assert answer["state"] == "error"
    assert "There is no layer 9" in answer["message"]["title"] + answer["message"]["text"]


def test_an_embedding_has_no_layers(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench(monkeypatch)
    other = bench.controller.snapshot().subjects[1]["name"]
    answer = bench.answer(subject=other, word="nurse", layer=2, all_layers=True)
    assert answer["state"] in ("ready", "cannot-say")
    assert bench.controller.snapshot().layered["state"] == "none"


def test_a_model_without_blocks_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench(monkeypatch, planted({"nurse": -0.6}, 0.2, words=all_frames()))
    bench.answer(all_layers=True)
    assert "no list of blocks" in bench.layered("error")["problem"]


def test_layers_are_exported_and_saved(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    monkeypatch.setenv("BIASLAB_HOME", str(tmp_path))
    bench = Bench(monkeypatch)
    with pytest.raises(QueryError, match="open them first"):
        _ = bench.controller.layering.result
    bench.answer(all_layers=True)
    bench.layered()
    table = bench.reply("layers_csv")
    assert table["ok"]
    assert table["content"].startswith("item,layer,")
    saved = bench.reply("save_layers")
    assert saved["ok"]
    assert "Saved as run" in saved["message"]
    runs = bl.Store().runs(bench="psychometric")
    assert len(runs) == 1


def test_how_this_works_names_the_layer_of_the_shown_curve(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench(monkeypatch)
    assert "at the input of the network" in bench.reply("how")["how"]["about"]
    bench.answer(layer=3)
    assert "The shown curve is that of layer 3" in bench.reply("how")["how"]["about"]
