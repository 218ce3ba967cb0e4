"""Moments over cue pairs against numpy's covariance, item by item."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from biaslab.stats.pooled_spread import pair_moments

pytestmark = pytest.mark.numeric


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(2, 1, 2), (8, 3, 5), (32, 2500, 8), (300, 4, 3)])
def test_moments_are_those_of_the_covariance_matrix(
    shape: tuple[int, int, int], dtype: type[np.floating]
) -> None:
    rng = np.random.default_rng(shape[0])
    x = (0.5 + 0.05 * rng.standard_normal(shape) + 0.1 * rng.standard_normal(shape[1:])).astype(
        dtype
    )
    weights = rng.uniform(0.5, 1, shape[2])
    weights /= weights.sum()
    before = x.copy()
    found = pair_moments(x, weights)
    np.testing.assert_array_equal(x, before)
    rtol = 1e-5 if dtype is np.float32 else 1e-10
    np.testing.assert_allclose(found.means, x.mean(axis=0, dtype=float), rtol=1e-6)
    for i in range(0, shape[1], 97):
        s = np.cov(x[:, i].astype(float), rowvar=False)
        np.testing.assert_allclose(found.of_mean[i], weights @ s @ weights, rtol=rtol)
        np.testing.assert_allclose(found.trace[i], np.diag(s) @ weights, rtol=rtol)
        square = np.einsum("i,j,ij,ij->", weights, weights, s, s)
        np.testing.assert_allclose(found.square[i], square, rtol=rtol)


def test_one_replicate_has_means_only() -> None:
    x = np.array([[[0.2, 0.4]]])
    found = pair_moments(x, np.array([0.5, 0.5]))
    np.testing.assert_array_equal(found.means, [[0.2, 0.4]])
    assert (found.trace, found.square, found.of_mean) == (0, 0, 0)


def test_a_missing_switch_point_leaves_its_item_out_and_no_other() -> None:
    x = np.random.default_rng(0).standard_normal((5, 3, 2))
    x[1, 0, 1], x[2, 1, 0] = np.inf, np.nan
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = pair_moments(x, np.array([0.5, 0.5]))
    assert np.isnan(found.means).tolist() == [[False, True], [True, False], [False, False]]
    assert np.isfinite(found.trace).tolist() == [False, False, True]
