"""Intervals of a rank correlation and of a divergence hold for other words like these."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from biaslab.probes.association.draws import (
    Drawn,
    correlation_draws,
    divergence_draws,
    rank_correlation,
)
from harness.deferred import Deferred

stats = Deferred("scipy.stats")

Floats = NDArray[np.float64]


def scores(n: int, correlation: float, tails: float, rng: np.random.Generator) -> Floats:
    """Two correlated values of n words, with the tails of Student's t of these degrees."""
    one, other = rng.standard_normal((2, n))
    both = np.array([one, correlation * one + np.sqrt(1 - correlation**2) * other])
    return np.asarray(both / np.sqrt(rng.chisquare(tails, n) / tails))


def negativity(n: int, mean: float, sd: float, rng: np.random.Generator) -> Floats:
    """Probabilities of n words whose log odds are normal."""
    return np.asarray(1 / (1 + np.exp(-mean - sd * rng.standard_normal(n))))


def divergence(p: Floats) -> float:
    return float((p / p.mean() * np.log(p / p.mean())).mean())


def ends(drawn: Drawn | None) -> tuple[float, float]:
    assert drawn is not None
    low, high = np.quantile(drawn.of_mean, [0.025, 0.975])
    return float(low), float(high)


def correlations_missed(n: int, correlation: float, tails: float, runs: int) -> Floats:
    """Shares of intervals of nominal 95 % above the truth, and below it."""
    rng = np.random.default_rng(3)
    truth = float(rank_correlation(*scores(400_000, correlation, tails, rng)))
    missed = np.zeros(2)
    for _ in range(runs):
        one, other = scores(n, correlation, tails, rng)
        low, high = ends(correlation_draws(one[None], other[None], 1000, rng))
        missed += [low > truth, high < truth]
    return missed / runs


def divergences_missed(n: int, mean: float, sd: float, runs: int) -> Floats:
    """The same of divergences."""
    rng = np.random.default_rng(3)
    truth = divergence(negativity(400_000, mean, sd, rng))
    missed = np.zeros(2)
    for _ in range(runs):
        found = np.array([divergence(negativity(n, mean, sd, rng))])
        low, high = ends(divergence_draws(found, n, 1000, rng))
        missed += [low > truth, high < truth]
    return missed / runs


def test_too_few_words_have_no_draws() -> None:
    rng = np.random.default_rng(0)
    assert correlation_draws(rng.normal(size=(2, 3)), rng.normal(size=(2, 3)), 10, rng) is None
    assert divergence_draws(np.array([0.1, 0.2]), 1, 10, rng) is None


def test_a_long_list_has_the_interval_of_fishers_transform() -> None:
    one, other = scores(2000, 0.6, 50, np.random.default_rng(1))
    low, high = ends(correlation_draws(one[None], other[None], 100_000, np.random.default_rng(2)))
    r = stats.spearmanr(one, other)[0]
    reach = 1.96 * np.sqrt((1 + r**2 / 2) / 1997)
    assert low == pytest.approx(np.tanh(np.arctanh(r) - reach), abs=0.002)
    assert high == pytest.approx(np.tanh(np.arctanh(r) + reach), abs=0.002)


def test_an_opposite_order_has_the_mirrored_interval() -> None:
    one, other = scores(12, 0.9, 50, np.random.default_rng(1))
    low, high = ends(correlation_draws(one[None], other[None], 50_000, np.random.default_rng(2)))
    lower, upper = ends(
        correlation_draws(one[None], -other[None], 50_000, np.random.default_rng(2))
    )
    assert [lower, upper] == pytest.approx([-high, -low], abs=0.01)


def test_orders_that_agree_as_a_whole_are_no_proof() -> None:
    same = np.arange(6.0)[None]
    low, high = ends(correlation_draws(same, same, 5000, np.random.default_rng(0)))
    assert low < 0.85
    assert 0.98 < high < 1


def test_a_divergence_is_drawn_as_a_variance_is() -> None:
    drawn = divergence_draws(np.array([0.2, 0.4]), 9, 200_000, np.random.default_rng(0))
    assert drawn is not None
    for p in (0.025, 0.5, 0.975):
        expected = 0.3 * 9 / stats.chi2.ppf(1 - p, 8)
        assert np.quantile(drawn.of_mean, p) == pytest.approx(expected, rel=0.02)
    assert drawn.of_one is not None
    assert np.quantile(drawn.of_one, 0.01) < np.quantile(drawn.of_mean, 0.01)


def test_short_lists_are_covered() -> None:
    """Percentiles of resampled words cover 63 and 57 % here."""
    assert correlations_missed(5, 0.95, 50, 150).sum() <= 0.065
    assert divergences_missed(5, 0, 0.5, 300).sum() <= 0.08


@pytest.mark.validate
@pytest.mark.parametrize("n", [4, 6, 10, 20, 50])
@pytest.mark.parametrize("tails", [4, 50])
@pytest.mark.parametrize("correlation", [0.0, 0.6, 0.9, 0.97])
def test_intervals_of_rank_correlations_hold(n: int, correlation: float, tails: float) -> None:
    """At least 91 % of nominal 95 %, and at most 7 % of misses on either side."""
    missed = correlations_missed(n, correlation, tails, 1000)
    assert missed.sum() <= 0.09
    assert missed.max() <= 0.07


@pytest.mark.validate
@pytest.mark.parametrize("n", [3, 6, 12, 40])
@pytest.mark.parametrize(("mean", "sd"), [(0, 0.2), (0, 1), (-1, 1), (-2, 1), (-3, 0.5), (-1, 2)])
def test_intervals_of_divergences_hold(n: int, mean: float, sd: float) -> None:
    """At least 93 % of nominal 95 %, and at most 5 % of misses on either side."""
    missed = divergences_missed(n, mean, sd, 3000)
    assert missed.sum() <= 0.07
    assert missed.max() <= 0.05
