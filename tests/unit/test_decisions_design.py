"""Balanced questions about a case."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from biaslab.cases import Case, Form, get
from biaslab.errors import QueryError
from biaslab.probes.decisions.trials import MOST_FIXED, Design

FORMS: tuple[Form, ...] = ("yes or no", "which of two")


def design(form: Form, name: str = "hire-by-name") -> Design:
    case: Case = get(name)
    cues = tuple(tuple(range(len(group.cues))) for group in case.groups[:2])
    wordings = tuple(range(len(case.wordings(form))))
    return Design(case, form, (0, 1), cues, wordings, tuple(range(len(case.details))))


@pytest.mark.parametrize("form", FORMS)
def test_every_combination_comes_once(form: Form) -> None:
    made = design(form)
    rows = made.questions(made.chosen_levels(None), None, np.random.default_rng(1))
    prompts = Counter(question.prompt for question in rows.of(made.case, cannot_say=False))
    assert len(rows) == len(made.candidates) * 9 * 4 * 2
    assert max(prompts.values()) == 1
    at = rows.level if form == "yes or no" else rows.level - rows.other_level
    asked = zip(rows.cue, rows.group, rows.other_cue, at, rows.wording, rows.yes_first, strict=True)
    assert max(Counter(asked).values()) == 1


@pytest.mark.parametrize("form", FORMS)
def test_a_part_of_the_questions_is_balanced(form: Form) -> None:
    made = design(form)
    block = len(made.candidates) * 9
    rows = made.questions(made.chosen_levels(None), block, np.random.default_rng(1))
    at = rows.level if form == "yes or no" else rows.level - rows.other_level
    counts = Counter(zip(rows.group, rows.cue, rows.other_cue, at, strict=True))
    assert set(counts.values()) == {1}
    assert abs(rows.yes_first.mean() - 0.5) < 0.05
    shares = np.bincount(rows.wording) / block
    np.testing.assert_allclose(shares, 0.25, atol=0.03)


def test_orders_and_wordings_of_a_long_case_are_balanced() -> None:
    made = design("yes or no", "hire-by-name-long")
    rows = made.questions(made.chosen_levels(None), None, np.random.default_rng(1))
    assert len(rows) == MOST_FIXED
    for group in (0, 1):
        own = rows.take(rows.group == group)
        assert abs(own.yes_first.mean() - 0.5) < 0.03
        assert np.ptp(np.bincount(own.wording)) <= 20
        for cue in range(18):
            of_cue = own.take(own.cue == cue)
            assert len(set(of_cue.wording)) >= 14
            assert abs(of_cue.yes_first.mean() - 0.5) < 0.15


def test_two_candidates_differ_by_the_level_and_either_is_varied() -> None:
    made = design("which of two")
    levels = made.chosen_levels(5)
    rows = made.questions(levels, None, np.random.default_rng(1))
    np.testing.assert_array_equal(np.unique(rows.level - rows.other_level), levels)
    middle = 8.0
    assert ((rows.level == middle) | (rows.other_level == middle)).all()
    assert 0.3 < (rows.level == middle).mean() < 0.7
    assert rows.level.min() >= made.case.quality.low
    assert rows.level.max() <= made.case.quality.high


def test_questions_follow_their_seed() -> None:
    made = design("yes or no")
    levels = made.chosen_levels(None)
    one, two, other = (made.questions(levels, 50, np.random.default_rng(s)) for s in (1, 1, 2))
    assert one == two
    assert one != other


@pytest.mark.parametrize(
    ("levels", "problem"),
    [(2, "at least 3"), ([1, 2], "a curve needs 3"), ([0, 1, 99], "99 years is not a level")],
)
def test_levels_that_give_no_curve_are_refused(levels: int | list[float], problem: str) -> None:
    with pytest.raises(QueryError, match=problem):
        design("yes or no").chosen_levels(levels)
