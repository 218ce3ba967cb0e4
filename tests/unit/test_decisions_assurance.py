"""What a decision run can show beforehand, and what it takes to show more."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import biaslab as bl
from biaslab.errors import QueryError
from biaslab.probes.decisions import Assurance, GapSpread, assurance_after, plan
from harness.assurance_study import DESIGNS, MARGINS, Studied

_SPREAD = GapSpread(0.56, 0.28, 0.0)


def _of(cues: int, wordings: int, margin: float = 0.5, spread: GapSpread = _SPREAD) -> Assurance:
    return Assurance((cues, cues), wordings, 576, margin, 0.95, spread, "years")


def test_the_variance_of_the_gap_is_that_of_cues_wordings_and_answers() -> None:
    made = _of(4, 4, spread=GapSpread(0.56, 0.28, 6.0))
    assert made.sd**2 == pytest.approx(2 * (0.56**2 / 4 + 0.28**2 / 4) + 36 / 576)
    # Two SDs of unknown size: by simulation of normal effects and their variances.
    rng, n = np.random.default_rng(1), 40_000
    cues, wordings = rng.normal(0, 0.56, (2, n, 4)), rng.normal(0, 0.28, (n, 4, 2))
    gap = cues[1].mean(axis=1) - cues[0].mean(axis=1) + np.diff(wordings, axis=2).mean((1, 2))
    assert gap.std() == pytest.approx(_of(4, 4).sd, rel=0.02)
    estimated = cues.var(axis=2, ddof=1).sum(axis=0) / 4
    estimated += np.diff(wordings, axis=2)[..., 0].var(axis=1, ddof=1) / 4
    assert np.mean(estimated) == pytest.approx(_of(4, 4).sd ** 2, rel=0.02)


def test_a_design_that_suffices_for_a_margin_is_the_smallest() -> None:
    small = _of(4, 4)
    assert not small.is_enough
    larger = small.enlarged()
    assert larger is not None
    assert larger.is_enough
    assert 0.8 <= larger.alike() < 0.84
    assert larger.cues[0] == pytest.approx(2 * larger.wordings, abs=2)
    assert small.alike(small.least_margin) == pytest.approx(0.8, abs=1e-4)
    assert small.clear(small.least_gap) == pytest.approx(0.8, abs=1e-4)
    *before, last = small.suggestions()
    assert before[0].size() == larger.size()
    assert (last.cues, last.wordings) == ((4, 4), 4)
    assert all(one.is_enough for one in (*before, last))
    margins = [one.margin for one in (*before, last)]
    assert margins == sorted(margins)


def test_answers_that_are_samples_take_more_questions() -> None:
    sampled = replace(_of(4, 4), spread=GapSpread(0.56, 0.28, 8.0)).enlarged()
    known = _of(4, 4).enlarged()
    assert sampled is not None
    assert known is not None
    assert sampled.questions > known.questions == 576
    assert sampled.cues > known.cues


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (_of(4, 4), "“Alike” within ± 0.5 years is out of reach: that takes about"),
        (_of(16, 16, 0.6), "% of runs; 80 % takes about"),
        (_of(4, 4, 5), "comes out in nearly all runs."),
        (_of(4, 4, 0), "is out of reach: that takes about a margin of"),
        (replace(_of(4, 1), cues=(2, 8)), "2 and 8 cues in 1 wording can show gaps of about"),
        (_of(1, 1), "1 cue a group in 1 wording can show"),
        (_of(4, 4, 1e-4), "is out of reach: that takes about a margin of"),
    ],
)
def test_what_can_be_shown_is_said_in_words(made: Assurance, words: str) -> None:
    assert words in made.summary()
    assert "nan" not in made.summary()


def test_a_run_that_ended_open_says_what_would_decide_it() -> None:
    decider = bl.observers.decider(cue_sd=0.6, wording_by_group_sd=0.3, seed=3, jnd=1.2)
    result = bl.decisions(decider, method="fixed", keep=False)
    after = assurance_after(result)
    assert after is not None
    assert after.summary() in result.summary()
    # Half as wide as the run's own interval, which is the one that it expects.
    ends = result.gap_interval()
    assert after.half_width == pytest.approx((ends.high - ends.low) / 2, rel=0.25)
    planned = plan(decider, method="fixed", pilot=result).assurance
    assert planned.summary() == after.summary()


def test_a_pilot_without_a_gap_plans_nothing() -> None:
    always = bl.observers.decider(pse=-40, jnd=1.0)
    pilot = bl.decisions(always, method="fixed", trials=72, keep=False)
    assert assurance_after(pilot) is None
    with pytest.raises(QueryError, match="has no gap"):
        plan(always, pilot=pilot)


def test_a_long_case_is_asked_no_more_than_a_run_bears() -> None:
    taken = plan(bl.observers.decider("hire-by-name-long"), "hire-by-name-long", method="fixed")
    assert taken.questions == 1_152
    assert (taken.assurance.cues, taken.assurance.wordings) == ((18, 18), 16)
    assert taken.assurance.summary() in taken.summary()


def _checked(studied: Studied, runs: int, slack: float) -> None:
    predicted = studied.predicted()
    ends = np.array([studied.run(seed, 0.0)[:2] for seed in range(runs)])
    margins = (studied.margin,) if studied.answers == "placed" else MARGINS
    for margin in margins:
        actual = float((np.abs(ends).max(axis=1) < margin).mean())
        chance = predicted.alike(margin)
        assert actual == pytest.approx(chance, abs=slack), margin


@pytest.mark.validate
@pytest.mark.parametrize("name", DESIGNS)
def test_verdicts_come_as_often_as_predicted(name: str) -> None:
    _checked(DESIGNS[name], 150, 0.11)


def test_a_fit_of_a_few_answers_about_many_names_keeps_its_slope_above_0() -> None:
    low, high, _ = replace(DESIGNS["18 + 18, 16, 400 placed, margin 1.25"], trials=64).run(30, 0.0)
    assert low < 0 < high
