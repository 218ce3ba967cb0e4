"""Mean over items in fixed strata: its intervals, by a bootstrap within each stratum.

Scores near the end of their range are skewed, and with thirty values Student's interval then covers
88 to 94 % where 95 are nominal. The studentised bootstrap includes the skew (Hall 1988):
93 to 96 % on the same data. It needs values that vary finely; shares of zeros and ones get Wilson's
interval with the number of trials that gives their variance.

A repetition of a study with thirty pictures of each of eight terms would show thirty others of the
same terms. So the terms are fixed, and the pictures of each are resampled with replacement (Davison
and Hinkley 1997, section 3.2). The resampling counts do not depend on any value and are cached, so
that the same items with other values cost one matrix product.

A dozen probabilities near 1 rarely show the few low ones that decide their mean, and no resample of
them can. Logit-normal samples can: they have the mean and the spread of the stratum's logits, and
the doubt about both (a mean and a variance drawn for each sample, as in a Bayesian analysis without
prior knowledge). Only the distribution of the error over its standard error is taken from them, so
that other distributions do little harm. Each sample has an opposite one, so that p and 1 - p have
exactly opposite distributions.
"""

from __future__ import annotations

import math
import threading
import zlib
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from biaslab.stats.curves.sigmoids import Floats
from biaslab.stats.threads import one_blas_thread

_TIED = 0.01
"""Share of resamples of equal values above which Student's limits are taken instead."""


@dataclass(frozen=True)
class StratifiedMean:
    """An estimate and its resamples.

    Attributes
    ----------
    estimate : float
    variance : float
        Of the estimate; NaN if a stratum has one item.
    df : float
        Degrees of freedom of that variance (Satterthwaite).
    deviations, errors : ndarray, shape (R,)
        Of resampled estimates from the estimate, and their own standard errors.
    """

    estimate: float
    variance: float
    df: float
    deviations: Floats
    errors: Floats

    def limits(
        self, level: float, *, share: bool = False, beside: Floats | None = None
    ) -> tuple[float, float]:
        """Return the ends of a studentised bootstrap interval.

        Parameters
        ----------
        level : float
            Of coverage, in (0, 1).
        share : bool
            The estimate is in [0, 1]: limits are computed on the logit scale and stay in range.
        beside : ndarray, optional
            Studentised errors from another source: each end is the farther one of both sources.

        Returns
        -------
        low, high : float
            NaN if a stratum has one item; both equal the estimate without variance.
        """
        if not math.isfinite(self.variance):
            return math.nan, math.nan
        error, at = math.sqrt(self.variance), self.estimate
        if error <= 0 or (share and not 0 < at < 1):
            return at, at
        tail = (1 - level) / 2
        tied = self.errors <= 0
        drawn, scale = self.deviations, self.errors
        centre, slope = at, 1.0
        if share:
            slope, centre = at * (1 - at), float(special.logit(at))
            moved = np.clip(at + self.deviations, 1e-9, 1 - 1e-9)
            drawn, scale = special.logit(moved) - centre, self.errors / (moved * (1 - moved))
        if tied.mean() > _TIED:
            below = float(special.stdtrit(self.df, tail))
            low_t, high_t = below, -below
        else:
            with np.errstate(divide="ignore", invalid="ignore"):
                t = np.where(tied, np.sign(drawn) * math.inf, drawn / scale)
            t[np.isnan(t)] = 0.0
            low_t, high_t = _ends(t, tail)
        if beside is not None:
            low_beside, high_beside = _ends(beside, tail)
            low_t, high_t = min(low_t, low_beside), max(high_t, high_beside)
        low = centre - high_t * error / slope
        high = centre - low_t * error / slope
        if share:
            return float(special.expit(low)), float(special.expit(high))
        return low, high

    def share_limits(self, level: float, trials: int) -> tuple[float, float]:
        """Return the ends of Wilson's interval for a share of zeros and ones.

        The number of trials is that at which a simple share would have this variance (Kott and
        Carr 1997); if all agree, the number of items.

        Parameters
        ----------
        level : float
        trials : int
            Number of items.
        """
        at = self.estimate
        if not math.isfinite(self.variance):
            return math.nan, math.nan
        z, n = float(special.ndtri((1 + level) / 2)), float(trials)
        if self.variance > 0 and 0 < at < 1:
            z, n = float(special.stdtrit(self.df, (1 + level) / 2)), at * (1 - at) / self.variance
        middle = (at + z**2 / (2 * n)) / (1 + z**2 / n)
        half = z / (1 + z**2 / n) * math.sqrt(max(at * (1 - at), 0) / n + z**2 / (4 * n**2))
        # Exact at the ends, which rounding would miss by 1e-17.
        return 0.0 if at <= 0 else middle - half, 1.0 if at >= 1 else middle + half


def _ends(t: Floats, tail: float) -> tuple[float, float]:
    """Return quantiles by order, which knows infinity and is the same from either end."""
    ordered, rank = np.sort(t), max(int(tail * (len(t) + 1)), 1)
    return float(ordered[rank - 1]), float(ordered[-rank])


_REMEMBERED = 128_000_000
"""Size limit of the cache of counts, in bytes."""
_ROUNDING = 1e-5
"""Of the variance: resamples of one item drawn again and again have no more."""
_lock = threading.Lock()
_counts: OrderedDict[tuple[int, int, int, int], NDArray[np.float32]] = OrderedDict()


class StratifiedBootstrap:
    """Resampled means and variances of strata.

    Parameters
    ----------
    values : array_like, shape (n, m)
        m numbers of each item, finite.
    strata : array_like of int, shape (n,)
        Stratum of each item, 0 to S - 1, each at least once.
    labels : sequence of str, length S
        Labels of the strata: each has its own random stream, so that another stratum
        changes nothing in it.
    resamples : int
        R.
    seed : int

    Attributes
    ----------
    sizes : ndarray of int64, shape (S,)
        Items of each stratum.
    means, variances : ndarray, shape (S, m)
        Of the values in each stratum; the variance is that of a sample (ddof 1), and NaN if
        there is one item.
    deviations : ndarray, shape (S, R, m)
        Resampled means less the stratum's mean.
    resampled_variances : ndarray, shape (S, R, m)
        Sample variances of the resamples. Both are 0 if there is one item.
    """

    def __init__(
        self,
        values: ArrayLike,
        strata: ArrayLike,
        labels: Sequence[str],
        *,
        resamples: int,
        seed: int,
    ) -> None:
        x = np.asarray(values, dtype=np.float64)
        index = np.asarray(strata, dtype=np.int64)
        columns = x.shape[1]
        self.sizes = np.bincount(index, minlength=len(labels))
        self.means = np.empty((len(labels), columns))
        self.variances = np.full((len(labels), columns), math.nan)
        self.deviations = np.zeros((len(labels), resamples, columns))
        self.resampled_variances = np.zeros((len(labels), resamples, columns))
        with one_blas_thread():  # the same numbers with any number of threads
            for s, label in enumerate(labels):
                stratum_values = x[index == s]
                n = len(stratum_values)
                self.means[s] = stratum_values.mean(axis=0)
                if n < 2:
                    continue
                centred = stratum_values - self.means[s]
                self.variances[s] = (centred**2).sum(axis=0) / (n - 1)
                # Of unit spread, so that single precision does for any unit.
                unit = np.sqrt(self.variances[s])
                scaled = centred / np.where(unit > 0, unit, 1)
                moments = np.concatenate([scaled, scaled**2], axis=1).astype(np.float32)
                drawn = (counts(n, resamples, seed, label) @ moments).astype(np.float64) / n
                first, second = drawn[:, :columns], drawn[:, columns:]
                self.deviations[s] = unit * first
                spread = np.maximum(second - first**2, 0) * (n / (n - 1))
                self.resampled_variances[s] = self.variances[s] * np.where(
                    spread > _ROUNDING, spread, 0
                )

    def combined(
        self, weights: ArrayLike, column: int = 0, signs: ArrayLike = 1.0
    ) -> StratifiedMean:
        """Return a weighted sum of the strata's means.

        Parameters
        ----------
        weights : array_like, shape (S,)
            At least 0; strata of weight 0 play no part.
        column : int
            Of the values.
        signs : array_like, shape (S,)
            1, or -1 for strata whose values are negated.
        """
        w = np.asarray(weights, dtype=np.float64)
        used = w > 0
        signed = (w * np.asarray(signs, dtype=np.float64))[used]
        parts = w[used] ** 2 * self.variances[used, column] / self.sizes[used]
        resampled = (w[used] ** 2 / self.sizes[used]) @ self.resampled_variances[used, :, column]
        variance = float(parts.sum())
        free = float((parts**2 / np.maximum(self.sizes[used] - 1, 1)).sum())
        return StratifiedMean(
            float(signed @ self.means[used, column]),
            variance,
            variance**2 / free if free > 0 else math.inf,
            signed @ self.deviations[used, :, column],
            np.sqrt(resampled),
        )


def counts(n: int, resamples: int, seed: int, label: str = "") -> NDArray[np.float32]:
    """Return how often each of n items is drawn in each resample, (resamples, n).

    Parameters
    ----------
    n : int
        Items, each resample has as many.
    resamples : int
    seed : int
    label : str
        Another label is another stream.
    """
    key = (n, resamples, seed, zlib.crc32(label.encode()))
    with _lock:
        if (cached := _counts.get(key)) is not None:
            _counts.move_to_end(key)
            return cached
    rng = np.random.default_rng([seed, key[3]])
    drawn = rng.integers(0, n, size=(resamples, n), dtype=np.uint16 if n < 2**16 else np.uint32)
    places = drawn + np.arange(resamples)[:, None] * n
    drawn_counts = np.bincount(places.ravel(), minlength=resamples * n).astype(np.float32)
    drawn_counts = drawn_counts.reshape(resamples, n)
    drawn_counts.flags.writeable = False
    with _lock:
        _counts[key] = drawn_counts
        while len(_counts) > 1 and sum(array.nbytes for array in _counts.values()) > _REMEMBERED:
            _counts.popitem(last=False)
    return drawn_counts


LARGEST = 60
"""Items of a stratum up to which it is modelled; larger ones show their own distribution."""
_DRAWS = 1000
_NEAREST = 1e-6
"""To 0 and 1: probabilities that are nearer have the logit of this."""
_FLAT = 1e-9
"""A spread of logits below this is rounding."""
_CACHED = 64_000_000
"""Bytes of random numbers that are cached."""
_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(21)
_WEIGHTS = _WEIGHTS / _WEIGHTS.sum()
_cache_lock = threading.Lock()
_cache: OrderedDict[tuple[int, int, int, int], tuple[Floats, Floats, Floats]] = OrderedDict()


@dataclass(frozen=True)
class SampledMeans:
    """Means of samples whose true mean is known.

    Attributes
    ----------
    truths, deviations, errors : ndarray, shape (R,)
        True mean of each sample's distribution, the sample mean less this, and its own standard
        error.
    """

    truths: Floats
    deviations: Floats
    errors: Floats

    def studentised(self) -> Floats:
        """Return errors on the logit scale over their standard errors, shape (R,)."""
        moved = np.clip(self.truths + self.deviations, 1e-9, 1 - 1e-9)
        truths = np.clip(self.truths, 1e-9, 1 - 1e-9)
        shift = (special.logit(moved) - special.logit(truths)) * moved * (1 - moved)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = np.where(
                self.errors > 0, shift / self.errors, np.sign(self.deviations) * math.inf
            )
        return np.where(np.isnan(ratios), 0.0, ratios)


class LogitNormalSamples:
    """Samples of every stratum from logit-normal distributions like its own.

    Parameters
    ----------
    values : array_like, shape (n, m)
        m probabilities of each item.
    strata : array_like of int, shape (n,)
        Stratum of each item, 0 to S - 1.
    labels : sequence of str, length S
        Names of the strata: each uses a stream of its own.
    bootstrap : StratifiedBootstrap
        Of the same values: stands in for strata with more than `LARGEST` items.
    resamples : int
        Of the bootstrap.
    seed : int
    """

    def __init__(
        self,
        values: ArrayLike,
        strata: ArrayLike,
        labels: Sequence[str],
        bootstrap: StratifiedBootstrap,
        *,
        resamples: int,
        seed: int,
    ) -> None:
        x = np.asarray(values, dtype=np.float64)
        index = np.asarray(strata, dtype=np.int64)
        draws = min(resamples, _DRAWS) // 2 * 2
        shape = (len(labels), draws, x.shape[1])
        self._sizes = bootstrap.sizes
        self._truths = np.broadcast_to(bootstrap.means[:, None], shape).copy()
        self._deviations = bootstrap.deviations[:, :draws].copy()
        self._variances = bootstrap.resampled_variances[:, :draws].copy()
        for s, label in enumerate(labels):
            stratum = x[index == s]
            if not 2 <= len(stratum) <= LARGEST:
                continue
            chance = _chance(len(stratum), draws, seed, label)
            for column in range(x.shape[1]):
                sampled = _sampled(stratum[:, column], chance)
                if sampled is not None:
                    for target, new in zip(
                        (self._truths, self._deviations, self._variances), sampled, strict=True
                    ):
                        target[s, :, column] = new

    def combined(self, weights: Floats, column: int, signs: Floats) -> SampledMeans:
        """Return samples of a weighted sum of the strata's means.

        Parameters
        ----------
        weights : ndarray, shape (S,)
            At least 0, with sum 1.
        column : int
            Of the values.
        signs : ndarray, shape (S,)
            1, or -1 for strata whose probabilities count as their complements.
        """
        used = weights > 0
        signed = (weights * signs)[used]
        variances = (weights[used] ** 2 / self._sizes[used]) @ self._variances[used, :, column]
        return SampledMeans(
            float(weights @ (signs < 0)) + signed @ self._truths[used, :, column],
            signed @ self._deviations[used, :, column],
            np.sqrt(variances),
        )


def _sampled(
    values: Floats, chance: tuple[Floats, Floats, Floats]
) -> tuple[Floats, Floats, Floats] | None:
    """Return truths, deviations and sample variances; None without a spread of logits."""
    n = len(values)
    logits = special.logit(np.clip(values, _NEAREST, 1 - _NEAREST))
    spread = float(logits.std(ddof=1))
    if spread <= _FLAT:
        return None
    normal, of_mean, chi = chance
    sd = spread * np.sqrt((n - 1) / chi)
    mean = logits.mean() + of_mean * sd / math.sqrt(n)
    drawn = special.expit(mean[:, None] + sd[:, None] * normal)
    truths = special.expit(mean[:, None] + sd[:, None] * _NODES) @ _WEIGHTS
    return truths, drawn.mean(axis=1) - truths, drawn.var(axis=1, ddof=1)


def _chance(n: int, draws: int, seed: int, label: str) -> tuple[Floats, Floats, Floats]:
    """Return normal numbers (draws, n) and (draws,), and chi-square ones, in opposite pairs."""
    key = (n, draws, seed, zlib.crc32(label.encode()))
    with _cache_lock:
        if (cached := _cache.get(key)) is not None:
            _cache.move_to_end(key)
            return cached
    rng = np.random.default_rng([seed, key[3], n])
    half = draws // 2
    normal, of_mean = rng.standard_normal((half, n)), rng.standard_normal(half)
    chi = rng.chisquare(n - 1, half)
    made = (_opposite(normal), _opposite(of_mean), np.concatenate([chi, chi]))
    with _cache_lock:
        _cache[key] = made
        while len(_cache) > 1 and sum(sum(a.nbytes for a in v) for v in _cache.values()) > (
            _CACHED
        ):
            _cache.popitem(last=False)
    return made


def _opposite(values: NDArray[np.float64]) -> Floats:
    return np.concatenate([values, -values])
