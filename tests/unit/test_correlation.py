"""Correlations: against scipy and a slow jackknife, their coverage, and their reasons."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.findings import coverage
from benchmarks.occupations_coverage import TABLES_OF, true_correlation
from biaslab.stats.correlation import Kind, correlate, difference_interval, ranks
from biaslab.stats.significance import holm
from harness.heavy import stats

pytestmark = pytest.mark.numeric

KINDS: tuple[Kind, ...] = ("pearson", "spearman")


def _points(n: int, seed: int, sets: int = 1) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = 100 * rng.beta(0.6, 0.6, (sets, n))
    return x, 0.7 - 0.003 * x + 0.1 * rng.standard_normal((sets, n))


@pytest.mark.parametrize("ties", [False, True])
def test_values_and_p_values_are_scipys(ties: bool) -> None:
    x, y = (v[0] for v in _points(30, 1))
    if ties:
        x, y = np.round(x, -1), np.round(y, 1)
    for kind, reference in (("pearson", stats.pearsonr), ("spearman", stats.spearmanr)):
        correlated = correlate(x, y, kind)  # type: ignore[arg-type]
        assert float(correlated.r) == pytest.approx(reference(x, y)[0], abs=1e-12)
        assert float(correlated.p) == pytest.approx(reference(x, y)[1], rel=1e-9)
    np.testing.assert_allclose(ranks(y), stats.rankdata(y))


@pytest.mark.parametrize("kind", KINDS)
def test_left_out_correlations_are_those_of_the_points_without_one(kind: Kind) -> None:
    x, y = (np.round(v[0], 1) for v in _points(17, 2))
    correlated = correlate(x, y, kind)
    for i in range(17):
        alone = correlate(np.delete(x, i), np.delete(y, i), kind)
        assert np.tanh(correlated.z_left_out[i]) == pytest.approx(float(alone.r), abs=1e-9)


def test_fishers_interval_is_the_textbooks() -> None:
    x, y = (v[0] for v in _points(30, 3))
    correlated = correlate(x, y, method="fisher")
    reference = stats.pearsonr(x, y).confidence_interval(0.95)
    np.testing.assert_allclose(correlated.interval, [reference.low, reference.high], atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [15, 30, 60])
def test_the_interval_covers_the_truth_with_bounded_x(kind: Kind, n: int) -> None:
    """Nominal 95 %; 1,500 to 3,000 sets, so that chance moves a share by 0.4 to 0.6 points (SD)."""
    x, y = _points(50_000, 4)
    truth = true_correlation(x, y, kind)
    correlated = correlate(*_points(n, 5, sets=min(3000, 90_000 // n)), kind)
    assert 0.93 <= coverage(correlated.interval, truth) <= 0.985


def test_fishers_interval_fails_where_the_default_holds() -> None:
    """With heavy-tailed x Fisher's 95 % hold about 70 %: why it is not the default."""
    draw = TABLES_OF["heavy tails on both sides"]
    truth = float(1 / np.sqrt(2))
    x, y = draw(2000, 60, np.random.default_rng(6))
    shares = {}
    for method in ("fisher", "jackknife"):
        ends = correlate(x, y, method=method).interval  # type: ignore[arg-type]
        shares[method] = coverage(ends, truth)
    assert shares["fisher"] < 0.8
    assert shares["jackknife"] > 0.88


@pytest.mark.parametrize("kind", KINDS)
def test_the_difference_of_two_correlations_on_the_same_points_is_covered(kind: Kind) -> None:
    rng = np.random.default_rng(7)

    def drawn(sets: int, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        x = 100 * rng.beta(0.6, 0.6, (sets, n))
        common = -0.02 * x + 0.5 * rng.standard_normal(x.shape)
        noise = rng.standard_normal((2, *x.shape))
        return x, common + 0.3 * noise[0], common + 0.9 * noise[1]

    x, one, two = drawn(1, 400_000)
    truth = abs(true_correlation(x, one, kind)) - abs(true_correlation(x, two, kind))
    x, one, two = drawn(2000, 30)
    gap, ends = difference_interval(correlate(x, one, kind), correlate(x, two, kind))
    assert 0.93 <= coverage(ends, truth) <= 0.985
    assert gap.mean() == pytest.approx(truth, abs=0.02)
    apart = np.ptp(correlate(x, two, kind).interval, axis=1)
    assert np.median(np.ptp(ends, axis=1)) < 1.2 * np.median(apart)


@given(st.integers(4, 40), st.integers(0, 1000), st.floats(0.01, 100), st.floats(-50, 50))
def test_scaling_moving_and_reordering_change_nothing_and_turning_turns_the_sign(
    n: int, seed: int, scale: float, shift: float
) -> None:
    x, y = (v[0] for v in _points(n, seed))
    order = np.random.default_rng(seed).permutation(n)
    for kind in KINDS:
        correlated = correlate(x, y, kind)
        other = correlate((shift + scale * x)[order], y[order], kind)
        turned = correlate(100 - x, y, kind)
        assert float(other.r) == pytest.approx(float(correlated.r), abs=1e-9)
        np.testing.assert_allclose(other.interval, correlated.interval, atol=1e-6)
        assert float(turned.r) == pytest.approx(-float(correlated.r), abs=1e-9)
        np.testing.assert_allclose(turned.interval, -correlated.interval[::-1], atol=1e-6)


def test_sets_are_correlated_at_once_as_one_by_one() -> None:
    x, y = _points(20, 8, sets=5)
    for kind in KINDS:
        together = correlate(x, y, kind)
        for i in range(5):
            alone = correlate(x[i], y[i], kind)
            np.testing.assert_allclose(together.interval[i], alone.interval)


def test_what_cannot_be_correlated_says_why() -> None:
    few = correlate([1, 2, 3], [1, 2, 4])
    assert "3 points" in str(few.reason)
    assert np.isnan(few.r)
    alike = correlate([[1, 1, 1, 1, 1], [1, 2, 3, 4, 5]], [1, 2, 3, 4, 6])
    assert "are equal" in str(alike.reason[0])
    assert np.isnan(alike.interval[0]).all()
    assert str(alike.reason[1]) == ""
    assert alike.r[1] > 0.9
    with pytest.raises(ValueError, match="finite"):
        correlate([1, 2, np.nan, 4], [1, 2, 3, 4])
    with pytest.raises(ValueError, match="pearson"):
        correlate([1, 2, 3, 4], [1, 2, 3, 4], "kendall")  # type: ignore[arg-type]


def test_points_on_a_line_correlate_exactly() -> None:
    for kind in KINDS:
        correlated = correlate(np.arange(10), 3 - 2 * np.arange(10), kind)
        assert float(correlated.r) == pytest.approx(-1)
        np.testing.assert_allclose(correlated.interval, -1)
        assert float(correlated.p) == pytest.approx(0, abs=1e-12)


def test_very_many_points_are_left_out_in_groups_and_agree_with_one_by_one() -> None:
    from biaslab.stats import correlation

    x, y = (np.round(v[0], 1) for v in _points(1000, 11))
    grouped = correlate(x, y, "spearman")
    assert grouped.z_left_out.shape == (correlation.GROUPS,)
    assert float(grouped.r) == pytest.approx(stats.spearmanr(x, y)[0], abs=1e-12)
    one_by_one = correlation._pearson(
        correlation._ranks_left_out(x), correlation._ranks_left_out(y)
    )
    exact = np.sqrt(correlation.jackknife_variance(np.arctanh(one_by_one)))
    grouped_error = np.sqrt(correlation.jackknife_variance(grouped.z_left_out))
    assert grouped_error == pytest.approx(exact, rel=0.25)
    many = correlate(np.arange(5_000), np.arange(5_000) % 977, "spearman")
    assert np.isfinite(many.interval).all()


def test_another_source_of_variance_widens_the_interval() -> None:
    x, y = (v[0] for v in _points(30, 9))
    widths = [np.ptp(correlate(x, y, extra_variance=v).interval) for v in (0, 0.02)]
    assert widths[1] > widths[0]


def test_holm_is_the_textbooks() -> None:
    """Holm 1979: of p = 0.01, 0.04, 0.03, 0.005 only the smallest two are below 0.05."""
    adjusted = holm([0.01, 0.04, np.nan, 0.03, 0.005])
    np.testing.assert_allclose(adjusted, [0.03, 0.06, np.nan, 0.06, 0.02])


def test_values_that_are_equal_but_for_rounding_are_ties_in_any_unit() -> None:
    y = np.array([3.0, 1, 2, 5, 4, 6, 8, 7])
    plain = correlate(np.array([3.0, 3, 3, 4, 4, 5, 6, 7]), y, "spearman")
    # 0.1 + 0.2 and 0.3 are one number: which of them is larger depends on how it was computed.
    x = np.array([0.3, 0.1 + 0.2, 0.1 * 3, 0.4, 0.1 + 0.3, 0.5, 0.6, 0.7])
    for unit in (1, 1 / 3, 1e-5, 3e7):
        for turned in (x, -x[::-1]):
            correlated = correlate(turned * unit, y if turned is x else -y[::-1], "spearman")
            assert correlated.r == pytest.approx(float(plain.r), abs=1e-12)
            np.testing.assert_allclose(correlated.interval, plain.interval, atol=1e-12)


@pytest.mark.parametrize("kind", ["pearson", "spearman"])
def test_numbers_that_differ_by_rounding_only_have_no_correlation(kind: Kind) -> None:
    x = np.array([0.3, 0.1 + 0.2, 0.1 * 3, 0.9 / 3, 1 - 0.7, 0.6 / 2])
    correlated = correlate(x, np.arange(6.0), kind)
    assert np.isnan(correlated.r)
    assert "are equal" in str(correlated.reason)
