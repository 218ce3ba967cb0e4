"""How this works, of the occupations bench: its numbers are those of the result."""

from __future__ import annotations

from typing import Any

import pytest

from biaslab.stats.significance import holm
from harness.arithmetic import check_how, results_of
from harness.explained import explained
from harness.ready_benches import NEW

SWITCH = "Find the switch point of one cue pair in replicate 1"


def test_the_steps_lead_to_the_pse_of_the_picked_word() -> None:
    bench = NEW["occupations"]()
    how = explained(bench, word="librarian", outside="")
    steps = check_how(how, "occupations")
    asked = bench.controller.result.contrasts[0]
    i = asked.index("librarian")
    assert "librarian" in how["about"]
    assert results_of(steps[SWITCH]) == [pytest.approx(asked.switch[0, i, 0], abs=1e-4)]
    assert results_of(steps["Average to the PSE"]) == [pytest.approx(asked.pse[i], abs=1e-4)]
    corrected = holm(asked.pooled.p_value)[i]
    assert results_of(steps["Correct for many words"]) == [pytest.approx(corrected, rel=1e-3)]


@pytest.mark.parametrize(
    "inputs",
    [{"pairing": "all"}, {"pairing": "sets"}, {"curve": "empirical"}, {"scoring": "mixture"}],
    ids=str,
)
def test_the_arithmetic_holds_under_every_option(inputs: dict[str, Any]) -> None:
    bench = NEW["occupations"]()
    steps = check_how(explained(bench, word="nurse", outside="", **inputs), "occupations")
    asked = bench.controller.result.contrasts[0]
    read = steps["Average to the PSE"]
    pse = asked.pse[asked.index("nurse")]
    assert f"{100 * pse:.2f} %" in " ".join([*read["numbers"], read["text"]])


def test_against_the_other_words_their_mean_is_taken_off() -> None:
    bench = NEW["occupations"]()
    steps = check_how(explained(bench, word="nurse", outside="", reference="words"), "occupations")
    asked = bench.controller.result.contrasts[0]
    taken = results_of(steps["Take off what the cue pair does to all words"])
    assert taken == [pytest.approx(asked.switch[0, asked.index("nurse"), 0], abs=1e-4)]


def test_a_word_that_is_not_there_gives_way_to_the_first() -> None:
    assert "“nurse”" in explained(NEW["occupations"](), word="zzyzx", outside="")["about"]
