"""The interval of a pooled JND, with cue pairs that spread unequally."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from biaslab.probes.psychometrics.curves import Estimates, pooled
from biaslab.stats.crossed.effects import Crossing, crossing_of

Floats = NDArray[np.float64]
SD = 0.05


def points(sds: Floats, means: Floats, replicates: int, rng: np.random.Generator) -> Floats:
    """Switch points (B, n, K); replicates move all pairs of an item partly together."""
    n, k = sds.shape
    shared = rng.standard_normal((replicates, n, 1))
    own = rng.standard_normal((replicates, n, k))
    return np.asarray(0.5 + means + sds * (np.sqrt(0.3) * shared + np.sqrt(0.7) * own))


def estimated(
    switch: Floats, weights: Floats | None = None, crossing: Crossing | None = None
) -> Estimates:
    k = switch.shape[2]
    shares = np.full(k, 1 / k) if weights is None else weights
    return pooled(switch, 0.0, "normal", "sd", 0.95, "resampled", shares, crossing)


def covered(estimates: Estimates, truth: float) -> float:
    low, high = estimates.jnd_interval.T
    return float(np.mean((low <= truth) & (truth <= high)))


@pytest.mark.parametrize("log_sd", [0.0, 0.2, 0.5])
@pytest.mark.parametrize("between", [0.0, 1.0])
@pytest.mark.parametrize(("replicates", "pairs"), [(8, 4), (32, 2), (32, 4), (32, 8), (32, 16)])
def test_the_interval_of_a_pooled_jnd_covers_other_pairs(
    replicates: int, pairs: int, between: float, log_sd: float
) -> None:
    rng = np.random.default_rng(3)
    shape = (1500, pairs)
    sds = SD * np.exp(log_sd * rng.standard_normal(shape))
    means = between * SD * rng.standard_normal(shape)
    truth = SD * np.sqrt(np.exp(2 * log_sd**2) + between**2)
    assert 0.93 <= covered(estimated(points(sds, means, replicates, rng)), truth) <= 0.995


@pytest.mark.parametrize("log_sd", [0.0, 0.35])
def test_crossed_cues_count_as_fewer_pairs(log_sd: float) -> None:
    rng = np.random.default_rng(4)
    crossing = crossing_of([(f"a{i}", f"b{j}") for i in range(4) for j in range(4)])
    assert crossing is not None
    of_cues = [rng.standard_normal((1500, 4))[:, at] for at in (crossing.rows, crossing.columns)]
    sds = SD * np.exp(log_sd / np.sqrt(2) * sum(of_cues))
    switch = points(sds, np.zeros_like(sds), 32, rng)
    assert 0.93 <= covered(estimated(switch, crossing=crossing), SD * np.exp(log_sd**2)) <= 0.995


def test_weighted_pairs() -> None:
    rng = np.random.default_rng(5)
    weights = np.arange(1.0, 9.0) / 36
    sds = SD * np.exp(0.35 * rng.standard_normal((1500, 8)))
    means = SD * rng.standard_normal((1500, 8))
    truth = SD * np.sqrt(np.exp(2 * 0.35**2) + 1)
    assert 0.93 <= covered(estimated(points(sds, means, 32, rng), weights), truth) <= 0.995


def test_two_pairs_still_have_a_finite_interval() -> None:
    rng = np.random.default_rng(6)
    found = estimated(points(np.full((20, 2), SD), np.zeros((20, 2)), 32, rng))
    low, high = found.jnd_interval.T
    assert (low < found.jnd).all()
    assert (found.jnd < high).all()
    assert (high < 20 * found.jnd).all()


def test_pairs_without_spread_vary_in_their_means_alone() -> None:
    means = np.array([[-0.1, 0.02, 0.03, 0.05]])
    found = estimated(np.broadcast_to(0.5 + means, (8, 1, 4)).copy())
    one = estimated((0.5 + means)[None])
    np.testing.assert_allclose(found.jnd_interval, one.jnd_interval, rtol=1e-9)


def test_the_interval_scales_with_the_points_and_ignores_the_order_of_pairs() -> None:
    rng = np.random.default_rng(7)
    switch = points(SD * np.exp(rng.standard_normal((5, 6)) / 3), np.zeros((5, 6)), 16, rng)
    found = estimated(switch).jnd_interval
    np.testing.assert_allclose(estimated(3 * switch).jnd_interval, 3 * found, rtol=1e-9)
    mixed = switch[:, :, rng.permutation(6)]
    np.testing.assert_allclose(estimated(mixed).jnd_interval, found, rtol=1e-9)
