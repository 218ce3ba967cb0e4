"""Runs that are opened again in the app: with the person's own files, or not at all."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import biaslab as bl
from biaslab.probes.occupations import OutsideTable
from biaslab.store import Store
from biaslab.subjects.opening.inspection import inspect
from biaslab_widgets.app.library.shared import Shared
from biaslab_widgets.app.pages import reopening
from biaslab_widgets.app.pages.reopening import Reopened, bench_of, reopen
from biaslab_widgets.core.state.inputs import inputs_to_store
from harness.emitted import observers

WORDS = ["nurse", "teacher", "electrician", "librarian"]
SHARES = "job;women %\nnurse;90\nteacher;70\nelectrician;5\nlibrarian;80\n"


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setenv("BIASLAB_HOME", str(tmp_path))
    return Store()


def opened(store: Store, run: str, shared: Shared) -> tuple[Any, Reopened]:
    entry = bench_of(store.run(run), store.open(run))
    assert entry is not None
    bench = entry.panel_class.on_page(shared)
    told = reopen(bench, entry, store, {"run": [run.encode()]})
    assert told is not None
    return bench.controller, told


def test_a_run_with_an_own_table_opens_with_it(store: Store) -> None:
    shared = Shared.of(observers())
    table = OutsideTable.read_csv(SHARES, title="Jobs")
    result = bl.occupations(observers(), WORDS, {"woman": ["woman"], "man": ["man"]}, outside=table)
    inputs = {"words": WORDS, "outside": "own/jobs.csv", "groups": [
        {"name": "woman", "terms": ["woman"]}, {"name": "man", "terms": ["man"]}
    ]}  # fmt: skip
    run = store.save(result, bench="occupations", inputs=inputs)
    controller, told = opened(store, run, shared)
    assert told.notices == ()
    again = controller.result
    assert again.outside == table
    assert again.to_frame().equals(result.to_frame())
    assert [one["own"] for one in controller.state["outside_options"]].count(True) == 1


def test_a_run_that_was_saved_in_python_opens_in_the_bench_that_asks_the_same(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    groups = {"woman": ["woman"], "man": ["man"]}
    result = bl.occupations(observers(), WORDS, groups, jnd="sd")
    run = store.save(result)
    controller, told = opened(store, run, Shared.of(observers()))
    assert told.notices == ()
    assert controller.result.to_frame().equals(result.to_frame())
    assert controller.state["jnd"] == "sd"
    sees = replace(inspect("portrait-clip"), name=result.provenance.subject)
    assert bench_of(store.run(run), result, [sees]) is None, "this bench cannot ask it"
    monkeypatch.setattr(reopening, "sharers", lambda _kind: {run: "somebody"})
    assert bench_of(store.run(run), result) is None, "a recorded call of somebody else's"


@pytest.mark.parametrize("bench", ["occupations", "posterior", "decisions"])
def test_no_other_subject_stands_below_a_run_whose_subject_is_gone(
    store: Store, bench: str
) -> None:
    from biaslab_widgets.benches import BENCHES

    (entry,) = (one for one in BENCHES if one.slug == bench)
    first = entry.panel_class.on_page(Shared.of(observers())).controller
    inputs = {**inputs_to_store(entry.component, first.state), "subject": "mine"}
    result = bl.two_afc(observers(), ["nurse"], [("woman", "man")])
    run = store.save(result, bench=bench, inputs=inputs)
    controller, told = opened(store, run, Shared.of(observers()))
    assert any("mine is not in the library" in notice for notice in told.notices)
    answer = controller.answer(controller.snapshot())["answer"]
    assert answer["picture"] is None
    assert answer["message"]["title"] == "mine is not in the library"
