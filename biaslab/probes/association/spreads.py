"""Intervals of an estimate over words, over corpora, and over both."""

from __future__ import annotations

import math

import numpy as np

from biaslab.probes.association.cosines import Floats
from biaslab.probes.association.mean_draws import Drawn
from biaslab.results import Interval
from biaslab.stats.quantiles import t_quantile
from biaslab.stats.significance import check_level

WORDS, CORPUS, BOTH = "words", "corpus", "words and corpora"


def check_resampling(level: float, resamples: int) -> None:
    """Refuse options out of range.

    Raises
    ------
    ValueError
        If one is.
    """
    check_level(level)
    if resamples < 1:
        raise ValueError(f"resamples is {resamples}; use at least 1, such as 2,000.")


def intervals(by_replicate: Floats, drawn: Drawn | None, level: float) -> tuple[Interval, ...]:
    """Return the intervals of the mean over replicates of an estimate.

    Parameters
    ----------
    by_replicate : ndarray, shape (B,)
        The estimate in each replicate.
    drawn : Drawn or None
        The same for other words; None if there are too few words.
    level : float

    Returns
    -------
    tuple of Interval
        ``words``: for other words like these and the same replicates (percentiles).
        With replicates also ``corpus``: the estimate of one more corpus, with the words as
        they are (Student's t); and ``words and corpora``: both at a time (percentiles, each
        draw in its own replicate). Ends are NaN if undefined.
    """
    if drawn is None:
        return of_draws(by_replicate, None, None, level)
    return of_draws(by_replicate, drawn.of_mean, drawn.of_one, level)


def of_draws(
    by_replicate: Floats, over_words: Floats | None, over_both: Floats | None, level: float
) -> tuple[Interval, ...]:
    """Return intervals from draws of the mean and of a replicate."""
    intervals = [_percentiles(over_words, level, WORDS)]
    b = len(by_replicate)
    if b > 1:
        mean, sd = float(by_replicate.mean()), float(by_replicate.std(ddof=1))
        reach = float(t_quantile(b - 1, (1 + level) / 2)) * sd * math.sqrt(1 + 1 / b)
        intervals.append(Interval(mean - reach, mean + reach, level, CORPUS))
        intervals.append(_percentiles(over_both, level, BOTH))
    return tuple(intervals)


def hull(interval_1: Interval, interval_2: Interval) -> Interval:
    """Return the smallest interval with both of one kind; NaN if either is."""
    low = float(np.minimum(interval_1.low, interval_2.low))
    high = float(np.maximum(interval_1.high, interval_2.high))
    return Interval(low, high, interval_1.level, interval_1.kind)


def within(intervals: tuple[Interval, ...], low: float, high: float) -> tuple[Interval, ...]:
    """Clip intervals to possible values, as Student's t has no limits."""

    def cut(value: float) -> float:
        return min(max(value, low), high) if math.isfinite(value) else value

    return tuple(Interval(cut(i.low), cut(i.high), i.level, i.kind) for i in intervals)


def _percentiles(drawn: Floats | None, level: float, kind: str) -> Interval:
    if drawn is None:
        return Interval(math.nan, math.nan, level, kind)
    # A resample can consist of one word again and again, and then has no spread and no effect size.
    finite = drawn[np.isfinite(drawn)]
    if len(finite) < len(drawn) / 2:
        return Interval(math.nan, math.nan, level, kind)
    low, high = np.quantile(finite, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high), level, kind)
