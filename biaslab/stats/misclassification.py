"""Shares of groups among things that a rater classifies with errors.

The rater's errors come from a calibration set with known labels: C[g, j] is the probability of
answer j about a member of group g. Of a sample with shares pi the answers follow pi C. Both are
estimated together by maximum likelihood (EM), so shares stay within 0 and 1, and any number of
groups and answers, such as "cannot say", is treated alike. For two groups and two answers the
estimate is that of Rogan and Gladen (1978), cut off at 0 and 1.

Limits are those of the profile likelihood: shares that a likelihood-ratio test does not reject. So
they carry the chance of the sample and of the calibration set, as those of Lang and Reiczigel
(2014) do for two groups, and have no infinities at 0 and 1 or with a rater that guesses.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import special

from biaslab.stats.curves.sigmoids import Floats

_STEPS: Final = 3000
_CLOSE: Final = 1e-6
_HALVINGS: Final = 14
_NOBODY: Final = 1e-9
"""Added to each count of errors, of which a group may have none."""
FEWEST_DF: Final = 4
"""Degrees of freedom between clusters with which a sample's variance is widened."""
_PRIOR: Final = 0.5
"""Members added to each answer for limits and tests (Jeffreys): without them, limits of few members
with a good rater cover too little where shares are near 0 or 1.
"""


@dataclass(frozen=True)
class Ratings:
    """Counts of P studies of S samples each, with k groups and J answers.

    Attributes
    ----------
    rated : ndarray, shape (P, S, J)
        Members of a sample by answer, their group unknown.
    labelled : ndarray, shape (P, S, k, J)
        Members of a sample by group and answer, drawn from it at random.
    calibration : ndarray, shape (P, S, k, J)
        Others by group and answer, whose groups say nothing about the sample's.
    together : bool
        Whether the samples of a study have the errors of the rater in common; calibration sets are
        then added up.
    """

    rated: Floats
    labelled: Floats
    calibration: Floats
    together: bool = False

    def __getitem__(self, at: NDArray[np.intp]) -> Ratings:
        return Ratings(self.rated[at], self.labelled[at], self.calibration[at], self.together)

    def with_prior(self) -> Ratings:
        """Return the counts with half a member for each answer."""
        return replace(self, rated=self.rated + _PRIOR)

    def beside(self, other: Ratings, *, together: bool) -> Ratings:
        """Return studies that have the samples of both."""
        rated, labelled, calibration = (
            np.concatenate([getattr(self, name), getattr(other, name)], axis=1)
            for name in ("rated", "labelled", "calibration")
        )
        return Ratings(rated, labelled, calibration, together)


def corrected_shares(ratings: Ratings) -> Floats:
    """Return the groups' shares in each sample, shape (P, S, k), by maximum likelihood."""
    return _fitted(ratings, _free)[0]


def share_limits(ratings: Ratings, group: int, critical: float) -> tuple[Floats, Floats]:
    """Return profile-likelihood limits of a group's share, each of shape (P,).

    Parameters
    ----------
    ratings : Ratings
        Of one sample in each study.
    group : int
        From 0.
    critical : float
        Largest deviance within the limits, such as 3.84 for 95 %.
    """
    low, high, _ = _limits(
        ratings, lambda shares: shares[:, 0, group],
        lambda counts, at: _with_share(counts, group, at[:, None]), critical, 0.0,
    )  # fmt: skip
    return low, high


def share_differences(
    pairs: Ratings, group: int, critical: float
) -> tuple[Floats, Floats, Floats, Floats]:
    """Compare a group's share in two samples.

    Parameters
    ----------
    pairs : Ratings
        Of two samples in each study.
    group, critical
        As of `share_limits`.

    Returns
    -------
    difference, low, high, deviance : ndarray, shape (P,)
        First less second, its limits, and the deviance of no difference.
    """

    def difference(shares: Floats) -> Floats:
        return np.asarray(shares[:, 0, group] - shares[:, 1, group])

    def fixed(counts: Floats, at: Floats) -> Floats:
        lower = _shares_at_difference(counts[..., group], counts.sum(axis=-1), at)
        return _with_share(counts, group, np.clip(np.stack([lower + at, lower], axis=1), 0, 1))

    low, high, deviance = _limits(pairs, difference, fixed, critical, -1.0)
    none = deviance(np.zeros(len(low)), np.arange(len(low)))
    return difference(corrected_shares(pairs)), low, high, np.maximum(none, 0)


def _with_share(counts: Floats, group: int, share: Floats) -> Floats:
    """Return shares, of which a group's is fixed, and the others are as their counts."""
    others = np.delete(counts, group, axis=-1)
    total = others.sum(axis=-1, keepdims=True)
    even = np.full_like(others, 1 / others.shape[-1])
    rest = np.divide(others, total, out=even, where=total > 0)
    return np.asarray(np.insert(rest * (1 - share)[..., None], group, share, axis=-1))


def _shares_at_difference(hits: Floats, totals: Floats, difference: Floats) -> Floats:
    """Return the second share at a given difference from the first (Miettinen and Nurminen 1985).

    `hits` and `totals` have the shape (B, 2).
    """
    (x1, x2), (n1, n2), d = hits.T, totals.T, difference
    n, x = n1 + n2, x1 + x2
    a = n
    b = (n1 + 2 * n2) * d - n - x
    c = (n2 * d - n - 2 * x2) * d + x
    e = x2 * d * (1 - d)
    q = (b / (3 * a)) ** 3 - b * c / (6 * a**2) + e / (2 * a)
    p = np.where(q < 0, -1.0, 1.0) * np.sqrt(np.maximum((b / (3 * a)) ** 2 - c / (3 * a), 0))
    cosine = np.divide(q, p**3, out=np.zeros_like(q), where=p != 0)
    angle = (np.pi + np.arccos(np.clip(cosine, -1, 1))) / 3
    root = 2 * p * np.cos(angle) - b / (3 * a)
    return np.asarray(np.clip(root, np.maximum(0, -d), np.minimum(1, 1 - d)))


def separation(known: Floats, level: float, rng: np.random.Generator) -> tuple[float, float, float]:
    """Return how far a rater tells groups apart, with its limits.

    Of the two groups that it tells apart least, NaN with a group of which nobody is known: the
    share of pictures that it would have to answer differently to answer about both alike (total
    variation; Youden's index for two answers).

    Parameters
    ----------
    known : ndarray, shape (k, J)
        Members of known groups by group and answer.
    level : float
        Of the limits: quantiles of draws from the posterior with Jeffreys' prior.
    rng : numpy.random.Generator
    """
    gamma = rng.standard_gamma(known + 0.5, (2000, *known.shape))
    drawn = gamma / gamma.sum(axis=-1, keepdims=True)
    low, high = np.quantile(_least_distance(drawn), [(1 - level) / 2, (1 + level) / 2])
    totals = known.sum(axis=-1, keepdims=True)
    value = float(_least_distance(known / totals)) if totals.all() else np.nan
    return value, float(low), float(high)


def _least_distance(rates: Floats) -> Floats:
    i, j = np.triu_indices(rates.shape[-2], 1)
    between = np.abs(rates[..., i, :] - rates[..., j, :]).sum(axis=-1) / 2
    return np.asarray(between.min(axis=-1))


def equal_errors(known: Floats) -> float:
    """Return the p-value of the likelihood-ratio test that all samples have the same errors.

    Parameters
    ----------
    known : ndarray, shape (P, k, J)
        Members of known groups by group and answer.

    Returns
    -------
    float
        NaN where no group is known in two samples.
    """
    statistic, df = 0.0, 0
    for counts in np.moveaxis(known, 1, 0):
        table = counts[counts.sum(axis=1) > 0][:, counts.sum(axis=0) > 0]
        if min(table.shape) > 1:
            expected = table.sum(axis=1, keepdims=True) * table.sum(axis=0) / table.sum()
            statistic += 2 * float(special.xlogy(table, table / expected).sum())
            df += (table.shape[0] - 1) * (table.shape[1] - 1)
    return float(special.chdtrc(df, statistic)) if df else np.nan


def likelihood_p(deviance: Floats, df: int | None = None) -> Floats:
    """Return p-values of deviances with one parameter; `df` is that of an `inflation`."""
    return np.asarray(special.chdtrc(1, deviance) if df is None else special.fdtrc(1, df, deviance))


def inflation(counts: list[Floats], level: float) -> tuple[float, float, int]:
    """Return by how much clusters widen a sample's variance.

    Pearson's chi-square of answers by clusters within samples, over its degrees of freedom, but not
    below 1, nor with fewer than `FEWEST_DF` degrees of freedom, of which nothing can be said; an F
    distribution stands for the uncertainty of that factor where it counts.

    Parameters
    ----------
    counts : list of ndarray, shape (clusters, J)
        Of each sample.
    level : float
        Of the limits.

    Returns
    -------
    factor : float
        Of the variance.
    critical : float
        Deviance within the limits, for counts divided by the factor.
    df : int
    """
    square, df = 0.0, 0
    for table in counts:
        table = table[:, table.sum(axis=0) > 0]
        sizes = table.sum(axis=1, keepdims=True)
        if len(table) > 1 and table.shape[1] > 1:
            expected = sizes * table.sum(axis=0) / table.sum()
            square += float(((table - expected) ** 2 / expected).sum())
            df += (table.shape[0] - 1) * (table.shape[1] - 1)
    normal = float(special.chdtri(1, 1 - level))
    factor = square / df if df >= FEWEST_DF else 1.0
    if factor <= 1:
        return 1.0, normal, df
    return factor, float(special.fdtri(1, df, level)), df


def _free(counts: Floats) -> Floats:
    return np.asarray(counts / counts.sum(axis=-1, keepdims=True))


def _fitted(ratings: Ratings, shares_of: Callable[[Floats], Floats]) -> tuple[Floats, Floats]:
    """Return shares, shape (B, S, k), and the log-likelihood, shape (B,), by EM.

    `shares_of` maximises over shares given the groups' expected counts, within a constraint.
    """
    rated, labelled, calibration = ratings.rated, ratings.labelled, ratings.calibration

    def rates_of(members: Floats) -> Floats:
        if ratings.together:
            members = members.sum(axis=1, keepdims=True)
        members = members + _NOBODY
        return np.asarray(members / members.sum(axis=-1, keepdims=True))

    rates = rates_of(labelled + calibration + 0.5)
    even = np.broadcast_to(rated.sum(axis=-1)[..., None] + 1, labelled.shape[:-1])
    shares = shares_of(labelled.sum(axis=-1) + even)
    before = np.full(len(rated), -np.inf)
    for _ in range(_STEPS):
        joint = shares[..., None] * rates
        mixed = joint.sum(axis=-2)
        found = (
            special.xlogy(rated, mixed).sum(axis=(1, 2))
            + special.xlogy(labelled, joint).sum(axis=(1, 2, 3))
            + special.xlogy(calibration, rates).sum(axis=(1, 2, 3))
        )
        with np.errstate(invalid="ignore"):  # impossible ones stay at minus infinity
            if not np.any(found - before >= _CLOSE):
                break
        before = found
        per = np.divide(rated, mixed, out=np.zeros_like(mixed), where=mixed > 0)
        members = labelled + joint * per[..., None, :]
        shares = shares_of(members.sum(axis=-1))
        rates = rates_of(members + calibration)
    return shares, found


def _limits(
    ratings: Ratings, of: Callable[[Floats], Floats], fixed: Callable[[Floats, Floats], Floats],
    critical: float, lowest: float,
) -> tuple[Floats, Floats, Callable[[Floats, NDArray[np.intp]], Floats]]:  # fmt: skip
    """Return where the deviance of a number, up to 1, crosses its limit, and the deviance.

    - `of`: the number of each study, from shares.
    - `fixed`: shares that have it, from the groups' expected counts and the number.
    - `lowest`: that it can be.
    """
    counted = ratings.with_prior()
    shares, best = _fitted(counted, _free)

    def deviance(at: Floats, rows: NDArray[np.intp]) -> Floats:
        return 2 * (best[rows] - _fitted(counted[rows], lambda counts: fixed(counts, at))[1])

    n = len(best)
    rows = np.tile(np.arange(n), 2)
    outer = np.repeat([lowest, 1.0], n)
    inner = np.where(deviance(outer, rows) <= critical, outer, np.tile(of(shares), 2))
    for _ in range(_HALVINGS):
        middle = (inner + outer) / 2
        within = deviance(middle, rows) <= critical
        inner, outer = np.where(within, middle, inner), np.where(within, outer, middle)
    estimate = of(corrected_shares(ratings))
    return np.minimum(inner[:n], estimate), np.maximum(inner[n:], estimate), deviance
