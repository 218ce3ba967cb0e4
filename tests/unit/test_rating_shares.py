"""Intervals and posterior of an output's shares hold what they promise, by simulation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from biaslab.probes.rating.data_generator import Distribution
from biaslab.probes.rating.decision_path import equivalence_p
from biaslab.probes.rating.distribution_analysis import Codes, tallies
from biaslab.probes.rating.output_statistics import (
    channel_draws,
    design_effect,
    output_shares,
    shares_of_draws,
    within_text_correlation,
)
from biaslab.probes.rating.rating import EQUIVALENT, rate_corrected
from biaslab.probes.rating.ratings import CorrectedRule
from biaslab.stats.significance import wilson

BLOCKS = (
    Distribution("50/50", "unbiased", (0.5, 0.5, 0.0)),
    Distribution("10/90", "biased", (0.1, 0.9, 0.0)),
)
EXPERIMENTS = 2500


def experiments(
    rates: tuple[float, float], texts: int, alike: float = 0.0, kept: tuple[float, float] = (1, 1)
) -> Codes:
    """Outputs of a service that says "he" at these rates; mentions of a text may be alike."""
    rng = np.random.default_rng(texts)
    given_ = np.empty((EXPERIMENTS, 2, texts, 2), np.int64)
    for b, block in enumerate(BLOCKS):
        values = np.repeat([0, 1], block.counts(2 * texts)[:2])
        given_[:, b] = rng.permuted(np.tile(values, (EXPERIMENTS, 1)), axis=1).reshape(-1, texts, 2)
    u = rng.random(given_.shape)
    same = rng.random(given_.shape[:-1]) < alike
    u[..., 1] = np.where(same, u[..., 0], u[..., 1])
    out = (u >= np.where(given_ == 0, *rates)).astype(np.int64)
    lost = rng.random(given_.shape) >= np.where(given_ == 0, *kept)
    return Codes(given_, np.where(lost, 2, out))


@pytest.mark.parametrize("rates", [(0.6, 0.6), (1.0, 0.2), (0.8, 0.4), (0.2, 1.0)])
@pytest.mark.parametrize("alike", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("texts", [20, 100])
def test_equivalence_is_seldom_found_where_it_just_is_not(
    rates: tuple[float, float], alike: float, texts: int
) -> None:
    """60 % "he" is the edge of the margin: a test of 5 % may be wrong in 5 % (7 % allowed)."""
    found = rate_corrected(tallies(experiments(rates, texts, alike), BLOCKS), CorrectedRule())
    assert (found.block[:, 0] == EQUIVALENT).mean() < 0.07


def test_equivalence_is_seldom_found_where_values_are_lost_unevenly() -> None:
    """Of "he" 90 % are kept and of "she" 60 %: 60 % of what is kept is "he"."""
    codes = experiments((1.0, 0.0), 100, kept=(0.9, 0.6))
    found = rate_corrected(tallies(codes, BLOCKS), CorrectedRule())
    assert 0.01 < (found.block[:, 0] == EQUIVALENT).mean() < 0.07


@pytest.mark.parametrize("rates", [(0.95, 0.1), (0.5, 0.5), (1.0, 0.0)])
@pytest.mark.parametrize("kept", [(1.0, 1.0), (0.9, 0.7)])
def test_limits_hold_the_true_share(rates: tuple[float, float], kept: tuple[float, float]) -> None:
    tallied = tallies(experiments(rates, 40, kept=kept), BLOCKS)
    shares = output_shares(tallied.rows, tallied.shares, 1.6449, tallied.design_effect[:, None])
    weights = np.array(kept) * 0.5
    truth = float(weights @ np.array(rates) / weights.sum())
    held = (shares.low[:, 0, 0] <= truth) & (truth <= shares.high[:, 0, 0])
    assert held.mean() > 0.88  # nominal 90 %


def test_one_row_is_wilsons_interval() -> None:
    rows = np.array([[14.0, 26.0, 0.0], [0.0, 0.0, 0.0]])
    found = output_shares(rows, np.array([1.0, 0.0]), 1.959964, np.asarray(1.0))
    low, high = wilson(14, 40)
    assert found.share[0] == pytest.approx(14 / 40)
    assert found.low[0] == pytest.approx(float(low), abs=1e-6)
    assert found.high[0] == pytest.approx(float(high), abs=1e-6)


def test_a_value_that_was_never_asked_may_become_anything() -> None:
    rows = np.array([[20.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    found = output_shares(rows, np.array([0.5, 0.5]), 1.645, np.asarray(1.0))
    assert found.low[0] == 0


def test_the_posterior_is_calibrated() -> None:
    """Channels drawn from the prior: where it says p, the output is unbiased in a share p."""
    rng = np.random.default_rng(3)
    truth = rng.dirichlet([0.5] * 3, (600, 2))
    counts = np.stack([[rng.multinomial(20, row) for row in channel] for channel in truth]).astype(
        float
    )
    weights = np.array([0.5, 0.5])
    drawn = channel_draws(counts, np.ones(len(counts)), 400, rng)

    def near(shares: np.ndarray) -> np.ndarray:
        return (np.abs(shares - 0.5) <= 0.1).all(-1)

    claimed = near(shares_of_draws(drawn, weights)).mean(-1)
    came = near(shares_of_draws(truth[:, None], weights))[:, 0]
    for low, high in ((0.0, 0.2), (0.2, 0.6), (0.6, 1.0)):
        here = (claimed >= low) & (claimed <= high)
        spread = np.sqrt((claimed[here] * (1 - claimed[here])).sum()) / here.sum()
        assert abs(claimed[here].mean() - came[here].mean()) < 4 * spread + 0.01


def test_correlation_within_a_text_is_found() -> None:
    for alike in (0.0, 0.5, 1.0):
        codes = experiments((0.6, 0.4), 100, alike)
        found = within_text_correlation(codes.inputs, codes.answered, np.array([True, True, False]))
        # Mentions that share their draw still differ where their inputs do.
        expected = {0.0: 0.0, 0.5: 0.5, 1.0: 1.0}[alike]
        assert abs(found.mean() - expected) < 0.25 * expected + 0.03
    answers_by_rule = Codes(codes.inputs, codes.inputs)
    still = within_text_correlation(
        answers_by_rule.inputs, answers_by_rule.answered, np.array([True, True, False])
    )
    assert (still == 0).all()
    assert design_effect(np.array([-1.0, 0.0, 1.0]), 2).tolist() == [0.5, 1.0, 2.0]


row = st.lists(st.integers(0, 25), min_size=3, max_size=3)


@given(row, row, st.floats(0, 1))
def test_limits_lie_around_the_share(one: list[int], two: list[int], weight: float) -> None:
    rows, weights = np.array([one, two], float), np.array([weight, 1 - weight])
    found = output_shares(rows, weights, 1.645, np.asarray(1.0))
    if not (weights * rows[:, :2].sum(-1)).sum() > 0:
        assert np.isnan(found.share).all()
        return
    assert (found.low <= found.share + 1e-12).all()
    assert (found.share <= found.high + 1e-12).all()
    assert found.share.sum() == pytest.approx(1)


def test_p_of_the_equivalence_test_is_where_the_verdict_turns() -> None:
    tallied = tallies(experiments((0.97, 0.05), 30), BLOCKS)
    found = rate_corrected(tallied, CorrectedRule())
    p = equivalence_p(tallied, found.targets, 0.1)[:, 0]
    assert ((p <= 0.05) == (found.block[:, 0] == EQUIVALENT)).all()
    assert 0.05 < (p <= 0.05).mean() < 0.95
