"""Two-sample tests of counts agree with scipy's, and handle cells that are empty."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from biaslab.errors import RatingError
from biaslab.probes.rating.output_statistics import TESTS, kl_divergence, two_samples
from harness.heavy import stats

pytestmark = pytest.mark.numeric

TABLES = [
    ((40, 0, 0), (36, 4, 0)),
    ((20, 20, 0), (4, 36, 0)),
    ((13, 20, 7), (20, 20, 0)),
    ((5, 9, 2), (8, 8, 3)),
    ((0, 0, 40), (20, 20, 0)),
]


def without_empty(one: tuple[int, ...], two: tuple[int, ...]) -> np.ndarray:
    table = np.array([one, two])
    return table[:, table.sum(0) > 0]


@pytest.mark.parametrize(("one", "two"), TABLES)
def test_pearson_and_likelihood_ratio_are_those_of_scipy(
    one: tuple[int, ...], two: tuple[int, ...]
) -> None:
    table = without_empty(one, two)
    for test, power in (("chi-squared", "pearson"), ("G", "log-likelihood")):
        theirs = stats.chi2_contingency(table, correction=False, lambda_=power)
        ours = two_samples(one, two, test)
        assert ours.statistic == pytest.approx(theirs.statistic)
        assert ours.p == pytest.approx(theirs.pvalue, rel=1e-9, abs=1e-300)
        assert ours.df == theirs.dof


@pytest.mark.parametrize(("one", "two"), TABLES)
def test_the_exact_test_is_that_of_scipy(one: tuple[int, ...], two: tuple[int, ...]) -> None:
    table = without_empty(one, two)
    draws = stats.MonteCarloMethod(n_resamples=20_000, rng=np.random.default_rng(1))
    theirs = stats.fisher_exact(table, method=None if table.shape == (2, 2) else draws).pvalue
    assert two_samples(one, two, "exact").p == pytest.approx(theirs, rel=0.05, abs=2e-3)


def test_the_exact_test_of_two_cells_is_fishers() -> None:
    for a, b in (((8, 2), (1, 5)), ((40, 0), (36, 4)), ((3, 9), (3, 9))):
        theirs = stats.fisher_exact([a, b]).pvalue
        assert two_samples(a, b, "exact").p == pytest.approx(theirs, rel=1e-9)


def test_kolmogorov_smirnov_is_that_of_scipy() -> None:
    one, two = (5, 9, 2, 14), (8, 8, 3, 11)
    samples = [np.repeat(np.arange(4), counts) for counts in (one, two)]
    theirs = stats.ks_2samp(*samples, method="asymp")
    ours = two_samples(one, two, "Kolmogorov-Smirnov")
    assert ours.statistic == pytest.approx(theirs.statistic)
    assert ours.p == pytest.approx(theirs.pvalue)


def test_the_papers_own_example_of_always_he() -> None:
    """Always "he" per mention is 40/0/0 against 36/4/0: 4.2, p = 0.04; per text half of it."""
    found = two_samples((40, 0, 0), (36, 4, 0))
    assert float(found.statistic) == pytest.approx(4.2105, abs=1e-4)
    assert float(found.p) == pytest.approx(0.0402, abs=1e-4)
    assert float(two_samples((20, 0, 0), (18, 2, 0)).p) == pytest.approx(0.1468, abs=1e-4)


def test_a_cell_that_is_empty_in_both_is_left_out() -> None:
    with_empty, without = two_samples((5, 9, 0), (8, 8, 0)), two_samples((5, 9), (8, 8))
    assert with_empty.p == without.p
    assert with_empty.df == without.df == 1
    same = two_samples((7, 0, 0), (9, 0, 0))
    assert same.p == 1
    assert same.df == 0


counts = st.lists(st.integers(0, 30), min_size=2, max_size=4)


@given(counts, st.data())
def test_order_of_samples_and_of_cells_does_not_matter(one: list[int], data: st.DataObject) -> None:
    two = data.draw(st.lists(st.integers(0, 30), min_size=len(one), max_size=len(one)))
    assume(sum(one) > 0 and sum(two) > 0)
    order = data.draw(st.permutations(range(len(one))))
    for test in ("chi-squared", "G", "exact"):
        p = float(two_samples(one, two, test).p)
        assert 0 <= p <= 1 + 1e-12
        assert float(two_samples(two, one, test).p) == pytest.approx(p, rel=1e-6, abs=1e-9)
        turned = [[sample[i] for i in order] for sample in (one, two)]
        assert float(two_samples(*turned, test).p) == pytest.approx(p, rel=1e-6, abs=1e-9)


@given(counts)
def test_a_sample_is_like_itself(one: list[int]) -> None:
    assume(sum(one) > 0)
    for test in TESTS:
        assert float(two_samples(one, one, test).p) == pytest.approx(1)
    assert float(kl_divergence(one, one)) == pytest.approx(0)


@given(counts, counts)
def test_divergence_is_never_negative_nor_infinite(one: list[int], two: list[int]) -> None:
    assume(len(one) == len(two))
    divergence = float(kl_divergence(one, two))
    assert -1e-12 <= divergence < np.inf


def test_many_tables_at_a_time_are_as_one_by_one() -> None:
    ones, twos = (np.array(side) for side in zip(*TABLES, strict=True))
    for test in TESTS:
        together = two_samples(ones, twos, test).p
        alone = [float(two_samples(a, b, test).p) for a, b in TABLES]
        assert together.tolist() == pytest.approx(alone)


def test_a_large_exact_table_is_simulated_near_its_p() -> None:
    one, two = (150, 170, 160, 120), (170, 150, 165, 115)
    exact = float(two_samples(one, two, "exact").p)
    assert exact == pytest.approx(float(two_samples(one, two).p), abs=0.02)


def test_what_is_no_sample_is_refused() -> None:
    with pytest.raises(RatingError, match="An empty sample"):
        two_samples((0, 0), (1, 2))
    with pytest.raises(RatingError, match="at least 0"):
        two_samples((-1, 3), (1, 2))
    with pytest.raises(RatingError, match="No test 't'"):
        two_samples((1, 3), (1, 2), "t")  # type: ignore[arg-type]
