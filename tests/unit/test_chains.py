"""R-hat, ESS and MCSE are those of arviz, and say nothing where nothing can be said."""

import math
import warnings

import numpy as np
import pytest

from biaslab.stats.chains import normal_scores, summarise
from harness.heavy import az
from harness.needs import needs

pytestmark = [needs("arviz"), pytest.mark.numeric]


def walks(shape, memory, seed=0):
    """Autoregressive chains, one per row."""
    noise = np.random.default_rng(seed).standard_normal(shape)
    for t in range(1, shape[1]):
        noise[:, t] += memory * noise[:, t - 1]
    return noise


@pytest.mark.parametrize(
    ("shape", "memory"),
    [
        ((4, 50), 0.5),
        ((64, 1000), 0.2),
        ((3, 101), 0.9),  # an odd number of draws: halves leave the middle one out
        ((8, 300), 0.98),  # lags by a Fourier transform
        ((4, 1000), -0.4),  # antithetic: more effective draws than draws
        ((2, 4), 0.0),
        ((5, 7), 0.0),
    ],
)
@pytest.mark.parametrize("ties", [False, True])
def test_the_numbers_are_those_of_arviz(shape, memory, ties):
    x = walks(shape, memory)
    x = np.round(x, 1) if ties else x
    found = summarise(x)
    ours = [found.rhat, found.ess_bulk, found.ess_tail, found.mcse]
    tail = az.ess(x, method="tail", prob=(0.05, 0.95))
    theirs = [az.rhat(x), az.ess(x, method="bulk"), tail, az.mcse(x)]
    np.testing.assert_allclose(ours, np.array(theirs, dtype=float), rtol=1e-9)


@pytest.mark.parametrize("quick", [False, True])
def test_one_chain_has_no_rhat_as_in_arviz(quick):
    x = walks((1, 400), 0.3)
    found = summarise(x, quick=quick)
    assert math.isnan(found.rhat)
    assert math.isnan(az.rhat(x))
    assert found.ess_bulk == pytest.approx(az.ess(x, method="mean" if quick else "bulk"))


def test_autocorrelation_is_that_of_the_process():
    found = summarise(walks((64, 4000), 0.6)).autocorrelation
    np.testing.assert_allclose(found[:6], 0.6 ** np.arange(6), atol=0.01)
    assert len(found) == 21


def test_chains_in_different_places_have_a_large_rhat():
    x = walks((4, 500), 0.2) + np.array([0, 0, 0, 1.0])[:, None]
    assert summarise(x).rhat > 1.05
    assert summarise(x, quick=True).rhat > 1.05


def test_chains_of_different_width_are_told_by_folding():
    x = walks((4, 500), 0.0) * np.array([1, 1, 1, 4.0])[:, None]
    assert summarise(x).rhat > 1.05
    assert summarise(x, quick=True).rhat < 1.01  # which is why the last word is not quick


def test_the_quick_numbers_are_arviz_classic_ones():
    x = walks((8, 200), 0.5)
    found = summarise(x, quick=True)
    expected = [az.rhat(x, method="split"), az.ess(x, method="mean")]
    np.testing.assert_allclose([found.rhat, found.ess_bulk], np.array(expected, float), rtol=1e-9)


@pytest.mark.parametrize(
    "x",
    [
        np.zeros((4, 3)) + np.arange(3),  # too few draws
        np.full((4, 50), 0.1),
        np.full((4, 50), np.nan),
        np.empty((4, 0)),
    ],
)
def test_nothing_is_told_where_nothing_can_be(x):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = summarise(x)
    assert math.isnan(found.rhat)
    assert math.isnan(found.ess_bulk)
    assert math.isnan(found.mcse)
    assert np.isnan(found.autocorrelation).all()


def test_a_constant_with_rounding_errors_does_not_vary():
    x = np.float32(0.1) + np.float32(1e-9) * np.random.default_rng(0).standard_normal((4, 50))
    assert math.isnan(summarise(x.astype(np.float32)).ess_bulk)


def test_what_varies_is_measured_against_the_mean():
    noise = np.random.default_rng(0).standard_normal((4, 50))
    assert math.isnan(summarise(1e6 + 1e-8 * noise).ess_bulk)  # the last digits of 1e6
    assert summarise(1e-8 * np.concatenate([noise, -noise])).ess_bulk > 50  # the mean is 0


def test_chains_that_each_stand_still_disagree():
    found = summarise(np.arange(4.0)[:, None] * np.ones(50))
    assert found.rhat == math.inf


def test_normal_scores_keep_order_and_average_ties():
    scores = normal_scores(np.array([[3.0, 1.0, 2.0, 2.0]]))
    assert scores[0, 1] < scores[0, 2] == scores[0, 3] < scores[0, 0]
    assert normal_scores(np.array([[5.0, 4.0]])).sum() == pytest.approx(0)
