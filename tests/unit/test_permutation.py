"""The permutation test: all splits, drawn splits, ties, and both sides."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from biaslab.stats.permutation import exceedances, permutation_test, random_subsets, subset_sums
from harness.heavy import stats

pytestmark = pytest.mark.numeric

SMALL = st.lists(st.integers(-8, 8), min_size=2, max_size=9)


def by_hand(values: np.ndarray, n_1: int) -> np.ndarray:
    """Differences of means of all splits, one by one."""
    found = []
    for chosen in combinations(range(len(values)), n_1):
        inside = np.zeros(len(values), dtype=bool)
        inside[list(chosen)] = True
        found.append(values[inside].mean() - values[~inside].mean())
    return np.array(found)


@given(SMALL, st.data())
def test_all_splits_are_those_made_one_by_one(numbers: list[int], data: st.DataObject) -> None:
    # Whole numbers: many exact ties.
    values = np.array(numbers, dtype=float) / 7
    n_1 = data.draw(st.integers(1, len(values) - 1))
    differences = by_hand(values, n_1)
    observed = values[:n_1].mean() - values[n_1:].mean()
    reach = {
        "greater": differences > observed - 1e-9,
        "less": differences < observed + 1e-9,
        "two-sided": abs(differences) > abs(observed) - 1e-9,
    }
    for alternative, expected in reach.items():
        found = permutation_test(values, n_1, alternative=alternative)  # type: ignore[arg-type]
        assert found.exact
        assert found.partitions == found.possible == math.comb(len(values), n_1)
        assert found.exceed == expected.sum()
        assert found.counts.sum() == found.partitions
        assert found.reached.sum() == found.exceed
        assert found.sd == pytest.approx(differences.std(), abs=1e-12)
    assert differences.mean() == pytest.approx(0, abs=1e-12)


@given(SMALL, st.integers(0, 5))
def test_sums_of_all_subsets(numbers: list[int], size: int) -> None:
    values = np.array(numbers, dtype=float)
    size = min(size, len(values))
    expected = sorted(sum(chosen) for chosen in combinations(values, size))
    assert np.sort(subset_sums(values[None], size)[0]).tolist() == pytest.approx(expected)


def test_the_observed_split_is_one_of_all() -> None:
    values = np.array([5.0, 4.0, 3.0, 2.0, 1.0, 0.0])
    assert permutation_test(values, 3).fraction == (1, 20)
    assert permutation_test(values, 3, alternative="less").fraction == (20, 20)
    assert permutation_test(values, 3, alternative="two-sided").fraction == (2, 20)


@pytest.mark.parametrize("scale", [0.01, 1.0, 100.0])
def test_the_bars_of_the_null_have_round_edges_at_any_scale(scale: float) -> None:
    found = permutation_test(np.array([5.0, 4.0, 3.0, 2.0, 1.0, 0.0]) * scale, 3)
    np.testing.assert_allclose(found.edges, np.arange(-16, 17) * 0.2 * scale, atol=1e-12 * scale)


def test_two_sided_is_the_distance_from_zero_with_lists_of_other_lengths_too() -> None:
    values = np.array([3.0, 0.0, 0.0, 0.0, -1.0])
    found = permutation_test(values, 1, alternative="two-sided")
    assert found.fraction == (1, 5)
    # The null is not symmetric: -1 alone is 1.75 from the others, 3 alone 3.25.
    low = permutation_test(values[::-1], 1, alternative="two-sided")
    assert low.observed == pytest.approx(-1.75)
    assert low.fraction == (2, 5)


def test_values_that_are_all_alike_reach_each_other() -> None:
    found = permutation_test(np.full(6, 0.3), 3)
    assert found.observed == pytest.approx(0)
    assert found.fraction == (20, 20)
    assert found.counts.sum() == 20


def test_ties_hold_under_rounding() -> None:
    """Sums in another order differ in the last bits; the same numbers must still tie."""
    rng = np.random.default_rng(3)
    half = rng.normal(size=5) * 1e3
    values = np.concatenate([half, half])
    found = permutation_test(values, 5)
    expected = (by_hand(values, 5) > found.observed - 1e-6).sum()
    assert found.exceed == expected


def test_drawn_splits_take_words_without_replacement_and_evenly() -> None:
    picks = random_subsets(7, 3, 70_000, seed=5)
    assert all(len(set(draw)) == 3 for draw in picks.T[:500].tolist())
    ordered = np.sort(picks, axis=0)
    _, counts = np.unique(ordered[0] * 49 + ordered[1] * 7 + ordered[2], return_counts=True)
    assert len(counts) == math.comb(7, 3)
    assert stats.chisquare(counts).pvalue > 0.001


def test_drawn_splits_come_near_the_exact_p_and_never_give_zero() -> None:
    values = np.random.default_rng(1).normal(size=16)
    values[:8] += 0.6
    exact = permutation_test(values, 8)
    drawn = permutation_test(values, 8, exact_up_to=100, permutations=40_000, seed=2)
    assert not drawn.exact
    assert drawn.fraction == (drawn.exceed + 1, 40_001)
    assert drawn.p == pytest.approx(exact.p, abs=5 * math.sqrt(exact.p / 40_000))
    sure = permutation_test(np.arange(40.0)[::-1], 20, permutations=999)
    assert sure.fraction == (1, 1000)


def test_drawn_splits_follow_the_seed() -> None:
    values = np.random.default_rng(0).normal(size=50)
    one, same, other = (permutation_test(values, 25, seed=s) for s in (1, 1, 2))
    assert one == same
    assert one.exceed != other.exceed


@pytest.mark.parametrize("n_1", [3, 20, 37])
@pytest.mark.parametrize("alternative", ["greater", "less", "two-sided"])
def test_rows_are_tested_as_they_would_be_alone(n_1: int, alternative: str) -> None:
    values = np.random.default_rng(4).normal(size=(5, 40))
    options = {"alternative": alternative, "permutations": 500, "seed": 9}
    exceed, partitions, exact = exceedances(values, n_1, **options)  # type: ignore[arg-type]
    assert (partitions, exact) == (9880, True) if n_1 in (3, 37) else (500, False)
    alone = [permutation_test(row, n_1, **options).exceed for row in values]  # type: ignore[arg-type]
    assert exceed.tolist() == alone


def test_p_is_uniform_without_a_difference() -> None:
    rng = np.random.default_rng(8)
    p = [permutation_test(row, 5).p for row in rng.normal(size=(1500, 10))]
    assert stats.kstest(p, "uniform").pvalue > 0.001
    assert np.mean(np.array(p) <= 0.05) == pytest.approx(0.05, abs=0.02)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"alternative": "both"}, "choose greater, less, two-sided"),
        ({"n_1": 0}, "both lists need at least one"),
        ({"n_1": 4}, "both lists need at least one"),
        ({"permutations": 0}, "use at least 1"),
        ({"values": np.array([1.0, np.nan, 2.0, 3.0])}, "not finite"),
    ],
)
def test_bad_options_are_told(change: dict[str, object], message: str) -> None:
    options: dict[str, object] = {"values": np.arange(4.0), "n_1": 2} | change
    with pytest.raises(ValueError, match=message):
        permutation_test(**options)  # type: ignore[arg-type]
