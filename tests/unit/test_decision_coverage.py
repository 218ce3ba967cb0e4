"""Intervals of the gap hold the truth of simulated subjects as often as they say."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from harness.decision_study import (
    SKEWED,
    SUBJECTS,
    UNEQUAL,
    Coverage,
    Row,
    Verdicts,
    coverage,
    kept,
    measured,
)
from harness.decision_subjects import DecisionSubject
from harness.prompt_effects import PromptSubject


def _checked(found: Coverage, subjects: int, slack: float) -> None:
    print(found)  # noqa: T201
    assert found.fitted >= 0.97 * subjects
    assert 0.93 - slack <= found.these <= 0.97 + slack
    # The population's intervals are a little too wide: SDs of four cues and wordings are uncertain.
    assert 0.93 - slack <= found.population
    assert abs(found.error) < 4 * found.spread / subjects**0.5 + 0.05


@pytest.mark.parametrize("which_of_two", [False, True])
def test_a_few_intervals_hold_the_truth(which_of_two: bool) -> None:
    subject = DecisionSubject(
        which_of_two=which_of_two, indecision=0.2 * which_of_two, **SUBJECTS["all of these"]
    )
    found = coverage(subject, 640, 14)
    assert found.fitted >= 13
    assert found.these >= 0.75
    assert found.population >= 0.8


@pytest.mark.validate
@pytest.mark.parametrize("which_of_two", [False, True])
@pytest.mark.parametrize("name", SUBJECTS)
def test_intervals_of_constant_levels_hold_the_truth(name: str, which_of_two: bool) -> None:
    subject = DecisionSubject(
        which_of_two=which_of_two, indecision=0.2 * which_of_two, **SUBJECTS[name]
    )
    _checked(coverage(subject, 640, 1000), 1000, 0.02)


@pytest.mark.validate
@pytest.mark.parametrize("which_of_two", [False, True])
@pytest.mark.parametrize("name", ["plain", "all of these"])
def test_intervals_of_placed_levels_hold_the_truth(name: str, which_of_two: bool) -> None:
    subject = DecisionSubject(
        which_of_two=which_of_two, indecision=0.2 * which_of_two, **SUBJECTS[name]
    )
    # Near the PSE a share by position and a flat slope look alike: 89 to 96 % were measured.
    _checked(coverage(subject, 320, 300, adaptive=True), 300, 0.07)


@pytest.mark.validate
def test_runs_that_stop_at_a_verdict_are_wrong_no_more_often_than_they_say() -> None:
    at_margin = Verdicts.of(0.5, range(300))
    print(at_margin)  # noqa: T201
    # 2.5, 2.5 and 95 %, and two standard errors of 300 subjects.
    assert at_margin.favours <= 0.043
    assert at_margin.alike <= 0.043
    assert at_margin.covered >= 0.925
    assert abs(at_margin.error) < 0.01 + 3 * at_margin.spread / 300**0.5
    clear = Verdicts.of(1.0, range(100))
    print(clear)  # noqa: T201
    assert clear.favours >= 0.4
    assert clear.questions < 270
    assert abs(clear.error) < 0.03 + 3 * clear.spread / 100**0.5


@pytest.mark.validate
def test_the_gap_is_unbiased_where_a_plain_fit_is_not() -> None:
    found = coverage(DecisionSubject(**SKEWED), 640, 300)
    print(found)  # noqa: T201
    assert abs(found.error) < 4 * found.spread / 300**0.5 + 0.05
    assert abs(found.naive_error) > 3 * abs(found.error)
    assert found.naive_these < 0.8


def test_groups_that_differ_in_lapses_leave_a_gap_of_zero_alone() -> None:
    subject = DecisionSubject(gap=0.0, **UNEQUAL["lapses 0 and 15 %"])
    own = coverage(subject, 640, 9)
    shared = coverage(subject, 640, 9, lapses="shared", slopes="shared")
    assert abs(own.error) < 4 * own.spread / own.fitted**0.5
    assert abs(own.error) < abs(shared.error)
    assert own.these >= 0.75


@pytest.mark.validate
@pytest.mark.parametrize("name", UNEQUAL)
@pytest.mark.parametrize("gap", [0.0, 2.0])
def test_intervals_hold_the_truth_of_groups_that_differ(name: str, gap: float) -> None:
    found = coverage(DecisionSubject(gap=gap, **UNEQUAL[name]), 640, 500)
    print(found)  # noqa: T201
    assert found.fitted >= 485
    assert 0.91 <= found.these <= 0.99
    assert found.population >= 0.91
    assert abs(found.error) < 0.2


def test_a_study_goes_on_where_it_was_stopped(tmp_path: Path) -> None:
    path, row = tmp_path / "rows.jsonl", Row(False, False, 160, "plain")
    list(measured([row], 2, path))
    first = path.read_text()
    list(measured([row], 3, path))
    assert path.read_text().startswith(first)
    assert list(kept(path)[row.name]) == [0, 1, 2]
    assert row.line(list(kept(path)[row.name].values())).startswith(
        "| yes or no | constant | 160 |"
    )


def prompts_held(subject: PromptSubject, subjects: int) -> tuple[float, float]:
    """Return how often the intervals of the population and of these hold their truth."""
    rows = [row for seed in range(subjects) if (row := subject.intervals(seed)) is not None]
    print(subject, np.mean(rows, axis=0), np.median(rows, axis=0))  # noqa: T201
    assert len(rows) >= 0.97 * subjects
    population, these, *_ = np.mean(rows, axis=0)
    return float(population), float(these)


PROMPTS = {
    "probabilities, prompts 0.5": PromptSubject(times=0, prompt_sd=0.5),
    "probabilities, prompts 1": PromptSubject(times=0, prompt_sd=1.0),
    "probabilities, cue by level": PromptSubject(times=0, prompt_sd=0.5, cue_by_level=0.8),
    "probabilities, wording by level": PromptSubject(times=0, prompt_sd=0.5, wording_by_level=1.0),
    "5 answers, cue by level": PromptSubject(times=5, cue_by_level=0.8),
    "2 answers, wording by level": PromptSubject(times=2, wording_by_level=1.0),
}
UNLIKE = {
    "2 and 8 cues": PromptSubject(cues=(2, 8), cue_sds=(1.2, 0.3)),
    "3 and 12 cues": PromptSubject(cues=(3, 12), cue_sds=(1.0, 0.3)),
    "4 and 4 cues": PromptSubject(cue_sds=(1.2, 0.3)),
}


def test_a_few_intervals_of_these_take_prompts_in() -> None:
    _, these = prompts_held(PROMPTS["probabilities, cue by level"], 12)
    assert these >= 0.75


@pytest.mark.validate
@pytest.mark.parametrize("name", PROMPTS)
def test_intervals_of_these_take_prompts_in(name: str) -> None:
    _, these = prompts_held(PROMPTS[name], 200)
    # 92 to 98 %, and two standard errors of 200 subjects.
    assert 0.88 <= these <= 0.998


@pytest.mark.validate
@pytest.mark.parametrize("name", UNLIKE)
def test_intervals_of_others_hold_the_gap_of_groups_that_spread_unlike(name: str) -> None:
    population, _ = prompts_held(UNLIKE[name], 200)
    assert 0.88 <= population <= 0.998
