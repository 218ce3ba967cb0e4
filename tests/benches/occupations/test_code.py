"""Code copied from the occupations bench makes the result on the screen."""

from __future__ import annotations

from typing import Any

import pytest

from biaslab_widgets.benches.occupations.bench import OccupationsController
from biaslab_widgets.core.sources import sources
from harness.copied_code import copied, result_of
from harness.emitted import PAIRS, PSE, Emitted, observers

GROUPS = {"female": [a for a, _ in PAIRS], "male": [b for _, b in PAIRS]}


@pytest.mark.parametrize("values", [{}, {"pairing": "all", "curve": "logistic", "outside": ""}])
def test_the_code_makes_the_result_on_the_screen(values: dict[str, Any]) -> None:
    bench = OccupationsController(sources(observers()), Emitted(), list(PSE), GROUPS)
    bench.change(values)
    assert result_of(copied(bench)) == bench.result
