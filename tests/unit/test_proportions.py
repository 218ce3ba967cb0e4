"""Wilson's interval and the exact sign test."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from biaslab.stats.significance import sign_test, wilson
from harness.heavy import stats

pytestmark = pytest.mark.numeric


@given(st.integers(0, 300), st.integers(0, 300), st.sampled_from([0.8, 0.9, 0.95, 0.99]))
def test_both_are_what_scipy_finds(wins: int, losses: int, level: float) -> None:
    n = wins + losses
    if n == 0:
        assert math.isnan(sign_test(0, 0))
        assert np.isnan(wilson(0, 0, level)).all()
        return
    found = stats.binomtest(wins, n)
    assert sign_test(wins, losses) == pytest.approx(found.pvalue, rel=1e-9)
    ends = found.proportion_ci(level, method="wilson")
    assert wilson(wins, n, level) == pytest.approx((ends.low, ends.high), abs=1e-12)


@given(st.integers(0, 100), st.integers(1, 100))
def test_the_interval_holds_the_share_and_mirrors(wins: int, losses: int) -> None:
    n = wins + losses
    low, high = wilson(wins, n)
    assert 0 <= low <= wins / n <= high <= 1
    assert wilson(losses, n) == pytest.approx((1 - high, 1 - low))


def test_bad_counts_are_refused() -> None:
    with pytest.raises(ValueError, match="between 0"):
        wilson(3, 2)
    with pytest.raises(ValueError, match="level"):
        wilson(1, 2, 1.0)
    with pytest.raises(ValueError, match="at least 0"):
        sign_test(-1, 2)
