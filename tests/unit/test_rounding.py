"""What differs by rounding only is equal."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from biaslab.stats.reproducibility import levelled, order, places, snapped

pytestmark = pytest.mark.numeric

# Ten ways to come to 0.3: some are off by a unit in the last place.
SAME = np.array([0.3, 0.1 + 0.2, 0.1 * 3, 0.9 / 3, 1 - 0.7, 0.5 - 0.2, 3e-1, 0.6 / 2, 0.4 - 0.1])


def test_equal_values_that_were_computed_in_different_ways_share_a_place() -> None:
    assert len(set(SAME.tolist())) > 1
    values = np.concatenate([SAME, [0.1, 0.5]])
    assert places(values).tolist() == [1] * len(SAME) + [0, 2]
    assert order(values).tolist() == [len(SAME), *range(len(SAME)), len(SAME) + 1]
    assert order(values, descending=True).tolist()[:2] == [len(SAME) + 1, 0]


def test_what_differs_by_more_than_rounding_stays_different() -> None:
    values = 1 + np.arange(5) * 1e-10
    assert places(values).tolist() == [0, 1, 2, 3, 4]
    assert places(values, rounding=1e-9).tolist() == [0] * 5  # neighbours, one after the other


def test_infinite_and_missing_values_have_their_places() -> None:
    values = np.array([np.nan, np.inf, 1.0, -np.inf, np.inf, np.nan])
    assert places(values).tolist() == [3, 2, 1, 0, 2, 4]
    assert order(values, descending=True).tolist() == [1, 4, 2, 3, 0, 5]
    assert places(np.zeros(0)).tolist() == []


@given(st.lists(st.integers(-5, 5), min_size=1, max_size=30), st.integers(-20, 20))
def test_a_scale_by_a_power_of_two_and_an_order_change_nothing(
    values: list[int], power: int
) -> None:
    x = np.array(values) / 7
    found = places(x)
    np.testing.assert_array_equal(places(np.ldexp(x, power)), found)
    shuffled = np.random.default_rng(0).permutation(len(x))
    np.testing.assert_array_equal(places(x[shuffled]), found[shuffled])
    np.testing.assert_array_equal(places(-x), found.max() - found)


def test_rows_are_taken_for_themselves() -> None:
    rows = np.stack([SAME, np.arange(len(SAME))])
    np.testing.assert_array_equal(places(rows)[0], 0)
    np.testing.assert_array_equal(places(rows)[1], np.arange(len(SAME)))


def test_values_beside_a_neutral_one_are_put_onto_it() -> None:
    near = np.array([0.5 + 3e-8, 0.5 - 3e-8, 0.5 + 1e-5, np.inf, np.nan], dtype=np.float32)
    found = snapped(near, 0.5)
    assert found.dtype == np.float32
    assert found[:2].tolist() == [0.5, 0.5]
    np.testing.assert_array_equal(found[2:], near[2:])


def test_columns_without_any_spread_are_level() -> None:
    values = np.stack([SAME + 1e-8 * np.arange(len(SAME)), np.arange(len(SAME))], axis=1)
    found = levelled(values)
    assert len(set(found[:, 0].tolist())) == 1
    np.testing.assert_array_equal(found[:, 1], values[:, 1])
