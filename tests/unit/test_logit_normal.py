"""Intervals of means of probabilities near 0 and 1: logit-normal samples beside resamples."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import expit

from biaslab.probes.sentences.simulated_scorer import centre_of
from biaslab.stats.stratified_mean import LARGEST, LogitNormalSamples, StratifiedBootstrap

Floats = NDArray[np.float64]
RATES, SD = (0.98, 0.97, 0.98, 0.95), 1.5
ONE = np.ones(1)


def both(
    values: Floats, strata: Floats, resamples: int = 1000, seed: int = 0
) -> tuple[StratifiedBootstrap, LogitNormalSamples]:
    labels = [f"term {k}" for k in range(int(strata.max()) + 1)]
    options = {"resamples": resamples, "seed": seed}
    bootstrap = StratifiedBootstrap(values[:, None], strata, labels, **options)
    model = LogitNormalSamples(values[:, None], strata, labels, bootstrap, **options)
    return bootstrap, model


def limits(values: Floats, strata: Floats, weights: Floats, seed: int = 0) -> tuple[float, float]:
    bootstrap, model = both(values, strata, seed=seed)
    beside = model.combined(weights, 0, np.ones(len(weights))).studentised()
    return bootstrap.combined(weights).limits(0.95, share=True, beside=beside)


def graded(n: int, rates: tuple[float, ...], rng: np.random.Generator) -> Floats:
    centres = np.repeat([centre_of(rate, SD) for rate in rates], n)
    return np.asarray(expit(centres + SD * rng.standard_normal(len(centres))))


def test_samples_have_the_mean_that_is_said_of_them() -> None:
    values = graded(12, (0.9,), np.random.default_rng(0))
    _, model = both(values, np.zeros(12, dtype=int))
    found = model.combined(ONE, 0, ONE)
    assert found.truths.mean() == pytest.approx(values.mean(), abs=0.05)
    assert abs(found.deviations.mean()) < 4 * found.errors.mean() / np.sqrt(1000)


def test_an_interval_is_never_narrower_than_that_of_resamples() -> None:
    rng = np.random.default_rng(1)
    for n in (3, 12, 40):
        values, strata = graded(n, RATES, rng), np.repeat(np.arange(4), n)
        bootstrap, _ = both(values, strata)
        weights = np.full(4, 1 / 4)
        alone = bootstrap.combined(weights).limits(0.95, share=True)
        low, high = limits(values, strata, weights)
        assert low <= alone[0] < alone[1] <= high


def test_complements_have_the_mirrored_interval() -> None:
    values, strata = graded(12, RATES, np.random.default_rng(2)), np.repeat(np.arange(4), 12)
    weights = np.full(4, 1 / 4)
    low, high = limits(values, strata, weights)
    assert limits(1 - values, strata, weights) == pytest.approx((1 - high, 1 - low), abs=1e-9)
    # Complements of some strata count as the values do.
    other = np.where(strata < 2, values, 1 - values)
    _, model = both(other, strata)
    signs = np.array([1.0, 1.0, -1.0, -1.0])
    _, plain = both(values, strata)
    one = model.combined(weights, 0, signs)
    assert one.truths.mean() == pytest.approx(
        plain.combined(weights, 0, np.ones(4)).truths.mean(), abs=0.01
    )


def test_large_strata_and_equal_values_are_left_to_resamples() -> None:
    rng = np.random.default_rng(3)
    many = graded(LARGEST + 1, (0.9,), rng)
    bootstrap, model = both(many, np.zeros(len(many), dtype=int))
    found = model.combined(ONE, 0, ONE)
    np.testing.assert_array_equal(found.deviations, bootstrap.deviations[0, :1000, 0])
    assert set(found.truths) == {many.mean()}
    alike = np.full(10, 0.7)
    _, flat = both(alike, np.zeros(10, dtype=int))
    assert (flat.combined(ONE, 0, ONE).studentised() == 0).all()


def test_probabilities_of_0_and_1_have_limits() -> None:
    values = np.array([1.0, 1.0, 1.0, 0.0, 1.0, 0.9])
    low, high = limits(values, np.zeros(6, dtype=int), ONE)
    assert 0 <= low < values.mean() < high <= 1


@pytest.mark.validate
@pytest.mark.parametrize("n", [12, 30])
@pytest.mark.parametrize("rates", [RATES, (0.6,) * 4, (0.9,) * 4], ids=str)
def test_intervals_of_graded_scores_hold(rates: tuple[float, ...], n: int) -> None:
    """The mean and its terms: at least 93.5 % of nominal 95 %, at most 4.5 % on a side."""
    rng = np.random.default_rng(4)
    strata, weights = np.repeat(np.arange(4), n), np.full(4, 1 / 4)
    missed, of_terms, runs = np.zeros(2), np.zeros(2), 1000
    for run in range(runs):
        values = graded(n, rates, rng)
        bootstrap, model = both(values, strata, seed=run)
        for weight, truth, counted, times in [
            (weights, float(np.mean(rates)), missed, 1.0),
            *((np.eye(4)[k], rates[k], of_terms, 0.25) for k in range(4)),
        ]:
            beside = model.combined(weight, 0, np.ones(4)).studentised()
            low, high = bootstrap.combined(weight).limits(0.95, share=True, beside=beside)
            counted += times * np.array([low > truth, high < truth])
    assert missed.sum() <= 0.065 * runs
    assert of_terms.sum() <= 0.065 * runs
    assert max(missed.max(), of_terms.max()) <= 0.045 * runs
