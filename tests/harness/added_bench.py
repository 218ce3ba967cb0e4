"""What holds of the bench of docs/add-a-bench.md, asserted in a copy of the house that has it.

`tests/unit/test_add_a_bench.py` makes the copy and runs this there.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest

import biaslab as bl
import biaslab_widgets
from biaslab.records.calls.code import source_of
from biaslab.reports.previews import thumbnail
from biaslab.subjects.opening.needs import questions_for
from biaslab_widgets.app.assets import first_run
from biaslab_widgets.app.library.shared import Shared
from biaslab_widgets.benches import BENCHES, BenchEntry
from biaslab_widgets.core.subjects.sources import sources
from harness.emitted import Emitted, observers

WORDS, CUES = ["nurse", "teacher"], ["she", "he"]


@pytest.fixture
def entry() -> BenchEntry:
    return next(entry for entry in BENCHES if entry.name == "nearness")


@pytest.fixture
def result() -> Any:
    return importlib.import_module("biaslab.probes.nearness").nearness(observers(), WORDS, CUES)


def test_its_result_is_worded_drawn_and_made_again(result: Any) -> None:
    assert result.headline.startswith("nurse is nearest to she, teacher to he (")
    assert ">nurse<" in result.to_svg()
    assert thumbnail(result).startswith("<svg")
    assert bl.Result.from_json(result.to_json()) == result
    assert "bl.probes.nearness.nearness(" in source_of(result.provenance.call)


def test_two_results_are_compared(result: Any) -> None:
    probe = importlib.import_module("biaslab.probes.nearness")
    compared = bl.compare(result, probe.nearness(observers(seed=2), WORDS, CUES))
    assert (compared.kind, compared.labels) == ("nearness", tuple(WORDS))
    assert "nearness" in bl.report([result, result])


def test_its_runs_are_listed_under_it(result: Any, tmp_path: Path) -> None:
    store = bl.Store(tmp_path)
    assert list(store.runs(bench="nearness")["id"]) == [] != [store.save(result)]
    assert len(store.runs(bench="nearness")) == 1


def test_subjects_are_told_that_it_can_ask_them() -> None:
    fits = {fit.name: fit.fits for fit in questions_for("embedding")}
    assert list(fits)[-1] == "nearness"
    assert fits["nearness"]


def test_its_first_run_is_ready_for_the_home_page() -> None:
    shown = first_run("nearness")
    assert shown is not None
    assert shown.finding.startswith("nurse: ")
    assert shown.picture.startswith("<svg")


def test_its_controller_answers_what_the_probe_says(result: Any) -> None:
    emitted, subject = Emitted(), observers()
    bench = importlib.import_module("biaslab_widgets.benches.nearness.bench")
    controller = bench.NearnessController(sources(subject), emitted)
    controller.change({"subject": subject.name, "words": WORDS, "cues": CUES, "generation": 1})
    rows: list[dict[str, Any]] = emitted.answer(1)["picture"]["rows"]
    assert [row["word"] for row in rows] == WORDS
    assert [row["value"] for row in rows] == pytest.approx(result.means)
    controller.change({"order": "value"})
    controller.change({"words": [], "generation": 2})
    assert emitted.answer(2)["message"]["title"] == "Type at least one word"
    controller.close()


def test_it_opens_in_a_notebook_and_in_the_app(entry: BenchEntry) -> None:
    made: Any = biaslab_widgets
    bench = made.NearnessBench(observers(), words=["nurse"], order="value")
    assert bench.words == ["nurse"]
    bench.order = "given"
    assert bench.controller.result.words == ("nurse",)
    bench.close()
    page = entry.panel_class.on_page(Shared.of(observers()))
    assert page.order == "given"
    assert entry.frame.question(page.controller.snapshot()) == entry.question
    page.controller.close()
