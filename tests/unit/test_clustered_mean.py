"""`clustered_mean`: mean over clusters of unequal size, and its interval."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import special

from benchmarks.sentences_coverage import CASES, Case, coverage
from biaslab.stats.clustered_mean import ClusteredMean, clustered_mean
from biaslab.stats.significance import wilson


def test_clusters_or_items_count_alike() -> None:
    values, clusters = [1, 0, 1, 1, 1, 0], [0, 0, 1, 1, 1, 1]
    assert clustered_mean(values, clusters).estimate == pytest.approx((1 / 2 + 3 / 4) / 2)
    assert clustered_mean(values, clusters, weighting="items").estimate == pytest.approx(4 / 6)
    with pytest.raises(ValueError, match="'clusters' or 'items'"):
        clustered_mean(values, clusters, weighting="pairs")


def test_clusters_that_lie_far_apart_give_students_interval_of_their_means() -> None:
    means = np.array([1.0, 4.0, 2.0, 7.0])
    values = np.repeat(means, [1, 2, 3, 4])
    found = clustered_mean(values, np.repeat(list("abcd"), [1, 2, 3, 4]))
    assert found.variance == pytest.approx(means.var(ddof=1) / 4)
    assert found.df == pytest.approx(3)
    reach = float(special.stdtrit(3, 0.975)) * math.sqrt(found.variance)
    assert found.limits(0.95) == pytest.approx((means.mean() - reach, means.mean() + reach))


def test_one_large_cluster_leaves_few_degrees_of_freedom() -> None:
    rng = np.random.default_rng(0)
    clusters = np.repeat(np.arange(11), [100] + [5] * 10)
    values = rng.normal(size=11)[clusters]
    assert clustered_mean(values, clusters).df == pytest.approx(10)
    assert clustered_mean(values, clusters, weighting="items").df < 1.1


def test_the_corrected_variance_has_no_bias() -> None:
    """Of means weighted unequally, whatever the weights."""
    rng = np.random.default_rng(1)
    sizes = np.array([9, 3, 2, 1])
    clusters = np.repeat(np.arange(4), sizes)
    found = [
        clustered_mean(rng.normal(size=4)[clusters], clusters, weighting="items").variance
        for _ in range(4000)
    ]
    assert np.mean(found) == pytest.approx(((sizes / 15) ** 2).sum(), rel=0.1)


def test_clusters_that_agree_by_chance_have_the_variance_of_their_items() -> None:
    values = np.tile([1, 0], 12)
    found = clustered_mean(values, np.repeat([0, 1], 12), share=True)
    assert found.estimate == 0.5
    # Half of the floor's root, as half of the chi-square distribution's root near 0.
    assert found.variance == pytest.approx(0.25 * 0.25 / 24)
    low, high = found.share_limits()
    assert low < 0.2
    assert high > 0.8


def test_where_all_agree_each_cluster_is_a_trial() -> None:
    found = clustered_mean(np.ones(60), np.repeat(np.arange(6), 10), share=True)
    assert found.share_limits()[0] == pytest.approx(wilson(6, 6)[0])
    assert found.share_limits()[1] == 1
    none = clustered_mean(np.zeros(60), np.repeat(np.arange(6), 10), share=True)
    assert none.share_limits() == pytest.approx((0, float(wilson(0, 6)[1])))
    few = np.tile([0, 1, 2], 20)
    framed = clustered_mean(np.ones(60), np.repeat(np.arange(6), 10), crossed=(few,), share=True)
    assert framed.share_limits()[0] == pytest.approx(wilson(3, 3)[0])


def test_a_mirrored_share_has_a_mirrored_interval() -> None:
    rng = np.random.default_rng(2)
    clusters = np.repeat(np.arange(5), [2, 4, 6, 8, 30])
    won, frames = rng.random(50) < 0.7, rng.integers(0, 8, 50)
    for weighting in ("clusters", "items"):
        one, other = (
            clustered_mean(v, clusters, weighting=weighting, crossed=(frames,), share=True)
            for v in (won, ~won)
        )
        low, high = one.share_limits()
        assert other.share_limits() == pytest.approx((1 - high, 1 - low), abs=1e-12)
        assert one.df == pytest.approx(other.df)


def test_how_far_chosen_parts_lie_apart_is_no_uncertainty() -> None:
    clusters = np.repeat(np.arange(6), 10)
    strata = clusters // 3
    values = np.where(strata == 0, 0.9, 0.1) + np.tile(np.linspace(-0.1, 0.1, 10), 6)
    with_parts = clustered_mean(values, clusters, strata=strata)
    assert with_parts.variance < 0.05 * clustered_mean(values, clusters).variance
    # All agree in each part: how far the parts lie apart is all that is left.
    agreed = clustered_mean(strata, clusters, strata=strata, share=True)
    assert agreed.variance == clustered_mean(strata, clusters, share=True).variance > 0


def test_parts_that_agree_within_are_not_certain() -> None:
    values = np.repeat([0.0, 1.0], 14)
    clusters, strata = np.arange(28) // 2, np.repeat([0, 1], 14)
    low, high = clustered_mean(values, clusters, strata=strata, share=True).share_limits()
    assert low < 0.45
    assert high > 0.55
    np.testing.assert_allclose(low + high, 1)
    # With 7 and 7 of 14 clusters, one of a single item, a part's mean may be 1 less 1e-16.
    side = np.array([0, 1, 0, 0, 0, 1, 0, 0, 1, 1, 1, 1, 1, 0])
    clusters = np.delete(clusters, 5)
    values = side[clusters]
    by_items = clustered_mean(values, clusters, weighting="items", strata=values, share=True)
    low, high = by_items.share_limits()
    assert high - low > 0.1


def test_one_cluster_says_nothing_about_others() -> None:
    found = clustered_mean([0.0, 1.0], [0, 0])
    assert found.estimate == 0.5
    assert all(map(math.isnan, (*found.limits(), *found.share_limits())))
    nothing = clustered_mean([], [])
    assert math.isnan(nothing.estimate)
    assert all(map(math.isnan, nothing.limits()))
    assert all(map(math.isnan, ClusteredMean(1.0, 0.0, 1.0, 3.0).limits()))


@pytest.mark.validate
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_intervals_of_a_share_hold(case: Case) -> None:
    """At least 93.5 % of nominal 95 %, and at most 4 % of misses on either side."""
    for share in coverage(case, 1500, seed=3)[:2]:
        assert share.share >= 0.935
        assert max(share.above, share.below) <= 0.04
