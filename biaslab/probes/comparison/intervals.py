"""Intervals of a change between two runs: of paired observations, or of independent estimates."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from biaslab.probes.psychometrics.fit_check import t_half_width
from biaslab.results import Interval
from biaslab.stats.clustered_mean import cluster_bootstrap
from biaslab.stats.crossed.effects import Part

Floats = NDArray[np.float64]
RESAMPLES = 2000


def independent_interval(a: Floats, of_a: Floats, b: Floats, of_b: Floats) -> Floats:
    """Return the interval of b - a from those of two independent estimates.

    Zou and Donner's (2008) method, which takes each side from the ends that make the difference
    small or large, so that skewed intervals stay skewed.

    Parameters
    ----------
    a, b : ndarray, shape (n,)
    of_a, of_b : ndarray, shape (n, 2)

    Returns
    -------
    ndarray, shape (n, 2)
        NaN where one has no interval.
    """
    with np.errstate(invalid="ignore"):
        below = np.hypot(b - of_b[..., 0], of_a[..., 1] - a)
        above = np.hypot(of_b[..., 1] - b, a - of_a[..., 0])
        return np.stack([b - a - below, b - a + above], axis=-1)


def around(values: Floats, parts: Sequence[Part], level: float) -> Floats:
    """Return t intervals around values from variance components, shape (n, 2).

    Components without degrees of freedom, as of one replicate, are left out.
    """
    held = [(variance, df) for variance, df in parts if np.all(np.asarray(df) > 0)]
    half = t_half_width(held, level, values.shape)
    total = np.sum([np.broadcast_to(v, values.shape) for v, _ in held] or [half], axis=0)
    half = np.where(total == 0, 0.0, half)
    return np.stack([values - half, values + half], axis=-1)


def mean_of_lists(
    table: Floats, plus: NDArray[np.bool_], minus: NDArray[np.bool_] | None, level: float
) -> tuple[Floats, Floats]:
    """Return each row's mean over one list of columns, less that over another, with an interval.

    Two components vary: the words of the lists, and a fresh corpus where there are replicates.

    Parameters
    ----------
    table : ndarray, shape (B, n, m)
        Of all replicates.
    plus, minus : ndarray of bool, shape (n, m)
        Columns of each row's lists; no `minus` for a single mean.
    level : float

    Returns
    -------
    values, intervals : ndarray, shapes (n,) and (n, 2)
    """
    by_replicate, parts = np.zeros(table.shape[:2]), []
    mean = table.mean(axis=0)
    for sign, columns in ((1.0, plus), (-1.0, minus)):
        if columns is None:
            continue
        count = columns.sum(axis=1).astype(float)
        with np.errstate(divide="ignore", invalid="ignore"):
            by_replicate += sign * np.where(columns, table, 0).sum(axis=2) / count
            centre = np.where(columns, mean, 0).sum(axis=1) / count
            squares = np.where(columns, (mean - centre[:, None]) ** 2, 0).sum(axis=1)
            parts.append((squares / (count - 1) / count, count - 1))
    b = len(table)
    if b > 1:
        parts.append((by_replicate.var(axis=0, ddof=1) * (1 + 1 / b), np.full(len(mean), b - 1.0)))
    values = by_replicate.mean(axis=0)
    short = np.any([np.asarray(df) < 1 for _, df in parts], axis=0)
    intervals = around(values, [(v, np.maximum(df, 1)) for v, df in parts], level)
    return values, np.where(short[:, None], np.nan, intervals)


def mean_interval(values: Floats, level: float, kind: str, seed: int) -> Interval:
    """Return the bootstrap interval of the mean of some rows."""
    finite = values[np.isfinite(values)]
    if len(finite) < 2:
        return Interval(np.nan, np.nan, level, kind)
    if not np.ptp(finite):
        return Interval(float(finite[0]), float(finite[0]), level, kind)
    drawn = cluster_bootstrap(finite, [], resamples=RESAMPLES, rng=np.random.default_rng(seed))
    return Interval(*drawn.limits(level), level, kind)
