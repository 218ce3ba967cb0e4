"""The posterior bench's space of portraits: it runs, shows, stops, exports and reopens."""

from __future__ import annotations

import base64
import io
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any
from unittest import mock

import pytest

import biaslab as bl
import biaslab_widgets
from biaslab.errors import QueryError
from biaslab.probes.posterior import PortraitPosterior
from biaslab.probes.posterior.portraits import run
from biaslab_widgets.benches.posterior.portraits import COLUMNS, LARGE_SIDE, SIDE
from biaslab_widgets.benches.posterior.spaces import SpacesController
from biaslab_widgets.core.subjects.sources import classifier_sources, vision_language_sources
from harness.arithmetic import check_how, results_of
from harness.driven import Driven
from harness.explained import explained
from harness.heavy import pd

FEW: dict[str, Any] = {"space": "portraits", "portrait_chains": 4, "portrait_draws": 60}


BOTH = ("nurse", "executive")
NAME = "simulated vision"


def womanly() -> Any:
    """Says “nurse” of whoever looks like a woman, without a look at a pixel."""
    return bl.observers.vision(
        lists=(("nurse",), ("executive",)), traits={"appearance": -4.0}, image_sd=0, template_sd=0
    )


@pytest.fixture(scope="module", autouse=True)
def few_beside() -> Iterator[None]:
    """Weigh a few portraits only, which take a second less."""
    with mock.patch.object(run, "PORTRAITS", 300):
        yield


class Bench(Driven):
    """The controller of both spaces, over a classifier and a simulated model of images."""

    def __init__(self, **inputs: Any) -> None:
        sources = {
            **classifier_sources(bl.observers.classifier(dim=3)),
            **vision_language_sources(womanly()),
        }
        super().__init__(lambda emit: SpacesController(sources, emit))
        self.answer()
        self.answer(**{**FEW, **inputs})

    def run(self, *words: str) -> dict[str, Any]:
        """Run, and wait until the portraits of these words are drawn."""
        self.controller.start()
        return self.drawn(*words)

    def drawn(self, *words: str) -> dict[str, Any]:
        state = self.emitted.until(
            lambda s: (
                (p := s["answer"]["picture"]) is not None
                and not p["run"]["running"]
                and p["portraits"] is not None
                and p["portraits"]["words"] == list(words or BOTH)
            )
        )
        found: dict[str, Any] = state["answer"]["picture"]
        return found


@pytest.fixture(scope="module")
def done() -> Iterator[Bench]:
    with made() as bench:
        bench.run()
        yield bench


@contextmanager
def made(**inputs: Any) -> Iterator[Bench]:
    """A bench, which is closed in the end, so that no run stays behind it."""
    bench = Bench(**inputs)
    try:
        yield bench
    finally:
        bench.controller.close()


def test_the_space_and_the_subject_follow_each_other() -> None:
    with made() as bench:
        assert bench.state["subject"] == NAME
        assert "nurse" in bench.state["wardrobe"]
        bench.answer(space="vectors")
        classifier = bench.state["subject"]
        assert classifier != NAME
        bench.answer(subject=NAME)
        assert bench.state["space"] == "portraits"
        bench.answer(subject=classifier)
        assert bench.state["space"] == "vectors"


def test_the_picture_is_that_of_both_results(done: Bench) -> None:
    picture = done.drawn()
    nurse, executive = done.controller.results
    portraits = picture["portraits"]
    assert [t["share"] for t in portraits["typical"]] == [
        nurse.share.value, 0.5, executive.share.value,
    ]  # fmt: skip
    assert nurse.share.value > 0.7 > 0.3 > executive.share.value
    assert [len(g["faces"]) for g in portraits["galleries"]] == [24, 8, 8]
    says = [face["p"] for face in portraits["galleries"][0]["faces"]]
    assert says == sorted(says)
    assert len(portraits["chains"]) == 4
    for line, result in zip(portraits["lines"], (nurse, executive), strict=True):
        assert line["shares"] == [result.share_at(k).value for k in portraits["exponents"]]
    tied, control = portraits["shifts"]
    marks = {row["name"]: row["marks"] for row in (*tied["rows"], *control["rows"])}
    assert marks.keys() == {shift.label for shift in nurse.shifts}
    lashes = next(shift for shift in executive.shifts if shift.name == "lashes")
    assert marks[lashes.label][1]["value"] == lashes.shift < 0
    ends = [line[-1] for line in portraits["running"]]
    assert ends == pytest.approx(nurse.is_woman.mean(axis=1), abs=1e-3)
    assert picture["trust"]["state"] == ("yes" if nurse.trust and executive.trust else "not-yet")
    assert json.dumps(picture, allow_nan=False)


def test_all_faces_have_a_place_on_the_sheet(done: Bench) -> None:
    portraits, sheets = done.drawn()["portraits"], done.emitted.state["sheets"]
    films = [f for chain in portraits["chains"] for f in (*chain["warmup"], *chain["kept"])]
    faces = [*(f for g in portraits["galleries"] for f in g["faces"]), *films]
    assert [face["place"] for face in faces] == list(range(len(faces)))
    assert all(face["text"] for face in faces)
    assert _size(sheets["small"]) == (COLUMNS * SIDE, sheets["rows"] * SIDE)
    assert sheets["rows"] == -(-len(faces) // COLUMNS)
    assert _size(sheets["large"]) == (sheets["large_columns"] * LARGE_SIDE, LARGE_SIDE)


def _size(address: str) -> tuple[int, int]:
    from PIL import Image

    found: tuple[int, int] = Image.open(io.BytesIO(base64.b64decode(address.split(",")[1]))).size
    return found


def test_what_is_drawn_already_is_not_drawn_again() -> None:
    with made(show="one") as bench:
        bench.run("nurse")
        first = bench.controller.result
        bench.answer(show="both")
        assert bench.emitted.state["answer"]["picture"]["run"]["stale"]
        assert not bench.run(*BOTH)["run"]["stale"]
        assert bench.controller.result is first
        bench.answer(show="one")
        assert bench.drawn("nurse")["run"]["number"] == 2


def test_stopped_it_keeps_its_draws() -> None:
    with made(portrait_draws=20_000) as bench:
        job = bench.controller.start()
        bench.emitted.until(lambda s: (p := s["answer"]["picture"]) and p["run"]["done"] > 10)
        assert bench.reply("stop")["message"] == "The draws so far are kept."
        job.wait()
        picture = bench.drawn("nurse")
        result = bench.controller.result
        assert result.partial
        assert 0 < picture["run"]["draws"] == result.n_draws < 20_000


def test_a_word_is_compared_with_another_one() -> None:
    refused = pytest.raises(QueryError, match="no other word to be compared with")
    with made(other="nurse") as bench, refused:
        bench.controller.start()


def test_how_it_works_leads_to_the_share(done: Bench) -> None:
    nurse, _ = done.controller.results
    steps = check_how(explained(done), "posterior")
    assert results_of(steps["Count women"]) == [pytest.approx(nurse.share.value, abs=1e-3)]
    weighed = results_of(steps["Weigh portraits, without chains"])
    assert weighed == [pytest.approx(nurse.exact_share.value, abs=1e-3)]
    accepted = f"{100 * nurse.acceptance:.1f} % of all were accepted"
    assert accepted in steps["Propose other portraits"]["text"]


def test_exports_are_of_both_words(done: Bench) -> None:
    nurse, executive = done.controller.results
    table = pd.read_csv(io.StringIO(done.reply("csv", what="attributes")["content"]))
    assert table.groupby("word")["shift"].first().to_dict() == pytest.approx(
        {r.word: r.shifts[0].shift for r in (nurse, executive)}
    )
    assert "rhat" not in table
    mixing = pd.read_csv(io.StringIO(done.reply("csv", what="diagnostics")["content"]))
    assert mixing["quantity"].tolist() == 2 * list(nurse.diagnostics.names)
    assert mixing["rhat"].iloc[-1] == pytest.approx(executive.diagnostics.rhat[-1])
    draws = pd.read_csv(io.StringIO(done.reply("csv", what="draws")["content"]))
    assert len(draws) == nurse.total + executive.total
    both = PortraitPosterior.from_json(done.reply("json")["content"])
    assert replace(both, beside=None) == nurse
    assert both.beside == executive
    assert "Of executive: " in both.headline
    assert both.code().count("bl.sample_posterior(") == 2
    code = done.reply("code")["content"]
    assert 'against="executive"' in code
    assert 'against="nurse"' in code
    assert code.count("space=bl.posterior.Portraits(") == 2


def test_a_saved_run_opens_as_it_was(done: Bench) -> None:
    nurse = done.controller.result
    saved = done.controller.save_run(nurse)
    bench = biaslab_widgets.PosteriorBench.of_run(saved, subject=womanly())
    assert (bench.space, bench.word, bench.subject) == ("portraits", "nurse", NAME)
    assert bench.result == nurse
    other = bl.Store().save(nurse)
    beside = biaslab_widgets.PosteriorBench.of_run(other, subject=womanly())
    assert (beside.show, beside.other, beside.portrait_draws) == ("one", "executive", 60)
    assert beside.result == nurse


def test_a_saved_run_of_both_words_opens_with_both(done: Bench) -> None:
    saved = done.reply("save")["message"].rpartition(" ")[2].rstrip(".")
    for run_id in (saved, bl.Store().save(bl.Store().open(saved))):
        bench = biaslab_widgets.PosteriorBench.of_run(run_id, subject=womanly())
        assert bench.show == "both"
        assert bench.controller.results == done.controller.results
        assert not bench.controller.answer(bench.controller.snapshot())["answer"]["picture"]["run"][
            "stale"
        ]
