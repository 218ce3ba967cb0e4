"""AUC with DeLong's interval, and calibration: by definition, by coverage, by invariants."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from biaslab.stats.classification import (
    auc,
    calibration,
    cross_validated_auc,
    expected_calibration_error,
)
from harness.heavy import stats

pytestmark = pytest.mark.numeric


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 10_000), st.booleans())
def test_it_is_the_share_of_pairs_in_the_right_order(seed: int, ties: bool) -> None:
    rng = np.random.default_rng(seed)
    positive = np.arange(40) % 3 > 0
    scores = rng.integers(0, 4, 40).astype(float) if ties else rng.normal(size=40)
    found = auc(positive, scores)
    pairs = scores[positive][:, None] - scores[~positive]
    assert found.value == pytest.approx(((pairs > 0) + 0.5 * (pairs == 0)).mean())
    u = stats.mannwhitneyu(scores[positive], scores[~positive]).statistic
    assert found.value == pytest.approx(u / pairs.size)
    turned = auc(~positive, scores)
    assert turned.value == pytest.approx(1 - found.value)
    if np.isfinite(found.low):
        assert found.low <= found.value <= found.high
        assert (turned.low, turned.high) == pytest.approx((1 - found.high, 1 - found.low))


def test_its_interval_covers_the_true_area() -> None:
    rng = np.random.default_rng(1)
    truth = stats.norm.cdf(1.5 / np.sqrt(2))
    inside = 0
    for _ in range(1000):
        positive = np.arange(120) < 50
        scores = rng.normal(size=120) + 1.5 * positive
        found = auc(positive, scores)
        inside += found.low <= truth <= found.high
    # Nominal 95 %; four standard errors of a share of 1000 are 2.8 points.
    assert 0.922 <= inside / 1000 <= 0.978


def test_folds_are_measured_each_by_itself() -> None:
    rng = np.random.default_rng(2)
    folds = np.arange(300) % 3
    positive = rng.random(300) < 0.5
    scores = rng.normal(size=300) + positive
    found = cross_validated_auc(positive, scores, folds)
    each = [auc(positive[folds == k], scores[folds == k]).value for k in range(3)]
    assert found.value == pytest.approx(np.mean(each))
    # Models whose scores lie elsewhere do not change it, as they would if folds were pooled.
    shifted = cross_validated_auc(positive, scores + 100 * folds, folds)
    assert shifted.value == pytest.approx(found.value)
    assert shifted.low == pytest.approx(found.low)


def test_a_perfect_order_has_no_interval_and_too_few_cases_are_told() -> None:
    found = auc(np.array([False, False, True, True]), np.arange(4.0))
    assert found.value == 1
    assert np.isnan([found.low, found.high]).all()
    with pytest.raises(ValueError, match="at least two cases of each kind"):
        auc(np.array([True, True, True]), np.arange(3.0))


def test_true_probabilities_are_calibrated_and_others_are_not() -> None:
    rng = np.random.default_rng(3)
    p = rng.random(20_000)
    came = rng.random(20_000) < p
    curve = calibration(came, p)
    assert [each.n for each in curve] == [2000] * 10
    assert sum(each.low <= each.probability <= each.high for each in curve) >= 8
    assert expected_calibration_error(curve) < 0.015
    # Twice as sure on the scale of the logit.
    sure = p**2 / (p**2 + (1 - p) ** 2)
    expected = np.abs(np.sort(sure) - np.sort(p)).mean()
    assert expected_calibration_error(calibration(came, sure)) == pytest.approx(expected, abs=0.02)
