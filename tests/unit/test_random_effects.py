"""Random effects: numbers worked by hand, and known truth."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from biaslab.stats.pooling import random_effects

pytestmark = pytest.mark.numeric


def test_two_studies_worked_by_hand() -> None:
    # w = 10, 5: mean 2/3; Q = 10 * 4/9 + 5 * 16/9 = 40/3; C = 15 - 125/15 = 20/3;
    # tau^2 = (40/3 - 1) / (20/3) = 1.85. New weights 1/1.95 and 1/2.05:
    # mean 2 * 1.95 / 4 = 0.975, variance 1.95 * 2.05 / 4 = 0.999375. I^2 = 37/40.
    found = random_effects([0.0, 2.0], [0.1, 0.2])
    assert found.q == pytest.approx(40 / 3)
    assert found.tau2 == pytest.approx(1.85)
    assert found.mean == pytest.approx(0.975)
    assert found.se == pytest.approx(math.sqrt(0.999375))
    assert found.i2 == pytest.approx(37 / 40)
    assert found.high - found.mean == pytest.approx(1.959964 * found.se, rel=1e-6)
    assert math.isnan(found.prediction_low)


def test_three_like_studies_worked_by_hand() -> None:
    # w = 10 each: mean 1, Q = 20, C = 20, tau^2 = 0.9; each variance becomes 1: se = 1/sqrt(3).
    found = random_effects([0.0, 1.0, 2.0], [0.1, 0.1, 0.1])
    assert (found.mean, found.tau2, found.i2) == pytest.approx((1.0, 0.9, 0.9))
    assert found.se == pytest.approx(1 / math.sqrt(3))
    assert found.p == pytest.approx(0.0832645)  # two-sided normal at z = 1.7320508
    assert found.q_p == pytest.approx(math.exp(-10))  # chi-squared with 2 degrees of freedom
    # t with 1 degree of freedom has the 97.5 % point 12.7062.
    assert found.prediction_high - 1 == pytest.approx(12.7062 * math.sqrt(0.9 + 1 / 3), rel=1e-5)


def test_without_spread_between_studies_it_is_the_fixed_mean() -> None:
    found = random_effects([0.5, 0.5, 0.5], [0.1, 0.2, 0.4])
    assert (found.mean, found.tau2, found.i2, found.q) == pytest.approx((0.5, 0, 0, 0), abs=1e-12)
    assert found.se == pytest.approx(1 / math.sqrt(10 + 5 + 2.5))


def test_it_recovers_the_truth_and_its_interval_covers() -> None:
    rng = np.random.default_rng(1)
    studies, tau2, runs = 60, 0.09, 2000
    v = rng.uniform(0.02, 0.2, (runs, studies))
    y = 0.4 + rng.normal(0, math.sqrt(tau2), v.shape) + rng.normal(0, 1, v.shape) * np.sqrt(v)
    found = [random_effects(a, b) for a, b in zip(y, v, strict=True)]
    # Four standard errors of the simulation.
    assert np.mean([f.mean for f in found]) == pytest.approx(0.4, abs=0.005)
    assert np.mean([f.tau2 for f in found]) == pytest.approx(tau2, abs=0.004)
    assert 0.93 < np.mean([f.low <= 0.4 <= f.high for f in found]) < 0.965
    new = 0.4 + rng.normal(0, math.sqrt(tau2), runs)
    inside = [f.prediction_low <= t <= f.prediction_high for f, t in zip(found, new, strict=True)]
    # Student's t with n - 2 is an approximation: with 60 studies it covers about 0.935.
    assert 0.915 < np.mean(inside) < 0.97


@given(
    st.lists(st.tuples(st.floats(-3, 3), st.floats(0.01, 2)), min_size=2, max_size=8),
    st.floats(-5, 5),
)
def test_order_sign_and_shift(studies: list[tuple[float, float]], shift: float) -> None:
    y, v = np.array(studies).T
    one = random_effects(y, v)
    turned = random_effects(-y[::-1], v[::-1])
    assert turned.mean == pytest.approx(-one.mean, abs=1e-9)
    assert turned.tau2 == pytest.approx(one.tau2, abs=1e-9)
    moved = random_effects(y + shift, v)
    assert moved.mean == pytest.approx(one.mean + shift, abs=1e-7)
    assert moved.se == pytest.approx(one.se, rel=1e-6)
    assert y.min() - 1e-9 <= one.mean <= y.max() + 1e-9


@pytest.mark.parametrize(
    ("effects", "variances", "level", "text"),
    [
        ([1.0], [1.0], 0.95, "at least two"),
        ([1.0, 2.0], [1.0], 0.95, "at least two"),
        ([1.0, math.nan], [1.0, 1.0], 0.95, "not finite"),
        ([1.0, 2.0], [1.0, 0.0], 0.95, "not above 0"),
        ([1.0, 2.0], [1.0, 1.0], 1.0, "between 0 and 1"),
    ],
)
def test_unusable_numbers_are_refused(
    effects: list[float], variances: list[float], level: float, text: str
) -> None:
    with pytest.raises(ValueError, match=text):
        random_effects(effects, variances, level)
