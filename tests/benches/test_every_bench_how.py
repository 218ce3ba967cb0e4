"""Before a bench has a result, "How this works" has no number."""

from __future__ import annotations

from typing import Any

import pytest

from biaslab_widgets.core.how import NOTHING_YET
from harness.explained import explained
from harness.needs import needs
from harness.ready_benches import NEW


@pytest.mark.parametrize(
    ("name", "inputs"),
    [
        ("images", {"step": 2}),
        pytest.param("posterior", {"chains": 6, "draws": 100}, marks=needs("torch", "pyro")),
        ("psychometric", {"word": ""}),
        ("rating", {}),
        ("sentences", {"step": 2}),
    ],
)
def test_without_a_result_there_is_no_number(name: str, inputs: dict[str, Any]) -> None:
    bench = NEW[name]()
    how = explained(bench, **inputs)
    assert how["about"] == NOTHING_YET
    assert how["references"]
    assert how["guide"] == f"docs/benches/{name}.md"
    bench.controller.close()
