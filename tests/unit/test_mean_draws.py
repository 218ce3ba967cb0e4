"""Intervals of means over words: generalised pivots of a list, and of a table."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray

from biaslab.probes.association.draws import TableDraws, mean_draws
from biaslab.probes.association.word_draws import one_draw_each
from harness.deferred import Deferred

stats = Deferred("scipy.stats")

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Truth:
    """A table whose weighted mean is 0; SDs of rows, columns and single cells."""

    rows: tuple[int, ...]
    columns: tuple[int, ...]
    weights: tuple[tuple[float, ...], ...] = ((1.0,),)
    of_rows: float = 0.1
    of_columns: float = 0.1
    single: float = 0.1
    skewed: bool = False

    def table(self, rng: np.random.Generator) -> Floats:
        n, m = sum(self.rows), sum(self.columns)
        words = rng.standard_exponential(n) - 1 if self.skewed else rng.standard_normal(n)
        table = self.of_rows * words[:, None] + self.of_columns * rng.standard_normal(m)
        return np.asarray(table + self.single * rng.standard_normal((n, m)))

    def missed(self, runs: int, seed: int = 3) -> Floats:
        """Shares of intervals of nominal 95 % above the truth, and below it."""
        rng = np.random.default_rng(seed)
        missed = np.zeros(2)
        for _ in range(runs):
            drawn = TableDraws(self.table(rng)[None], self.rows, self.columns, 1000, rng)(
                np.array(self.weights)
            )
            assert drawn is not None
            low, high = np.quantile(drawn.of_mean, [0.025, 0.975])
            missed += [low > 0, high < 0]
        return missed / runs


ALIKE = ((0.25, 0.25), (0.25, 0.25))
OWN = ((0.5, 0.0), (0.0, 0.5))
CASES = [
    Truth((2,), (2,)),
    Truth((3,), (3,)),
    Truth((8,), (2,)),
    Truth((8,), (8,)),
    Truth((8,), (8,), single=0.3),
    Truth((25,), (25,)),
    Truth((5, 5, 5), (12, 12, 12), ((1 / 9,) * 3,) * 3, of_rows=0.05, single=0.05),
    Truth((3, 3), (4, 4), OWN),
    Truth((1, 4), (3, 1), OWN),
    Truth((2, 12), (3, 8), ((1 / 7, 0), (0, 6 / 7))),
    Truth((3, 3), (4, 4), ALIKE, skewed=True),
]


def test_one_list_has_students_interval() -> None:
    values = np.array([[0.3, 0.1, 0.4, 0.15, 0.9]])
    drawn = mean_draws(values, 200_000, np.random.default_rng(0))
    assert drawn is not None
    assert drawn.of_one is None
    mean, error = values.mean(), values.std(ddof=1) / math.sqrt(5)
    for p in (0.025, 0.2, 0.975):
        expected = mean + error * stats.t.ppf(p, 4)
        assert np.quantile(drawn.of_mean, p) == pytest.approx(expected, abs=0.03 * error)


def test_a_side_of_one_word_has_no_draws() -> None:
    rng = np.random.default_rng(0)
    assert mean_draws(np.ones((3, 1)), 10, rng) is None
    draw = TableDraws(rng.normal(size=(2, 4, 5)), [1, 3], [4, 1], 10, rng)
    assert draw(np.array([[1.0, 0.0], [0.0, 0.0]])) is None
    assert draw(np.array([[0.0, 0.0], [0.0, 1.0]])) is None
    found = draw(np.array([[0.5, 0.0], [0.0, 0.5]]))
    assert found is not None
    assert found.of_one is not None
    assert np.isfinite([found.of_mean, found.of_one]).all()


def test_draws_lie_around_the_weighted_mean_of_the_blocks() -> None:
    rng = np.random.default_rng(1)
    table = rng.normal(size=(4, 6, 9))
    weights = np.array([[0.1, 0.4], [0.5, 0.0]])
    drawn = TableDraws(table, [2, 4], [3, 6], 4000, rng)(weights)
    assert drawn is not None
    mean = table.mean(axis=0)
    expected = 0.1 * mean[:2, :3].mean() + 0.4 * mean[:2, 3:].mean() + 0.5 * mean[2:, :3].mean()
    assert np.median(drawn.of_mean) == pytest.approx(expected, abs=0.03)


def test_a_list_without_weight_changes_nothing() -> None:
    table = np.random.default_rng(2).normal(size=(1, 7, 8))
    other = table.copy()
    other[:, 4:], other[..., 5:] = 9, 9
    weights = np.array([[1.0, 0.0], [0.0, 0.0]])
    one, two = (
        TableDraws(each, [4, 3], [5, 3], 50, np.random.default_rng(5))(weights)
        for each in (table, other)
    )
    assert one is not None
    assert two is not None
    np.testing.assert_allclose(one.of_mean, two.of_mean)


def test_short_lists_are_covered() -> None:
    """Percentiles of resampled words cover 87 and 91 % here."""
    for truth in (Truth((3,), (3,)), Truth((3, 3), (4, 4), OWN)):
        assert truth.missed(200).sum() < 0.065


@pytest.mark.validate
@pytest.mark.parametrize("truth", CASES, ids=str)
def test_intervals_over_words_hold(truth: Truth) -> None:
    """At least 93.5 % of nominal 95 %, and at most 5 % of misses on either side."""
    missed = truth.missed(1500)
    assert missed.sum() <= 0.065
    assert missed.max() <= 0.05


@pytest.mark.validate
@pytest.mark.parametrize("sizes", [(3, 3, 3, 3), (8, 8, 2, 2), (8, 8, 8, 8)], ids=str)
def test_one_draw_in_each_of_many_contexts_holds(sizes: tuple[int, int, int, int]) -> None:
    """CEAT's effect size of endless lists, over contexts that vary less than words."""
    rng = np.random.default_rng(4)
    n_x, n_y, n_a, n_b = sizes
    group, column = np.repeat([0.5, -0.5], [n_x, n_y]), np.repeat([0.5, -0.5], [n_a, n_b])
    truth = 0.1 / math.sqrt(0.1**2 + 0.1**2 / 4)
    missed = 0
    for _ in range(600):
        words = 0.1 * np.outer(rng.standard_normal(n_x + n_y), column) + 0.1 * np.outer(
            group, column
        )
        words += 0.05 * np.outer(group, rng.standard_normal(n_a + n_b))
        tables = words + 0.05 * rng.standard_normal((500, *words.shape))
        drawn = one_draw_each(tables, (n_x, n_y), (n_a, n_b), 1, rng)
        low, high = np.nanquantile(drawn, [0.025, 0.975], axis=1)
        missed += not low.min() <= truth <= high.max()
    assert missed / 600 <= 0.065
