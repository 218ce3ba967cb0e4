r"""Estimates of several items pooled: random effects, and partial pooling.

Partial pooling draws each item toward the population: item i's estimate is normal around its true
value with a known standard error, and true values are normal around a common mean with SD
:math:`\tau`. Mean and :math:`\tau` have flat densities; the posterior is integrated over
:math:`\tau` on a grid (Gelman et al. 2013, section 5.4).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from biaslab.records.record import Record
from biaslab.stats.curves.sigmoids import Floats
from biaslab.stats.quantiles import t_quantile
from biaslab.stats.significance import check_level


@dataclass(frozen=True)
class RandomEffects(Record):
    """Mean of a population of effects, estimated by one study each (DerSimonian-Laird).

    Attributes
    ----------
    n : int
        Number of studies.
    mean, se : float
        Combined effect and its standard error.
    low, high : float
        Interval of the mean (normal).
    level : float
        Of both intervals.
    p : float
        Two-sided, of a mean of 0 (normal).
    tau2 : float
        Variance between the studies' true effects; 0 if the moments estimate is below.
    i2 : float
        Share of the spread of the estimates that is between studies, in [0, 1].
    q, q_p : float
        Cochran's Q, and its p if all true effects were one (chi-squared, n - 1).
    prediction_low, prediction_high : float
        Prediction interval of a new study's true effect (t, n - 2; Higgins et al. 2009); NaN with
        fewer than three.
    """

    n: int
    mean: float
    se: float
    low: float
    high: float
    level: float
    p: float
    tau2: float
    i2: float
    q: float
    q_p: float
    prediction_low: float
    prediction_high: float


def random_effects(effects: ArrayLike, variances: ArrayLike, level: float = 0.95) -> RandomEffects:
    r"""Combine estimates under random effects.

    With :math:`w_i = 1 / v_i` and the weighted mean :math:`\bar y`, DerSimonian and Laird (1986):

    .. math:: Q = \sum w_i (y_i - \bar y)^2, \qquad
              \tau^2 = \max\left(0, \frac{Q - (n - 1)}{\sum w_i - \sum w_i^2 / \sum w_i}\right)

    and the combined effect has weights :math:`1 / (v_i + \tau^2)`, whose sum is one over its
    variance.

    Parameters
    ----------
    effects, variances : array_like, shape (n,)
        Estimates, and their variances above 0.
    level : float
        Of the intervals, in (0, 1).

    Raises
    ------
    ValueError
        When there are fewer than two, shapes differ, or a number is not usable.
    """
    y, v = (np.asarray(x, dtype=np.float64) for x in (effects, variances))
    if y.ndim != 1 or y.shape != v.shape or len(y) < 2:
        raise ValueError(
            f"Effects of shape {y.shape} and variances of shape {v.shape}: give at least two"
            " effects, with one variance each."
        )
    if not (np.isfinite(y).all() and np.isfinite(v).all() and (v > 0).all()):
        raise ValueError(
            "An effect is not finite or a variance is not above 0. Leave it out first."
        )
    check_level(level)
    n = len(y)
    w = 1 / v
    fixed = (w @ y) / w.sum()
    q = float(w @ (y - fixed) ** 2)
    tau2 = max(0.0, (q - (n - 1)) / float(w.sum() - (w @ w) / w.sum()))
    weights = 1 / (v + tau2)
    mean, se = float(weights @ y / weights.sum()), float(1 / math.sqrt(weights.sum()))
    reach = float(special.ndtri((1 + level) / 2)) * se
    wide = math.nan
    if n > 2:
        wide = float(t_quantile(n - 2, (1 + level) / 2)) * math.sqrt(tau2 + se**2)
    return RandomEffects(
        n=n,
        mean=mean,
        se=se,
        low=mean - reach,
        high=mean + reach,
        level=level,
        p=float(2 * special.ndtr(-abs(mean) / se)),
        tau2=tau2,
        i2=max(0.0, (q - (n - 1)) / q) if q > 0 else 0.0,
        q=q,
        q_p=float(special.chdtrc(n - 1, q)),
        prediction_low=mean - wide,
        prediction_high=mean + wide,
    )


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
