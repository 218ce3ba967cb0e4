"""Fits of simulated binomial observers whose curve is known, and what must not change a fit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.special import xlogy

from biaslab.stats.curves.sigmoids import FAMILIES, get_sigmoid
from biaslab.stats.psychometric import fit
from harness.heavy import optimize

LEVELS = np.linspace(0.2, 1.8, 9)
LOCATION, SCALE = 0.1, 0.25


def truth(family: str, guess: float = 0.0, lapse: float = 0.0) -> np.ndarray:
    sigmoid = get_sigmoid(family)
    centre = sigmoid.to_axis(1.0) + LOCATION
    core = sigmoid.cdf((sigmoid.to_axis(LEVELS) - centre) / SCALE)
    return guess + (1 - guess - lapse) * core


def simulate(family: str, trials: int, curves: int, **rates: float) -> np.ndarray:
    return np.random.default_rng(7).binomial(trials, truth(family, **rates), (curves, len(LEVELS)))


RATES = [
    ({}, {}),
    ({"guess": 0.5}, {"guess": 0.5}),
    ({"guess": 0.03, "lapse": 0.04}, {"guess": 0.03, "lapse": 0.04}),
    ({"guess": 0.5, "lapse": 0.04}, {"guess": 0.5, "lapse": "free"}),
    ({"guess": 0.06, "lapse": 0.04}, {"guess": "free", "lapse": "free"}),
    ({"guess": 0.05, "lapse": 0.05}, {"guess": "free", "lapse": "equal"}),
]


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize(("rates", "asked"), RATES)
def test_fits_recover_the_truth(family, rates, asked):
    trials, curves = 2000, 100
    found = fit(LEVELS, simulate(family, trials, curves, **rates), trials, family=family, **asked)
    assert found.converged.all()
    centre = float(get_sigmoid(family).to_axis(1.0)) + LOCATION
    wanted = [centre, SCALE, rates.get("guess", 0.0), rates.get("lapse", 0.0)]
    for value, expected, variance in zip(
        (found.location, found.scale, found.guess, found.lapse),
        wanted,
        np.einsum("cii->ic", found.covariance),
        strict=True,
    ):
        spread = np.sqrt(variance.mean())
        # The mean of 100 fits: within 5 of its standard errors, and 10 % of a single fit's for
        # bias that does not average out.
        assert value.mean() == pytest.approx(expected, abs=0.6 * spread + 1e-12)
        if spread > 0 and expected > 0.1:
            assert value.std() / spread == pytest.approx(1, abs=0.3)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("guess", [0.0, 0.5])
def test_no_general_optimiser_finds_a_higher_likelihood(family, guess):
    sigmoid = get_sigmoid(family)
    counts = simulate(family, 30, 20, guess=guess)
    found = fit(LEVELS, counts, 30, family=family, guess=guess)
    positions = sigmoid.to_axis(LEVELS)

    def loss(theta, k):
        z = theta[0] + np.exp(theta[1]) * positions
        p = guess + (1 - guess) * sigmoid.cdf(z)
        q = (1 - guess) * sigmoid.sf(z)
        return min(-(xlogy(k, p) + xlogy(30 - k, q)).sum(), 1e9)

    for c, k in enumerate(counts[:8]):
        starts = [(-width * place, np.log(width)) for place in (0.0, 0.5) for width in (2, 5, 12)]
        best = min(optimize.minimize(loss, s, args=(k,), method="Nelder-Mead").fun for s in starts)
        assert -found.loglik[c] <= best + 1e-6


def test_one_curve_is_fitted_as_in_a_batch():
    counts = simulate("normal", 20, 6).reshape(2, 3, -1)
    batch = fit(LEVELS, counts, 20, family="normal")
    assert batch.shape == (2, 3)
    alone = fit(LEVELS, counts[1, 2], 20, family="normal")
    assert alone.shape == ()
    part = batch[1, 2]
    assert part.location == pytest.approx(float(alone.location), rel=1e-9)
    assert part.scale == pytest.approx(float(alone.scale), rel=1e-9)
    np.testing.assert_allclose(part.psi([0.5, 1.5]), alone.psi([0.5, 1.5]))
    assert batch.flat().shape == (6,)


def test_curve_crosses_what_its_numbers_say():
    counts = simulate("gumbel", 200, 1, guess=0.1, lapse=0.02)[0]
    found = fit(LEVELS, counts, 200, family="gumbel", guess=0.1, lapse=0.02)
    core = (found.psi([found.pse()])[0] - 0.1) / 0.88
    assert core == pytest.approx(0.5)
    assert found.psi([found.pse("psi")])[0] == pytest.approx(0.5)
    assert (found.psi([found.threshold(0.75)])[0] - 0.1) / 0.88 == pytest.approx(0.75)
    np.testing.assert_allclose(found.predict(), found.psi(LEVELS))


def test_psi_of_forced_choice_never_crosses_one_half():
    found = fit(LEVELS, simulate("normal", 50, 1, guess=0.5)[0], 50, guess=0.5)
    assert np.isnan(found.pse("psi"))
    assert np.isfinite(found.pse("core"))


def test_fractional_responses_are_fitted_like_their_counts():
    counts = simulate("logistic", 20, 1)[0]
    whole = fit(LEVELS, counts, 20)
    fractions = fit(LEVELS, counts / 20, 1)
    assert fractions.location == pytest.approx(float(whole.location), rel=1e-6)
    assert fractions.scale == pytest.approx(float(whole.scale), rel=1e-6)
    np.testing.assert_allclose(fractions.covariance, whole.covariance * 20, rtol=1e-4)


def test_start_does_not_change_where_a_fit_ends():
    counts = simulate("normal", 40, 5)
    plain = fit(LEVELS, counts, 40, family="normal")
    far = fit(LEVELS, counts, 40, family="normal", start=(3.0, 1.0))
    np.testing.assert_allclose(far.location, plain.location, rtol=1e-6)


COUNTS = hnp.arrays(np.int64, 6, elements=st.integers(0, 12))
SIX = np.array([-1.0, -0.4, 0.1, 0.5, 1.2, 2.0])


def close(a, b):
    assert a.status == b.status
    if a.converged:
        np.testing.assert_allclose(a.loglik, b.loglik, atol=1e-8)
        # As many digits as the curvature gives: a thousandth of a standard error.
        error = 1e-3 * np.sqrt(np.diag(a.covariance)[:2])
        assert abs(a.location - b.location) <= error[0] + 1e-9
        assert abs(a.scale - b.scale) <= error[1] + 1e-9


@settings(deadline=None, max_examples=25)
@given(counts=COUNTS, family=st.sampled_from(["logistic", "normal"]), guess=st.booleans())
def test_reversing_the_axis_mirrors_a_symmetric_curve(counts, family, guess):
    rates = {"guess": 0.1, "lapse": 0.02} if guess else {}
    mirrored = {"guess": 0.02, "lapse": 0.1} if guess else {}
    one = fit(SIX, counts, 12, family=family, **rates)
    other = fit(-SIX, 12 - counts, 12, family=family, **mirrored)
    assert one.converged == other.converged
    if one.converged and not guess:
        error = 1e-3 * np.sqrt(np.diag(one.covariance)[:2])
        assert abs(one.location + other.location) <= error[0] + 1e-9
        assert abs(one.scale - other.scale) <= error[1] + 1e-9
    if one.converged:
        assert one.loglik == pytest.approx(float(other.loglik), abs=1e-6)


@settings(deadline=None, max_examples=25)
@given(
    counts=COUNTS,
    family=st.sampled_from(["logistic", "normal", "gumbel"]),
    shift=st.floats(-100, 100),
    factor=st.floats(0.01, 100),
)
def test_rescaling_the_levels_rescales_the_curve(counts, family, shift, factor):
    one = fit(SIX, counts, 12, family=family)
    other = fit(SIX * factor + shift, counts, 12, family=family)
    assert one.status == other.status
    if one.converged:
        error = 1e-3 * factor * np.sqrt(np.diag(one.covariance)[:2])
        assert abs(one.location * factor + shift - other.location) <= error[0] + 1e-9
        assert abs(one.scale * factor - other.scale) <= error[1] + 1e-9


@settings(deadline=None, max_examples=25)
@given(
    counts=COUNTS,
    family=st.sampled_from(FAMILIES),
    order=st.permutations(range(6)),
    guess=st.sampled_from([0.0, 0.5]),
)
def test_order_of_the_levels_does_not_matter(counts, family, order, guess):
    levels = SIX + 2
    one = fit(levels, counts, 12, family=family, guess=guess)
    other = fit(levels[order], counts[order], 12, family=family, guess=guess)
    close(one, other)


@settings(deadline=None, max_examples=25)
@given(counts=COUNTS, which=st.integers(0, 5), part=st.integers(0, 12), data=st.data())
def test_splitting_a_level_in_two_changes_nothing(counts, which, part, data):
    k = int(counts[which])
    kept = data.draw(st.integers(max(0, k - (12 - part)), min(k, part)))
    trials = np.full(6, 12)
    trials[which] = part
    rest = counts.copy()
    rest[which] = kept
    one = fit(SIX, counts, 12)
    other = fit([*SIX, SIX[which]], [*rest, k - kept], [*trials, 12 - part])
    close(one, other)
    assert one.deviance == pytest.approx(float(other.deviance), abs=1e-8)
    assert one.df == other.df


@settings(deadline=None, max_examples=15)
@given(counts=COUNTS)
def test_weibull_is_gumbel_in_the_logarithm(counts):
    levels = SIX + 2
    one = fit(levels, counts, 12, family="weibull")
    other = fit(np.log(levels), counts, 12, family="gumbel")
    close(one, other)
    if one.converged:
        assert one.pse() == pytest.approx(np.exp(float(other.pse())))


@settings(deadline=None, max_examples=15)
@given(counts=COUNTS, width=st.integers(1, 4))
def test_levels_without_trials_do_not_matter(counts, width):
    assume(counts.any())
    one = fit(SIX, counts, 12)
    padding = np.full(width, np.nan)
    other = fit([*SIX, *padding], [*counts, *np.zeros(width)], [*np.full(6, 12), *np.zeros(width)])
    close(one, other)


@pytest.mark.parametrize(("rates", "asked"), RATES)
def test_a_fit_nearby_is_as_good_a_start_as_any(rates, asked):
    """Only faster: where it starts from, a curve with one maximum ends at the same place."""
    near = fit(LEVELS, simulate("normal", 400, 40, **rates).mean(axis=0), 400, **asked)
    counts = simulate("normal", 400, 40, **rates)
    cold, warm = fit(LEVELS, counts, 400, **asked), fit(LEVELS, counts, 400, start=near, **asked)
    np.testing.assert_allclose(warm.loglik, cold.loglik, rtol=1e-9)
    np.testing.assert_allclose(warm.location, cold.location, atol=1e-4)


def test_a_start_without_a_maximum_is_left_aside():
    counts = simulate("normal", 400, 1)
    none = fit(LEVELS, np.zeros(len(LEVELS)), 400)
    assert not none.converged
    close(fit(LEVELS, counts[0], 400, start=none), fit(LEVELS, counts[0], 400))
