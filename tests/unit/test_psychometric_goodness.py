"""Goodness of fit: reference distributions of the deviance, overdispersion, and the sentence."""

from __future__ import annotations

import numpy as np
import pytest

from biaslab.stats.goodness import goodness_of_fit
from biaslab.stats.psychometric import fit
from biaslab.stats.sigmoids import get_sigmoid
from harness.heavy import stats

LEVELS = np.linspace(0, 1, 8)
CORE = get_sigmoid("normal").cdf((LEVELS - 0.5) / 0.25)


def test_p_values_are_uniform_when_the_curve_is_true():
    counts = np.random.default_rng(3).binomial(60, CORE, (300, 8))
    good = goodness_of_fit(fit(LEVELS, counts, 60, family="normal"), simulations=99, seed=1)
    # Kolmogorov-Smirnov at one in a thousand; the asymptotic p only roughly holds.
    assert stats.kstest(good.p_monte_carlo, "uniform").pvalue > 1e-3
    assert np.mean(good.p_chi2 < 0.05) == pytest.approx(0.05, abs=0.05)
    assert np.mean(good.dispersion) == pytest.approx(1, abs=0.15)


def test_deviance_residuals_add_up_and_lie_within_their_limits_under_a_true_curve():
    counts = np.random.default_rng(7).binomial(20, CORE, (200, 8))
    fits = fit(LEVELS, counts, 20, family="normal")
    good = goodness_of_fit(fits, simulations=199, seed=1)
    np.testing.assert_allclose((good.residuals**2).sum(axis=-1), good.deviance, atol=1e-9)
    np.testing.assert_array_equal(
        np.sign(good.residuals), np.sign(fits.correct - fits.trials * fits.predict())
    )
    low, high = good.residual_limits[..., 0], good.residual_limits[..., 1]
    inside = np.mean((low - 1e-9 <= good.residuals) & (good.residuals <= high + 1e-9))
    assert 0.94 < inside < 0.99  # counts are discrete: an interval holds 95 % or more


def test_deviance_residuals_show_where_a_curve_misses():
    counts = np.rint(200 * (0.2 + 0.8 * CORE))
    good = goodness_of_fit(fit(LEVELS, counts, 200, family="normal"), simulations=99, seed=1)
    assert good.residuals[0] > good.residual_limits[0, 1]
    narrower = goodness_of_fit(
        fit(LEVELS, counts, 200, family="normal"), simulations=99, seed=1, level=0.5
    )
    assert (np.ptp(narrower.residual_limits, axis=-1) < np.ptp(good.residual_limits, axis=-1)).all()
    assert np.isnan(goodness_of_fit(fit(LEVELS, 0, 5), seed=1).residuals).all()


def test_both_references_agree_where_counts_are_large():
    counts = np.random.default_rng(5).binomial(400, 0.05 + 0.9 * CORE, (4, 8))
    good = goodness_of_fit(
        fit(LEVELS, counts, 400, guess=0.05, lapse=0.05, family="normal"), seed=2
    )
    np.testing.assert_allclose(good.p_monte_carlo, good.p_chi2, atol=0.07)


def test_overdispersed_responses_are_told_and_the_remedy_named():
    rng = np.random.default_rng(6)
    chance = rng.beta(4 * CORE, 4 * (1 - CORE))
    good = goodness_of_fit(fit(LEVELS, rng.binomial(200, chance), 200, family="normal"), seed=1)
    assert good.dispersion > 3
    assert good.p_monte_carlo < 0.01
    assert "does not describe" in str(good.sentence)
    assert "quasi" in str(good.sentence)


def test_sentence_tells_agreement_and_its_limits():
    good = goodness_of_fit(fit(LEVELS, np.rint(50 * CORE), 50, family="normal"), seed=1)
    assert "agrees with the responses" in str(good.sentence)
    single = np.random.default_rng(8).binomial(1, CORE, (40, 8))
    few = goodness_of_fit(fit(LEVELS, single.sum(axis=0)[None] > 20, 1, family="normal"), seed=1)
    assert "No goodness of fit" in str(few.sentence[0])
    sparse = goodness_of_fit(fit(LEVELS, [0, 0, 1, 0, 1, 0, 1, 1], 1), seed=1)
    assert "unreliable" in str(sparse.sentence)


def test_as_many_parameters_as_levels_leave_nothing_to_test():
    good = goodness_of_fit(fit([0, 1], [2, 7], 10))
    assert np.isnan(good.p_chi2)
    assert "as many parameters" in str(good.sentence)


def test_without_simulations_or_whole_trials_the_chi_square_remains():
    good = goodness_of_fit(fit(LEVELS, np.rint(50 * CORE), 50), simulations=0)
    assert np.isnan(good.p_monte_carlo)
    assert np.isfinite(good.p_chi2)
    fractional = goodness_of_fit(fit(LEVELS, 0.5 * CORE, 0.5), seed=1)
    assert np.isnan(fractional.p_monte_carlo)
