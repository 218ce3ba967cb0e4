"""How this works, of the image bench: its numbers are those of the result."""

from __future__ import annotations

import pytest

from harness.arithmetic import check_how, results_of
from harness.explained import explained
from harness.image_controller import Bench


@pytest.fixture
def bench() -> Bench:
    return Bench()


@pytest.mark.parametrize("aggregate", ["sum", "mean", "any"])
def test_the_steps_lead_from_concepts_to_the_score_of_all(bench: Bench, aggregate: str) -> None:
    bench.answer(step=3, aggregate=aggregate)
    bench.controller.test().wait()
    result = bench.controller.result
    for group in (0, 1):
        at = result.group_of.tolist().index(group)
        image = bench.ids[at]
        how = explained(bench, image=image)
        steps = check_how(how, "images")
        score = result.scores[at]
        of = steps["Score the picture"]
        told = of["text"] if group == 0 else of["numbers"][0]
        assert f"{score:.4f}" in told
        assert results_of(steps["Average over all pictures"]) == [
            pytest.approx(result.score, abs=1e-4)
        ]
        term = result.images[at].term
        mean = results_of(steps[f"Average over pictures of “{term}”"])
        assert mean == [pytest.approx(result.term(term).score, abs=1e-4)]


def test_the_concepts_of_a_list_add_up_to_its_probability(bench: Bench) -> None:
    bench.answer(step=3)
    bench.controller.test().wait()
    steps = check_how(explained(bench, image=bench.ids[0]), "images")
    first = bench.controller.result.first[0]
    assert results_of(steps["Ask for “helpers”"]) == [pytest.approx(first, abs=1e-4)]
