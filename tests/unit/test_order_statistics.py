"""Quantiles of mirrored values."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from biaslab.stats.quantiles import opposite_quantiles

pytestmark = pytest.mark.numeric

_VALUES = st.lists(st.sampled_from([-1.0, -0.1, 0.0, 0.1, 0.3, 1.0]), min_size=1, max_size=60)
_TAIL = st.floats(0.0, 0.5)


@given(_VALUES, _TAIL)
def test_mirrored_values_have_exactly_mirrored_quantiles(values: list[float], tail: float) -> None:
    x = np.array(values)
    low, high = opposite_quantiles(x, tail)
    assert opposite_quantiles(-x, tail) == (-high, -low)
    assert low <= high


@given(_VALUES, _TAIL)
def test_they_are_those_of_numpy(values: list[float], tail: float) -> None:
    expected = np.quantile(values, [tail, 1 - tail])
    assert opposite_quantiles(np.array(values), tail) == pytest.approx(tuple(expected), abs=1e-12)


def test_equal_values_stay_what_they_are() -> None:
    assert opposite_quantiles(np.full(7, 0.1), 0.025) == (0.1, 0.1)
