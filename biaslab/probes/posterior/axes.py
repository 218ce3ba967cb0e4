"""Two axes to look at draws of one or two posteriors along (paper 000, Fig. 6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from biaslab.errors import QueryError
from biaslab.probes.posterior.reading import Floats

AxesKind: TypeAlias = Literal["pca", "difference"]
AXES: Final[tuple[str, ...]] = get_args(AxesKind)
STABLE: Final = 0.9
"""Cosine between what two halves of the draws make of an axis, from which on it counts as sound."""


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
        raise QueryError("A plane needs two dimensions or more: look at the draws themselves.")
    if kind == "difference" and len(draws) != 2:
        raise QueryError(
            f"The mean difference is between two posteriors, here are {len(draws)}: give "
            "{'positive': ..., 'negative': ...}, or take axes='pca'."
        )
    parts = [_moments(one) for one in draws]
    halves = [[_moments(half) for half in _halves(one)] for one in draws]
    origin, total = _pooled(parts)
    basis = _basis(parts, kind)
    variance = np.einsum("dk,de,ek->k", basis, total, basis)
    spread = float(np.trace(total))
    explained = variance / spread if spread > 0 else np.full(2, np.nan)
    one, two = (_basis([h[i] for h in halves], kind) for i in (0, 1))
    planes = np.linalg.svd(one.T @ two, compute_uv=False).min()
    stability = np.clip([abs(one[:, 0] @ two[:, 0]), planes], 0, 1)
    return Axes(origin, basis, explained, 1 / dim, stability)


Moments = tuple[Floats, Floats]


def _moments(draws: NDArray[np.floating]) -> Moments:
    """Mean and covariance (divided by n) in double precision."""
    flat = draws.reshape(-1, draws.shape[-1])
    mean = flat.mean(axis=0, dtype=np.float64)
    away = flat - mean.astype(flat.dtype)
    return mean, np.asarray(away.T @ away, dtype=np.float64) / len(flat)


def _halves(draws: NDArray[np.floating]) -> list[NDArray[np.floating]]:
    """Every other chain, or the halves of a single one: so far apart that they are independent."""
    if len(draws) > 1:
        return [draws[::2], draws[1::2]]
    middle = draws.shape[1] // 2
    return [draws[:, :middle], draws[:, middle:]]


def _pooled(parts: Sequence[Moments]) -> Moments:
    """Moments of the mixture of all posteriors in equal shares."""
    means = np.stack([mean for mean, _ in parts])
    origin = means.mean(axis=0)
    away = means - origin
    within = np.mean([covariance for _, covariance in parts], axis=0)
    return origin, within + away.T @ away / len(parts)


def _basis(parts: Sequence[Moments], kind: AxesKind) -> Floats:
    if kind == "pca":
        _, vectors = np.linalg.eigh(_pooled(parts)[1])
        return _signed(vectors[:, [-1, -2]], parts)
    first = parts[0][0] - parts[1][0]
    length = float(np.linalg.norm(first))
    if length == 0:
        raise QueryError("Both posteriors have one mean, so that there is no axis: take 'pca'.")
    first = first / length
    within = np.mean([covariance for _, covariance in parts], axis=0)
    flat = np.eye(len(first)) - np.outer(first, first)
    _, vectors = np.linalg.eigh(flat @ within @ flat)
    second = vectors[:, -1] - first * (first @ vectors[:, -1])
    return _signed(np.stack([first, second / np.linalg.norm(second)], axis=1), parts)


def _signed(basis: Floats, parts: Sequence[Moments]) -> Floats:
    """The first posterior lies to the right, and up; a single one has its largest loading up."""
    basis = basis.copy()
    for k in range(2):
        axis = basis[:, k]
        towards = 0.0 if len(parts) < 2 else float((parts[0][0] - parts[-1][0]) @ axis)
        if abs(towards) < 1e-12:
            towards = float(axis[np.argmax(np.abs(axis))])
        if towards < 0:
            basis[:, k] = -axis
    return basis
