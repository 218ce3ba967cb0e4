"""The bootstrap by attributes and frames: its variance, its limits, and that it covers."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.special import expit, logit

from biaslab.stats.clustered_mean import cluster_bootstrap
from biaslab.stats.significance import wilson

pytestmark = pytest.mark.numeric


def _rng() -> np.random.Generator:
    return np.random.default_rng(1)


def test_without_shared_clusters_it_is_the_standard_error_of_a_mean() -> None:
    y = np.random.default_rng(0).standard_normal(200)
    found = cluster_bootstrap(y, [np.arange(200)], rng=_rng(), resamples=8000)
    assert found.estimate == pytest.approx(y.mean())
    assert found.variance == pytest.approx(y.var(ddof=1) / 200)
    assert found.deviations.std() == pytest.approx(math.sqrt(found.variance), rel=0.03)
    assert found.df == 199


def test_whole_clusters_vary_as_their_means_do() -> None:
    rng = np.random.default_rng(0)
    means = rng.standard_normal(12)
    y = np.repeat(means, 30)
    found = cluster_bootstrap(y, [np.repeat(np.arange(12), 30)], rng=_rng(), resamples=8000)
    # All that varies is between clusters.
    assert found.variance == pytest.approx(means.var(ddof=1) / 12, rel=0.01)
    assert found.deviations.std() == pytest.approx(math.sqrt(found.variance), rel=0.03)


def test_crossed_clusters_add_up() -> None:
    rng = np.random.default_rng(0)
    rows, columns = rng.standard_normal(20), rng.standard_normal(15)
    y = (rows[:, None] + columns).ravel()
    kinds = [np.repeat(np.arange(20), 15), np.tile(np.arange(15), 20)]
    found = cluster_bootstrap(y, kinds, rng=_rng(), resamples=8000)
    # By two-way clusters, what single items vary is taken off once.
    expected = rows.var(ddof=1) / 20 + columns.var(ddof=1) / 15 - y.var(ddof=1) / 300
    assert found.variance == pytest.approx(expected, rel=0.02)
    assert found.deviations.std() == pytest.approx(math.sqrt(expected), rel=0.05)


def test_how_far_chosen_parts_lie_apart_is_no_uncertainty() -> None:
    rng = np.random.default_rng(0)
    means = rng.standard_normal(20)
    attribute, part = np.repeat(np.arange(20), 10), np.repeat([0, 1], 100)
    y = means[attribute] + rng.standard_normal(200)
    told = cluster_bootstrap(y + 9 * part, [attribute], strata=part, rng=_rng(), resamples=8000)
    near = cluster_bootstrap(y, [attribute], strata=part, rng=_rng(), resamples=8000)
    assert told.variance == pytest.approx(near.variance)
    np.testing.assert_allclose(told.deviations, near.deviations, atol=1e-12)
    of_attributes = y.reshape(20, 10).mean(axis=1)
    within = np.concatenate([m - m.mean() for m in np.split(of_attributes, 2)])
    assert told.variance == pytest.approx(within @ within / 18 / 20)
    assert told.deviations.std() == pytest.approx(math.sqrt(told.variance), rel=0.03)
    apart = cluster_bootstrap(y + 9 * part, [attribute], rng=_rng())
    assert apart.variance > 10 * told.variance


def test_one_cluster_tells_nothing_beyond_its_items() -> None:
    y = np.arange(10.0)
    alone = cluster_bootstrap(y, [], rng=_rng())
    one = cluster_bootstrap(y, [np.zeros(10)], rng=_rng())
    assert one.variance == alone.variance
    assert one.limits() == alone.limits()


@given(st.lists(st.booleans(), min_size=3, max_size=40), st.integers(1, 6))
@example([True, True, True, True, True, False], 2)
def test_the_limits_of_a_share_are_mirrored_by_its_opposite(won: list[bool], k: int) -> None:
    y = np.array(won, dtype=float)
    kinds = [np.arange(len(y)) % k, np.arange(len(y)) // k]
    low, high = cluster_bootstrap(y, kinds, rng=_rng(), resamples=200).limits(share=True)
    other = cluster_bootstrap(1 - y, kinds, rng=_rng(), resamples=200).limits(share=True)
    assert other == pytest.approx((1 - high, 1 - low), nan_ok=True)
    if np.isfinite([low, high]).all():
        assert 0 <= low <= y.mean() <= high <= 1


_WINS = st.lists(st.booleans(), min_size=3, max_size=40)


def _two_ways(n: int, k: int) -> list[np.ndarray]:
    return [np.arange(n) % k, np.arange(n) // k]


@given(_WINS, st.integers(1, 6))
def test_a_share_and_its_opposite_are_drawn_as_exact_mirrors(won: list[bool], k: int) -> None:
    y = np.array(won, dtype=float)
    found, other = (
        cluster_bootstrap(x, _two_ways(len(y), k), rng=_rng(), resamples=99) for x in (y, 1 - y)
    )
    np.testing.assert_array_equal(other.deviations, -found.deviations)
    assert (other.variance, other.df) == (found.variance, found.df)


def test_equal_variances_are_equal_in_any_unit_and_order() -> None:
    # The two rows vary as much as the six items do: what they add is 0, but for rounding.
    y, rows, columns = np.array([1.0, 1, 1, 1, 1, 0]), np.arange(6) % 2, np.arange(6) // 2
    plain = cluster_bootstrap(y, [rows, columns], rng=_rng())
    for unit in np.linspace(0.1, 3.0, 30):
        for seed in range(10):
            order = np.random.default_rng(seed).permutation(6)
            kinds = [rows[order], columns[order]]
            found = cluster_bootstrap(unit * y[order], kinds, rng=_rng(), resamples=20)
            assert found.df == pytest.approx(plain.df, rel=1e-9)
            assert found.variance == pytest.approx(unit**2 * plain.variance, rel=1e-9)


def test_a_total_of_many_items_is_no_larger_than_a_whole_number_can_be() -> None:
    y = np.zeros(20_000)
    y[:10_000] = 1.0
    # One cluster holds half of all items, and a resample may hold it many times.
    one_large = np.maximum(np.arange(20_000) - 10_000, 0)
    found = cluster_bootstrap(y, [one_large], rng=_rng(), resamples=50)
    assert np.abs(found.deviations).max() < 20 * math.sqrt(found.variance)


def test_nothing_varies_nothing_is_told() -> None:
    assert np.isnan(cluster_bootstrap(np.ones(5), [], rng=_rng()).limits(share=True)).all()
    assert math.isnan(cluster_bootstrap([], [[]], rng=_rng()).estimate)


@pytest.mark.parametrize(
    ("attributes", "frames", "attribute_sd", "frame_sd"),
    [(16, 12, 0.7, 0.7), (8, 30, 0.7, 0.0), (16, 12, 0.0, 0.0)],
)
def test_it_covers_where_wilson_does_not(
    attributes: int, frames: int, attribute_sd: float, frame_sd: float
) -> None:
    rng = np.random.default_rng(7)
    centre = float(logit(0.65))
    endless = centre + math.hypot(attribute_sd, frame_sd) * rng.standard_normal(400_000)
    truth = float(expit(endless).mean())
    row, column = np.divmod(np.arange(attributes * frames), frames)
    covered = by_wilson = 0
    runs = 200
    for _ in range(runs):
        pull = attribute_sd * rng.standard_normal(attributes)[row]
        pull += frame_sd * rng.standard_normal(frames)[column]
        y = (rng.random(len(row)) < expit(centre + pull)).astype(float)
        found = cluster_bootstrap(y, [row, column], rng=rng, resamples=400)
        low, high = found.limits(share=True)
        covered += low <= truth <= high
        low, high = wilson(y.sum(), len(y))
        by_wilson += bool(low <= truth <= high)
    assert 0.91 <= covered / runs <= 1.0
    if attribute_sd:
        assert by_wilson / runs < 0.88
