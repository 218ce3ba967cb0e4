"""The morph explorer of the image bench: the portrait under the slider, the curve, own morphs."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image as Pillow

import biaslab as bl
from biaslab.errors import QueryError
from biaslab.images import DrawnMorphs, MorphPicture
from biaslab.images.opening import png
from biaslab.jobs import job as jobs
from biaslab_widgets.benches.images import morph as images_morph
from harness.emitted import Gate
from harness.image_controller import Bench, Named, file

PSES = {"nurse": 0.65, "chef": 0.4}


@pytest.fixture(autouse=True)
def _small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BIASLAB_HOME", str(tmp_path / "home"))
    # Seven stimuli and small portraits: what is drawn is not what is tried out here.
    monkeypatch.setattr(images_morph, "LEVELS", 7)
    monkeypatch.setattr(images_morph, "DrawnMorphs", lambda seed: DrawnMorphs(None, 12, seed, 48))


class Watched(Named):
    """Counts the stimuli that it was shown; stops where it is told to."""

    def __init__(self, name: str = "watched", **options: Any) -> None:
        super().__init__(name, **{"pse": PSES, "jnd": 0.1, "pse_sd": 0.03, **options})
        self.shown: list[tuple[str, int, float]] = []
        self.gate: Gate | None = None

    def answers(self, images: Any, *args: Any, **options: Any) -> Any:
        self.shown += [(i.item, i.observer, i.alpha) for i in images if hasattr(i, "alpha")]
        if self.gate is not None and len(images) > 1:
            self.gate.pass_through()
        return super().answers(images, *args, **options)


def until(bench: Bench, holds: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    found: dict[str, Any] = bench.emitted.until(lambda s: "morph" in s and holds(s["morph"]))
    return found["morph"]  # type: ignore[no-any-return]


def opened(bench: Bench, **inputs: Any) -> dict[str, Any]:
    """The explorer once its curve is there."""
    bench.answer(step=3, **inputs)
    assert bench.reply("morph")["ok"]
    return until(bench, lambda m: m["state"] == "ready")


def morph_file(item: str, who: str, alpha: float) -> dict[str, Any]:
    picture = DrawnMorphs([item], 3, 0, 48).picture(item, int(who[-1]), alpha)
    return file(f"own/{item}/{who}/{round(100 * alpha):03d}.png", png(picture))


def test_the_slider_shows_a_portrait_and_its_answer_before_there_is_a_curve() -> None:
    model = Watched()
    bench = Bench(model)
    bench.answer(step=2, alpha=0.3)
    assert bench.state["morph_at"]["picture"] == ""
    bench.answer(step=3)
    at = bench.state["morph_at"]
    assert (at["item"], at["observer"], at["alpha"]) == ("nurse", 0, 0.3)
    assert at["picture"].startswith("data:image/jpeg;base64,")
    assert "nurse" in at["alt"]
    stimulus = MorphPicture(DrawnMorphs(None, 12, 0, 48), "nurse", 0, 0.3)
    answer = Watched().probabilities([stimulus], ["woman", "man"])
    assert at["answer"] == pytest.approx(answer[0, 0, 1], abs=1e-4)
    assert bench.state["morph"]["state"] == "closed"
    before = at["picture"]
    bench.answer(alpha=0.9)
    assert bench.state["morph_at"]["picture"] != before
    bench.answer(alpha=0.3)
    assert bench.state["morph_at"]["picture"] == before
    assert len(model.shown) == 2  # an answer is never asked for twice


def test_the_curve_is_that_of_the_probe_and_finds_what_was_planted() -> None:
    model = Watched()
    bench = Bench(model)
    picture = opened(bench)["picture"]
    assert (picture["item"], picture["model"]) == ("nurse", "watched")
    result = bench.controller.morph_result
    alone = bl.two_afc(
        model, ["nurse"], ("woman", "man"), observers=DrawnMorphs(None, 12, 0, 48), levels=7
    )
    assert result.pse[0] == alone.pse[0] == pytest.approx(picture["pse"], abs=1e-6)
    np.testing.assert_array_equal(result.answers, alone.answers)
    truth = np.mean([model.pse_of("nurse", k) for k in range(12)])
    assert picture["pse"] == pytest.approx(truth, abs=0.02)
    low, high = picture["interval"]
    assert low < truth < high
    assert picture["pse_at"] == "at"
    assert picture["lean"] == "cue_1"
    assert picture["jnd"] == pytest.approx(result.jnd[0], abs=1e-6)
    said = "".join(span["text"] for span in picture["verdict"])
    assert said == " ".join(result.verdict("nurse"))
    curve = picture["curve"]
    assert len(curve["observers"]) == 12
    assert curve["stimuli"] == pytest.approx(np.linspace(0, 1, 7), abs=1e-5)
    assert len(curve["alphas"]) == len(curve["mean"])
    assert picture["strip_at"] == [0, 0.2, 0.4, 0.6, 0.8, 1]
    assert len(set(picture["strip"])) == 6


def test_another_occupation_level_or_model_follows_by_itself() -> None:
    bench = Bench([Watched("one"), Watched("two", pse={"nurse": 0.5, "chef": 0.5})])
    opened(bench, models=["one", "two"])
    bench.answer(morph_item="chef")
    chef = until(bench, lambda m: m["state"] == "ready" and m["picture"]["item"] == "chef")
    assert chef["picture"]["pse"] == pytest.approx(0.4, abs=0.05)
    assert chef["items"][:2] == ["nurse", "chef"]
    wide = chef["picture"]["interval"]
    bench.answer(level=0.5)
    narrow = until(bench, lambda m: m["picture"]["level"] == 0.5)["picture"]["interval"]
    assert narrow[1] - narrow[0] < wide[1] - wide[0]
    bench.answer(morph_model="two")
    other = until(bench, lambda m: m["state"] == "ready" and m["picture"]["model"] == "two")
    assert other["picture"]["pse"] == pytest.approx(0.5, abs=0.05)
    assert bench.state["morph_at"]["model"] == "two"


def test_a_curve_of_the_first_portraits_is_there_soon_and_the_last_stays_meanwhile() -> None:
    bench = Bench(Watched())
    opened(bench)
    seen = [o["morph"] for o in bench.emitted.log if "morph" in o]
    counts = [len(m["picture"]["curve"]["observers"]) for m in seen if m["picture"] is not None]
    assert counts[0] in (8, 12)
    assert counts[-1] == 12
    assert {m["state"] for m in seen} >= {"asking", "ready"}
    bench.answer(morph_item="chef")
    until(bench, lambda m: m["state"] == "ready" and m["picture"]["item"] == "chef")
    later = [o["morph"] for o in bench.emitted.log if "morph" in o][len(seen) :]
    assert all(m["picture"] is not None for m in later)


@pytest.mark.parametrize("again", ["after it has stopped", "while it is stopping"])
def test_asking_is_stopped_and_goes_on_where_it_was(again: str) -> None:
    model = Watched()
    model.gate = Gate()
    bench = Bench(model)
    bench.answer(step=3)
    bench.reply("morph")
    assert model.gate.entered.wait(60)
    with pytest.raises(QueryError, match="no curve yet"):
        _ = bench.controller.morph_result
    assert bench.reply("morph-stop")["ok"]
    if again == "after it has stopped":
        model.gate.open()
        assert jobs.start(int).result(60) == 0  # jobs run one after the other: this one has ended
    stopped = until(bench, lambda m: m["state"] == "error")
    assert "stopped" in stopped["message"]
    assert bench.reply("morph")["ok"]
    model.gate.open()
    until(bench, lambda m: m["state"] == "ready")
    asked = [one for one in model.shown if one[0] == "nurse"]
    assert len(asked) <= len(set(asked)) + 9 * 7  # what was under way is asked again at most


def test_a_model_that_knows_no_woman_says_so() -> None:
    class Mute(Watched):
        def resolve(self, concepts: Any) -> Any:
            known = [c for c in concepts if c not in ("woman", "man")]
            unknown = tuple(
                bl.subjects.Unknown(c, "is no answer of its") for c in concepts if c not in known
            )
            return bl.subjects.Resolution(tuple(known), unknown, (), {c: (c,) for c in known})

    bench = Bench(Mute())
    bench.answer(step=3)
    bench.reply("morph")
    told = until(bench, lambda m: m["state"] == "error")["message"]
    assert "woman" in told
    assert "Choose another model" in told
    assert bench.tested()["models"][0]["state"] == "done"  # the test needs neither word


def test_own_morphs_come_some_at_a_time_and_are_shown_when_they_are_whole() -> None:
    bench = Bench(Watched())
    opened(bench)
    first = bench.reply("morph-upload", files=[morph_file("nurse", "p0", 0.0)])
    assert first["ok"]
    assert "Put at least two" in first["message"]
    assert bench.state["morph_source"] == "drawn"
    rest = [morph_file("nurse", who, a) for who in ("p0", "p1", "p2") for a in (0.0, 0.5, 1.0)]
    assert "3 portraits" in bench.reply("morph-upload", files=rest)["message"]
    assert bench.state["morph_source"] == "own"
    morph = until(bench, lambda m: m["state"] == "ready" and len(m["observers"]) == 3)
    assert morph["items"] == ["nurse"]
    assert morph["steps"] == [0, 0.5, 1]
    assert morph["picture"]["strip_at"] == [0, 0.5, 1]
    bench.answer(alpha=0.6)
    assert bench.state["morph_at"]["alpha"] == 0.5  # the nearest there is
    bench.answer(morph_source="drawn")
    until(bench, lambda m: m["state"] == "ready" and len(m["observers"]) == 12)


@pytest.mark.parametrize(
    "name", ["../../nurse/p0/0.png", "/nurse/p0/0.png", "nurse/0.png", "0.png"]
)
def test_own_morphs_that_lead_elsewhere_are_refused(name: str) -> None:
    out = io.BytesIO()
    Pillow.new("RGB", (48, 48)).save(out, "PNG")
    content = base64.b64encode(out.getvalue()).decode()
    assert "nurse/anna/00.png" in Bench(Watched()).refused(
        "morph-upload", files=[{"name": name, "content": content}]
    )


def test_own_morphs_that_come_again_count_once_and_are_read_when_the_last_has_come() -> None:
    bench = Bench(Watched())
    bench.answer(step=3)
    files = [morph_file("nurse", "p0", alpha) for alpha in (0.0, 0.5, 1.0)]
    first = bench.reply("morph-upload", files=files[:2], more=True)["message"]
    assert first == "2 pictures of morphs here."
    assert bench.state["morph_source"] == "drawn"
    for _ in range(2):
        told = bench.reply("morph-upload", files=files[2:])["message"]
        assert told.startswith("3 pictures of morphs here. own pictures")
    assert bench.state["morph_source"] == "own"
    assert bench.state["morph"]["steps"] == [0, 0.5, 1]


def test_a_model_answers_no_drag_once_it_was_slow_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench(Watched())
    bench.answer(step=3, alpha=0.1)
    monkeypatch.setattr(images_morph, "SLOW_S", 0.0)
    answered = []
    for alpha in (0.2, 0.3, 0.4):
        bench.answer(alpha=alpha)
        answered.append(bench.state["morph_at"]["answer"] is not None)
    assert answered == [True, True, False]
    assert bench.state["morph_at"]["picture"], "the portrait moves all the same"


def test_starting_again_closes_the_explorer() -> None:
    bench = Bench(Watched())
    opened(bench)
    bench.reply("start-again")
    bench.emitted.until(lambda s: s["morph"]["state"] == "closed" and s["morph"]["picture"] is None)
