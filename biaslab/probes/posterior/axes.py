"""Two axes along which to view draws of posteriors (Liang and Acuna 2020, Fig. 6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from biaslab.errors import QueryError
from biaslab.probes.posterior.reading import Floats
from biaslab.stats.blas import one_blas_thread
from biaslab.subjects.threads import spread

AxesKind: TypeAlias = Literal["pca", "difference"]
AXES: Final[tuple[str, ...]] = get_args(AxesKind)
STABLE: Final = 0.9
"""Cosine between what two halves of the draws make of an axis, from which on it counts as sound."""

_BLOCK: Final = 4096
"""Draws multiplied at a time, in single precision; blocks are added in double."""


@dataclass(frozen=True)
class Axes:
    """Two orthonormal axes and what they show.

    Attributes
    ----------
    origin : ndarray, shape (d,)
        Mean of the labels' means.
    basis : ndarray, shape (d, 2)
    explained : ndarray, shape (2,)
        Share of the pooled variance along each axis.
    even_share : float
        What each axis would have of perfectly round draws: 1/d.
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
    """Fit axes to the pooled draws; each posterior counts alike, however many draws it has.

    Parameters
    ----------
    draws : sequence of ndarray, shape (chains, n, d)
        Of one posterior or more; two for ``difference``.
    kind : str
        ``pca``: the two directions in which the pooled draws vary most. ``difference``: the
        difference of the two means (the first less the second), and the direction at right angles
        to it in which draws vary most.

    Raises
    ------
    QueryError
        When the kind is unknown, the difference of other than two is asked for, or there are
        fewer than two dimensions.
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
    halves = [[_moments(half) for half in _halves(one)] for one in draws]
    parts = [_together(*both) for both in halves]
    origin, total = _pooled(parts)
    basis = _basis(parts, kind)
    variance = np.einsum("dk,de,ek->k", basis, total, basis)
    spread = float(np.trace(total))
    explained = variance / spread if spread > 0 else np.full(2, np.nan)
    one, two = (_basis([h[i] for h in halves], kind) for i in (0, 1))
    planes = np.linalg.svd(one.T @ two, compute_uv=False).min()
    stability = np.clip([abs(one[:, 0] @ two[:, 0]), planes], 0, 1)
    return Axes(origin, basis, explained, 1 / draws[0].shape[2], stability)


@dataclass(frozen=True)
class Moments:
    """Number, mean and covariance (divided by the number) of some draws, in double precision."""

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


def _together(one: Moments, two: Moments) -> Moments:
    n = one.n + two.n
    away = one.mean - two.mean
    within = (one.n * one.covariance + two.n * two.covariance) / n
    between = one.n * two.n / n**2 * np.outer(away, away)
    return Moments(n, (one.n * one.mean + two.n * two.mean) / n, within + between)


def _halves(draws: NDArray[np.floating]) -> list[NDArray[np.floating]]:
    """Every other chain, or the halves of a single one: so far apart that they are independent."""
    if len(draws) > 1:
        return [draws[::2], draws[1::2]]
    middle = draws.shape[1] // 2
    return [draws[:, :middle], draws[:, middle:]]


def _pooled(parts: Sequence[Moments]) -> tuple[Floats, Floats]:
    """Mean and covariance of the mixture of all posteriors in equal shares."""
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
    """The first posterior lies to the right, and up; a single one has its largest loading up."""
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
