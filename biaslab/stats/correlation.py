r"""Pearson and Spearman correlations with intervals and p-values.

The interval is :math:`\tanh(z \pm t_{n-2} s)` with Fisher's :math:`z = \operatorname{artanh} r`
and *s* from the jackknife: the n correlations with one word left out. It is valid if the points are
not bivariate normal (shares that pile up at 0 and 1, skewed estimates, spread that grows), where
Fisher's :math:`1/\sqrt{n-3}` fails: ``docs/decisions/correlations.md`` has the
measured coverage. Fisher's own (for Spearman Bonett and Wright's, 2000) can be chosen.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from biaslab.stats.reproducibility import DOUBLE, places

Floats = NDArray[np.float64]
Kind = Literal["pearson", "spearman"]
Method = Literal["jackknife", "fisher"]

FEWEST = 4
"""An interval divides by n - 3."""
MOST_LEFT_OUT = 400
"""With more points than this, Spearman's jackknife leaves out groups of them."""
GROUPS = 100


@dataclass(frozen=True)
class Correlation:
    """Correlations with intervals; arrays of the shape of the correlated sets, (...).

    Attributes
    ----------
    r : ndarray
        Signed correlation, -1 to 1; NaN if there is a `reason`.
    interval : ndarray, shape (..., 2)
        NaN if there is none.
    p : ndarray
        Two-sided p-value of no correlation, by Student's t with n - 2 degrees of freedom.
    z_left_out : ndarray, shape (..., n) or (..., GROUPS)
        Fisher's z with each point left out in turn; for Spearman's of very many points, each group.
    n : int
        Number of points.
    reason : str or ndarray of str
        Why there is no number; empty if there is one.
    """

    r: Floats
    interval: Floats
    p: Floats
    z_left_out: Floats
    n: int
    reason: NDArray[np.str_]


def correlate(
    x: ArrayLike,
    y: ArrayLike,
    kind: Kind = "pearson",
    *,
    level: float = 0.95,
    method: Method = "jackknife",
    extra_variance: ArrayLike = 0.0,
) -> Correlation:
    """Correlate sets of paired numbers.

    Parameters
    ----------
    x, y : array_like, shapes (..., n)
        Finite numbers; broadcast against each other.
    kind : str
        ``pearson``, or ``spearman`` (ties get mean ranks).
    level : float
        Of the interval, in (0, 1).
    method : str
        ``jackknife`` or ``fisher``, see the module.
    extra_variance : array_like, shape (...)
        Variance of Fisher's z from another source than the sample of points, to be added.

    Raises
    ------
    ValueError
        When an option is unknown, the numbers are not finite or not paired.
    """
    if kind not in get_args(Kind) or method not in get_args(Method):
        raise ValueError(
            f"kind is {kind!r} and method {method!r}; choose from {get_args(Kind)} and "
            f"{get_args(Method)}."
        )
    a, b = np.broadcast_arrays(np.asarray(x, dtype=float), np.asarray(y, dtype=float))
    if a.ndim == 0 or not (np.isfinite(a).all() and np.isfinite(b).all()):
        raise ValueError("Correlations need finite paired numbers. Leave out the others first.")
    n = a.shape[-1]
    reason = _reasons(a, b)
    good = reason == ""
    shape = a.shape[:-1]
    if n < FEWEST:
        nothing = np.full(shape, np.nan)
        pair, left = np.full((*shape, 2), np.nan), np.full((*shape, n), np.nan)
        return Correlation(nothing, pair, nothing, left, n, reason)
    a, b = _spread(a, good), _spread(b, good)
    if kind == "spearman":
        left_out = _spearman_left_out(a, b)
        a, b = ranks(a), ranks(b)
        r = _pearson(a, b)
    else:
        r = _pearson(a, b)
        left_out = _pearson_left_out(a, b)
    z, z_left = _z(r), _z(left_out)
    if method == "jackknife":
        variance = jackknife_variance(z_left)
        quantile = float(special.stdtrit(n - 2, (1 + level) / 2))
    else:
        variance = (1 + r**2 / 2 if kind == "spearman" else 1.0) / (n - 3)
        quantile = float(special.ndtri((1 + level) / 2))
    half = quantile * np.sqrt(variance + np.asarray(extra_variance))
    interval = np.tanh(np.stack([z - half, z + half], axis=-1))
    with np.errstate(divide="ignore"):
        t = np.abs(r) * np.sqrt((n - 2) / np.maximum(1 - r**2, 0))
    p = 2 * special.stdtr(n - 2, -t)
    return Correlation(
        np.where(good, r, np.nan),
        np.where(good[..., None], interval, np.nan),
        np.where(good, p, np.nan),
        np.where(good[..., None], z_left, np.nan),
        n,
        reason,
    )


def jackknife_variance(left_out: Floats) -> Floats:
    """Return the variance of an estimate from its leave-one-out values, (..., G)."""
    groups = left_out.shape[-1]
    away = left_out - left_out.mean(-1, keepdims=True)
    return np.asarray((groups - 1) / groups * (away**2).sum(-1))


def ranks(x: ArrayLike) -> Floats:
    """Return ranks from 1 along the last axis; ties share their mean rank."""
    values = places(x)
    n = values.shape[-1]
    order = np.argsort(values, axis=-1, kind="stable")
    ordered = np.take_along_axis(values, order, axis=-1)
    index = np.broadcast_to(np.arange(n), values.shape)
    begins = np.ones(values.shape, dtype=bool)
    begins[..., 1:] = ordered[..., 1:] != ordered[..., :-1]
    ends = np.ones(values.shape, dtype=bool)
    ends[..., :-1] = begins[..., 1:]
    first = np.maximum.accumulate(np.where(begins, index, 0), axis=-1)
    last = np.minimum.accumulate(np.where(ends, index, n - 1)[..., ::-1], axis=-1)[..., ::-1]
    ranks_ = np.empty(values.shape)
    np.put_along_axis(ranks_, order, (first + last) / 2 + 1, axis=-1)
    return ranks_


def difference_interval(
    first: Correlation, second: Correlation, *, signed: bool = False
) -> tuple[Floats, Floats]:
    """Return |r1| - |r2| of two correlations on the same points, with its interval.

    The two intervals are combined by Zou's (2007) method, with the correlation between both
    estimates from the jackknife, so that shared variation (the same words, the same table) cancels.

    Parameters
    ----------
    first, second : Correlation
        On the same n points in the same order, with intervals of one level.
    signed : bool
        Whether to return r1 - r2 instead.

    Returns
    -------
    difference, interval : ndarray, shapes (...) and (..., 2)
    """
    sign = [np.where((c.r < 0) & (not signed), -1.0, 1.0) for c in (first, second)]
    d = [s[..., None] * c.z_left_out for s, c in zip(sign, (first, second), strict=True)]
    d = [v - v.mean(-1, keepdims=True) for v in d]
    with np.errstate(invalid="ignore", divide="ignore"):
        shared = (d[0] * d[1]).sum(-1) / np.sqrt((d[0] ** 2).sum(-1) * (d[1] ** 2).sum(-1))
    r1, r2 = (s * c.r for s, c in zip(sign, (first, second), strict=True))
    (l1, u1), (l2, u2) = (
        _turned(c.interval, s) for c, s in zip((first, second), sign, strict=True)
    )
    low, high = r1 - l1, u1 - r1
    low_2, high_2 = r2 - l2, u2 - r2
    below = low**2 + high_2**2 - 2 * shared * low * high_2
    above = high**2 + low_2**2 - 2 * shared * high * low_2
    gap = r1 - r2
    ends = [gap - np.sqrt(np.maximum(below, 0)), gap + np.sqrt(np.maximum(above, 0))]
    return gap, np.stack(ends, axis=-1)


def _turned(interval: Floats, sign: Floats) -> tuple[Floats, Floats]:
    low, high = interval[..., 0], interval[..., 1]
    return np.where(sign > 0, low, -high), np.where(sign > 0, high, -low)


def _reasons(a: Floats, b: Floats) -> NDArray[np.str_]:
    n = a.shape[-1]
    shape = a.shape[:-1]
    if n < FEWEST:
        return np.full(shape, f"{n} points; a correlation with an interval needs at least {FEWEST}")
    return np.where(_flat(a) | _flat(b), "all values of one variable are equal", "")


def _flat(x: Floats) -> NDArray[np.bool_]:
    """Return whether numbers along the last axis differ only by rounding."""
    return np.asarray(np.ptp(x, axis=-1) <= DOUBLE * np.abs(x).max(axis=-1))


def _spread(a: Floats, good: NDArray[np.bool_]) -> Floats:
    """Replace sets without variance by any others; their results are blanked."""
    return np.where(good[..., None], a, np.arange(a.shape[-1], dtype=float))


def _pearson(a: Floats, b: Floats) -> Floats:
    a = a - a.mean(-1, keepdims=True)
    b = b - b.mean(-1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        r = (a * b).sum(-1) / np.sqrt((a * a).sum(-1) * (b * b).sum(-1))
    return np.asarray(np.clip(r, -1, 1))


def _pearson_left_out(a: Floats, b: Floats) -> Floats:
    """Return Pearson's r with each point left out, (..., n), by updating the sums."""
    n = a.shape[-1]
    a = a - a.mean(-1, keepdims=True)
    b = b - b.mean(-1, keepdims=True)
    a = a / np.sqrt((a * a).sum(-1, keepdims=True))
    b = b / np.sqrt((b * b).sum(-1, keepdims=True))
    # A sum of squares around the mean loses n / (n - 1) times the point's own square.
    share = n / (n - 1)
    ab = (a * b).sum(-1, keepdims=True) - share * a * b
    aa, bb = 1 - share * a * a, 1 - share * b * b
    with np.errstate(invalid="ignore", divide="ignore"):
        r = ab / np.sqrt(aa * bb)
    return np.clip(np.where(np.minimum(aa, bb) > 1e-12, r, 0.0), -1, 1)


def _spearman_left_out(a: Floats, b: Floats) -> Floats:
    """Return leave-one-out values of Spearman's correlation, or by groups."""
    n = a.shape[-1]
    of_a, of_b = places(a), places(b)
    if n <= MOST_LEFT_OUT:
        return _pearson(_ranks_left_out(of_a), _ranks_left_out(of_b))
    # Every point's own ranking would take n squared steps. Groups drawn at random, always the same.
    order = np.random.default_rng(0).permutation(n)
    retained = [np.delete(order, slice(g, None, GROUPS)) for g in range(GROUPS)]
    return np.stack([_pearson(ranks(of_a[..., k]), ranks(of_b[..., k])) for k in retained], axis=-1)


def _ranks_left_out(x: NDArray[np.int64]) -> Floats:
    """Return ranks of the other points with each left out, shape (..., n, n - 1)."""
    n = x.shape[-1]
    above = (x[..., None, :] > x[..., :, None]) + 0.5 * (x[..., None, :] == x[..., :, None])
    left = ranks(x)[..., None, :] - above
    # Row i without its own column i: drop every (n + 1)th value of the flattened square.
    keep = np.delete(np.arange(n * n), np.arange(0, n * n, n + 1))
    return np.asarray(
        left.reshape(*x.shape[:-1], n * n)[..., keep].reshape(*x.shape[:-1], n, n - 1)
    )


def _z(r: Any) -> Floats:
    """Return Fisher's z; large but finite for a correlation of 1."""
    edge = 1 - 1e-15
    return np.asarray(np.arctanh(np.clip(np.nan_to_num(r), -edge, edge)))
