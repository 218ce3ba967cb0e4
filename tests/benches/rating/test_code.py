"""Code copied from the rating bench makes the result on the screen."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import biaslab as bl
from harness.copied_code import copied, result_of
from harness.rating_controller import Bench


@pytest.fixture(autouse=True)
def _own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BIASLAB_HOME", str(tmp_path))


@pytest.mark.parametrize(
    "values",
    [{}, {"middles": ["es", "tr"]}, {"level": 0.9, "minimum": 5}],
)
def test_the_code_makes_the_result_on_the_screen(
    values: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = Bench()
    bench.rated(service="simulated translator", texts=8)
    bench.answer(**values)
    result = bench.controller.result
    monkeypatch.setenv("BIASLAB_HOME", str(tmp_path / "of another person"))
    assert result_of(copied(bench.controller)) == result


def test_the_code_rates_by_the_shares_that_were_dragged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = Bench()
    bench.rated(service="noisy", texts=8)
    changed = [dict(d) for d in bench.state["distributions"]]
    changed[1]["shares"] = [0.2, 0.8, 0.0]
    bench.answer(distributions=changed)
    code, result = copied(bench.controller), bench.controller.result
    assert ".re_rate(" in code
    monkeypatch.setenv("BIASLAB_HOME", str(tmp_path / "of another person"))
    assert result_of(code) == result


def test_a_rerun_of_stored_answers_has_the_same_numbers() -> None:
    bench = Bench()
    bench.rated(service="noisy", texts=8)
    again = Bench()
    again.rated(service="noisy", texts=8)
    assert bl.rerun(again.controller.result).is_equal
