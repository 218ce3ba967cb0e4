"""Two-sample tests of counts: whether an output looks like a specification.

After Srivastava and Rossi (2018), section 3.2. All take counts over the same cells, shape (..., k),
broadcast against each other, and need not be whole but for the exact test. A cell that is empty in
both samples says nothing and is left out, one degree of freedom with it; where one cell is left the
samples agree and p is 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from biaslab.errors import RatingError
from biaslab.stats.reproducibility import order

Floats = NDArray[np.float64]
Test = Literal["chi-squared", "G", "exact", "Kolmogorov-Smirnov"]
TESTS: tuple[Test, ...] = ("chi-squared", "G", "exact", "Kolmogorov-Smirnov")

OneTest = Callable[[Floats, Floats], tuple[float, float]]
"""Statistic and p-value of one pair of samples, each of shape (k,)."""

_MOST_TABLES = 500_000
_DRAWS = 100_000


class TwoSamples(NamedTuple):
    """Statistics, degrees of freedom (0 if a test has none) and p-values, all (...)."""

    statistic: Floats
    df: NDArray[np.int64]
    p: Floats


def two_samples(first: ArrayLike, second: ArrayLike, test: Test = "chi-squared") -> TwoSamples:
    """Test whether two samples come from one distribution.

    Parameters
    ----------
    first, second : array_like
        Counts, shape (..., k), at least 0 and not all 0.
    test : {"chi-squared", "G", "exact", "Kolmogorov-Smirnov"}
        Pearson's chi-squared (as Apache Commons Math computes it, which the paper used), the
        likelihood ratio, Freeman and Halton's extension of Fisher's test (by simulation beyond
        500,000 tables), or the largest distance of cumulative shares, which needs ordered cells.

    Raises
    ------
    RatingError
        If a count is negative or not a number, a sample is empty, or the test is unknown.
    """
    a, b = (np.array(x, np.float64) for x in np.broadcast_arrays(first, second))
    if not (np.isfinite(a).all() and np.isfinite(b).all() and (a >= 0).all() and (b >= 0).all()):
        raise RatingError("Counts must be finite and at least 0.")
    if not ((a.sum(-1) > 0).all() and (b.sum(-1) > 0).all()):
        raise RatingError("An empty sample cannot be compared. Run more texts.")
    if test == "chi-squared":
        return _by_chi_squared(_pearson(a, b), a, b)
    if test == "G":
        return _by_chi_squared(_likelihood_ratio(a, b), a, b)
    if test == "exact":
        return _each(a, b, _exact)
    if test == "Kolmogorov-Smirnov":
        return _each(a, b, _kolmogorov_smirnov)
    raise RatingError(f"No test {test!r}: there are {', '.join(TESTS)}.")


def kl_divergence(output: ArrayLike, specification: ArrayLike) -> Floats:
    """Compute the Kullback-Leibler divergence from a specification, in nats.

    Half a count is added to each cell of both, so that a value which the specification never has
    does not make it infinite.
    """
    a = np.asarray(output, np.float64) + 0.5
    b = np.asarray(specification, np.float64) + 0.5
    p, q = a / a.sum(-1, keepdims=True), b / b.sum(-1, keepdims=True)
    return np.asarray((p * np.log(p / q)).sum(-1))


def _by_chi_squared(statistic: Floats, a: Floats, b: Floats) -> TwoSamples:
    df = ((a + b) > 0).sum(-1) - 1
    p = np.where(df > 0, special.chdtrc(np.maximum(df, 1), statistic), 1.0)
    return TwoSamples(statistic, df, p)


def _pearson(a: Floats, b: Floats) -> Floats:
    ratio = np.sqrt(b.sum(-1, keepdims=True) / a.sum(-1, keepdims=True))
    both = a + b
    squares = np.square(a * ratio - b / ratio)
    return np.asarray(np.divide(squares, both, out=np.zeros_like(both), where=both > 0).sum(-1))


def _likelihood_ratio(a: Floats, b: Floats) -> Floats:
    both = a + b
    total = both.sum(-1, keepdims=True)
    parts = np.zeros(a.shape[:-1])
    for sample in (a, b):
        expected = both * sample.sum(-1, keepdims=True) / total
        parts = parts + (special.xlogy(sample, sample) - special.xlogy(sample, expected)).sum(-1)
    return np.asarray(np.maximum(2 * parts, 0.0))


def _each(a: Floats, b: Floats, test: OneTest) -> TwoSamples:
    flat = [
        test(x, y)
        for x, y in zip(a.reshape(-1, a.shape[-1]), b.reshape(-1, b.shape[-1]), strict=True)
    ]
    statistic, p = (
        np.array(values, np.float64).reshape(a.shape[:-1]) for values in zip(*flat, strict=True)
    )
    return TwoSamples(statistic, np.zeros(a.shape[:-1], np.int64), p)


def _exact(a: Floats, b: Floats) -> tuple[float, float]:
    """Return the table's log probability given its margins, and the exact p-value."""
    row, other = _whole(a), _whole(b)
    keep = row + other > 0
    row, other = row[keep], other[keep]
    columns, size = row + other, int(row.sum())
    observed = float(_log_ways(columns, row))
    whole = float(_log_ways(np.array([columns.sum()]), np.array([size])))
    # The tolerance makes tables that are equally probable equal in spite of rounding.
    limit = observed + 1e-7
    if math.prod(int(c) + 1 for c in columns[:-1]) <= _MOST_TABLES:
        tables = _tables(columns, size)
        ways = _log_ways(columns, tables)
        p = float(np.exp(ways[ways <= limit] - whole).sum())
    else:
        drawn = np.random.default_rng(0).multivariate_hypergeometric(columns, size, _DRAWS)
        p = (float((_log_ways(columns, drawn) <= limit).sum()) + 1) / (_DRAWS + 1)
    return observed - whole, min(p, 1.0)


def _tables(columns: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    """Return all first rows with these column sums, shape (tables, k)."""
    rows = np.zeros((1, 0), np.int64)
    for c in columns[:-1]:
        choices = np.arange(c + 1)
        rows = np.column_stack([np.repeat(rows, len(choices), axis=0), np.tile(choices, len(rows))])
        rows = rows[rows.sum(1) <= size]
    last = size - rows.sum(1)
    good = last <= columns[-1]
    return np.column_stack([rows[good], last[good]])


def _log_ways(columns: NDArray[np.int64], rows: NDArray[np.int64]) -> Floats:
    gamma = special.gammaln
    return np.asarray((gamma(columns + 1) - gamma(rows + 1) - gamma(columns - rows + 1)).sum(-1))


def _whole(counts: Floats) -> NDArray[np.int64]:
    """Round counts to whole numbers with the same sum, by largest remainders."""
    floors = np.floor(counts + 1e-9).astype(np.int64)
    missing = round(float(counts.sum())) - int(floors.sum())
    for i in order(counts - floors, descending=True)[:missing]:
        floors[i] += 1
    return floors


def _kolmogorov_smirnov(a: Floats, b: Floats) -> tuple[float, float]:
    from scipy import stats

    distance = float(np.abs(np.cumsum(a) / a.sum() - np.cumsum(b) / b.sum()).max())
    effective = a.sum() * b.sum() / (a.sum() + b.sum())
    p = float(stats.kstwo.sf(distance, max(round(float(effective)), 1)))
    return distance, min(max(p, 0.0), 1.0)
