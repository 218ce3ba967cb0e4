"""Statistics of an output's counts: shares with intervals, and two-sample tests.

The channel of a service from an *input* value is a row of counts: of 20 mentions of "he", 19
were returned as he and one as it. Inputs have exact numbers of each value, so the share of a
value in the output at the shares w of the input is a weighted mean over rows, and only the rows
are uncertain:

    share_j = sum_v w_v kept_v r_vj / sum_v w_v kept_v

with kept_v the share of row v in which any of the compared values came back, and r_vj the share of
value j among those. Its limits put together the Wilson limits of every kept_v and r_vj by the
method of variance estimates recovery (Zou and Donner 2008), linearised where it is a ratio.

Two-sample tests, whether an output looks like a specification, are after Srivastava and Rossi
(2018), section 3.2. All take counts over the same cells, shape (..., k), broadcast against each
other, and need not be whole but for the exact test. A cell that is empty in both samples says
nothing and is left out, one degree of freedom with it; where one cell is left the samples agree and
p is 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from biaslab.errors import RatingError
from biaslab.stats.reproducibility import order

Floats = NDArray[np.float64]
Draws = NDArray[np.floating[Any]]

LEAST_DESIGN_EFFECT = 0.5


class Shares(NamedTuple):
    """Shares of compared values in the output and their limits, all of shape (..., k)."""

    share: Floats
    low: Floats
    high: Floats


def output_shares(
    rows: Floats, weights: Floats, z: float | Floats, design_effect: Floats
) -> Shares:
    """Return shares of the compared values among mentions that kept one, with limits.

    - `rows`, ndarray, shape (..., V, k + 1): counts by input value and output value; the last
      column counts unresolved or lost ones.
    - `weights`, ndarray, shape (..., V): shares of the input values; broadcast.
    - `z`, float or ndarray, shape (...): normal quantile of each limit, such as 1.645 for one-sided
      95 %.
    - `design_effect`, ndarray, shape (...): variance inflation by correlated mentions.
    - Returns: NaN if no row with a weight kept a value.
    """
    effect = np.asarray(design_effect)[..., None]
    total, retained = rows.sum(-1), rows[..., :-1].sum(-1)
    keep = _over(retained, total)
    among = _over(rows[..., :-1], retained[..., None])
    # A row without data, or without kept mentions, may be anything.
    quantile = np.asarray(z, np.float64)[..., None]
    keep_low, keep_high = _wilson(keep, total / effect, quantile)
    among_low, among_high = _wilson(among, (retained / effect)[..., None], quantile[..., None])

    weighted = weights * keep
    scale = weighted.sum(-1)[..., None]
    with np.errstate(divide="ignore", invalid="ignore"):
        share = (weighted[..., None] * among).sum(-2) / scale
        by_among = weighted[..., None] / scale[..., None]
        by_keep = weights[..., None] * (among - share[..., None, :]) / scale[..., None]
    # In a row without kept mentions any value is possible: the farthest counts.
    none = (retained == 0)[..., None] & (weights > 0)[..., None]
    away = share[..., None, :]
    with np.errstate(divide="ignore", invalid="ignore"):
        far_up = weights[..., None] * (1 - away) / scale[..., None]
        far_down = weights[..., None] * away / scale[..., None]
    less, more = (keep - keep_low)[..., None], (keep_high - keep)[..., None]
    down = np.where(by_keep > 0, by_keep * less, by_keep * more)
    up = np.where(by_keep > 0, by_keep * more, by_keep * less)
    down, up = np.where(none, far_down * more, down), np.where(none, far_up * more, up)
    below = (by_among * (among - among_low)) ** 2 + down**2
    above = (by_among * (among_high - among)) ** 2 + up**2
    low = np.maximum(share - np.sqrt(below.sum(-2)), 0.0)
    high = np.minimum(share + np.sqrt(above.sum(-2)), 1.0)
    return Shares(share, low, high)


def within_text_correlation(
    inputs: NDArray[np.int64], answered: NDArray[np.int64], compared: NDArray[np.bool_]
) -> Floats:
    """Return the correlation of two mentions' outputs, given their inputs.

    - `inputs`, `answered`, ndarray of int, shape (..., B, T, m): input and output value of each
      mention of each text of each block; a negative output is unresolved. Means are taken within
      blocks, and the correlation is over all blocks.
    - `compared`, ndarray of bool, shape (values,): values that are compared.
    - Returns ndarray, shape (...): in [-1, 1]; 0 if every mention is returned as its input value,
      or m is 1.
    """
    m = inputs.shape[-1]
    pairs = np.zeros(inputs.shape[:-3])
    squares = np.zeros(inputs.shape[:-3])
    if m < 2:
        return pairs
    resolved = answered >= 0
    for j in np.flatnonzero(compared):
        came = (answered == j) & resolved
        residual = np.zeros(inputs.shape)
        for v in range(len(compared)):
            here = (inputs == v) & resolved
            rate = _over(
                (came & here).sum((-2, -1)).astype(float), here.sum((-2, -1)).astype(float)
            )
            residual += here * (came - rate[..., None, None])
        within = (residual**2).sum((-3, -2, -1))
        squares += within
        pairs += (residual.sum(-1) ** 2).sum((-2, -1)) - within
    return np.clip(_over(pairs / (m - 1), squares), -1.0, 1.0)


def design_effect(correlation: Floats, per_text: int) -> Floats:
    """Return the design effect of several mentions per text (Kish 1965).

    At least one half: that mentions of a text balance each other is believed only so far, since
    the correlation is itself an estimate.
    """
    return np.clip(1 + (per_text - 1) * correlation, LEAST_DESIGN_EFFECT, None)


def channel_draws(
    rows: Floats, design_effect: Floats, draws: int, rng: np.random.Generator, prior: float = 0.5
) -> Draws:
    """Draw the channel of each input value, shape (..., draws, V, k + 1).

    Each row has a Dirichlet prior with `prior` in every cell (Jeffreys's), and its counts are
    divided by the design effect.

    - `rows`, ndarray, shape (..., V, k + 1): as for `output_shares`.
    - `design_effect`, ndarray, shape (...): variance inflation by correlated mentions.
    - `draws`: how many.
    - `rng`: random generator.
    - `prior`: above 0.
    """
    alpha = rows / np.asarray(design_effect)[..., None, None] + prior
    size = (*alpha.shape[:-2], draws, *alpha.shape[-2:])
    # Single precision is far finer than the Monte Carlo error, and takes half the time.
    shape = np.broadcast_to(alpha[..., None, :, :], size).astype(np.float32)
    drawn = rng.standard_gamma(shape, dtype=np.float32)
    drawn /= drawn.sum(-1, keepdims=True)
    # Sums over values are ten times as fast with the draws of one value contiguous.
    ends = (-2, -1)
    return np.moveaxis(np.ascontiguousarray(np.moveaxis(drawn, ends, (0, 1))), (0, 1), ends)


def shares_of_draws(channel: Draws, weights: Floats) -> Draws:
    """Return shares of compared values in each draw, (..., draws, k).

    - `channel`, ndarray, shape (..., draws, V, k + 1): of `channel_draws`.
    - `weights`, ndarray, shape (V,): shares of the input values, not all 0.
    """
    first, *others = np.flatnonzero(weights)
    retained = channel.dtype.type(weights[first]) * channel[..., first, :-1]
    for v in others:
        retained += channel.dtype.type(weights[v]) * channel[..., v, :-1]
    retained /= retained.sum(-1, keepdims=True)
    return retained


def _over(a: Floats, b: Floats) -> Floats:
    """Divide a by b, with 0 where b is 0."""
    a, b = np.broadcast_arrays(np.asarray(a, np.float64), np.asarray(b, np.float64))
    return np.divide(a, b, out=np.zeros(a.shape), where=b > 0)


def _wilson(share: Floats, n: Floats, z: Floats) -> tuple[Floats, Floats]:
    """Return Wilson's limits of a share of n, possibly fractional."""
    n = np.broadcast_to(np.maximum(n, 1e-12), share.shape)
    scale = 1 + z * z / n
    middle = (share + z * z / (2 * n)) / scale
    half = z / scale * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return np.where(share <= 0, 0.0, middle - half), np.where(share >= 1, 1.0, middle + half)


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

    - `first`, `second`: counts, shape (..., k), at least 0 and not all 0.
    - `test`, {"chi-squared", "G", "exact", "Kolmogorov-Smirnov"}: pearson's chi-squared (as Apache
      Commons Math computes it, which the paper used), the likelihood ratio, Freeman and Halton's
      extension of Fisher's test (by simulation beyond 500,000 tables), or the largest distance of
      cumulative shares, which needs ordered cells.
    - Raises `RatingError` if a count is negative or not a number, a sample is empty, or the test is
      unknown.
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
