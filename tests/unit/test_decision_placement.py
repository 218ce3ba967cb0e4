"""Placement of decisions: the next questions, when to stop, and answers that are refused."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit, ndtri

from biaslab.errors import PsychometricError
from biaslab.stats.curves.adaptive import States, information
from biaslab.stats.curves.grid import CurveGrid
from biaslab.stats.decisions.placement import DecisionPlacement, look_level

LEVELS = np.linspace(0, 16, 33)


def asked(
    placement: DecisionPlacement,
    questions: int,
    pses: tuple[float, ...] = (6.0, 8.0),
    position: float = 0.0,
    seed: int = 0,
    batch: int = 8,
) -> DecisionPlacement:
    """Answer so many questions as a subject with these PSEs does."""
    rng = np.random.default_rng(seed)
    while placement.asked < questions and not placement.stopped():
        group, level, first = placement.next_questions(batch)
        p = (1 - position) * expit(0.9 * (level - np.array(pses)[group])) + position * first
        placement.update(group, level, first, rng.random(batch) < p)
    return placement


def test_both_groups_are_asked_near_their_points() -> None:
    placement = asked(DecisionPlacement(2, LEVELS), 160)
    counts = placement.counts.sum(axis=(2, 3))
    assert counts.sum() == 160
    assert abs(counts[0].sum() - counts[1].sum()) < 60
    middle = (counts * LEVELS).sum(axis=1) / counts.sum(axis=1)
    np.testing.assert_allclose(middle, [6, 8], atol=1.6)
    low, high = placement.gap_interval()
    assert low < 2 < high
    assert low < placement.gap() < high


def test_a_preference_for_a_position_is_kept_out_of_the_gap() -> None:
    placement = asked(DecisionPlacement(2, LEVELS), 320, position=0.4, seed=3)
    orders = placement.counts.sum(axis=(0, 1, 3))
    assert min(orders) > 80
    low, high = placement.gap_interval()
    assert low < 2 < high
    assert high - low < 5


def test_information_is_that_of_single_curves() -> None:
    """Of one group in one order: the loss of entropy of `biaslab.stats.curves.adaptive`."""
    grid = CurveGrid.of_points(np.linspace(1, 15, 15), np.array([0.5, 1.0, 2.0]), 0.02, 0.02)
    placement = DecisionPlacement(1, LEVELS, family="normal", orders=False, grid=grid)
    shape = placement.posterior.mass(0).sum(axis=2).reshape(1, -1)
    share = grid.share(LEVELS[None])[0, :, :, 0].reshape(1, -1, len(LEVELS))
    entropy = -(share * np.log(share) + (1 - share) * np.log1p(-share))
    expected = information(States(shape, share, entropy), shape[:, None])[0, 0]
    ridge = placement.update([0], [8.0], True, [1]) or placement.ridge()[0]
    assert ridge.shape == (len(LEVELS),)
    fresh = DecisionPlacement(1, LEVELS, family="normal", orders=False, grid=grid)
    _, level, _ = fresh.next_questions()
    assert expected[np.searchsorted(LEVELS, level[0])] == pytest.approx(expected.max(), abs=1e-9)


def test_a_batch_is_spread_and_goes_to_both_groups() -> None:
    group, level, first = asked(DecisionPlacement(2, LEVELS), 40).next_questions(12)
    assert set(group) == {0, 1}
    assert set(first) == {True, False}
    assert len(np.unique(level)) > 3


def test_the_ridge_is_flat_at_first_and_then_near_the_points() -> None:
    placement = DecisionPlacement(2, LEVELS)
    assert np.ptp(placement.ridge()) == 0
    ridge = asked(placement, 120).ridge()
    assert ridge.shape == (2, len(LEVELS))
    assert ridge.sum() == pytest.approx(1)
    assert abs(LEVELS[ridge[0].argmax()] - 6) < 3
    assert abs(LEVELS[ridge[1].argmax()] - 8) < 3


def test_it_stops_at_a_width_a_decision_or_the_budget() -> None:
    wide = asked(DecisionPlacement(2, LEVELS, width=4.0, budget=400), 400)
    assert wide.stopped() == "width"
    low, high = wide.gap_interval()
    assert high - low <= 4
    decided = asked(DecisionPlacement(2, LEVELS, margin=(-1, 1), budget=600), 600, (3.0, 12.0))
    assert decided.stopped() == "margin"
    alike = asked(DecisionPlacement(2, LEVELS, margin=(-3, 3), budget=600), 600, (7.0, 7.0))
    assert alike.stopped() == "margin"
    spent = asked(DecisionPlacement(2, LEVELS, width=0.1, budget=24), 600)
    assert spent.stopped() == "budget"
    assert spent.asked == 24


def test_what_remains_shrinks_and_counts_what_trials_cannot_take() -> None:
    placement = asked(DecisionPlacement(2, LEVELS, width=1.5), 80)
    first = placement.remaining()
    second = asked(placement, 240).remaining()
    assert second < first
    middle, width = placement.gap(), np.ptp(placement.gap_interval())
    wide = (middle - width, middle + width)
    assert placement.remaining(wide) == np.inf
    assert np.isnan(DecisionPlacement(2, LEVELS, width=1.0).remaining())


@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_intervals_of_25_looks_hold_the_truth_together(level: float) -> None:
    shares = np.arange(1, 26) / 25
    walks = np.random.default_rng(2).normal(0, 0.2, (20_000, 25)).cumsum(axis=1) / np.sqrt(shares)
    critical = ndtri((1 + np.array([look_level(level, share) for share in shares])) / 2)
    missed = np.mean((np.abs(walks) > critical).any(axis=1))
    assert missed == pytest.approx(1 - level, rel=0.15)
    assert look_level(level, 1.5) == look_level(level, 1.0)


def test_refusals_count_and_say_nothing() -> None:
    placement = DecisionPlacement(2, LEVELS, budget=8)
    before = placement.gap_interval()
    placement.update([0, 1], [5.0, 6.0], [True, False], [0, 0], n=0, refused=4)
    assert placement.gap_interval() == before
    assert placement.stopped() == "budget"


def test_which_of_two_with_indecision_uses_the_third_answer() -> None:
    differences = np.linspace(-8, 8, 33)
    placement = DecisionPlacement(1, differences, indecision=True)
    rng = np.random.default_rng(1)
    for _ in range(20):
        group, level, first = placement.next_questions(8)
        z = 0.9 * (level - 1.5)
        drawn = rng.random(8)
        yes, none = expit(z - 0.5), expit(z + 0.5) - expit(z - 0.5)
        undecided = (drawn >= yes) & (drawn < yes + none)
        placement.update(group, level, first, drawn < yes, n=~undecided, undecided=undecided)
    low, high = placement.gap_interval()
    assert low < 1.5 < high
    assert high - low < 3


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"levels": [1.0]}, "two or more levels"),
        ({"levels": LEVELS, "width": 0}, "width"),
        ({"levels": LEVELS, "margin": (1, -1)}, "margin"),
        ({"levels": LEVELS, "margin": (-np.inf, np.inf)}, "two finite ends"),
        ({"levels": LEVELS, "margin": (np.nan, 1.0)}, "two finite ends"),
        ({"levels": LEVELS, "width": np.inf}, "finite width"),
        ({"levels": LEVELS, "budget": 0}, "budget"),
        ({"levels": LEVELS, "family": "gumbel"}, "symmetrical"),
    ],
)
def test_wishes_that_contradict_themselves_are_refused(options: dict, message: str) -> None:
    with pytest.raises(PsychometricError, match=message):
        DecisionPlacement(2, **options)


@pytest.mark.parametrize(
    ("question", "message"),
    [
        ({"level": [5.1]}, "not among the levels"),
        ({"yes": [2]}, "no more yes"),
        ({"group": [2]}, "from 0 to 1"),
    ],
)
def test_answers_to_other_questions_are_refused(question: dict, message: str) -> None:
    whole = {"group": [0], "level": [5.0], "yes_first": [True], "yes": [1]} | question
    with pytest.raises(PsychometricError, match=message):
        DecisionPlacement(2, LEVELS).update(**whole)


def test_orders_take_turns_at_the_same_levels() -> None:
    counts = asked(DecisionPlacement(2, LEVELS), 160, position=0.3).counts.sum(axis=3)
    assert (np.abs(counts.sum(axis=1)[:, 0] - counts.sum(axis=1)[:, 1]) <= 1).all()
    middle = (counts * LEVELS[:, None]).sum(axis=1) / counts.sum(axis=1)
    np.testing.assert_allclose(middle[:, 0], middle[:, 1], atol=0.8)


def test_the_variance_of_a_point_falls_most_near_it() -> None:
    placement = asked(DecisionPlacement(1, LEVELS, criterion="variance"), 80, pses=(7.0,))
    low, high = placement.gap_interval()
    assert low < 7 < high
    assert abs(LEVELS[placement.ridge()[0].argmax()] - 7) < 2
