"""How this works, of the posterior bench: its numbers are those of the run."""

from __future__ import annotations

import math

import pytest

from biaslab_widgets.benches.posterior.bench import PosteriorController
from biaslab_widgets.core.subjects.sources import classifier_sources
from harness.arithmetic import check_how, results_of
from harness.driven import Driven
from harness.explained import explained
from harness.needs import needs
from harness.scenarios.posterior import FEW, GOOD, LEXICON, LISTS, observer

pytestmark = needs("torch", "pyro")


def test_the_steps_lead_from_one_draw_to_the_groups() -> None:
    known = classifier_sources(observer())
    bench = Driven(lambda emit: PosteriorController(known, emit, LISTS, lexicon=LEXICON))
    bench.answer(**FEW)
    bench.controller.start().wait()
    bench.until(lambda picture: not picture["run"]["running"])
    how = explained(bench, word=GOOD[0])
    steps = check_how(how, "posterior")
    overview = bench.controller.result
    assert "“positive”" in how["about"]
    logit = float(overview.of("positive").logit[0, 0])
    assert results_of(steps["Draw stimuli"]) == [
        pytest.approx(1 / (1 + math.exp(-logit)), abs=1e-4)
    ]
    groups = overview.reading.groups["positive"]
    assert results_of(steps["Compare the groups"])[-1] == pytest.approx(groups.difference, abs=1e-4)
    assert f"“{GOOD[0]}”" in steps["Measure how far a word is"]["text"]
    assert "R-hat is" in steps["Check the chains"]["text"]
