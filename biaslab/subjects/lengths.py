"""Lengths of stored rows, measured when a row is first asked about and kept."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from biaslab.subjects.blocks import squared_lengths


class InverseLengths:
    """One over the length of each row of B matrices of shape (V, d).

    It also tells the rows that have no direction: infinity stands for a row of zeros, 0 or NaN for
    one that holds infinity or NaN.

    Parameters
    ----------
    replicates : sequence of ndarray
        B matrices of shape (V, d), as stored. They must not change.
    """

    def __init__(self, replicates: Sequence[NDArray[np.generic]]) -> None:
        self._replicates = replicates

    def __call__(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """Inverse lengths of rows in every replicate, shape (B, n)."""
        known, kept = self._kept
        if not known[rows].all():
            fresh = np.unique(rows[~known[rows]])
            squares = np.empty(len(fresh), dtype=np.float32)
            for b, stored in enumerate(self._replicates):
                with np.errstate(all="ignore"):
                    squared_lengths(stored, fresh, squares)
                    kept[b, fresh] = 1 / np.sqrt(squares)
            # Last, so that another thread never reads a length that is not there yet.
            known[fresh] = True
        return np.asarray(kept[:, rows])

    @cached_property
    def _kept(self) -> tuple[NDArray[np.bool_], NDArray[np.float32]]:
        """Which rows were measured, (V,), and their values, (B, V); untouched memory costs none."""
        n = len(self._replicates[0])
        return np.zeros(n, dtype=bool), np.empty((len(self._replicates), n), dtype=np.float32)
