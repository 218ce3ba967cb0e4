"""How this works, of the association bench: its numbers are those of the result."""

from __future__ import annotations

import pytest

from harness.arithmetic import check_how, results_of
from harness.explained import explained
from harness.garden import driven


def test_the_steps_lead_from_distances_to_the_contrast_and_weat() -> None:
    bench = driven()
    how = explained(bench, word="tulip")
    steps = check_how(how, "association")
    result = bench.controller.result
    assert "“tulip” of flowers" in how["about"]
    table = result.distance_model.table
    at = table.words.index("tulip")
    means = table.means()[0, at]
    found = results_of(steps["Average them by type of connection"])
    assert found == pytest.approx(list(means), abs=1e-4)
    contrast = result.distance_model.headline_contrasts[0]
    told = steps["Compare the types over all words"]["text"]
    assert f"{contrast.mean:.3f}" in told.replace("\N{MINUS SIGN}", "-")
    assert result.weat is not None
    size, top = results_of(steps["WEAT keeps one number"])
    assert size == pytest.approx(result.weat.effect_size, abs=1e-3)
    assert size < top


def test_of_an_ensemble_weat_is_worked_out_in_replicate_1() -> None:
    bench = driven(replicates=3)
    steps = check_how(explained(bench, word="", replicate=-1), "association")
    weat = bench.controller.result.weat
    assert weat is not None
    first, _ = results_of(steps["WEAT keeps one number"])
    assert first == pytest.approx(weat.effect_size_by_replicate[0], abs=1e-3)
    assert f"over 3 replicates is {weat.effect_size:.3f}" in steps["WEAT keeps one number"]["text"]


@pytest.mark.parametrize("model", ["pooled", "per-word", "crossed"])
def test_the_formula_is_that_of_the_model(model: str) -> None:
    bench = driven()
    steps = check_how(explained(bench, model=model), "association")
    assert model in steps["Fit the model to all distances"]["text"]


def test_the_simulation_has_the_ceiling_of_its_lists() -> None:
    bench = driven()
    given = {"means": [0.0] * 4, "sd": 0.05, "words": 2, "attributes": 5}
    how = explained(bench, shown="simulation", simulation=given, ddof=1)
    steps = check_how(how, "association")
    assert results_of(steps["The ceiling of WEAT’s effect size"]) == [pytest.approx(1.732)]
