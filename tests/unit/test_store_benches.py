"""Runs that a script saves are found by the bench that asks their question."""

from __future__ import annotations

from pathlib import Path

import biaslab as bl
from biaslab.records.kinds import bench_of
from biaslab.records.result import kinds
from biaslab_widgets.benches import BENCHES

OF_NO_BENCH = {"comparison", "trajectory", "treatment", "word-similarity"}


def test_every_kind_of_result_has_a_bench_or_is_known_to_have_none() -> None:
    modules = {entry.component.module for entry in BENCHES if entry.question}
    ours = {name: kind for name, kind in kinds().items() if kind.__module__[:8] == "biaslab."}
    assert {name for name, kind in ours.items() if bench_of(kind) not in modules} == OF_NO_BENCH
    assert {bench_of(ours[name]) for name in OF_NO_BENCH} == {""}


def test_a_run_of_a_script_is_filtered_by_its_bench(tmp_path: Path) -> None:
    store = bl.Store(tmp_path / "store.sqlite")
    words = {"she": [1.0, 0.1], "he": [0.1, 1.0], "nurse": [0.9, 0.4]}
    result = bl.two_afc(bl.load(words), ["nurse"], [("she", "he")])
    run = store.save(result)
    assert list(store.runs(bench="psychometric")["id"]) == [run]
    assert list(store.runs(bench="occupations")["id"]) == []
    assert store.run(store.save(result, bench="mine")).bench == "mine"
