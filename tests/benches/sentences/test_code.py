"""Code copied from the sentence bench makes the results on the screen."""

from __future__ import annotations

from pathlib import Path

import pytest

import biaslab as bl
from harness.copied_code import copied, run_code
from harness.sentence_controller import Bench


@pytest.fixture(autouse=True)
def _own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BIASLAB_HOME", str(tmp_path))


def test_the_code_makes_the_results_of_all_models() -> None:
    first, second = bl.observers.scorer(0.7, seed=1), bl.observers.scorer(0.6, seed=2)
    second.name = "second"
    bench = Bench([first, second])
    bench.tested(level=0.9)
    bench.reply("reject", pairs=[bench.pairs[0]["id"]])
    results = list(bench.controller.results.values())
    made = run_code(copied(bench.controller))
    assert made["result"] == results[0]
    assert made["result_2"].overall == results[1].overall
    assert len(results[0].pairs) == len(bench.pairs)


def test_a_saved_result_has_the_call() -> None:
    bench = Bench()
    bench.tested()
    result = bench.controller.result
    assert result.provenance.call is not None
    assert bench.controller.result is result
    assert bl.rerun(result.save()).is_equal
