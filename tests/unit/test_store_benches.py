"""Runs that a script saves are found by the bench that asks their question."""

from __future__ import annotations

import importlib
import pkgutil
from pathlib import Path

import biaslab as bl
from biaslab import probes
from biaslab.records.result import Result
from biaslab.store.run_fields import bench_of_kind
from biaslab_widgets.benches import BENCHES

OF_NO_BENCH = {"comparison", "word-similarity"}


def kinds() -> set[type[Result]]:
    """All kinds of results of biaslab."""
    for module in pkgutil.iter_modules(probes.__path__):
        importlib.import_module(f"{probes.__name__}.{module.name}")
    found, unseen = set(), [Result]
    while unseen:
        below = unseen.pop().__subclasses__()
        found |= {one for one in below if one.__module__.startswith("biaslab.")}
        unseen += below
    return {one for one in found if "schema" in vars(one)}


def test_every_kind_of_result_has_a_bench_or_is_known_to_have_none() -> None:
    titled = {entry.component.module for entry in BENCHES if entry.question}
    for kind in kinds():
        expected = {""} if kind.schema.partition("/")[0] in OF_NO_BENCH else titled
        assert bench_of_kind(kind) in expected, kind.schema


def test_a_run_of_a_script_is_filtered_by_its_bench(tmp_path: Path) -> None:
    store = bl.Store(tmp_path / "store.sqlite")
    words = {"she": [1.0, 0.1], "he": [0.1, 1.0], "nurse": [0.9, 0.4]}
    result = bl.two_afc(bl.load(words), ["nurse"], [("she", "he")])
    run = store.save(result)
    assert list(store.runs(bench="psychometric")["id"]) == [run]
    assert list(store.runs(bench="occupations")["id"]) == []
    assert store.run(store.save(result, bench="mine")).bench == "mine"
