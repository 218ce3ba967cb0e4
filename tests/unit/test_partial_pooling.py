"""Partial pooling of items, against the eight schools and against known truth."""

from __future__ import annotations

import numpy as np
import pytest

from biaslab.stats.pooling import partial_pooling

#: Rubin 1981: effects of coaching in eight schools, and their standard errors.
EFFECTS = np.array([28.0, 8, -3, 7, -1, 1, 18, 12])
ERRORS = np.array([15.0, 10, 16, 11, 9, 11, 10, 18])
#: Gelman et al. 2013, Table 5.3: quantiles of 200 draws (2.5, 50 and 97.5 %).
PUBLISHED = [
    (-2, 10, 31), (-5, 8, 23), (-11, 7, 19), (-7, 8, 21), (-9, 5, 18), (-7, 6, 28), (-1, 10, 26),
    (-6, 8, 33),
]  # fmt: skip


def test_the_eight_schools() -> None:
    """Medians within the error of 200 draws; 5 of these lie beyond an end, which is looser."""
    found = partial_pooling(EFFECTS, ERRORS)
    low, middle, high = np.transpose(PUBLISHED)
    np.testing.assert_allclose(found.estimates, middle, atol=2)
    np.testing.assert_allclose(found.intervals[:, 0], low, atol=4.5)
    np.testing.assert_allclose(found.intervals[:, 1], high, atol=10)
    assert found.mean == pytest.approx(8, abs=1)


def test_ends_of_pooling() -> None:
    """Precise estimates stay; estimates that say nothing become the mean of the others."""
    rng = np.random.default_rng(1)
    y = rng.normal(0.5, 0.1, 20)
    stays = partial_pooling(y, np.full(20, 1e-4))
    np.testing.assert_allclose(stays.estimates, y, atol=1e-5)
    np.testing.assert_allclose(np.diff(stays.intervals, axis=1), 2 * 1.96e-4, rtol=0.01)
    vague = partial_pooling([*y, 0.9], [*np.full(20, 0.01), 50.0])
    assert vague.estimates[-1] == pytest.approx(y.mean(), abs=0.01)
    assert vague.sd == pytest.approx(y.std(ddof=1), rel=0.1)


def test_moved_and_stretched_estimates_move_and_stretch_all() -> None:
    one = partial_pooling(EFFECTS, ERRORS)
    two = partial_pooling(3 - EFFECTS / 100, ERRORS / 100)
    np.testing.assert_allclose(two.estimates, 3 - one.estimates / 100, rtol=1e-6)
    np.testing.assert_allclose(two.intervals, 3 - one.intervals[:, ::-1] / 100, rtol=1e-6)
    assert two.sd == pytest.approx(one.sd / 100)


def test_an_item_without_an_estimate_is_left_out() -> None:
    found = partial_pooling([*EFFECTS, np.nan, np.inf, 3.0], [*ERRORS, 1.0, 1.0, np.nan])
    assert np.isnan(found.estimates[8:]).all()
    np.testing.assert_allclose(found.estimates[:8], partial_pooling(EFFECTS, ERRORS).estimates)
    with pytest.raises(ValueError, match=r"needs 3 items .* there are 2"):
        partial_pooling([1, 2], [1, 1])


@pytest.mark.parametrize("sd", [0.02, 0.1, 0.3])
def test_intervals_hold_and_errors_shrink(sd: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """With ends to six digits, which is near enough to count."""
    monkeypatch.setattr("biaslab.stats.pooling._BISECTIONS", 24)
    rng = np.random.default_rng(2)
    inside, ours, own = [], [], []
    for _ in range(50):
        truth = rng.normal(0.6, sd, 10)
        errors = rng.uniform(0.03, 0.2, 10)
        y = rng.normal(truth, errors)
        found = partial_pooling(y, errors)
        inside.append((found.intervals[:, 0] <= truth) & (truth <= found.intervals[:, 1]))
        ours.append((found.estimates - truth) ** 2)
        own.append((y - truth) ** 2)
    assert 0.93 <= np.mean(inside) <= 0.995
    assert np.mean(ours) < np.mean(own)
