"""Quantiles for many degrees of freedom: the polynomial is as good as the exact inversion."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special

from biaslab.stats.quantiles import chi2_quantile, t_quantile

pytestmark = pytest.mark.numeric

LEVELS = (0.5, 0.8, 0.95, 0.999)


@given(st.floats(0.5, 50), st.floats(1, 1e8), st.sampled_from(LEVELS))
@settings(max_examples=60, deadline=None)
def test_long_arrays_have_the_quantiles_of_scipy(low: float, ratio: float, level: float) -> None:
    df = np.geomspace(low, low * ratio, 1001)
    upper, lower = (1 + level) / 2, (1 - level) / 2
    np.testing.assert_allclose(t_quantile(df, upper), special.stdtrit(df, upper), rtol=1e-11)
    for p in (lower, upper):
        np.testing.assert_allclose(chi2_quantile(df, p), special.chdtri(df, 1 - p), rtol=1e-11)


def test_a_tail_that_no_polynomial_follows_is_exact() -> None:
    df = np.geomspace(1, 1e4, 1000)
    np.testing.assert_array_equal(chi2_quantile(df, 1e-9), special.chdtri(df, 1 - 1e-9))
    np.testing.assert_array_equal(t_quantile(df, 0.5), special.stdtrit(df, 0.5))


@pytest.mark.parametrize("df", [np.full(1000, 31.0), np.geomspace(1e-3, 1e6, 1000), np.array(7.0)])
def test_other_arrays_are_exact(df: np.ndarray) -> None:
    np.testing.assert_allclose(t_quantile(df, 0.975), special.stdtrit(df, 0.975), rtol=1e-12)


def test_what_is_no_number_of_degrees_stays_none_and_disturbs_no_other() -> None:
    df = np.linspace(5, 40, 1000)
    df[[3, 500]] = np.nan
    found = chi2_quantile(df, 0.025)
    assert np.isnan(found[[3, 500]]).all()
    expected = special.chdtri(df, 0.975)
    np.testing.assert_allclose(found, expected, rtol=1e-9)
    assert np.isnan(t_quantile(np.full(1000, np.nan), 0.975)).all()
