"""The sigmoids and the conventions of the JND."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from biaslab.errors import PsychometricError
from biaslab.stats.curves.jnd import CONVENTIONS, jnd, unit_jnd
from biaslab.stats.curves.sigmoids import FAMILIES, get_sigmoid
from biaslab.stats.psychometric import fit
from harness.heavy import integrate, stats

Z = np.linspace(-6, 3, 91)
DISTRIBUTIONS = {
    "logistic": lambda: stats.logistic(),
    "normal": lambda: stats.norm(),
    "gumbel": lambda: stats.gumbel_l(),
    "weibull": lambda: stats.gumbel_l(),
    "t3": lambda: stats.t(3),
    "t7.5": lambda: stats.t(7.5),
}


@pytest.mark.parametrize("family", DISTRIBUTIONS)
def test_sigmoids_are_the_distributions_they_are_named_after(family):
    sigmoid, truth = get_sigmoid(family), DISTRIBUTIONS[family]()
    np.testing.assert_allclose(sigmoid.cdf(Z), truth.cdf(Z), rtol=1e-12)
    np.testing.assert_allclose(sigmoid.sf(Z), truth.sf(Z), rtol=1e-12)
    np.testing.assert_allclose(sigmoid.pdf(Z), truth.pdf(Z), rtol=1e-12)
    np.testing.assert_allclose(sigmoid.ppf(sigmoid.cdf(Z)), Z, atol=1e-9)
    assert sigmoid.sd == pytest.approx(truth.std())
    steps = (sigmoid.pdf(Z + 1e-5) - sigmoid.pdf(Z - 1e-5)) / 2e-5
    np.testing.assert_allclose(sigmoid.pdf_slope(Z), steps, atol=1e-9)


def test_a_student_curve_needs_a_standard_deviation():
    with pytest.raises(PsychometricError, match="more than 2 df"):
        get_sigmoid("t2")


@pytest.mark.parametrize("family", FAMILIES)
def test_sigmoids_stay_finite_far_out(family):
    sigmoid = get_sigmoid(family)
    far = np.array([-1e6, 1e6])
    np.testing.assert_array_equal(sigmoid.cdf(far), [0, 1])
    np.testing.assert_array_equal(sigmoid.sf(far), [1, 0])
    np.testing.assert_array_equal(sigmoid.pdf(far), [0, 0])


def test_an_unknown_family_is_told_the_known_ones():
    with pytest.raises(PsychometricError, match="logistic, normal, gumbel, weibull"):
        get_sigmoid("probit")


def test_jnd_of_a_normal_curve_is_the_documented_multiple_of_sigma():
    assert unit_jnd("normal", "quartile") == pytest.approx(0.6744897501960817)
    assert unit_jnd("normal", "eq6") == pytest.approx(2 * 0.6744897501960817)
    assert unit_jnd("normal", "sd") == 1.0


@given(family=st.sampled_from(FAMILIES), location=st.floats(-2, 2), scale=st.floats(0.02, 1.5))
def test_eq6_jnd_solves_equation_6(family, location, scale):
    sigmoid = get_sigmoid(family)
    width = jnd(family, scale, "eq6", location)
    pse = sigmoid.from_axis(location + scale * sigmoid.median)
    ends = np.array([pse - width / 2, pse + width / 2])
    with np.errstate(invalid="ignore"):
        z = np.nan_to_num((sigmoid.to_axis(ends) - location) / scale, nan=-np.inf)
    low, high = sigmoid.cdf(z)
    assert high - low == pytest.approx(0.5, abs=1e-9)


@given(family=st.sampled_from(FAMILIES), location=st.floats(-2, 2), scale=st.floats(0.02, 1.5))
def test_quartile_jnd_leads_from_one_half_to_three_quarters(family, location, scale):
    sigmoid = get_sigmoid(family)
    pse = sigmoid.from_axis(location + scale * sigmoid.median)
    there = pse + jnd(family, scale, "quartile", location)
    assert sigmoid.cdf((sigmoid.to_axis(there) - location) / scale) == pytest.approx(0.75)


def test_sd_jnd_of_weibull_is_the_standard_deviation_of_the_distribution():
    truth = stats.weibull_min(c=1 / 0.3, scale=np.exp(0.4))
    assert jnd("weibull", 0.3, "sd", 0.4) == pytest.approx(truth.std())
    mean, _ = integrate.quad(lambda x: x * truth.pdf(x), 0, 10)
    square, _ = integrate.quad(lambda x: x**2 * truth.pdf(x), 0, 10)
    assert jnd("weibull", 0.3, "sd", 0.4) == pytest.approx(np.sqrt(square - mean**2), rel=1e-6)


def test_a_narrow_weibull_curve_has_the_jnd_of_its_gumbel_curve_times_the_level():
    for convention in CONVENTIONS:
        on_log_axis = float(jnd("gumbel", 1e-4, convention))
        assert jnd("weibull", 1e-4, convention, 1.2) == pytest.approx(
            on_log_axis * np.exp(1.2), rel=1e-3
        )


def test_jnd_asks_for_what_it_lacks():
    with pytest.raises(PsychometricError, match="location"):
        jnd("weibull", 0.3)
    with pytest.raises(PsychometricError, match="quartile, eq6, sd"):
        jnd("normal", 0.3, "fwhm")  # type: ignore[arg-type]


def test_a_student_curve_is_fitted_where_tails_are_long():
    levels = np.linspace(0, 1, 11)
    shares = stats.t(3, 0.55, 0.1).cdf(levels)
    heavy, light = (fit(levels, 1000 * shares, 1000, family=name) for name in ("t3", "normal"))
    assert float(heavy.pse()) == pytest.approx(0.55, abs=1e-6)
    assert float(heavy.jnd("sd")) == pytest.approx(0.1 * np.sqrt(3), rel=1e-5)
    assert float(heavy.deviance) < 1e-6 < float(light.deviance)
