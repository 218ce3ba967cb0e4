"""Intervals of an estimate over words, over corpora, and over both."""

from __future__ import annotations

import math

import numpy as np

from biaslab.probes.association.cosines import Floats
from biaslab.results import Interval
from biaslab.stats.quantiles import t_quantile

WORDS, CORPUS, BOTH = "words", "corpus", "words and corpora"


def intervals(
    by_replicate: Floats, resampled: Floats | None, level: float, rng: np.random.Generator
) -> tuple[Interval, ...]:
    """The intervals of the mean over replicates of an estimate.

    Parameters
    ----------
    by_replicate : ndarray, shape (B,)
        The estimate in each replicate.
    resampled : ndarray, shape (B, R), or None
        The same with the words drawn anew; None where a list has one word.
    level : float
    rng : numpy.random.Generator
        Chooses the replicate of each resample.

    Returns
    -------
    tuple of Interval
        ``words``: had other words like these been chosen, the replicates as they are (percentiles).
        With replicates also ``corpus``: where the estimate of one more corpus lies, the words as
        they are (Student's t); and ``words and corpora``: both at a time (percentiles, each
        resample in a replicate of its own). Ends are NaN where nothing can be told.
    """
    found = []
    if resampled is None:
        found.append(Interval(math.nan, math.nan, level, WORDS))
    else:
        found.append(_percentiles(resampled.mean(axis=0), level, WORDS))
    b = len(by_replicate)
    if b > 1:
        mean, sd = float(by_replicate.mean()), float(by_replicate.std(ddof=1))
        reach = float(t_quantile(b - 1, (1 + level) / 2)) * sd * math.sqrt(1 + 1 / b)
        found.append(Interval(mean - reach, mean + reach, level, CORPUS))
        if resampled is None:
            found.append(Interval(math.nan, math.nan, level, BOTH))
        else:
            draws = resampled.shape[1]
            one_each = resampled[rng.integers(0, b, size=draws), np.arange(draws)]
            found.append(_percentiles(one_each, level, BOTH))
    return tuple(found)


def _percentiles(drawn: Floats, level: float, kind: str) -> Interval:
    # A resample can consist of one word again and again, and then has no spread and no effect size.
    finite = drawn[np.isfinite(drawn)]
    if len(finite) < len(drawn) / 2:
        return Interval(math.nan, math.nan, level, kind)
    low, high = np.quantile(finite, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high), level, kind)
