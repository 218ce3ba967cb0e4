"""The warning of skewed switch points: rare without skew, frequent with it, and told."""

from __future__ import annotations

import numpy as np
import pytest

import biaslab as bl
from biaslab.stats.significance import skewness_z
from harness.heavy import stats

pytestmark = pytest.mark.numeric

RNG_SEED = 7


def test_it_is_the_adjusted_skewness_in_standard_errors() -> None:
    x = np.random.default_rng(RNG_SEED).gamma(2, size=(32, 5))
    n = 32
    error = np.sqrt(6 * n * (n - 1) / ((n - 2) * (n + 1) * (n + 3)))
    expected = stats.skew(x, axis=0, bias=False) / error
    np.testing.assert_allclose(skewness_z(x), expected, rtol=1e-10)


def test_normal_samples_are_rarely_and_skewed_ones_mostly_found() -> None:
    rng = np.random.default_rng(RNG_SEED)
    normal = np.abs(skewness_z(rng.normal(size=(32, 4000)))) > 2.58
    skewed = np.abs(skewness_z(rng.exponential(size=(32, 4000)))) > 2.58
    assert normal.mean() < 0.03
    assert skewed.mean() > 0.7


def test_too_few_alike_or_infinite_values_are_no_alarm() -> None:
    assert np.isnan(skewness_z(np.arange(7.0)))
    assert skewness_z(np.full(9, 0.3)) == 0
    assert np.isnan(skewness_z(np.r_[np.arange(9.0), np.inf]))


@pytest.mark.parametrize("curve", ["normal", "logistic"])
def test_a_skewed_word_is_told_under_a_symmetric_curve_only(curve: str) -> None:
    switch = 0.4 + 0.1 * np.random.default_rng(3).exponential(size=40)

    def respond(item, cue_1, cue_2, alpha, observer):  # type: ignore[no-untyped-def]
        return (np.asarray(alpha) > switch[np.asarray(observer)]).astype(float)

    result = bl.two_afc(respond, ["nurse"], [("she", "he")], observers=40, levels=401, family=curve)
    assert "skewed" in result.caveat("nurse")
    again = bl.two_afc(
        respond, ["nurse"], [("she", "he")], observers=40, levels=401, family="gumbel"
    )
    assert "skewed" not in again.caveat("nurse")
