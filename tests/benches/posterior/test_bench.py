"""The posterior bench's controller: it runs, shows the run, stops, reads anew and exports."""

from __future__ import annotations

import base64
import io
import json
from typing import Any

import numpy as np
import pytest

import biaslab as bl
from biaslab.errors import BiaslabError, QueryError
from biaslab.probes.posterior import overview_result
from biaslab.probes.posterior.overview_result import locate
from biaslab.records.result import Result
from biaslab.subjects.classifier.base import StimulusMoments
from biaslab_widgets.benches.posterior import bench as posterior
from biaslab_widgets.benches.posterior import drawings as posterior_drawings
from biaslab_widgets.benches.posterior import run as posterior_run
from biaslab_widgets.benches.posterior.bench import PosteriorController
from biaslab_widgets.benches.posterior.parts import packed
from biaslab_widgets.core.subjects.sources import classifier_sources
from harness.driven import Driven
from harness.heavy import pd, torch

DIM = 6
GOOD = ("good", "great", "excellent", "wonderful", "superb")
BAD = ("bad", "awful", "terrible", "horrible", "poor")
GROUPS = {"female": ["Anna", "Maria", "Alice"], "male": ["John", "Mark", "Paul"]}
LISTS = [{"name": n, "terms": t, "kind": "groups"} for n, t in GROUPS.items()]


def classifier(**options: Any) -> Any:
    """Good words lie along the first dimension; female names a little, too."""
    rng = np.random.default_rng(1)
    words = [*GOOD, *BAD, *GROUPS["female"], *GROUPS["male"]]
    vectors = rng.normal(size=(len(words), DIM))
    vectors[:, 0] = [2.0] * len(GOOD) + [-2.0] * len(BAD) + [0.8] * 3 + [-0.8] * 3
    module = torch.nn.Linear(DIM, 1)
    with torch.no_grad():
        module.weight[:] = 0.0
        module.weight[0, 0] = 2.0
        module.bias[:] = 0.0
    stimuli = StimulusMoments(np.zeros(DIM), np.eye(DIM), 500)
    embedding = bl.WordEmbedding(words, vectors.astype(np.float32), name="words")
    return bl.TorchClassifier(
        module,
        dim=DIM,
        labels=["negative", "positive"],
        words=embedding,
        stimuli=stimuli,
        name="made up",
        **options,
    )


QUICK: dict[str, Any] = {"engine": "exact", "draws": 50}
"""For tests to which any draws are good enough."""


class Bench(Driven):
    """A controller over a small classifier."""

    def __init__(self, subject: Any = None, **state: Any) -> None:
        made = classifier() if subject is None else subject
        super().__init__(lambda emit: PosteriorController(classifier_sources(made), emit, LISTS))
        self.controller.state |= {"chains": 8, "draws": 200, **state}

    def run(self) -> dict[str, Any]:
        self.controller.start().wait()
        return self.settled()

    def settled(self) -> dict[str, Any]:
        """The answer of the newest run that has ended."""
        state = self.emitted.until(
            lambda s: (
                (p := s["answer"]["picture"]) is not None
                and not p["run"]["running"]
                and p["run"]["number"] == self.controller._runs
                and not p["run"]["stale"]
            )
        )
        found: dict[str, Any] = state["answer"]
        return found


@pytest.fixture(scope="module")
def done() -> Bench:
    bench = Bench()
    bench.run()
    return bench


def test_before_a_run_it_says_what_to_do_and_offers_what_the_classifier_has() -> None:
    bench = Bench()
    answer = bench.answer()
    assert answer["state"] == "empty"
    assert answer["message"]["actions"][0]["command"] == "run"
    state = bench.emitted.state
    assert state["labels"] == ["negative", "positive"]
    assert [p["key"] for p in state["priors"]] == ["stimuli", "words", "standard"]
    assert bench.reply("csv") == {
        "id": 1,
        "ok": False,
        "message": "Nothing has been drawn yet. Press Run: draws appear within a second.",
    }


def test_the_picture_is_that_of_the_result(done: Bench) -> None:
    picture = done.settled()["picture"]
    result = done.controller.result
    posterior = result.of("positive")
    for quantity in picture["quantities"]:
        row = posterior.diagnostics.of(quantity["name"])
        assert quantity["rhat"] == row["rhat"]
        assert quantity["ess_bulk"] == row["ess_bulk"]
        assert quantity["mcse"] == row["mcse_mean"]
    distances = result.reading.lexicon["positive"].distances
    assert [w["word"] for w in picture["words"]["closest"]] == [
        w.term for w in distances.closest(len(picture["words"]["closest"]))
    ]
    assert picture["words"]["closest"][0]["word"] in GOOD
    assert picture["words"]["farthest"][0]["word"] in BAD
    assert picture["words"]["closest"][0]["difference"] > 0
    groups = result.reading.groups["positive"]
    assert picture["groups"]["difference"] == groups.difference < 0
    assert picture["trust"]["state"] == ("yes" if posterior.trust else "not-yet")
    assert result.agreements["positive"].agrees
    assert "exact sampler agrees" in picture["oracle"]
    assert json.dumps(picture, allow_nan=False)


def test_traces_and_clouds_hold_the_draws(done: Bench) -> None:
    state = done.emitted.state
    result = done.controller.result
    logit = state["traces"]["quantities"][0]
    lines = _unpacked(logit["lines"])
    posterior = result.of(state["traces"]["label"])
    kept = np.clip(posterior.logit[:4], logit["low"], logit["high"])
    step = (logit["high"] - logit["low"]) / 65_000
    np.testing.assert_allclose(lines[:, logit["warmup"] :], kept, atol=step)
    clouds = {c["label"]: _unpacked(c["points"]) for c in state["clouds"]["clouds"]}
    plane = result.reading.plane
    assert plane is not None
    for label, drawn in result.posteriors.items():
        points = plane.project(drawn.draws.swapaxes(0, 1).reshape(-1, DIM))
        np.testing.assert_allclose(clouds[label], points, atol=1e-3)


def test_the_run_is_shown_while_it_goes_on() -> None:
    bench = Bench(draws=4000)
    bench.controller.start()
    state = bench.emitted.until(
        lambda s: (
            (p := s.get("answer", {}).get("picture")) is not None
            and p["run"]["running"]
            and p["run"]["draws"] > 20
            and s["traces"]["version"] > 0
        )
    )
    run = state["answer"]["picture"]["run"]
    assert 0 < run["done"] < run["total"]
    with pytest.raises(QueryError, match="is in progress"):
        _ = bench.controller.result
    assert bench.reply("run")["message"].startswith("A run is already in progress")
    assert bench.reply("stop")["ok"]
    picture = bench.settled()["picture"]
    assert picture["run"]["partial"]
    assert 20 < bench.controller.result.of("positive").n_draws < 4000
    assert "Stopped after" in picture["caveat"]
    assert bench.controller.is_incomplete(bench.controller.result)


def test_who_waits_for_the_job_finds_its_result() -> None:
    bench = Bench(**QUICK)
    bench.controller.start().wait()
    assert set(bench.controller.result.posteriors) == {"positive", "negative"}


def test_another_label_shows_its_own_draws_at_once(done: Bench) -> None:
    answer = done.answer(label="negative")
    assert answer["picture"]["words"]["closest"][0]["word"] in BAD
    assert answer["picture"]["groups"]["difference"] > 0
    assert not answer["picture"]["run"]["running"]
    done.answer(label="positive")


def test_a_word_is_found_and_an_unknown_one_named(done: Bench) -> None:
    picked = done.answer(word="Anna")["picture"]["words"]["picked"]
    assert picked["word"] == "Anna"
    assert 1 <= picked["rank"] <= len(GOOD + BAD) + 1
    names = [w["word"] for w in done.answer(word="Anna")["picture"]["plane"]["words"]]
    assert "Anna" in names
    answer = done.answer(word="qqqq")
    assert answer["picture"]["words"]["picked"] is None
    assert any("qqqq" in span["text"] for span in answer["picture"]["verdict"])
    done.answer(word="")


def test_a_pick_computes_nothing_that_has_not_changed(
    done: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    done.answer(word="Maria")
    computed: list[str] = []
    for module, name in (
        (posterior_run, "summarise"),
        (posterior_run, "diagnose"),
        (overview_result, "posterior_distances"),
    ):
        real = getattr(module, name)

        def call(*args: Any, _real: Any = real, _name: str = name, **options: Any) -> Any:
            computed.append(_name)
            return _real(*args, **options)

        monkeypatch.setattr(module, name, call)
    versions = [done.emitted.state[name]["version"] for name in ("traces", "clouds")]
    words = done.answer(word="great")["picture"]["words"]
    assert computed == []  # its distance is in the list
    row = next(row for row in words["closest"] if row["word"] == "great")
    assert words["picked"] == row
    done.answer(word="Anna")
    assert computed == ["posterior_distances"]
    done.answer(rows=3)
    assert computed == ["posterior_distances"]
    assert versions == [done.emitted.state[name]["version"] for name in ("traces", "clouds")]
    done.answer(word="", rows=done.controller.component.by_name["rows"].initial())


def test_another_distance_reads_the_same_draws_anew() -> None:
    bench = Bench(**QUICK)
    bench.run()
    before = bench.controller.result.of("positive").draws
    bench.controller.change({"distance": "cosine", "axes": "pca"})
    bench.emitted.until(
        lambda s: (
            s["answer"]["picture"]["words"]["distance_label"].startswith("1 − cos")
            and s["answer"]["picture"]["plane"]["axes"] == "pca"
        )
    )
    assert bench.controller.result.of("positive").draws is before


def test_what_is_read_anew_is_sent_anew_wherever_it_lies_in_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A new reading may lie where the old one lay: then both have one `id`."""
    for module in (posterior, posterior_drawings):
        monkeypatch.setattr(module, "id", lambda _: 1, raising=False)
    bench = Bench(**QUICK)
    bench.run()
    assert bench.answer(word="Anna")["picture"]["words"]["picked"]["word"] == "Anna"
    bench.controller.change({"distance": "cosine", "axes": "pca"})
    state = bench.emitted.until(
        lambda s: s["answer"]["picture"]["plane"]["axes"] == s["clouds"]["axes"] == "pca"
    )
    subject = bench.controller.opening.sources["made up"].open()
    found = locate(bench.controller.result, subject, "positive", "Anna")
    assert state["answer"]["picture"]["words"]["picked"]["distance"] == found.distance


def test_a_wider_prior_draws_anew_with_a_warm_start() -> None:
    bench = Bench(draws=50)
    bench.run()
    first = bench.controller.result.of("positive")
    bench.controller.change({"prior_width": 2.0})
    bench.emitted.until(
        lambda s: (
            s["answer"]["picture"]["run"]["number"] == 2
            and not s["answer"]["picture"]["run"]["running"]
        )
    )
    second = bench.controller.result.of("positive")
    assert second.prior.width == 2.0
    assert second.warmup_logit.shape[1] < first.warmup_logit.shape[1]
    assert bench.emitted.state["answer"]["picture"]["width"] == 2.0


def test_other_settings_leave_the_picture_and_say_that_it_is_old() -> None:
    bench = Bench(**QUICK)
    bench.run()
    picture = bench.answer(engine="vectorised")["picture"]
    assert picture["run"]["stale"]
    assert not picture["run"]["running"]
    assert bench.controller.result.of("positive").engine == "exact"


def test_each_classifier_has_its_own_run() -> None:
    first, second = classifier(), classifier()
    second.name = "another"
    bench = Bench([first, second], **QUICK)
    bench.run()
    answer = bench.answer(subject="another")
    assert answer["state"] == "empty"
    assert answer["picture"] is None
    with pytest.raises(QueryError, match="Nothing has been drawn"):
        _ = bench.controller.result
    again = bench.answer(subject="made up")
    assert again["picture"]["footer"][0].startswith("made up")
    assert again["state"] == "ready"


def test_a_run_that_fails_is_not_begun_again_by_itself() -> None:
    bench = Bench(**QUICK)
    bench.run()
    subject = bench.controller.opening.sources["made up"].open()
    with torch.no_grad():
        subject.module.weight[:] = float("nan")
    bench.controller.change({"prior_width": 3.0})
    state = bench.emitted.until(lambda s: s["answer"]["state"] == "error")
    assert "NaN" in state["answer"]["message"]["text"]
    runs = bench.controller._runs
    bench.answer(word="Anna")
    assert bench.controller._runs == runs
    assert bench.controller._run is None


def test_a_run_that_fails_half_way_keeps_its_draws_and_says_why(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bench = Bench(draws=600)  # more than two blocks, at whose ends the recorder looks
    subject, take = bench.controller.opening.sources["made up"].open(), bench.controller._take_draws

    def breaks(run: Any, label: str, live: Any) -> None:
        take(run, label, live)
        if (label, live.stage) == ("negative", "sampling"):
            with torch.no_grad():
                subject.module.weight[:] = float("nan")

    monkeypatch.setattr(bench.controller, "_take_draws", breaks)
    answer = bench.run()
    assert answer["state"] == "ready"
    assert "“negative” failed. Sampling stopped: made up answers NaN" in answer["message"]["text"]
    assert answer["message"]["actions"][0]["command"] == "run"
    picture = answer["picture"]
    assert picture["run"]["partial"]
    assert picture["plane"] is not None
    assert picture["words"]["closest"]
    result = bench.controller.result
    assert result.of("positive").n_draws == 600
    assert 0 < result.of("negative").n_draws < 600
    assert Result.from_json(bench.reply("json")["content"]).failure == result.failure
    assert bench.answer(word="Anna")["picture"]["words"]["picked"]["word"] == "Anna"
    assert bench.answer(label="negative")["message"] == answer["message"]
    bench.answer(prior_width=2.0)
    assert bench.controller._run is None  # it is not begun again by itself


def test_lists_that_are_none_do_not_seem_to_run() -> None:
    bench = Bench(**QUICK)
    good, bench.controller.state["lists"] = bench.controller.state["lists"], [{"name": "she"}]
    with pytest.raises(BiaslabError):
        bench.controller.start()
    assert bench.controller._run is None
    bench.controller.state["lists"] = good
    assert bench.run()["picture"]["run"]["number"] == 1


def test_tables_and_files_are_those_of_the_result(done: Bench) -> None:
    words = pd.read_csv(io.StringIO(done.reply("csv", what="words")["content"]))
    assert set(words["term"]) == set(GOOD + BAD) & set(words["term"])
    diagnostics = pd.read_csv(io.StringIO(done.reply("csv", what="diagnostics")["content"]))
    assert set(diagnostics["label"]) == {"positive", "negative"}
    draws = pd.read_csv(io.StringIO(done.reply("csv", what="draws")["content"]))
    assert len(draws) == 8 * 200
    groups = pd.read_csv(io.StringIO(done.reply("csv", what="groups")["content"]))
    assert {"female", "male"} <= set(groups["group"])
    again = Result.from_json(done.reply("json")["content"])
    assert again == done.controller.result
    assert done.controller.result.to_svg().startswith("<svg")


def test_a_classifier_that_fails_is_told_and_another_run_is_offered() -> None:
    module = torch.nn.Linear(DIM, 2)
    stimuli = StimulusMoments(np.zeros(DIM), np.eye(DIM), 500)
    subject = bl.TorchClassifier(
        module, dim=DIM, labels=["negative", "positive"], stimuli=stimuli, name="broken"
    )
    with torch.no_grad():
        module.weight[:] = float("nan")
    bench = Bench(subject)
    bench.controller.start().wait()
    state = bench.emitted.until(lambda s: s.get("answer", {}).get("state") == "error")
    assert "NaN" in state["answer"]["message"]["text"]


def test_numbers_are_packed_to_one_step_and_gaps_stay_gaps() -> None:
    values = np.array([[0.0, 1.0, np.nan], [0.25, -3.0, 9.0]])
    np.testing.assert_allclose(
        _unpacked(packed(values, -1.0, 2.0)),
        [[0.0, 1.0, np.nan], [0.25, -1.0, 2.0]],
        atol=3 / 65_000,
    )
    assert _unpacked(packed(np.empty((0, 2)))).shape == (0, 2)
    assert (_unpacked(packed(np.full((2, 2), 3.0))) == 3.0).all()


def _unpacked(text: dict[str, Any]) -> np.ndarray:
    steps = np.frombuffer(base64.b64decode(text["data"]), "<u2").reshape(text["shape"])
    values = text["low"] + (text["high"] - text["low"]) * steps / 65_534
    return np.where(steps == 65_535, np.nan, values)


def test_a_first_run_that_fails_does_not_seem_to_go_on() -> None:
    never = bl.observers.classifier(weight=[1.0, 0.0], bias=-60.0)
    bench = Bench(never, engine="exact", chains=4, draws=50, prior="standard")
    bench.reply("run")
    state = bench.emitted.until(lambda s: s["answer"]["state"] == "error")
    assert "0.1 %" in state["answer"]["message"]["text"]
    assert state["answer"]["picture"] is None
