"""How this works, of the psychometric bench: its numbers are those of the result."""

from __future__ import annotations

from typing import Any

import pytest

from biaslab_widgets.benches.psychometric.bench import PsychometricController
from biaslab_widgets.benches.psychometric.subjects import psychometric_sources
from harness.arithmetic import check_how, results_of
from harness.driven import Driven
from harness.explained import explained
from harness.needs import needs
from harness.planted_language_models import all_frames, planted
from harness.ready_benches import NEW


def test_the_steps_of_a_word_lead_to_the_pse_jnd_and_interval_of_the_result() -> None:
    bench = NEW["psychometric"]()
    how = explained(bench, word="nurse", pairs=[("woman", "man")], alpha=0.3)
    steps = check_how(how, "psychometric")
    result = bench.controller.result
    pooled = result.pooled
    assert "nurse" in how["about"]
    assert "woman" in how["about"]
    assert results_of(steps["Find where replicate 1 switches"]) == [
        pytest.approx(result.balance[0, 0, 0], abs=1e-4)
    ]
    below = (result.balance[:, 0, 0] < 0.3).mean()
    assert results_of(steps["Do this in every replicate"]) == [pytest.approx(below, abs=1e-4)]
    assert results_of(steps["Read off the PSE"]) == [pytest.approx(pooled.pse[0], abs=1e-4)]
    assert results_of(steps["Read off the JND"]) == [pytest.approx(pooled.jnd[0], abs=1e-4)]
    assert results_of(steps["Judge the lean"]) == pytest.approx(pooled.corpus[0], abs=1e-4)
    assert "toward woman" in steps["Judge the lean"]["text"]


def test_the_scores_at_the_handle_follow_it() -> None:
    bench = NEW["psychometric"]()
    chosen = "Score both cues in replicate 1"
    low = check_how(
        explained(bench, word="nurse", pairs=[("woman", "man")], alpha=0.2), "psychometric"
    )
    high = check_how(explained(bench, alpha=0.9), "psychometric")
    assert low[chosen]["text"].endswith("answer: woman.")
    assert high[chosen]["text"].endswith("answer: man.")
    one, two = results_of(low[chosen])
    assert one > two


@pytest.mark.parametrize(
    "inputs",
    [
        {"noise": 0.1},
        {"noise": 0.1, "prior_sd": 0.2, "decision": "sample"},
        {"selected_pairs": [0, 1, 2]},
        {"curve": "empirical"},
        {"curve": "logistic", "jnd": "eq6"},
        {"curve": "weibull"},
        {"scoring": "mixture"},
        {"jnd": "sd", "replicates": 1},
    ],
    ids=str,
)
def test_the_arithmetic_holds_under_every_option(inputs: dict[str, Any]) -> None:
    bench = NEW["psychometric"]()
    steps = check_how(explained(bench, word="nurse", **inputs), "psychometric")
    pse = bench.controller.result.pooled.pse[0]
    read = steps["Read off the PSE"]
    assert f"{100 * pse:.2f} %" in " ".join([*read["numbers"], read["text"]])


@needs("torch", "transformers")
def test_the_steps_of_a_language_model_start_from_its_frames() -> None:
    lm = psychometric_sources(planted({"nurse": -0.6, "engineer": -0.4}, 0.2, words=all_frames()))
    bench = Driven(lambda emit: PsychometricController(lm, emit))
    bench.answer(word="nurse", pairs=[("she", "he")], selected_pairs=[0])
    result = bench.controller.result  # once it is asked
    steps = check_how(explained(bench, alpha=0.5), "psychometric")
    at = abs(result.stimuli - 0.5).argmin()
    mean = result.answers[:, 0, :, at].mean()
    assert results_of(steps["Ask in every frame"]) == [pytest.approx(mean, abs=1e-4)]
    assert f"{100 * result.pooled.pse[0]:.2f} %" in steps["Read off the PSE"]["text"]


def test_in_an_error_the_steps_are_of_the_picture_that_stays() -> None:
    bench = NEW["psychometric"]()
    explained(bench, word="nurse")
    assert "“nurse”" in explained(bench, word="zzyzx")["about"]
