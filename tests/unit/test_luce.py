"""Luce's choice rule: shares of known truth, their intervals, and pairs that all agree about."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from biaslab.stats.luce import luce

SHARES = np.array([0.5, 0.3, 0.15, 0.05])
PAIRS = SHARES[:, None] / (SHARES[:, None] + SHARES)


def _choices(units: int, items: int, seed: int) -> NDArray[np.float64]:
    """Choices of units that decide every pair on their own."""
    drawn = np.random.default_rng(seed).random((units, items, 4, 4)) < PAIRS
    upper = np.triu(drawn, 1).astype(float)
    lower = np.tril(1 - np.swapaxes(drawn, -1, -2), -1)
    return np.asarray(upper + lower)


def test_shares_and_intervals_are_right_on_average() -> None:
    fit = luce(_choices(32, 400, 0))
    np.testing.assert_allclose(fit.share.mean(axis=0), SHARES, atol=0.01)
    covered = (fit.interval[..., 0] <= SHARES) & (fit.interval[..., 1] >= SHARES)
    assert ((covered.mean(axis=0) > 0.92) & (covered.mean(axis=0) < 0.99)).all()
    np.testing.assert_allclose(fit.share.sum(axis=1), 1)


def test_rates_that_obey_the_rule_fit_it_and_a_circle_does_not() -> None:
    exact = luce(np.broadcast_to(PAIRS, (1000, 1, 4, 4)))
    np.testing.assert_allclose(exact.share[0], SHARES, atol=0.001)
    assert exact.misfit[0] < 0.001
    circle = np.full((3, 3), 0.5)
    for a, b in ((0, 1), (1, 2), (2, 0)):
        circle[a, b], circle[b, a] = 0.9, 0.1
    fit = luce(np.broadcast_to(circle, (50, 1, 3, 3)))
    np.testing.assert_allclose(fit.share[0], 1 / 3)
    assert fit.misfit[0] == pytest.approx(0.4)


def test_what_all_units_agree_on_is_no_certainty() -> None:
    always = np.array([[0.5, 1.0], [0.0, 0.5]])
    for units, low in ((5, 0.5), (32, 0.85)):
        fit = luce(np.broadcast_to(always, (units, 1, 2, 2)))
        assert low < fit.interval[0, 0, 0] < fit.share[0, 0] < 1
        np.testing.assert_allclose(fit.interval[0, 1], 1 - fit.interval[0, 0, ::-1])
    # Ten cue pairs are no more than ten, however many replicates agree on each.
    many = luce(np.broadcast_to(always, (200, 10, 1, 2, 2)))
    assert many.interval[0, 0, 0] < 0.75


def test_alone_there_is_no_interval() -> None:
    fit = luce(PAIRS[None])
    assert np.isnan(fit.interval).all()
    with pytest.raises(ValueError, match="shape"):
        luce(np.zeros((2, 3)))
