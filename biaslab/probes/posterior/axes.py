r"""Axes along which to view draws of posteriors, and the evidence of their labels.

The axes are those of Liang and Acuna (2020), Fig. 6. The ratio of two labels' evidence,
p(a) / p(b), comes from draws of both posteriors, which share one prior:
p(s | a) = p(a | s) p(s) / p(a). For any r > 0,

.. math::
    \frac{p(a)}{p(b)} =
    \frac{E_{s \mid b}[\,p(a|s) / (p(a|s) + r\,p(b|s))\,]}
         {E_{s \mid a}[\,p(b|s) / (p(a|s) + r\,p(b|s))\,]},

and the variance is smallest where r is the ratio itself, which is found by iteration: bridge
sampling (Meng and Wong 1996; Bennett 1976). Both means are of numbers between 0 and 1 (and 1/r),
so that no single draw can spoil it, as it can where 1/p(a|s) is averaged.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray
from scipy import special

from biaslab.errors import QueryError
from biaslab.probes.posterior.reading import Floats, batch_edges
from biaslab.records.record import Record
from biaslab.records.result import Interval
from biaslab.stats.threads import one_blas_thread
from biaslab.threads.cores import spread

AxesKind: TypeAlias = Literal["pca", "difference"]
AXES: Final[tuple[str, ...]] = get_args(AxesKind)
STABLE: Final = 0.9
"""Smallest cosine between the axes of two halves of the draws for a stable axis."""

_BLOCK: Final = 4096
"""Draws multiplied at a time, in single precision; blocks are added in double."""


@dataclass(frozen=True)
class Axes:
    """Two orthonormal axes and their stability.

    Attributes
    ----------
    origin : ndarray, shape (d,)
        Mean of the labels' means.
    basis : ndarray, shape (d, 2)
    explained : ndarray, shape (2,)
        Share of the pooled variance along each axis.
    even_share : float
        Share of each axis for perfectly round draws: 1/d.
    stability : ndarray, shape (2,)
        How well two halves of the draws agree, 0 (nothing in common) to 1: the cosine between
        their first axes, and that of the largest angle between their planes.
    """

    origin: Floats
    basis: Floats
    explained: Floats
    even_share: float
    stability: Floats


def fit_axes(draws: Sequence[NDArray[np.floating]], kind: AxesKind) -> Axes:
    """Fit axes to the pooled draws; each posterior has the same weight.

    - `draws`, sequence of ndarray, shape (chains, n, d): of one posterior or more; two for
      ``difference``.
    - `kind`: ``pca``: the first two principal components of the pooled draws. ``difference``: the
      difference of the two means (the first less the second), and the direction at right angles to
      it with most variance.
    - Raises `QueryError` when the kind is unknown, the difference of other than two is requested,
      or there are fewer than two dimensions.
    """
    if kind not in AXES:
        raise QueryError(f"axes is {kind!r}: choose {' or '.join(AXES)}.")
    dim = draws[0].shape[2]
    if dim < 2:
        raise QueryError("A plane needs at least two dimensions. Look at the draws themselves.")
    if kind == "difference" and len(draws) != 2:
        raise QueryError(
            f"The mean difference needs two posteriors; got {len(draws)}: give "
            "{'positive': ..., 'negative': ...}, or take axes='pca'."
        )
    with one_blas_thread():
        return _fitted(draws, kind)


def _fitted(draws: Sequence[NDArray[np.floating]], kind: AxesKind) -> Axes:
    halves = [[_moments(half) for half in _halves(chain_draws)] for chain_draws in draws]
    parts = [_together(*both) for both in halves]
    origin, total = _pooled(parts)
    basis = _basis(parts, kind)
    variance = np.einsum("dk,de,ek->k", basis, total, basis)
    spread = float(np.trace(total))
    explained = variance / spread if spread > 0 else np.full(2, np.nan)
    first_basis, second_basis = (_basis([h[i] for h in halves], kind) for i in (0, 1))
    planes = np.linalg.svd(first_basis.T @ second_basis, compute_uv=False).min()
    stability = np.clip([abs(first_basis[:, 0] @ second_basis[:, 0]), planes], 0, 1)
    return Axes(origin, basis, explained, 1 / draws[0].shape[2], stability)


@dataclass(frozen=True)
class Moments:
    """Number, mean and covariance (divided by the number) of some draws."""

    n: int
    mean: Floats
    covariance: Floats


def _moments(draws: NDArray[np.floating]) -> Moments:
    flat = draws.reshape(-1, draws.shape[-1])
    mean = flat.mean(axis=0, dtype=np.float64)
    blocks = range(0, len(flat), _BLOCK)
    squares = np.zeros((len(blocks), len(mean), len(mean)))

    def add(i: int) -> None:
        away = flat[i * _BLOCK : (i + 1) * _BLOCK] - mean.astype(flat.dtype)
        squares[i] = away.T @ away

    spread(add, len(blocks), flat.size)
    return Moments(len(flat), mean, squares.sum(axis=0) / len(flat))


def _together(first: Moments, second: Moments) -> Moments:
    n = first.n + second.n
    away = first.mean - second.mean
    within = (first.n * first.covariance + second.n * second.covariance) / n
    between = first.n * second.n / n**2 * np.outer(away, away)
    return Moments(n, (first.n * first.mean + second.n * second.mean) / n, within + between)


def _halves(draws: NDArray[np.floating]) -> list[NDArray[np.floating]]:
    """Split into alternate chains, or halves of a single one, as independent samples."""
    if len(draws) > 1:
        return [draws[::2], draws[1::2]]
    middle = draws.shape[1] // 2
    return [draws[:, :middle], draws[:, middle:]]


def _pooled(parts: Sequence[Moments]) -> tuple[Floats, Floats]:
    """Return mean and covariance of the mixture of all posteriors in equal shares."""
    means = np.stack([part.mean for part in parts])
    origin = means.mean(axis=0)
    away = means - origin
    within = np.mean([part.covariance for part in parts], axis=0)
    return origin, within + away.T @ away / len(parts)


def _basis(parts: Sequence[Moments], kind: AxesKind) -> Floats:
    if kind == "pca":
        _, vectors = np.linalg.eigh(_pooled(parts)[1])
        return _signed(vectors[:, [-1, -2]], parts)
    first = parts[0].mean - parts[1].mean
    length = float(np.linalg.norm(first))
    if length == 0:
        raise QueryError(
            "Both posteriors have the same mean, so there is no axis between them. Use axes='pca'."
        )
    first = first / length
    within = np.mean([part.covariance for part in parts], axis=0)
    flat = np.eye(len(first)) - np.outer(first, first)
    _, vectors = np.linalg.eigh(flat @ within @ flat)
    second = vectors[:, -1] - first * (first @ vectors[:, -1])
    return _signed(np.stack([first, second / np.linalg.norm(second)], axis=1), parts)


def _signed(basis: Floats, parts: Sequence[Moments]) -> Floats:
    """Fix signs: the first posterior right and up; a single one by its largest loading."""
    basis = basis.copy()
    for k in range(2):
        axis = basis[:, k]
        towards = 0.0 if len(parts) < 2 else float((parts[0].mean - parts[-1].mean) @ axis)
        if abs(towards) < 1e-12:
            # Of loadings that are equally large the first, whichever rounding has made larger.
            sizes = np.abs(axis)
            towards = float(axis[np.argmax(sizes > (1 - 1e-6) * sizes.max())])
        if towards < 0:
            basis[:, k] = -axis
    return basis


_ROUNDS = 200


@dataclass(frozen=True)
class EvidenceRatio(Record):
    """log p(a) - log p(b).

    Attributes
    ----------
    log_ratio : float
        The estimate.
    interval : Interval
        Monte Carlo, by the jackknife over batches of draws.
    """

    log_ratio: float
    interval: Interval


def evidence_ratio(at_a: Floats, at_b: Floats, level: float = 0.95) -> EvidenceRatio:
    """Return the log evidence ratio from log p(a | s) - log p(b | s) at both draws.

    - `at_a`, `at_b`, ndarray, shape (chains, n): the log odds of a against b at draws of p(s | a),
      and of p(s | b). With two labels these are the logits of a.
    - `level`: of the interval.
    """
    a, b = np.asarray(at_a, dtype=np.float64), np.asarray(at_b, dtype=np.float64)
    estimate = _bridge(a.ravel(), b.ravel())
    # At the best r the derivative by r is 0: r is fixed while batches are left out.
    of_a, size_a = _sums(special.expit(-(a - estimate)), a.shape)
    of_b, size_b = _sums(special.expit(b - estimate), b.shape)
    variance = _left_out(of_a, size_a) + _left_out(of_b, size_b)
    df = min(len(of_a), len(of_b)) - 1
    half = math.nan
    if df > 0 and math.isfinite(variance):
        half = float(special.stdtrit(df, (1 + level) / 2)) * math.sqrt(variance)
    interval = Interval(estimate - half, estimate + half, level, "Monte Carlo")
    return EvidenceRatio(estimate, interval)


def _bridge(a: Floats, b: Floats) -> float:
    """Solve mean expit(b - x) = mean expit(x - a) for x; one side falls in x."""
    low, high = float(min(a.min(), b.min())) - 50.0, float(max(a.max(), b.max())) + 50.0
    for _ in range(_ROUNDS):
        middle = (low + high) / 2
        if special.expit(b - middle).mean() > special.expit(middle - a).mean():
            low = middle
        else:
            high = middle
        if high - low < 1e-12 * max(1.0, abs(middle)):
            break
    return (low + high) / 2


def _sums(values: Floats, shape: tuple[int, ...]) -> tuple[Floats, Floats]:
    edges = batch_edges(*shape)
    flat = values.ravel()
    return np.add.reduceat(flat, edges), np.diff([*edges, flat.size]).astype(np.float64)


def _left_out(sums: Floats, sizes: Floats) -> float:
    """Return the jackknife variance of the log of a mean, over batches."""
    count = len(sums)
    if count < 2:
        return math.nan
    with np.errstate(divide="ignore"):
        logs = np.log((sums.sum() - sums) / (sizes.sum() - sizes))
    return float((count - 1) / count * ((logs - logs.mean()) ** 2).sum())
