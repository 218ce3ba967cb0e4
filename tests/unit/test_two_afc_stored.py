"""Results of `bl.two_afc` that earlier versions stored open with the numbers that they had."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from biaslab.probes.psychometrics import LayersResult, TwoAFCResult
from biaslab.records.result import Result

STORED = json.loads((Path(__file__).parent / "stored" / "two-afc-2.json").read_text("utf-8"))


@pytest.mark.parametrize("kind", STORED)
def test_results_with_all_kinds_of_answers_side_by_side_open(kind: str) -> None:
    before = STORED[kind]
    result = Result.from_dict(before["stored"])
    np.testing.assert_allclose(result.to_frame()["pse"], before["pse"], rtol=1e-12)
    assert result.summary() == before["summary"]
    assert Result.from_json(result.to_json()) == result
    if not isinstance(result, LayersResult):
        assert isinstance(result, TwoAFCResult)
        assert result.raw.kind == kind


def test_results_from_before_trials_and_rates_open() -> None:
    stored = STORED["own curves"]["stored"]
    names = ("trials", "rates", "own_rates", "own_answers", "answers", "observer_names", "ends")
    oldest = {name: value for name, value in stored.items() if name not in names}
    result = Result.from_dict(oldest | {"schema": "two-afc/1"})
    assert isinstance(result, TwoAFCResult)
    assert result.fit.lapses == "none"
    assert result.raw.kind == "own curves"
