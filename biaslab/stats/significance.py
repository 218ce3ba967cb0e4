"""Significance: levels, Wilson's interval, sign test, shape, Holm, smallest effects."""

from __future__ import annotations

import math
from typing import Final, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from biaslab.records.result import Interval
from biaslab.stats.curves.sigmoids import Floats

_ROUNDING: Final = 1e-9

Adjust = Literal["none", "holm"]
"""Of many tests: each by itself, or adjusted for their number."""


def check_level(level: float, usual: float = 0.95) -> None:
    """Refuse a level out of range.

    Parameters
    ----------
    level : float
        Share of an interval, in (0, 1).
    usual : float
        Suggestion in the error.

    Raises
    ------
    ValueError
        If it is 0 or less, 1 or more, or no number.
    """
    if not 0 < level < 1:
        raise ValueError(f"level is {level}; use a share between 0 and 1, such as {usual}.")


def reaches(p: ArrayLike, level: float) -> NDArray[np.bool_]:
    """Return whether a test of this level rejects: p-values are at most 1 - level.

    Values within rounding of the limit count as equal.

    In double precision 1 - 0.9 is less than 0.1, and a p-value of 2 in 20 is not.
    """
    return np.asarray(np.asarray(p) <= 1 - level + _ROUNDING)


def wilson(successes: ArrayLike, trials: ArrayLike, level: float = 0.95) -> tuple[Floats, Floats]:
    """Return the interval of a share by Wilson (1927), valid for few trials.

    Parameters
    ----------
    successes, trials : array_like
        Counts; shapes broadcast. Need not be whole: an effective number of trials is allowed.
    level : float
        In (0, 1).

    Returns
    -------
    low, high : ndarray
        Of the broadcast shape; NaN without trials.

    Raises
    ------
    ValueError
        If a count is negative, successes exceed trials, or the level is out of range.
    """
    hits, n = np.broadcast_arrays(np.asarray(successes, float), np.asarray(trials, float))
    check_level(level)
    if (hits < 0).any() or (hits > n).any():
        raise ValueError("Successes must lie between 0 and the number of trials.")
    z = float(special.ndtri((1 + level) / 2))
    with np.errstate(divide="ignore", invalid="ignore"):
        middle = (hits + z**2 / 2) / (n + z**2)
        half = z * np.sqrt(hits * (n - hits) / n + z**2 / 4) / (n + z**2)
    # Exact at the ends, which rounding would miss by 1e-17.
    low = np.where(hits == 0, 0.0, middle - half)
    high = np.where(hits == n, 1.0, middle + half)
    return np.where(n > 0, low, np.nan), np.where(n > 0, high, np.nan)


def sign_test(wins: int, losses: int) -> float:
    """Return the two-sided p-value of the exact sign test.

    Parameters
    ----------
    wins, losses : int
        At least 0. Ties do not count, as is usual in this test.

    Returns
    -------
    float
        In (0, 1]; NaN without decided trials.

    Raises
    ------
    ValueError
        If a count is negative.
    """
    if wins < 0 or losses < 0:
        raise ValueError(f"Counts must be at least 0: got {wins} and {losses}.")
    n = wins + losses
    if n == 0:
        return math.nan
    return min(1.0, 2 * float(special.bdtr(min(wins, losses), n, 0.5)))


FEWEST_FOR_SHAPE = 8
"""With fewer values the normal approximation of a statistic of their shape is no guide."""


def skewness_z(values: ArrayLike) -> NDArray[np.float64]:
    """Sample skewness in standard errors under normality, over the first axis.

    Parameters
    ----------
    values : array_like, shape (n, ...)
        NaN or infinite values make the result NaN.

    Returns
    -------
    ndarray, shape (...)
        Adjusted Fisher-Pearson skewness G1 divided by its standard error
        sqrt(6 n (n - 1) / ((n - 2) (n + 1) (n + 3))) (Cramer 1997); NaN with fewer than 8 values,
        0 if all are equal.
    """
    x = np.asarray(values, dtype=float)
    n = x.shape[0]
    if n < FEWEST_FOR_SHAPE:
        return np.full(x.shape[1:], np.nan)
    with np.errstate(invalid="ignore", divide="ignore"):
        centred = x - x.mean(axis=0)
        m2, m3 = (centred**2).mean(axis=0), (centred**3).mean(axis=0)
        g1 = np.where(m2 > 0, m3 / np.where(m2 > 0, m2, 1) ** 1.5, 0.0)
    adjusted = g1 * np.sqrt(n * (n - 1)) / (n - 2)
    error = np.sqrt(6 * n * (n - 1) / ((n - 2) * (n + 1) * (n + 3)))
    return np.where(np.isfinite(x).all(axis=0), adjusted / error, np.nan)


def normality_p(values: ArrayLike) -> NDArray[np.float64]:
    """p-value of the test of normality by Shapiro and Francia (1972), over the first axis.

    It finds skewness and heavy tails: the squared correlation of the values with the normal scores
    of their ranks, whose logarithm is nearly normal (Royston 1993). Equal values have their mean
    score, so that those read off a coarse scale are not taken for a wrong shape.

    Parameters
    ----------
    values : array_like, shape (n, ...)
        NaN or infinite values make the result NaN.

    Returns
    -------
    ndarray, shape (...)
        NaN with fewer than 8 values, 1 if all are equal.
    """
    x = np.sort(values, axis=0).astype(float)
    n = x.shape[0]
    if n < FEWEST_FOR_SHAPE:
        return np.full(x.shape[1:], np.nan)
    place = np.arange(n).reshape(-1, *(1,) * (x.ndim - 1))
    scores = special.ndtri((place + 1 - 3 / 8) / (n + 1 / 4))
    differs = x[1:] != x[:-1]
    if not differs.all():
        total = np.cumsum([0, *scores.ravel()])
        edge = np.ones((1, *x.shape[1:]), dtype=bool)
        first = np.maximum.accumulate(np.where(np.concatenate([edge, differs]), place, 0))
        ends = np.where(np.concatenate([differs, edge]), place + 1, n)
        end = np.minimum.accumulate(ends[::-1])[::-1]
        scores = (total[end] - total[first]) / (end - first)
    with np.errstate(invalid="ignore", divide="ignore"):
        centred = x - x.mean(axis=0)
        squares = (scores**2).sum(axis=0) * (centred**2).sum(axis=0)
        lack = 1 - (scores * centred).sum(axis=0) ** 2 / squares
        log, again = math.log(n), math.log(math.log(n))
        centre, spread = -1.2725 + 1.0521 * (again - log), 1.0308 - 0.26758 * (again + 2 / log)
        p = special.ndtr((centre - np.log(np.maximum(lack, 0))) / spread)
    return np.where(np.isfinite(x).all(axis=0), np.where(x[-1] > x[0], p, 1.0), np.nan)


POWER: Final = 0.8
"""Share of samples in which the smallest effect is found."""


def smallest_effect(
    low: ArrayLike, high: ArrayLike, level: float, df: ArrayLike = np.inf, tests: ArrayLike = 1
) -> NDArray[np.float64]:
    """Return the smallest effect that is found in four of five samples like this one.

    Found is an effect whose interval excludes the neutral value. With the standard error of the
    interval's half-width that takes an effect of the quantile of the level plus that of the power.

    Parameters
    ----------
    low, high : array_like
        Ends of intervals.
    level : float
        Of the intervals, in (0, 1).
    df : array_like
        Degrees of freedom of Student's t; infinite for a normal interval.
    tests : array_like
        Number of tests that the level is adjusted for, as of Bonferroni or a step of Holm.

    Returns
    -------
    ndarray
        In the unit of the ends; NaN where an interval has no end.
    """
    half = (np.asarray(high, dtype=float) - np.asarray(low, dtype=float)) / 2
    freedom, tail = np.asarray(df, dtype=float), (1 - level) / 2
    reach, of_tests, of_power = (
        np.asarray(special.stdtrit(freedom, p), dtype=float)
        for p in (1 - tail, 1 - tail / np.asarray(tests, dtype=float), POWER)
    )
    error = np.where(np.isfinite(half), half, np.nan) / reach
    return np.asarray((of_tests + of_power) * error)


def smallest_effect_of(interval: Interval) -> float:
    """Return the smallest effect that is found, of a normal interval."""
    return float(smallest_effect(interval.low, interval.high, interval.level))


def holm(p: ArrayLike) -> NDArray[np.float64]:
    """Adjust p-values by Holm (1979), valid under any dependence between them.

    Parameters
    ----------
    p : array_like, shape (n,)
        NaN for a missing test: it stays NaN and does not count.

    Returns
    -------
    ndarray, shape (n,)
        Reject values below a level: the chance of any false rejection is at most that.
    """
    p_values = np.asarray(p, dtype=float)
    adjusted = np.full(p_values.shape, np.nan)
    there = np.flatnonzero(np.isfinite(p_values))
    order = there[np.argsort(p_values[there], kind="stable")]
    steps = np.arange(len(order), 0, -1) * p_values[order]
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1)
    return adjusted
