r"""Switch points of observers that step: in closed form, with their empirical curve.

A deterministic observer compares two scores (Liang and Acuna 2020, eqs. 3 and 8), each a similarity
of the stimulus to a cue plus a similarity of the word to that cue. It answers cue 2 from the
:math:`\alpha` on at which the second score overtakes the first, so one number holds its answers to
every stimulus.

On the empirical curve Psi(alpha) is the share of replicates that answer cue 2 at alpha: the
distribution function of their switch points. The PSE is its median and the JND comes from its
quantiles. Intervals come from order statistics (`biaslab.stats.quantiles`): about a tenth wider
than a normal curve's where switch points are normal, they hold where these are skewed or have long
tails. With ``family="auto"`` a curve is the empirical one where its switch points are not normal,
by a test of their shape (`biaslab.stats.significance.normality_p`).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from biaslab.probes.psychometrics.curves import Curves, Estimates, PairsAs, pair_parts
from biaslab.probes.psychometrics.options import Scoring
from biaslab.records.result import Dropped
from biaslab.stats.crossed.effects import Crossing, Part, satterthwaite
from biaslab.stats.curves.jnd import Convention
from biaslab.stats.curves.replicates import ReplicateFit
from biaslab.stats.quantiles import median_interval, next_value_interval, quantile, t_quantile
from biaslab.stats.reproducibility import snapped
from biaslab.stats.significance import normality_p

Floats = NDArray[np.float64]
Reals = NDArray[np.floating]

SAME_CUES = 1e-6
"""Cue pairs with 1 - cos below this count as the same direction, without a switch point."""


def repeated_pairs(
    pairs: Sequence[tuple[str, str]], vectors: Sequence[Hashable]
) -> dict[tuple[str, str], Dropped]:
    """Return pairs whose two vectors are those of an earlier pair, with that reason.

    - `vectors`: what identifies the two vectors of each pair.
    """
    first: dict[Hashable, tuple[str, str]] = {}
    repeated = {}
    for pair, key in zip(pairs, vectors, strict=True):
        if (earlier := first.setdefault(key, pair)) != pair:
            reason = f"has the same vectors as {' / '.join(earlier)!r}, so that both count once"
            repeated[pair] = Dropped(" / ".join(pair), "cue pair", reason)
    return repeated


def switch_points(
    difference: Reals, sim_cues: Reals, norms: Sequence[Reals], scoring: Scoring
) -> Reals:
    """Return switch points under a scoring rule, named as in `biaslab.two_afc`.

    A word equally near to both cues within single precision is at the middle: after hard debiasing
    many are, and rounding would lean them all.

    Parameters
    ----------
    difference, sim_cues : ndarray
        As for `mixed_cosines`.
    norms : (ndarray, ndarray)
        Lengths of the cue vectors, which only ``mixture`` uses.

    Raises
    ------
    ValueError
        When the rule is unknown.
    """
    difference = snapped(difference)
    if scoring == "eq8":
        return mixed_cosines(difference, sim_cues)
    if scoring == "mixture":
        return true_mixture(difference, sim_cues, *norms)
    raise ValueError(f"scoring is {scoring!r}; choose 'eq8' or 'mixture'.")


def mixed_cosines(difference: Reals, sim_cues: Reals) -> Reals:
    r"""Compute the switch point under eq. 8, which mixes the cues' cosines.

    Parameters
    ----------
    difference : ndarray
        cos(word, cue 2) - cos(word, cue 1).
    sim_cues : ndarray
        cos(cue 1, cue 2), below 1; broadcasts against `difference`.

    Returns
    -------
    ndarray
        :math:`\alpha^* = \frac12 - \frac{difference}{2 (1 - sim\_cues)}`, any real number: outside
        [0, 1] the observer gives one answer to every blend.
    """
    return 0.5 - difference / (2 * (1 - sim_cues))


def true_mixture(difference: Reals, sim_cues: Reals, norm_1: Reals, norm_2: Reals) -> Reals:
    r"""Compute the switch point for the blended vector itself (eqs. 1 and 3).

    The blend :math:`(1-\alpha) c_1 + \alpha c_2` sweeps the plane of the two cues. With
    :math:`\varphi` their angle and :math:`\theta` that of the blend from cue 1, the scores'
    difference is :math:`2 \sin(\varphi/2) \sin(\theta - \varphi/2)`, which is solved for
    :math:`\theta`.

    Parameters
    ----------
    difference, sim_cues : ndarray
        As for `mixed_cosines`.
    norm_1, norm_2 : ndarray
        Lengths of the cue vectors: a longer cue dominates the blend.

    Returns
    -------
    ndarray
        The switch point; infinite when no blend on the line through both cues balances the scores.
    """
    phi = np.arccos(np.clip(sim_cues, -1, 1))
    theta = phi / 2 + np.arcsin(np.clip(-difference / (2 * np.sin(phi / 2)), -1, 1))
    share_2 = norm_1 * np.sin(theta)
    total = share_2 + norm_2 * np.sin(phi - theta)
    never = np.where(theta > phi / 2, np.inf, -np.inf)
    return np.asarray(np.divide(share_2, total, out=never, where=total > 0))


FEWEST = 8
"""With fewer replicates order statistics say too little: intervals are NaN."""
_DRAWS = 200
_SMOOTH = 0.5
"""Bandwidth of the smoothed bootstrap in SDs, before it shrinks with the number of replicates."""
_HALVINGS = 40
"""Of the bracket of a p-value, which is then exact to 1e-12."""
_AT_ONCE = 1_000_000
"""Points of all draws that are sorted at a time: 8 MB."""
_EQUAL = 1e-12
"""Weights that differ by less are equal."""


@dataclass(frozen=True)
class _Corpora:
    """Replicates' switch points over all pairs, and what sampled pairs add to their mean.

    Attributes
    ----------
    ordered : ndarray, shape (B, ...)
        Ascending over the first axis.
    pairs : tuple of Part
        Variances of the mean over pairs; empty where pairs are not a sample.
    """

    ordered: Floats
    pairs: tuple[Part, ...] = ()

    def one(self, where: Any) -> _Corpora:
        """Those of some of the curves."""
        pairs = tuple(
            (variance[where], np.asarray(df)[where] if np.ndim(df) else df)
            for variance, df in self.pairs
        )
        return _Corpora(self.ordered[(slice(None), *np.index_exp[where])], pairs)

    @property
    def median(self) -> Floats:
        """The PSE."""
        return quantile(self.ordered, 0.5)

    def interval(self, level: ArrayLike) -> Floats:
        """Of one more replicate's PSE, over other pairs too: the corpus interval, (..., 2).

        Parameters
        ----------
        level : array_like
            In [0, 1); one for all, or one for each of (...).
        """
        return self._with_pairs(next_value_interval(self.ordered, level), level)

    def monte_carlo(self, level: float) -> Floats:
        """Of the PSE over ever more replicates, shape (..., 2)."""
        return median_interval(self.ordered, level)

    def _with_pairs(self, ends: Floats, level: ArrayLike) -> Floats:
        if not self.pairs:
            return ends
        centre = self.median
        df, p = satterthwaite(self.pairs), (1 + np.asarray(level, dtype=float)) / 2
        t = t_quantile(df, float(p)) if p.ndim == 0 else special.stdtrit(df, p)
        with np.errstate(invalid="ignore"):
            of_pairs = t**2 * np.sum([variance for variance, _ in self.pairs], axis=0)
        of_pairs = np.where(np.isfinite(of_pairs), of_pairs, 0.0)[..., None]
        sides = np.sqrt((ends - centre[..., None]) ** 2 + of_pairs)
        return np.asarray(centre[..., None] + sides * [-1, 1])


@dataclass(frozen=True)
class EmpiricalEstimates(Estimates):
    """Estimates of empirical curves."""

    corpora: _Corpora | None = None

    @property
    def is_empirical(self) -> NDArray[np.bool_]:
        """Everywhere."""
        return np.ones(self.pse.shape, dtype=bool)

    @cached_property
    def p_value(self) -> Floats:
        """Two-sided p-value of no bias: below ``1 - level`` just where `lean` is not 0.

        1 minus the highest level whose corpus interval excludes 1/2, rounded up by 1e-12 at most.
        """
        if np.isnan(self.corpus).all():
            return np.full(self.pse.shape, np.nan)
        out, within = np.zeros(self.pse.shape), np.ones(self.pse.shape)
        for _ in range(_HALVINGS):
            middle = (out + within) / 2
            excludes = self._excludes_half(middle)
            out, within = np.where(excludes, middle, out), np.where(excludes, within, middle)
        allowed = 1 - self.level
        # A level within the bracket: the interval itself says on which side of it p lies.
        p = np.where(self.lean != 0, np.minimum(1 - out, np.nextafter(allowed, 0)), 1 - out)
        p = np.where(self.lean == 0, np.maximum(p, allowed), p)
        return np.where(np.isfinite(self.corpus[..., 0]), p, np.nan)

    def _excludes_half(self, level: Floats) -> NDArray[np.bool_]:
        """Whether the corpus interval of each level (...) excludes 1/2."""
        assert self.corpora is not None  # noqa: S101  # a default stands after defaults
        interval = self.corpora.interval(level)
        return np.asarray((interval[..., 0] > 0.5) | (interval[..., 1] < 0.5))


def empirical_per_pair(
    balance: NDArray[np.floating], noise: float | Floats, convention: Convention, level: float
) -> EmpiricalEstimates:
    """Estimates for each item and cue pair, as `biaslab.probes.psychometrics.curves.per_pair`."""
    x = balance.astype(float)
    ordered = np.sort(x, axis=0)
    return _estimates(ordered, _Corpora(ordered), x[..., None], noise, convention, level)


def empirical_pooled(
    balance: NDArray[np.floating],
    noise: float | Floats,
    convention: Convention,
    level: float,
    pairs_as: PairsAs,
    weights: Floats,
    crossing: Crossing | None = None,
) -> EmpiricalEstimates:
    """Estimates of each item, pooled over cue pairs, as `curves.pooled`.

    The PSE is the median over replicates of the mean over pairs. The curve is that of all switch
    points, moved to this PSE.
    """
    x = balance.astype(float)
    _, n, k = x.shape
    if k == 1:
        of_one = noise if np.ndim(noise) == 0 else np.asarray(noise)[:, 0]
        ordered = np.sort(x[:, :, 0], axis=0)
        return _estimates(ordered, _Corpora(ordered), x, of_one, convention, level)
    if not np.allclose(weights, 1 / k):
        raise ValueError("Unequal cue weights can only be pooled with family='normal'.")
    means = x.mean(axis=0)
    parts: list[Part] = []
    if pairs_as == "resampled":
        spread = ((means - means.mean(axis=1, keepdims=True)) ** 2).mean(axis=1)
        parts = pair_parts(means, spread, weights, crossing)[0]
    corpora = _Corpora(np.sort(x.mean(axis=2), axis=0), tuple(parts))
    ordered = np.sort(x.transpose(0, 2, 1).reshape(-1, n), axis=0)
    ordered = ordered + (corpora.median - quantile(ordered, 0.5))
    own = noise if np.ndim(noise) == 0 else np.sqrt(np.square(noise) @ weights)
    return _estimates(ordered, corpora, x, own, convention, level)


def _estimates(
    points: Floats,
    corpora: _Corpora,
    draws_of: Floats,
    noise: float | Floats,
    convention: Convention,
    level: float,
) -> EmpiricalEstimates:
    """From the points of the curves, ascending, and (B, ..., K) of which the bootstrap draws."""
    b = len(corpora.ordered)
    median = corpora.median
    sd = points.std(axis=0, ddof=1) if len(points) > 1 else np.zeros(median.shape)
    known = np.isfinite(points).all(axis=0)
    reason = np.where(known, "", "a replicate has no finite switch point")
    curves = Curves(ReplicateFit("normal", b, median, sd, reason), noise, points=points)
    width = np.where(known, curves.jnd(convention), np.nan)
    if b == 1:
        width = np.where(np.asarray(noise) > 0, width, np.nan)
    nothing = np.full((*median.shape, 2), np.nan)
    enough = b >= FEWEST
    return EmpiricalEstimates(
        curves,
        np.where(known, median, np.nan),
        width,
        corpora.interval(level) if enough else nothing,
        corpora.monte_carlo(level) if enough else nothing,
        _jnd_interval(width, draws_of, curves, convention, level) if enough else nothing,
        level,
        None,
        corpora=corpora,
    )


def _jnd_interval(
    width: Floats, x: Floats, curves: Curves, convention: Convention, level: float
) -> Floats:
    """Of the JND, by a smoothed bootstrap of replicates and pairs on its logarithm."""
    b, k = x.shape[0], x.shape[-1]
    rng = np.random.default_rng(20_200_127)
    which, more, pairs = [], [], []
    for _ in range(_DRAWS):
        which.append(rng.integers(0, b, b))
        more.append(rng.standard_normal(b))
        if k > 1:
            pairs.append(rng.integers(0, k, k))
    at, smooth = np.transpose(which), np.transpose(more)[..., None, None]
    points = x.reshape(b, -1, k)
    noise = np.broadcast_to(curves.noise, width.shape).ravel()
    block = max(1, _AT_ONCE // (_DRAWS * b * k))
    sd = np.empty(width.size)
    for start in range(0, width.size, block):
        part = points[:, start : start + block]
        spread = _SMOOTH * b**-0.2 * part.std(axis=0, ddof=1)
        drawn = part[at] + spread * smooth
        if k > 1:
            drawn = np.take_along_axis(drawn, np.array(pairs)[None, :, None], axis=-1)
        ordered = np.sort(np.moveaxis(drawn, -1, 1).reshape(b * k, *drawn.shape[1:-1]), axis=0)
        fit = replace(
            curves.fit, location=quantile(ordered, 0.5), scale=ordered.std(axis=0, ddof=1)
        )
        again = Curves(fit, noise[start : start + block], points=ordered)
        with np.errstate(divide="ignore", invalid="ignore"):
            sd[start : start + block] = np.log(again.jnd(convention)).std(axis=0, ddof=1)
    half = t_quantile(np.float64(b - 1), (1 + level) / 2) * sd.reshape(width.shape)
    return np.stack([width * np.exp(-half), width * np.exp(half)], axis=-1)


_NOT_NORMAL = 0.05
"""Switch points with a smaller p-value of normality have the empirical curve."""


@dataclass(frozen=True, kw_only=True)
class _EitherCurves(Curves):
    """Normal curves, of which some give way to empirical ones.

    Attributes
    ----------
    others : Curves, shape (m,)
        The empirical curves.
    at : ndarray of int
        In the shape of the curves: which of `others`, -1 for the normal curve.
    """

    others: Curves
    at: NDArray[np.intp]

    def share(self, alpha: ArrayLike) -> Floats:
        """Psi(alpha)."""
        return self._either(super().share(alpha), self._at_each.share(alpha))

    def quantile(self, p: ArrayLike) -> Floats:
        """Alpha at which F reaches ``p``."""
        return self._either(super().quantile(p), self._at_each.quantile(p))

    def jnd(self, convention: Convention) -> Floats:
        """Return the JND."""
        return self._either(super().jnd(convention), self._at_each.jnd(convention))

    def one(self, where: Any) -> Curves:
        """One curve out of many, by its index, or some of them."""
        at, normal = self.at[where], super().one(where)
        if np.ndim(at) == 0:
            return normal if at < 0 else self.others.one(int(at))
        return _EitherCurves(normal.fit, normal.noise, others=self.others, at=at)

    @property
    def _at_each(self) -> Curves:
        """An empirical curve at each place, any where it is not used."""
        return self.others.one(np.maximum(self.at, 0))

    def _either(self, normal: Floats, other: Floats) -> Floats:
        return np.where(self.at >= 0, other, normal)


@dataclass(frozen=True, kw_only=True)
class _EitherEstimates(Estimates):
    """Estimates of normal curves, and of empirical ones where switch points are not normal."""

    normal: Estimates
    others: EmpiricalEstimates
    at: NDArray[np.intp]

    @classmethod
    def of(cls, normal: Estimates, others: EmpiricalEstimates, odd: NDArray[np.bool_]) -> Estimates:
        """Put the m empirical estimates in the places that are `odd`, in their order."""
        at = np.full(odd.shape, -1, dtype=np.intp)
        at[odd] = np.arange(len(others.pse))
        curves = _EitherCurves(normal.curves.fit, normal.curves.noise, others=others.curves, at=at)
        names = ("pse", "jnd", "corpus", "monte_carlo", "jnd_interval")
        numbers = {
            name: _replaced(getattr(normal, name), getattr(others, name), at) for name in names
        }
        return cls(
            curves=curves, **numbers, level=normal.level, normal=normal, others=others, at=at
        )

    @property
    def is_empirical(self) -> NDArray[np.bool_]:
        """Where switch points are not normal."""
        return np.asarray(self.at >= 0)

    @cached_property
    def p_value(self) -> Floats:
        """Two-sided p-value of no bias, of either curve."""
        return _replaced(self.normal.p_value, self.others.p_value, self.at)


def _replaced(values: Floats, others: Floats, at: NDArray[np.intp]) -> Floats:
    """Return values (..., k) with those of `others` (m, k) in the places that `at` numbers."""
    values = np.array(values)
    values[at >= 0] = others[at[at >= 0]]
    return values


def chosen_per_pair(
    normal: Estimates, balance: NDArray[np.floating], noise: float | Floats, convention: Convention
) -> Estimates:
    """Replace normal curves of each item and pair where their switch points are not normal."""
    odd = normality_p(balance) < _NOT_NORMAL
    if not odd.any():
        return normal
    some = noise if np.ndim(noise) == 0 else np.asarray(noise)[odd][:, None]
    others = empirical_per_pair(balance[:, odd, None], some, convention, normal.level)
    return _EitherEstimates.of(normal, others.one((slice(None), 0)), odd)


def chosen_pooled(
    normal: Estimates,
    balance: NDArray[np.floating],
    noise: float | Floats,
    convention: Convention,
    pairs_as: PairsAs,
    weights: Floats,
    crossing: Crossing | None = None,
) -> Estimates:
    """Replace normal curves pooled over pairs where replicates' means over pairs are not normal.

    Pairs of unequal weight have no empirical curve.
    """
    odd = normality_p(balance.mean(axis=2, dtype=float)) < _NOT_NORMAL
    if not odd.any() or np.ptp(weights) > _EQUAL:
        return normal
    some = noise if np.ndim(noise) == 0 else np.asarray(noise)[odd]
    others = empirical_pooled(
        balance[:, odd], some, convention, normal.level, pairs_as, weights, crossing
    )
    return _EitherEstimates.of(normal, others, odd)
