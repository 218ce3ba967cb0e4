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
