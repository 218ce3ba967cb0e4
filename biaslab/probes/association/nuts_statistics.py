"""Sufficient statistics of a table for the distance models.

Distances that have one distribution enter a normal density by their number, mean and products of
deviations alone. 4,200 distances become a few matrices, and the cost of a density depends on the
number of protected words. In contrast to `biaslab.stats.crossed.layout` nothing is pooled over
protected words: the two engines share no algebra.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from biaslab.probes.association.lists import CONNECTIONS, KIND_OF

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Columns:
    """Attribute words with the same protected words, and one covariance.

    Attributes
    ----------
    rows : ndarray of int, shape (n,)
        The protected words.
    types : ndarray of int, shape (P, n)
        Connection types of P kinds of attribute words.
    counts : ndarray, shape (P,)
        Attribute words of each kind.
    means : ndarray, shape (P, n)
        Their mean distances.
    root : ndarray, shape (n, n)
        R with R R' the sum of products of deviations from these means.
    kinds : ndarray of int, shape (n,)
        Kind of each protected word's distances to them.
    varies : bool
        Whether these attribute words are met under more than one connection type.
    """

    rows: Ints
    types: Ints
    counts: Floats
    means: Floats
    root: Floats
    kinds: Ints
    varies: bool


@dataclass(frozen=True, eq=False)
class Statistics:
    """Sufficient statistics of one replicate.

    Attributes
    ----------
    counts : ndarray, shape (I, C)
        Distances of each protected word under each connection type.
    means : ndarray, shape (I, C)
        Their mean; 0 if there are none.
    residual : float
        Sum of squares about these means.
    same_group : ndarray of bool, shape (I, I)
    columns : tuple of Columns
    """

    counts: Floats
    means: Floats
    residual: float
    same_group: Bools
    columns: tuple[Columns, ...]

    @property
    def has_distances(self) -> Bools:
        """Mask of cells with distances, shape (I, C)."""
        return self.counts > 0

    @classmethod
    def of(cls, connection: NDArray[np.int8], distance: Floats, groups: Ints) -> Statistics:
        """Compute the statistics of a table.

        Parameters
        ----------
        connection : ndarray of int, shape (I, J)
            Index in `CONNECTIONS`; -1 without a distance.
        distance : ndarray, shape (I, J)
        groups : ndarray of int, shape (I,)
        """
        observed = connection >= 0
        y = np.where(observed, distance, 0.0)
        by_type = (connection[:, :, None] == np.arange(len(CONNECTIONS))).astype(float)
        counts = by_type.sum(axis=1)
        means = np.einsum("ij,ijc->ic", y, by_type) / np.maximum(counts, 1)
        gaps = np.where(observed, y - np.einsum("ijc,ic->ij", by_type, means), 0.0)
        return cls(
            counts,
            means,
            float((gaps**2).sum()),
            groups[:, None] == groups,
            _columns(connection, y),
        )


def _columns(connection: NDArray[np.int8], y: Floats) -> tuple[Columns, ...]:
    kinds, of = np.unique(connection.T, axis=0, return_inverse=True)
    kind_of = np.array(KIND_OF)
    alike: dict[tuple[bytes, bytes, bool], list[int]] = {}
    for k, kind in enumerate(kinds):
        met = kind[kind >= 0]
        if len(met):
            key = (kind >= 0).tobytes(), kind_of[met].tobytes(), len(np.unique(met)) > 1
            alike.setdefault(key, []).append(k)
    columns = []
    for (*_, varies), members in alike.items():
        rows = np.flatnonzero(kinds[members[0]] >= 0)
        each = [y[np.ix_(rows, np.flatnonzero(of.reshape(-1) == k))] for k in members]
        means = np.stack([block.mean(axis=1) for block in each])
        gaps = np.hstack([block - mean[:, None] for block, mean in zip(each, means, strict=True)])
        # R' of gaps' = Q R' is equivalent, and its size does not exceed the number of words.
        columns.append(
            Columns(
                rows,
                kinds[members][:, rows].astype(np.intp),
                np.array([block.shape[1] for block in each], dtype=float),
                means,
                np.asarray(np.linalg.qr(gaps.T, mode="r")).T,
                kind_of[kinds[members[0], rows]],
                varies,
            )
        )
    return tuple(columns)
