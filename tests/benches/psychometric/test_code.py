"""Code copied from the psychometric bench makes the result on the screen."""

from __future__ import annotations

from typing import Any

import pytest

import biaslab as bl
from biaslab_widgets.benches.psychometric.bench import PsychometricController
from biaslab_widgets.benches.psychometric.sources import psychometric_sources
from biaslab_widgets.core.sources import sources
from harness.copied_code import copied, result_of
from harness.emitted import PSE, Emitted, observers
from harness.needs import needs


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"curve": "logistic", "noise": 0.1, "prior_sd": 0.3, "jnd": "eq6"},
        {"pairs": [["she", "he"]], "replicates": 3, "scoring": "mixture"},
    ],
)
def test_the_code_makes_the_result_on_the_screen(values: dict[str, Any]) -> None:
    bench = PsychometricController(sources(observers()), Emitted())
    bench.change({"word": next(iter(PSE)), **values})
    assert result_of(copied(bench)) == bench.result


@needs("torch", "transformers")
def test_the_code_asks_a_language_model_in_its_frames() -> None:
    emitted = Emitted()
    bench = PsychometricController(psychometric_sources(bl.load("wiki-mlm")), emitted)
    bench.change({"word": "nurse", "pairs": [["she", "he"]], "levels": 5, "replicates": 2})
    emitted.until(lambda state: state.get("answer", {}).get("state") == "ready")
    code = copied(bench)
    assert 'bl.load("wiki-mlm")' in code
    assert result_of(code) == bench.result
    bench.close()
