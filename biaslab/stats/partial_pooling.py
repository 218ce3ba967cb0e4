r"""Estimates of several items, each drawn toward their population: partial pooling.

Item i's estimate is normal around its true value with a known standard error, and true values are
normal around a common mean with SD :math:`\tau`. Mean and :math:`\tau` have flat densities; the
posterior is integrated over :math:`\tau` on a grid (Gelman et al. 2013, section 5.4).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from biaslab.stats.levels import check_level
from biaslab.stats.sigmoids import Floats

FEWEST: Final = 3
"""With fewer items the posterior of tau is improper."""
_GRID: Final = 400
_WIDEST: Final = 40.0
"""Largest tau, in SDs of the estimates: with three items its tail is long."""
_BISECTIONS: Final = 60


@dataclass(frozen=True)
class PartialPooling:
    """Posteriors of n items and their population: medians and equal-tailed intervals.

    Attributes
    ----------
    estimates : ndarray, shape (n,)
        Of each item, drawn toward the mean; NaN where none was given.
    intervals : ndarray, shape (n, 2)
    mean, sd : float
        Of the population of items.
    mean_interval, sd_interval : ndarray, shape (2,)
    level : float
        Of all intervals.
    """

    estimates: Floats
    intervals: Floats
    mean: float
    mean_interval: Floats
    sd: float
    sd_interval: Floats
    level: float


def partial_pooling(estimates: ArrayLike, errors: ArrayLike, level: float = 0.95) -> PartialPooling:
    """Pool estimates partially.

    Parameters
    ----------
    estimates, errors : array_like, shape (n,)
        Estimates and their standard errors, of independent items. NaN in either leaves an item out.
    level : float
        Of the intervals, in (0, 1).

    Returns
    -------
    PartialPooling

    Raises
    ------
    ValueError
        With fewer than three estimates that have an error above 0.
    """
    check_level(level)
    y, se = np.asarray(estimates, dtype=float), np.asarray(errors, dtype=float)
    known = np.isfinite(y) & np.isfinite(se) & (se > 0)
    if known.sum() < FEWEST:
        raise ValueError(
            f"Partial pooling needs {FEWEST} items with an estimate and its error; there are"
            f" {int(known.sum())}. Pass more items."
        )
    at, variance = y[known], se[known] ** 2
    tau, weight = _posterior_of_tau(at, variance)
    precision = 1 / (variance + tau[:, None] ** 2)
    mean = precision @ at / precision.sum(axis=1)
    mean_variance = 1 / precision.sum(axis=1)
    kept = precision * tau[:, None] ** 2  # the share of an item's own estimate
    centre = kept * at + (1 - kept) * mean[:, None]
    spread = np.sqrt(kept * variance + (1 - kept) ** 2 * mean_variance[:, None])
    ends = (1 - level) / 2, 0.5, (1 + level) / 2
    pooled = np.full((len(y), 3), np.nan)
    pooled[known] = _mixture_quantiles(centre, spread, weight, ends)
    of_mean = _mixture_quantiles(mean[:, None], np.sqrt(mean_variance)[:, None], weight, ends)[0]
    of_sd = np.interp(ends, np.cumsum(weight), tau)
    return PartialPooling(
        pooled[:, 1], pooled[:, [0, 2]],
        float(of_mean[1]), of_mean[[0, 2]], float(of_sd[1]), of_sd[[0, 2]], level,
    )  # fmt: skip


def _posterior_of_tau(at: Floats, variance: Floats) -> tuple[Floats, Floats]:
    """Return a grid of tau, shape (G,), dense near 0, and its weights, which sum to 1."""
    scale = max(float(np.std(at, ddof=1)), float(np.sqrt(variance.min())))
    edges = _WIDEST * scale * np.linspace(0, 1, _GRID + 1) ** 3
    tau = (edges[1:] + edges[:-1]) / 2
    precision = 1 / (variance + tau[:, None] ** 2)
    total = precision.sum(axis=1)
    mean = precision @ at / total
    away = (precision * (at - mean[:, None]) ** 2).sum(axis=1)
    log_density = (np.log(precision).sum(axis=1) - np.log(total) - away) / 2
    weight = np.exp(log_density - log_density.max()) * np.diff(edges)
    return tau, weight / weight.sum()


def _mixture_quantiles(
    centre: Floats, spread: Floats, weight: Floats, p: tuple[float, ...]
) -> Floats:
    """Quantiles of mixtures of normals: (n, len(p)) for components of shape (G, n)."""
    low = np.repeat((centre - 10 * spread).min(axis=0)[:, None], len(p), axis=1)
    high = np.repeat((centre + 10 * spread).max(axis=0)[:, None], len(p), axis=1)
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        z = (middle - centre[..., None]) / spread[..., None]
        below = np.einsum("g,gnp->np", weight, special.ndtr(z)) < p
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return np.asarray((low + high) / 2)
