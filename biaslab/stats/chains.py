"""Markov chains: convergence, effective sample sizes, highest-density intervals.

The numbers are those of arviz (rank-normalised split R-hat, bulk and tail ESS, MCSE of the mean;
Vehtari et al. 2021, doi:10.1214/20-BA1221), computed so that a hundred quantities of 64 x 1,000
draws take a fraction of a second: chains that mix are uncorrelated after a few lags, so lags are
computed one by one until Geyer's sequence ends, and by a Fourier transform only if it does not.

Vehtari et al. recommend R-hat below 1.01 for one quantity. The largest of a hundred is larger even
if all chains have converged: if 3 % of runs fail for one quantity, 90 % fail for at least one of a
hundred. So the limit grows with the number of quantities and keeps the share of failing runs
constant.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy import special

from biaslab.stats.significance import check_level

Floats = NDArray[np.float64]
FEWEST = 4
"""Smallest number of draws per chain for diagnostics."""
LAGS = 20
_ONE_BY_ONE = 24  # lags after which a Fourier transform of all is cheaper


@dataclass(frozen=True)
class ChainSummary:
    """One quantity over all chains.

    Attributes
    ----------
    mean, sd : float
        Over all draws; ``sd`` with n - 1.
    rhat : float
        Rank-normalised split R-hat, the larger of bulk and folded; 1 when chains agree. NaN of one
        chain, as in arviz: the halves of a chain that never left a mode agree perfectly.
    ess_bulk, ess_tail : float
        Effective sample sizes of the bulk, and of the 5 % and 95 % quantiles (the smaller).
    mcse : float
        Monte Carlo standard error of the mean.
    autocorrelation : ndarray
        At lags 0, 1, ... within chains, averaged over them. NaN when the quantity does not vary.
    """

    mean: float
    sd: float
    rhat: float
    ess_bulk: float
    ess_tail: float
    mcse: float
    autocorrelation: Floats


def summarise(
    draws: NDArray[np.floating], lags: int = LAGS, *, quick: bool = False
) -> ChainSummary:
    """Diagnose one quantity.

    Parameters
    ----------
    draws : ndarray
        Shape (chains, n).
    lags : int
        Of the autocorrelation; fewer if there are fewer draws.
    quick : bool
        Leave out ranks and folding: classic split R-hat, and the ESS of the mean for both sizes.
        A few times faster, for a chart that is redrawn; less sensitive to heavy tails.

    Returns
    -------
    ChainSummary
        NaN in all but mean and sd if a chain has fewer than 4 draws or nothing varies.
    """
    x = np.ascontiguousarray(draws, dtype=np.float64)
    count = x.shape[1]
    shown = min(lags, max(count - 1, 0))
    mean = float(x.mean()) if x.size else math.nan
    sd = float(x.std(ddof=1)) if x.size > 1 else math.nan
    nothing = ChainSummary(
        mean, sd, math.nan, math.nan, math.nan, math.nan, np.full(shown + 1, np.nan)
    )
    # Variation in the last digits is a constant computed in different orders.
    if count < FEWEST or not np.isfinite(x).all() or not sd > 1e-12 * max(abs(mean), 1e-280):
        return nothing
    halves = split(x)
    of_mean = ess(halves)
    correlated = _autocorrelation(x, shown)
    alone = len(x) == 1
    if quick:
        classic = math.nan if alone else rhat(halves)
        error = sd / math.sqrt(of_mean)
        return ChainSummary(mean, sd, classic, of_mean, of_mean, error, correlated)
    scores = normal_scores(halves)
    ordered = np.sort(x, axis=None)
    middle = _quantile(ordered if halves.size == x.size else np.sort(halves, axis=None), 0.5)
    folded = normal_scores(np.abs(halves - middle))
    low, high = _quantile(ordered, 0.05), _quantile(ordered, 0.95)
    tails = [ess(split((x <= edge).astype(np.float64))) for edge in (low, high)]
    return ChainSummary(
        mean,
        sd,
        math.nan if alone else max(rhat(scores), rhat(folded)),
        ess(scores),
        min(tails),
        sd / math.sqrt(of_mean),
        correlated,
    )


def _quantile(ordered: Floats, share: float) -> float:
    """Interpolate a quantile linearly between neighbours."""
    position = (ordered.size - 1) * share
    below = int(position)
    above = min(below + 1, ordered.size - 1)
    return float(ordered[below] + (position - below) * (ordered[above] - ordered[below]))


def split(x: Floats) -> Floats:
    """Split each chain into halves, stacked: (m, n) -> (2m, n // 2)."""
    half = x.shape[1] // 2
    return np.concatenate([x[:, :half], x[:, -half:]])


def normal_scores(x: Floats) -> Floats:
    """Return ranks over all chains as normal quantiles, ties averaged."""
    flat = x.ravel()
    order = np.argsort(flat)
    ordered = flat[order]
    table = _scores(flat.size)
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    if len(starts) == flat.size:
        values = table[::2]
    else:
        counts = np.diff(np.r_[starts, flat.size])
        values = np.repeat(table[2 * starts + counts - 1], counts)
    scores = np.empty_like(flat)
    scores[order] = values
    return scores.reshape(x.shape)


@functools.lru_cache(maxsize=8)
def _scores(count: int) -> Floats:
    """Return normal scores of the ranks 1, 1.5, 2, ..., count (Blom 1958)."""
    from scipy.special import ndtri

    ranks = np.arange(2, 2 * count + 1) / 2
    return np.asarray(ndtri((ranks - 3 / 8) / (count + 1 / 4)))


def rhat(x: Floats) -> float:
    """Return R-hat of chains (m, n), without splitting or ranking."""
    within = float(x.var(axis=1, ddof=1).mean())
    if not within > 0:
        return math.inf if np.ptp(x) > 0 else math.nan
    n = x.shape[1]
    between = n * float(x.mean(axis=1).var(ddof=1)) if len(x) > 1 else 0.0
    return math.sqrt((between / within + n - 1) / n)


def ess(x: Floats) -> float:
    """Return the ESS of the mean of chains (m, n) by Geyer's monotone sequence."""
    if np.ptp(x) < np.finfo(float).resolution:
        return float(x.size)
    m, n = x.shape
    covariance = _autocovariance(x)
    variance = covariance(0) * n / (n - 1)
    total = variance * (n - 1) / n
    if m > 1:
        total += float(x.mean(axis=1).var(ddof=1))

    def rho(lag: int) -> float:
        return float(1 - (variance - covariance(lag)) / total)

    rhos = np.zeros(n + 2)
    rhos[0], rhos[1] = even, odd = 1.0, rho(1)
    t = 1
    while t < n - 3 and even + odd > 0:  # pairs stay positive
        even, odd = rho(t + 1), rho(t + 2)
        if even + odd >= 0:
            rhos[t + 1], rhos[t + 2] = even, odd
        t += 2
    last = t - 2
    if even > 0:
        rhos[last + 1] = even
    for t in range(1, last - 1, 2):  # and do not grow
        if rhos[t + 1] + rhos[t + 2] > rhos[t - 1] + rhos[t]:
            rhos[t + 1] = rhos[t + 2] = (rhos[t - 1] + rhos[t]) / 2
    tau = -1 + 2 * rhos[: last + 1].sum() + rhos[last + 1 : last + 2].sum()
    return float(x.size / max(float(tau), 1 / math.log10(x.size)))


def _autocovariance(x: Floats) -> Callable[[int], float]:
    """Return the autocovariance by lag, averaged over chains (divided by n)."""
    centred = x - x.mean(axis=1, keepdims=True)
    n = x.shape[1]
    known: list[float] = []

    def at(lag: int) -> float:
        if lag >= len(known) and lag > _ONE_BY_ONE:
            size = 1 << (2 * n - 1).bit_length()
            power = np.abs(np.fft.rfft(centred, size)) ** 2
            known[:] = (np.fft.irfft(power.mean(axis=0), size)[:n] / n).tolist()
        while lag >= len(known):
            k = len(known)
            known.append(float(np.einsum("ij,ij->", centred[:, : n - k], centred[:, k:])) / x.size)
        return known[lag]

    return at


def _autocorrelation(x: Floats, lags: int) -> Floats:
    covariance = _autocovariance(x)
    covariances = np.array([covariance(lag) for lag in range(lags + 1)])
    return covariances / covariances[0] if covariances[0] > 0 else np.full(lags + 1, np.nan)


RHAT: Final = 1.01
"""The limit of one quantity (Vehtari et al. 2021)."""
CHAINS: Final = 4
"""Fewer chains may all have missed the same mode (the same)."""
_REFUSED: Final = 0.05
"""Rate of false alarms for converged chains, the same for one quantity and for many."""


def rhat_limit(quantities: int, chains: int) -> float:
    """Return the R-hat limit for the largest of some quantities.

    In converged chains, the ratio of the variance between the 2C halves of C chains to its
    expectation is approximately chi-squared with 2C - 1 degrees of freedom, divided by these, and
    R-hat squared minus 1 is proportional to it. So the excess of the limit for Q quantities over 1
    scales with the quantile at (1 - p)^(1/Q) of that distribution relative to the one at 1 - p,
    which belongs to 1.01. It does not depend on effective sizes, which shrink if chains disagree.

    Parameters
    ----------
    quantities : int
        Q, from 1 up.
    chains : int
        C, from 1 up.

    Returns
    -------
    float
        To three digits; 1.01 for one quantity, 1.012 for 100 quantities of 64 chains, 1.018 for
        those of 4 chains.
    """
    free = 2 * chains - 1
    of_each = -math.expm1(math.log1p(-_REFUSED) / quantities)
    ratio = float(special.chdtri(free, of_each) / special.chdtri(free, _REFUSED))
    return round(math.sqrt(1 + (RHAT**2 - 1) * ratio), 3)


def hpdi(draws: NDArray[np.floating[Any]], level: float = 0.89) -> Floats:
    """Return the narrowest interval with a share of the draws, one per column.

    Of many equally narrow intervals, within Monte Carlo error, it returns the mean: it varies
    less from seed to seed, and is not too short, unlike the very narrowest.

    Parameters
    ----------
    draws : ndarray, shape (S, ...)
        Draws along the first axis; a column with NaN has no interval.
    level : float
        Share, in (0, 1).

    Returns
    -------
    ndarray, shape (..., 2)

    Raises
    ------
    ValueError
        When the level is out of range or there are fewer than two draws.
    """
    check_level(level, usual=0.89)
    if len(draws) < 2:
        raise ValueError(f"{len(draws)} draws are too few for an interval. Use more draws.")
    ordered = np.sort(np.asarray(draws), axis=0)
    # Number of gaps between neighbours for the share, of S - 1 in all.
    gaps = min(max(round(level * (len(ordered) - 1)), 1), len(ordered) - 1)
    widths = ordered[gaps:] - ordered[:-gaps]
    # Chance says which of many nearly equal windows is the narrowest: all that are as narrow within
    # within Monte Carlo error count as equal.
    close = widths <= (1 + 0.9 / np.sqrt(len(ordered))) * widths.min(axis=0)
    share = close / np.maximum(close.sum(axis=0), 1)
    low = (np.nan_to_num(ordered[:-gaps]) * share).sum(axis=0)
    high = (np.nan_to_num(ordered[gaps:]) * share).sum(axis=0)
    intervals = np.stack([low, high], axis=-1).astype(float)
    intervals[np.isnan(ordered[-1])] = np.nan
    return np.asarray(intervals)
