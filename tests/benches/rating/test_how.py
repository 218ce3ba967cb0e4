"""How this works, of the rating bench: its numbers are those of the result."""

from __future__ import annotations

from typing import Any

import pytest

from harness.arithmetic import check_how, results_of
from harness.explained import explained
from harness.rating_controller import MIDDLES, Bench


@pytest.fixture(scope="module")
def rated() -> Any:
    bench = Bench()
    service = next(n for n in bench.controller.offered if "simulat" in n.lower())
    bench.rated(service=service, middles=list(MIDDLES))
    return bench


@pytest.mark.parametrize("language", list(MIDDLES))
@pytest.mark.parametrize("block", [0, 1])
def test_the_steps_lead_from_counts_to_the_rating(rated: Bench, language: str, block: int) -> None:
    how = explained(rated, language=language, block=block)
    steps = check_how(how, "rating")
    result = rated.controller.result
    finding = result.block_findings(language)[block]
    assert f"“{finding.block}”" in how["about"]
    shares = results_of(steps["Count the answers"])
    for share in shares:
        assert min(abs(share - own) for own in finding.shares) < 1e-3
    rating = result.rating(language)
    corrected = steps["Walk the corrected rule’s tree"]["text"]
    assert f"The rating is {rating.corrected}" in corrected
    assert rating.corrected.full_name in corrected
