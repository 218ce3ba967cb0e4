"""Psychometric curves over replicates, per cue pair and pooled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property, partial
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from biaslab.probes.psychometrics.perception import blurred_step
from biaslab.stats.crossed.effects import Crossing, Part, mean_squares, satterthwaite
from biaslab.stats.curves.jnd import Convention
from biaslab.stats.curves.replicates import Family, ReplicateFit, fit_replicates, jnd_of
from biaslab.stats.curves.sigmoids import get_sigmoid
from biaslab.stats.pooled_spread import PairMoments, pair_moments, spread_ratio
from biaslab.stats.quantiles import chi2_quantile, quantile, t_quantile
from biaslab.stats.significance import smallest_effect

Floats = NDArray[np.float64]
PairsAs = Literal["resampled", "fixed"]
_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(41)
_WEIGHTS = _WEIGHTS / _WEIGHTS.sum()
OF_ALL = ("level", "corpus_df", "alphas", "family", "others")
"""Fields of estimates that all curves share."""


@dataclass(frozen=True)
class Curves:
    """Fitted curves, blurred by the observers' own noise, between two asymptotes.

    ``Psi(alpha) = guess + (1 - guess - lapse) F(alpha)``. F is placed so that Psi, not F, is 1/2 at
    the PSE (Liang and Acuna 2020, eq. 5); the JND is that of F.

    Attributes
    ----------
    fit : ReplicateFit
        Distribution of the 50/50 points over replicates.
    noise : float or ndarray
        SD of each observer's own curve, in units of alpha.
    guess, lapse : float or ndarray
        Share of cue-2 answers however small alpha is, and of cue-1 answers however large; each
        below 1/2.
    points : ndarray, shape (M, ...), or None
        The 50/50 points, ascending: F is then their own distribution and of no family, and `fit`
        has their median and SD.
    """

    fit: ReplicateFit
    noise: float | Floats = 0.0
    guess: float | Floats = 0.0
    lapse: float | Floats = 0.0
    points: Floats | None = None

    @property
    def blurred(self) -> ReplicateFit | None:
        """The blurred curve where it stays in its family: no noise, or a normal curve."""
        if self.points is not None:
            return None
        if not np.any(self.noise):
            return self.fit
        if self.fit.family == "normal":
            return self.fit.with_scale(np.hypot(self.fit.scale, self.noise))
        return None

    def share(self, alpha: ArrayLike) -> Floats:
        """Psi(alpha): share of cue-2 answers; broadcasts against the curves."""
        if not (np.any(self.guess) or np.any(self.lapse)):
            return self._core(alpha)
        room = 1 - np.asarray(self.guess) - self.lapse
        core = (0.5 - np.asarray(self.guess)) / room  # where Psi is 1/2
        if (fit := self.blurred) is not None:
            sigmoid = get_sigmoid(fit.family)
            moved = fit.location + fit.scale * (sigmoid.median - sigmoid.ppf(core))
            values = replace(fit, location=moved).share(alpha)
        else:
            values = self._core(np.asarray(alpha, dtype=float) + self.quantile(core) - self.pse)
        return np.asarray(self.guess + room * values)

    def _core(self, alpha: ArrayLike) -> Floats:
        """F(alpha), the curve between 0 and 1."""
        if (fit := self.blurred) is not None:
            return fit.share(alpha)
        if self.points is not None:
            at = np.asarray(alpha, dtype=float)
            more = (1,) * max(at.ndim - self.points.ndim + 1, 0)
            points = self.points.reshape(*self.points.shape, *more)
            return np.asarray(blurred_step(at - points, self.noise).mean(axis=0))
        shifted = np.asarray(alpha, dtype=float)[..., None] - np.multiply.outer(
            np.asarray(self.noise), _NODES
        )
        location, scale = self.fit.location[..., None], self.fit.scale[..., None]
        wide = ReplicateFit(self.fit.family, self.fit.replicates, location, scale, self.fit.reason)
        return np.asarray(wide.share(shifted) @ _WEIGHTS)

    def quantile(self, p: ArrayLike) -> Floats:
        """Alpha at which F, the curve without its asymptotes, reaches ``p``."""
        if (fit := self.blurred) is not None:
            return fit.quantile(p)
        if self.points is not None and not np.any(self.noise) and np.ndim(p) == 0:
            return quantile(self.points, float(np.asarray(p)))
        reach = 12 * np.hypot(jnd_of(self.fit, "sd"), self.noise)
        p = np.asarray(p, dtype=float)
        low, high = self.fit.pse - reach, self.fit.pse + reach
        for _ in range(60):
            middle = (low + high) / 2
            below = self._core(middle) < p
            low, high = np.where(below, middle, low), np.where(below, high, middle)
        return np.asarray((low + high) / 2)

    @property
    def pse(self) -> Floats:
        """Point of subjective equality (Liang and Acuna 2020, eq. 5)."""
        return self.quantile(0.5)

    def jnd(self, convention: Convention) -> Floats:
        """Return the JND in a convention of `biaslab.stats.curves.replicates.jnd`."""
        if (fit := self.blurred) is not None:
            return jnd_of(fit, convention)
        sd = np.hypot(jnd_of(self.fit, "sd"), self.noise)
        if convention == "sd":
            return sd
        if convention == "quartile":
            return self.quantile(0.75) - self.quantile(0.5)
        pse, low, high = self.pse, np.zeros_like(sd), 20 * sd
        for _ in range(60):
            middle = (low + high) / 2
            short = self._core(pse + middle / 2) - self._core(pse - middle / 2) < 0.5
            low, high = np.where(short, middle, low), np.where(short, high, middle)
        return np.asarray((low + high) / 2)

    def one(self, where: Any) -> Curves:
        """One curve out of many, by its index."""
        noise, guess, lapse = (
            values if np.ndim(values) == 0 else np.asarray(values)[where]
            for values in (self.noise, self.guess, self.lapse)
        )
        fit = ReplicateFit(
            self.fit.family,
            self.fit.replicates,
            np.asarray(self.fit.location[where]),
            np.asarray(self.fit.scale[where]),
            np.asarray(self.fit.reason[where]),
        )
        points = None if self.points is None else self.points[(slice(None), *np.index_exp[where])]
        return Curves(fit, noise, guess, lapse, points)

    def with_scale(self, scale: Floats) -> Curves:
        """The same curves with another spread of switch points."""
        return replace(self, fit=self.fit.with_scale(scale))


@dataclass(frozen=True)
class Estimates:
    """PSE and JND with intervals (..., 2), in the shape of the curves.

    Attributes
    ----------
    curves : Curves
        The fitted curves.
    pse, jnd : ndarray
        Estimates, in units of alpha.
    corpus : ndarray
        Interval over resampled corpora (and cue pairs, where these are pooled as a sample): the
        verdict uses this one.
    monte_carlo : ndarray
        Interval of the mean over the B replicates. It shrinks as B grows and does not measure bias.
    jnd_interval : ndarray
        Interval of the JND.
    level : float
        Level of the intervals.
    corpus_df : float, ndarray or None
        Degrees of freedom where the corpus interval is a t interval; else None.
    """

    curves: Curves
    pse: Floats
    jnd: Floats
    corpus: Floats
    monte_carlo: Floats
    jnd_interval: Floats
    level: float = 0.95
    corpus_df: float | Floats | None = None

    @property
    def lean(self) -> NDArray[np.int8]:
        """1: biased for cue 1 (PSE above 1/2); -1: for cue 2; 0: no clear bias."""
        toward_1 = self.corpus[..., 0] > 0.5
        toward_2 = self.corpus[..., 1] < 0.5
        return toward_1.astype(np.int8) - toward_2.astype(np.int8)

    @property
    def is_empirical(self) -> NDArray[np.bool_]:
        """Which curves are the distribution of the switch points itself, and of no family."""
        return np.zeros(self.pse.shape, dtype=bool)

    @property
    def reasons(self) -> NDArray[np.str_]:
        """Reason for each missing number, per curve; empty if none is missing."""
        reason = np.asarray(self.curves.fit.reason)
        missing = ~np.isfinite(self.corpus[..., 0]) & (reason == "")
        return np.where(missing, "one embedding: no corpus interval", reason)

    @property
    def lean_is_known(self) -> NDArray[np.bool_]:
        """Whether there is an interval that says which way it leans, or that it does not."""
        return np.asarray(np.isfinite(self.corpus).all(axis=-1))

    def asymptotes(self, where: Any) -> tuple[float, float]:
        """Return guess and lapse rate of a curve, where they were fitted to the answers."""
        del where
        return 0.0, 0.0

    def smallest_bias(self, tests: int = 1) -> Floats:
        """Return the smallest shift of each PSE from 1/2 that would have been found.

        NaN without an interval; `tests` as of `biaslab.stats.significance.smallest_effect`.
        """
        df = np.inf if self.corpus_df is None else self.corpus_df
        return smallest_effect(self.corpus[..., 0], self.corpus[..., 1], self.level, df, tests)

    def one(self, where: Any) -> Self:
        """Return the estimates of some of the curves, by their index."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return replace(
            self,
            **{
                name: value.one(where) if hasattr(value, "one") else value[where]
                for name, value in values.items()
                if name not in OF_ALL
            },
        )

    def columns(self, misfit: Mapping[str, Floats]) -> dict[str, NDArray[Any]]:
        """Return columns of a table, in the shape of the curves; those of the misfit among them."""
        return {
            "pse": self.pse,
            **ends("pse", self.corpus),
            **ends("monte_carlo", self.monte_carlo),
            "jnd": self.jnd,
            **ends("jnd", self.jnd_interval),
            "lean": self.lean,
            **misfit,
        }

    def band(self, where: Any, alphas: Floats) -> tuple[Floats, Floats, Floats]:
        """Return a curve at ``alphas``, and its envelope over the intervals.

        Parameters
        ----------
        where
            Index of the curve.
        alphas : ndarray, shape (L,)

        Returns
        -------
        share, low, high : ndarray, shape (L,)
        """
        curve = self.curves.one(where)
        share = curve.share(alphas)
        pse, jnd = float(self.pse[where]), float(self.jnd[where])
        low_pse, high_pse = self.monte_carlo[where]
        spread = self.jnd_interval[where] / jnd if jnd > 0 else np.array([np.nan, np.nan])
        if not np.isfinite([low_pse, high_pse, *spread]).all() or curve.fit.family == "weibull":
            if not np.isfinite([low_pse, high_pse]).all():
                return share, share, share
            spread = np.array([1.0, 1.0])
        stretched = [
            curve.share(pse + (alphas - edge) / ratio)
            for edge in (low_pse, high_pse)
            for ratio in spread
        ]
        low, high = np.minimum.reduce([share, *stretched]), np.maximum.reduce([share, *stretched])
        return share, low, high

    @cached_property
    def p_value(self) -> Floats:
        """Two-sided p-value of no bias, by the corpus interval.

        NaN if there is no such interval.
        """
        if self.corpus_df is None:
            return self.curves.fit.corpus_p(0.5)
        quantile = t_quantile(self.corpus_df, (1 + self.level) / 2)
        half = (self.corpus[..., 1] - self.corpus[..., 0]) / 2
        away = np.abs((self.corpus[..., 0] + self.corpus[..., 1]) / 2 - 0.5)
        with np.errstate(divide="ignore", invalid="ignore"):
            t = np.where(away > 0, away / half, np.where(np.isfinite(half), 0.0, np.nan)) * quantile
        return np.asarray(2 * special.stdtr(self.corpus_df, -t))


def ends(name: str, interval: Floats) -> dict[str, Floats]:
    """Return two columns of a table: the ends of intervals (..., 2)."""
    return {f"{name}_low": interval[..., 0], f"{name}_high": interval[..., 1]}


def per_pair(
    balance: NDArray[np.floating],
    noise: float | Floats,
    family: Family,
    convention: Convention,
    level: float,
    rates: Floats | None = None,
) -> Estimates:
    """Estimate PSE and JND of each item and cue pair.

    Parameters
    ----------
    balance : ndarray, shape (B, n, K)
        Each observer's 50/50 point.
    noise : float or ndarray, shape (n, K)
        SD of an observer's own curve.
    rates : ndarray, shape (2, n, K), optional
        Guess and lapse rates of the observers' own curves; default none.
    """
    curves = Curves(fit_replicates(balance, family), noise, *([] if rates is None else rates))
    fit = curves.fit
    width = curves.jnd(convention)
    if balance.shape[0] == 1:
        # One embedding has no spread; only the observer's own noise remains, which is stated.
        width = np.where(np.asarray(noise) > 0, width, np.nan)
    return Estimates(
        curves,
        curves.pse,
        width,
        fit.corpus_interval(level),
        fit.pse_interval(level),
        _jnd_interval(curves, fit.scale_ratio(level), convention),
        level,
        float(balance.shape[0] - 1) if family == "normal" and balance.shape[0] > 1 else None,
    )


def pooled(
    balance: NDArray[np.floating],
    noise: float | Floats,
    family: Family,
    convention: Convention,
    level: float,
    pairs_as: PairsAs,
    weights: Floats,
    crossing: Crossing | None = None,
    rates: Floats | None = None,
) -> Estimates:
    r"""Estimate each item's PSE and JND, pooled over cue pairs.

    The pooled curve is the mixture of the pairs' curves, since eq. 4 of Liang and Acuna (2020)
    integrates over the cues; so its spread includes the spread between pairs. Two components vary:
    resampled corpora, and cue pairs when these stand for others like them
    (``pairs_as="resampled"``). The PSE has a t interval with Satterthwaite's degrees of freedom;
    the JND has that of `pooled_spread`, or a chi-squared interval where pairs are fixed. With a
    single embedding the pairs alone vary. Pairs that cross two lists of cues share them, and their
    component is that of a two-way table.

    Parameters
    ----------
    balance : ndarray, shape (B, n, K)
    weights : ndarray, shape (K,)
        Prior probability of each cue pair; sums to 1.
    crossing : Crossing, optional
        How the pairs combine the cues of two lists; None where each pair has cues of its own.
    rates : ndarray, shape (2, n, K), optional
        Guess and lapse rates of the observers' own curves; default none.
    """
    b, _, k = balance.shape
    if k == 1:
        squeezed = noise if np.ndim(noise) == 0 else np.asarray(noise)[:, 0]
        of_one = None if rates is None else rates[..., 0]
        return per_pair(balance[:, :, 0], squeezed, family, convention, level, of_one)
    pool = _pooled_moments(balance, weights, pairs_as, crossing)
    s2_corpus = pool.moments.of_mean
    corpus_part = s2_corpus * (1 + 1 / b)
    corpus_parts: list[Part] = [(corpus_part, b - 1), *pool.of_mean]
    half = _t_half(corpus_parts, level)
    monte_carlo = _t_half([(s2_corpus / b, b - 1)], level)
    if pairs_as == "resampled" and b > 1:
        parts_of = partial(_parts_of, weights, crossing)
        ratio = spread_ratio(pool.moments, b, weights, pool.of_pair, parts_of, level)
    else:
        within = pool.moments.trace, _within_df(pool.moments, b, k)
        ratio = _chi_ratio(satterthwaite([within, *pool.of_pair]), level)
    curves = _mixed_curves(balance, pool, noise, family, weights, rates)
    return Estimates(
        curves,
        curves.pse,
        curves.jnd(convention),
        _around(curves.pse, half),
        _around(curves.pse, monte_carlo),
        _jnd_interval(curves, ratio, convention),
        level,
        satterthwaite(corpus_parts),
    )


class _PooledMoments(NamedTuple):
    """Moments over pairs, shape (n,); variances of a mean over sampled pairs, and of a pair."""

    moments: PairMoments
    pse: Floats
    between: Floats
    of_mean: list[Part]
    of_pair: list[Part]


def _pooled_moments(
    balance: NDArray[np.floating], weights: Floats, pairs_as: PairsAs, crossing: Crossing | None
) -> _PooledMoments:
    moments = pair_moments(balance, weights)
    pse = _over_pairs(moments.means, weights)
    spread = _over_pairs((moments.means - pse[:, None]) ** 2, weights)
    if pairs_as == "fixed":
        return _PooledMoments(moments, pse, spread, [], [])
    of_mean, of_pair = pair_parts(moments.means, spread, weights, crossing)
    between = np.asarray(np.sum([v for v, _ in of_pair], axis=0))
    return _PooledMoments(moments, pse, between, of_mean, of_pair)


def _mixed_curves(
    balance: NDArray[np.floating],
    pool: _PooledMoments,
    noise: float | Floats,
    family: Family,
    weights: Floats,
    rates: Floats | None,
) -> Curves:
    """Return the mixture of the pairs' curves."""
    sd = np.sqrt(pool.moments.trace + pool.between)
    fit = _mixture(balance, pool.pse, sd, weights, family)
    own = noise if np.ndim(noise) == 0 else np.sqrt(np.square(noise) @ weights)
    return Curves(fit, own, *([] if rates is None else rates @ weights))


def pooled_curves(
    balance: NDArray[np.floating],
    noise: float | Floats,
    family: Family,
    pairs_as: PairsAs,
    weights: Floats,
    crossing: Crossing | None = None,
    rates: Floats | None = None,
) -> Curves:
    """Return the curves of `pooled` without their intervals; parameters as there."""
    if balance.shape[2] == 1:
        own = noise if np.ndim(noise) == 0 else np.asarray(noise)[:, 0]
        fit = fit_replicates(balance[:, :, 0], family)
        return Curves(fit, own, *([] if rates is None else rates[..., 0]))
    pool = _pooled_moments(balance, weights, pairs_as, crossing)
    return _mixed_curves(balance, pool, noise, family, weights, rates)


def mean_parts(
    values: NDArray[np.floating],
    weights: Floats,
    pairs_as: PairsAs,
    crossing: Crossing | None = None,
) -> list[Part]:
    """Return variances of the mean over observers and cue pairs, with df.

    Parameters
    ----------
    values : ndarray, shape (B, n, K)
    weights, pairs_as, crossing
        As of `pooled`.

    Returns
    -------
    list of (ndarray of shape (n,), degrees of freedom)
        Of observers, and of cue pairs if these are a sample; empty if nothing varies.
    """
    b = len(values)
    moments = pair_moments(values, weights)
    parts: list[Part] = [(moments.of_mean / b, float(b - 1))] if b > 1 else []
    if pairs_as == "resampled":
        centre = _over_pairs(moments.means, weights)
        spread = _over_pairs((moments.means - centre[:, None]) ** 2, weights)
        parts += pair_parts(moments.means, spread, weights, crossing)[0]
    return parts


def half_width(parts: Sequence[Part], level: float) -> Floats:
    """Return half the width of a t interval over summed variances; 0 without variance."""
    total = np.sum([variance for variance, _ in parts], axis=0)
    return np.where(total > 0, _t_half(parts, level), 0.0)


def pair_parts(
    means: Floats, spread: Floats, weights: Floats, crossing: Crossing | None
) -> tuple[list[Part], list[Part]]:
    """Return the variance that pairs add to their mean, and that of a new pair."""
    if crossing is not None:
        squares = mean_squares(means, crossing)
        return squares.of_mean(weights), squares.of_pair()
    effective = 1 / np.sum(weights**2)
    s2_pairs = spread * effective / (effective - 1)
    df = float(effective - 1)
    return [(s2_pairs / effective, df)], [(s2_pairs, df)]


def _parts_of(
    weights: Floats, crossing: Crossing | None, values: Floats
) -> tuple[list[Part], list[Part]]:
    """Return `pair_parts` of a value per pair."""
    centre = _over_pairs(values, weights)
    spread = _over_pairs((values - centre[:, None]) ** 2, weights)
    return pair_parts(values, spread, weights, crossing)


def _over_pairs(values: Floats, weights: Floats) -> Floats:
    """Average over pairs with weights, without threads of a matrix product."""
    return np.asarray(np.einsum("nk,k->n", values, weights))


def _within_df(moments: PairMoments, b: int, k: int) -> Floats:
    """Return df of the mean variance within pairs, which share B replicates.

    With S the K x K covariance of pairs over replicates, df = nu tr(S)^2 / tr(S^2), the latter
    estimated without bias under normality.
    """
    nu, trace, square = b - 1, moments.trace, moments.square
    if nu > 1:
        square = nu**2 / ((nu - 1) * (nu + 2)) * (square - trace**2 / nu)
    square = np.clip(square, trace**2 / k, trace**2)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(square > 0, nu * trace**2 / square, 0.0))


def _t_half(parts: Sequence[tuple[Floats, Floats | float]], level: float) -> Floats:
    """Return the half-width of a t interval over summed variance components."""
    total = np.sum([variance for variance, _ in parts], axis=0)
    return np.asarray(t_quantile(satterthwaite(parts), (1 + level) / 2) * np.sqrt(total))


def _chi_ratio(df: Floats, level: float) -> Floats:
    """Return bounds of sigma / estimate from a chi-squared pivot, shape (..., 2)."""
    tails = [(1 + level) / 2, (1 - level) / 2]
    return np.stack([np.sqrt(df / chi2_quantile(df, p)) for p in tails], axis=-1)


def _jnd_interval(curves: Curves, ratio: Floats, convention: Convention) -> Floats:
    ends = [curves.with_scale(curves.fit.scale * ratio[..., e]).jnd(convention) for e in (0, 1)]
    return np.stack(ends, axis=-1)


def _around(centre: Floats, half: Floats) -> Floats:
    return np.stack([centre - half, centre + half], axis=-1)


def _mixture(
    x: NDArray[np.floating], mean: Floats, sd: Floats, weights: Floats, family: Family
) -> ReplicateFit:
    """Return the pooled curve: the family fitted to all pairs' points together."""
    b, n, k = x.shape
    if family == "normal":
        reason = np.where(np.isfinite(mean), "", "a replicate has no finite switch point")
        return ReplicateFit(family, b, mean, sd, reason)
    if not np.allclose(weights, 1 / k):
        raise ValueError("Unequal cue weights can only be pooled with family='normal'.")
    return fit_replicates(x.transpose(0, 2, 1).reshape(b * k, n), family)
