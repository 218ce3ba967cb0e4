"""Permutation test of a difference of means, exact or by random splits.

All splits of N values into lists of n and m are equally likely under the null hypothesis that the
lists do not matter. The mean of the differences over all splits is 0 for any n and m, so
that "as far from 0" and "as far from the mean of the null" are the same; the two-sided test uses
it. (The sum form of Caliskan et al., sum over X minus sum over Y, has another mean if n and m
differ, and its two-sided p-value would depend on where cosines are centred.)
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from biaslab.records.record import Record

Floats = NDArray[np.float64]
Alternative: TypeAlias = Literal["greater", "less", "two-sided"]
Seed: TypeAlias = int | np.random.Generator | None
Picks: TypeAlias = NDArray[np.signedinteger[Any]]

ALTERNATIVES: Final[tuple[str, ...]] = get_args(Alternative)
TOLERANCE: Final = 1e-12
"""Differences nearer than this share of the sum of all absolute values count as equal."""
_AT_ONCE: Final = 4_000_000
"""Differences held in memory at a time."""
_BARS: Final = 15
"""Number of histogram bars on either side of 0, approximately."""


@dataclass(frozen=True)
class PermutationTest(Record):
    """Rank of an observed difference of means among those of other splits.

    Attributes
    ----------
    observed : float
        Mean of list 1 minus mean of list 2.
    alternative : str
        ``greater``, ``less`` or ``two-sided``.
    exceed : int
        Splits whose difference reaches the observed one, ties included. In an exact
        test the observed split is one of them.
    partitions : int
        Number of splits in the test: all in an exact test, else the drawn ones.
    exact : bool
        Whether all splits were looked at.
    possible : int
        Number of possible splits.
    sd : float
        Standard deviation of the differences over all splits (exact, from the values).
    edges : ndarray, shape (K + 1,)
        Edges of the histogram, symmetric about 0.
    counts, reached : ndarray, shape (K,)
        Number of splits in each bar, and of those that reach the observed difference.
    """

    observed: float
    alternative: Alternative
    exceed: int
    partitions: int
    exact: bool
    possible: int
    sd: float
    edges: Floats
    counts: NDArray[np.int64]
    reached: NDArray[np.int64]

    @property
    def fraction(self) -> tuple[int, int]:
        """The p-value as a fraction: k / n, or (k + 1) / (n + 1) for drawn splits.

        The observed split is a possible one and was not drawn: leaving it out would allow p = 0
        (Phipson and Smyth 2010).
        """
        if self.exact:
            return self.exceed, self.partitions
        return self.exceed + 1, self.partitions + 1

    @property
    def p(self) -> float:
        """The p-value, in (0, 1]."""
        k, n = self.fraction
        return k / n


def permutation_test(
    values: Floats,
    n_1: int,
    *,
    alternative: Alternative = "greater",
    exact_up_to: int = 100_000,
    permutations: int = 10_000,
    seed: Seed = 0,
) -> PermutationTest:
    """Test whether the first `n_1` values have a higher mean than the others.

    Parameters
    ----------
    values : ndarray, shape (N,)
        Finite.
    n_1 : int
        Length of list 1, from 1 to N - 1.
    alternative : str
        ``greater``: list 1 is higher; ``less``; ``two-sided``: as far from 0 on either side.
    exact_up_to : int
        All splits are enumerated if there are at most this many.
    permutations : int
        Else this many are drawn, independently of each other, each without replacement.
    seed : int or numpy.random.Generator
        Of the drawn splits.

    Returns
    -------
    PermutationTest

    Raises
    ------
    ValueError
        When an option is out of range or a value is not finite.
    """
    centred = _centred(values[None], n_1, alternative, permutations)
    n, n_2 = len(values), len(values) - n_1
    exact = math.comb(n, n_1) <= exact_up_to
    picks = None if exact else random_subsets(n, min(n_1, n_2), permutations, seed)
    differences = _differences(centred, n_1, picks)
    observed = float(_observed(centred, n_1)[0])
    reaches = _reaching(differences[0], observed, alternative, _tolerance(values))
    # Variance of a mean drawn without replacement, in its closed form.
    spread = math.sqrt(float((centred**2).sum()) / (n - 1) * n / (n_1 * n_2)) if n > 1 else 0.0
    edges = _edges(max(float(np.abs(differences).max()), abs(observed)))
    return PermutationTest(
        observed=observed,
        alternative=alternative,
        exceed=int(reaches.sum()),
        partitions=differences.shape[1],
        exact=exact,
        possible=math.comb(n, n_1),
        sd=spread,
        edges=edges,
        counts=_counted(differences[0], edges),
        reached=_counted(differences[0][reaches], edges),
    )


def exceedances(
    values: Floats,
    n_1: int,
    *,
    alternative: Alternative = "greater",
    exact_up_to: int = 100_000,
    permutations: int = 10_000,
    seed: Seed = 0,
) -> tuple[NDArray[np.int64], int, bool]:
    """Run the same test for each of B rows over the same splits.

    Parameters
    ----------
    values : ndarray, shape (B, N)

    Returns
    -------
    exceed : ndarray, shape (B,)
        Splits that reach each row's observed difference.
    partitions : int
        Splits looked at.
    exact : bool
        Whether these are all.
    """
    centred = _centred(values, n_1, alternative, permutations)
    observed = _observed(centred, n_1)
    n = values.shape[1]
    exact = math.comb(n, n_1) <= exact_up_to
    looked_at = math.comb(n, n_1) if exact else permutations
    picks = None if exact else random_subsets(n, min(n_1, n - n_1), permutations, seed)
    exceed = np.zeros(len(values), dtype=np.int64)
    step = max(1, _AT_ONCE // looked_at)
    for begin in range(0, len(values), step):
        differences = _differences(centred[begin : begin + step], n_1, picks)
        for row, difference in enumerate(differences, start=begin):
            tolerance = _tolerance(values[row])
            exceed[row] = _reaching(difference, float(observed[row]), alternative, tolerance).sum()
    return exceed, looked_at, exact


def subset_sums(values: Floats, size: int) -> Floats:
    """Return sums of all subsets of a size, shape (B, N) -> (B, C(N, size)).

    Grown value by value: a subset of the first i values has the i-th or has it not. No subset is
    listed, so that this costs little more than the additions.
    """
    rows, n = values.shape
    if 2 * size > n:  # the smaller side decides the larger one
        return np.asarray(values.sum(axis=1, keepdims=True) - subset_sums(values, n - size))
    sums: list[Floats] = [np.zeros((rows, 1))]
    for i in range(n):
        value = values[:, i, None]
        fewest = max(size - (n - 1 - i), 0)  # smaller ones can no longer grow to the size
        grown: list[Floats] = []
        for count in range(min(i + 1, size) + 1):
            if count < fewest:
                grown.append(np.zeros((rows, 0)))
                continue
            without = sums[count] if count < len(sums) else np.zeros((rows, 0))
            if count == 0:
                grown.append(without)
            else:
                grown.append(np.concatenate([without, sums[count - 1] + value], axis=1))
        sums = grown
    return sums[size]


def random_subsets(n: int, size: int, draws: int, seed: Seed) -> Picks:
    """Draw subsets of 0 .. n - 1, each without replacement: shape (size, draws).

    The first `size` steps of Fisher and Yates's shuffle, for all draws at a time.
    """
    rng = np.random.default_rng(seed)
    small = np.int16 if n < 2**15 else np.intp  # the shuffled block should fit into a cache
    deck = np.repeat(np.arange(n, dtype=small), draws)  # place i of draw d at i * draws + d
    columns = np.arange(draws, dtype=np.intp)
    picks = np.empty((size, draws), dtype=small)
    for i in range(size):
        at = rng.integers(i, n, size=draws, dtype=np.intp)
        at *= draws
        at += columns
        np.take(deck, at, out=picks[i])
        deck[at] = deck[i * draws : (i + 1) * draws]
    return picks


def _differences(centred: Floats, n_1: int, picks: Picks | None) -> Floats:
    """Return differences of means of all splits, or of given ones: (B, P)."""
    n = centred.shape[1]
    if picks is None:
        sums = subset_sums(centred, n_1)
    else:
        sums = _sums_of(centred, picks)
        if len(picks) != n_1:
            sums = -sums
    # The values are centred: the two lists' sums are opposite.
    return np.asarray(sums * (1 / n_1 + 1 / (n - n_1)))


def _sums_of(values: Floats, picks: Picks) -> Floats:
    out = np.zeros((len(values), picks.shape[1]))
    for row, total in zip(values, out, strict=True):
        for pick in picks:
            total += row[pick]
    return out


def _centred(values: Floats, n_1: int, alternative: str, permutations: int) -> Floats:
    if alternative not in ALTERNATIVES:
        raise ValueError(f"alternative is {alternative!r}: choose {', '.join(ALTERNATIVES)}.")
    if not 1 <= n_1 < values.shape[1]:
        raise ValueError(
            f"List 1 has {n_1} of {values.shape[1]} values: both lists need at least one."
        )
    if permutations < 1:
        raise ValueError(f"permutations is {permutations}: use at least 1, such as 10,000.")
    if not np.isfinite(values).all():
        raise ValueError("A value is not finite. Leave it out first.")
    return np.asarray(values - values.mean(axis=1, keepdims=True), dtype=np.float64)


def _observed(centred: Floats, n_1: int) -> Floats:
    return np.asarray(centred[:, :n_1].mean(axis=1) - centred[:, n_1:].mean(axis=1))


def _tolerance(values: Floats) -> float:
    return TOLERANCE * float(np.abs(values).sum())


def _reaching(
    differences: Floats, observed: float, alternative: str, tolerance: float
) -> NDArray[np.bool_]:
    if alternative == "greater":
        return np.asarray(differences >= observed - tolerance)
    if alternative == "less":
        return np.asarray(differences <= observed + tolerance)
    return np.asarray(np.abs(differences) >= abs(observed) - tolerance)


def _edges(reach: float) -> Floats:
    """Round edges symmetric about 0, about 15 bars a side; 0 is an edge."""
    if reach <= 0:
        return np.array([-1.0, 0.0, 1.0])
    step = _nice(reach / _BARS)
    bars = math.ceil(reach / step * (1 + 1e-9))
    return np.asarray(np.arange(-bars, bars + 1) * step, dtype=np.float64)


def _nice(step: float) -> float:
    power = 10.0 ** math.floor(math.log10(step))
    return float(next(m for m in (1, 2, 2.5, 5, 10) if m * power >= step * (1 - 1e-12)) * power)


def _counted(differences: Floats, edges: Floats) -> NDArray[np.int64]:
    return np.asarray(np.histogram(differences, edges)[0], dtype=np.int64)
