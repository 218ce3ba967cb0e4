"""Resampling within strata: remembered counts, intervals that cover skewed means, and shares."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import special

from biaslab.errors import ArgumentError
from biaslab.stats import stratified_mean
from biaslab.stats.reproducibility import seed_number
from biaslab.stats.significance import wilson
from biaslab.stats.stratified_mean import StratifiedBootstrap, StratifiedMean, counts

pytestmark = pytest.mark.numeric


def drawn(values: np.ndarray, strata: np.ndarray, **options: int) -> StratifiedBootstrap:
    labels = [f"stratum {s}" for s in range(int(strata.max()) + 1)]
    return StratifiedBootstrap(values, strata, labels, **{"resamples": 400, "seed": 3} | options)


def test_each_resample_draws_as_many_items_as_there_are() -> None:
    found = counts(7, 300, 1, "a")
    assert found.shape == (300, 7)
    assert (found.sum(axis=1) == 7).all()
    assert found.mean() == pytest.approx(1)
    # Multinomial: an item's count has variance 1 - 1/n.
    assert found.var(axis=0).mean() == pytest.approx(1 - 1 / 7, abs=0.1)
    assert counts(7, 300, 1, "a") is found
    assert not np.array_equal(counts(7, 300, 1, "b"), found)
    assert not np.array_equal(counts(7, 300, 2, "a"), found)


def test_what_is_remembered_is_bounded_and_comes_again_alike(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(stratified_mean, "_REMEMBERED", 10_000)
    first = counts(9, 200, 5, "x").copy()
    for i in range(5):
        counts(9, 200, 5, f"other {i}")
    np.testing.assert_array_equal(counts(9, 200, 5, "x"), first)
    held = sum(one.nbytes for one in stratified_mean._counts.values())
    assert held <= 10_000


def test_means_and_variances_of_resamples_are_those_of_the_drawn_items() -> None:
    rng = np.random.default_rng(1)
    values = rng.normal(5, 3, (11, 2))
    found = drawn(values, np.zeros(11, dtype=int), resamples=50)
    times = counts(11, 50, 3, "stratum 0").astype(int)
    for r in range(50):
        items = np.repeat(values, times[r], axis=0)
        np.testing.assert_allclose(found.means[0] + found.deviations[0, r], items.mean(axis=0),
                                   rtol=1e-5)  # fmt: skip
        np.testing.assert_allclose(found.resampled_variances[0, r], items.var(axis=0, ddof=1),
                                   rtol=2e-3, atol=2e-3)  # fmt: skip


def test_another_stratum_changes_nothing() -> None:
    rng = np.random.default_rng(2)
    values = rng.random((12, 1))
    both = drawn(values, np.repeat([0, 1], 6))
    one = drawn(values[:6], np.zeros(6, dtype=int))
    np.testing.assert_array_equal(both.deviations[0], one.deviations[0])


def test_a_combination_weighs_strata_and_turns_signs() -> None:
    rng = np.random.default_rng(3)
    values = rng.random((20, 1))
    strata = np.repeat([0, 1], 10)
    found = drawn(values, strata).combined([0.25, 0.75], 0, [1, -1])
    means = [values[:10].mean(), values[10:].mean()]
    parts = [0.25**2 * values[:10].var(ddof=1) / 10, 0.75**2 * values[10:].var(ddof=1) / 10]
    assert found.estimate == pytest.approx(0.25 * means[0] - 0.75 * means[1])
    assert found.variance == pytest.approx(sum(parts))
    assert found.df == pytest.approx(sum(parts) ** 2 / sum(p**2 / 9 for p in parts))
    assert found.deviations.std() == pytest.approx(math.sqrt(sum(parts) * 0.9), rel=0.15)


@pytest.mark.parametrize("share", [False, True])
def test_limits_cover_a_skewed_mean(share: bool) -> None:
    """30 values whose logits are skewed: 95 % means 92 to 97 % here, with 400 studies."""
    rng = np.random.default_rng(4)
    truth = float(special.expit(1 - rng.exponential(1, 400_000)).mean())
    held = 0
    for seed in range(400):
        values = special.expit(1 - rng.exponential(1, (30, 1)))
        found = drawn(values, np.zeros(30, dtype=int), resamples=800, seed=seed % 20)
        low, high = found.combined([1.0]).limits(0.95, share=share)
        held += low <= truth <= high
    assert 0.92 <= held / 400 <= 0.98


def test_limits_of_a_share_stay_within_it_and_mirror() -> None:
    rng = np.random.default_rng(5)
    values = 1 - rng.random((8, 1)) ** 6 * 0.05
    for numbers in (values, 1 - values):
        low, high = drawn(numbers, np.zeros(8, dtype=int)).combined([1.0]).limits(0.95, share=True)
        assert 0 <= low < numbers.mean() < high <= 1
    one = drawn(values, np.zeros(8, dtype=int)).combined([1.0]).limits(0.9, share=True)
    two = drawn(1 - values, np.zeros(8, dtype=int)).combined([1.0]).limits(0.9, share=True)
    assert two == pytest.approx((1 - one[1], 1 - one[0]), abs=1e-4)


def test_two_items_get_students_limits() -> None:
    values = np.array([[0.4], [0.6]])
    low, high = drawn(values, np.zeros(2, dtype=int)).combined([1.0]).limits(0.95)
    reach = float(special.stdtrit(1, 0.975)) * 0.1
    assert (low, high) == pytest.approx((0.5 - reach, 0.5 + reach))


def test_nothing_varies_and_one_item() -> None:
    same = drawn(np.full((5, 1), 0.3), np.zeros(5, dtype=int)).combined([1.0])
    assert same.limits(0.95, share=True) == pytest.approx((0.3, 0.3))
    one = drawn(np.array([[0.3]]), np.zeros(1, dtype=int)).combined([1.0])
    assert all(math.isnan(end) for end in (*one.limits(0.95), *one.share_limits(0.95, 1)))


def test_shares_of_counts_get_wilsons_limits() -> None:
    empty = np.zeros(0)
    hits, n = 27, 40
    share = hits / n
    # A simple share's own variance is worth as many trials as there are.
    found = StratifiedMean(share, share * (1 - share) / n, math.inf, empty, empty)
    assert found.share_limits(0.95, n) == pytest.approx([float(e) for e in wilson(hits, n, 0.95)])
    # Half the variance is worth twice the trials, however many items there are.
    half = StratifiedMean(share, share * (1 - share) / n / 2, math.inf, empty, empty)
    ends = [float(e) for e in wilson(2 * hits, 2 * n, 0.95)]
    assert half.share_limits(0.95, n) == pytest.approx(ends)
    for hits in (0, 40):
        found = StratifiedMean(hits / n, 0.0, math.inf, empty, empty)
        ends = [float(end) for end in wilson(hits, n, 0.95)]
        assert found.share_limits(0.95, n) == pytest.approx(ends)


def test_rng_is_a_number_or_a_generator_to_draw_one_from() -> None:
    assert seed_number(7) == 7
    one, two = (seed_number(np.random.default_rng(1)) for _ in range(2))
    assert one == two
    with pytest.raises(ValueError, match="rng is -1; use a whole number of at least 0"):
        seed_number(-1)
    for wrong in (None, "1", 1.5):
        with pytest.raises(ArgumentError, match=r"rng is .*\. Pass a whole number of at least 0"):
            seed_number(wrong)  # type: ignore[arg-type]
