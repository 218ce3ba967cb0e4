"""Vectors of a word from changed counts, in dimensions that stay as they are."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from biaslab.training.dimensions import Dimensions
from biaslab.training.part_counts import PartCounts

Floats = NDArray[np.float64]


class FoldedWord:
    """A word as the row of its associations times the dimensions of the whole corpus.

    The frequencies of contexts are those of the whole corpus too: leaving a part out changes them
    by next to nothing.

    Parameters
    ----------
    row : ndarray, shape (V,)
        Counts of the word with the contexts.
    dimensions : Dimensions
        Of d dimensions.
    """

    def __init__(self, row: Floats, dimensions: Dimensions) -> None:
        self._row, self._dimensions = row, dimensions
        self._total = float(row.sum())
        self._base = np.log(max(self._total, 1)) + dimensions.log_share
        with np.errstate(divide="ignore"):
            self._association = np.log(row) - self._base

    @property
    def vector(self) -> Floats:
        """The vector, shape (d,)."""
        positive = np.flatnonzero(self._association > 0)
        return np.asarray(self._association[positive] @ self._dimensions.basis[positive])

    def without(self, removed: PartCounts) -> Floats:
        """Vectors without one of several parts, each by itself.

        Parameters
        ----------
        removed : PartCounts
            Counts of the word in n parts; a negative count is added.

        Returns
        -------
        ndarray, shape (n, d)
            Zeros where nothing of the word is left.
        """
        parts = removed.shape[0]
        part = np.repeat(np.arange(parts), np.diff(removed.indptr))
        context, change = removed.indices, removed.data
        total = self._total - np.bincount(part, change, parts)
        # Fewer counts of the word raise its associations with all contexts that stay.
        shift = np.log(max(self._total, 1)) - np.log(np.maximum(total, 1))
        with np.errstate(divide="ignore"):
            left = np.log(np.maximum(self._row[context] - change, 0))
        rise = shift[part]
        new = np.maximum(left - self._base[context] + rise, 0)
        old = np.maximum(self._association[context] + rise, 0)
        moved = sparse.csr_array((new - old, context, removed.indptr), shape=removed.shape)
        vectors = self._raised(shift) + moved @ self._dimensions.basis
        vectors[total < 0.5] = 0
        return np.asarray(vectors)

    def _raised(self, shift: Floats) -> Floats:
        """Vectors with all associations raised by so much, shape (n,) -> (n, d).

        A sum of max(0, a + shift) over contexts is linear in the shift between two values of -a.
        """
        near = np.flatnonzero(self._association > -max(float(shift.max(initial=0)), 0))
        order = near[np.argsort(-self._association[near])]
        heights, basis = self._association[order], self._dimensions.basis[order]
        start = np.zeros((1, basis.shape[1]))
        linear = np.concatenate([start, np.cumsum(basis, axis=0)])
        constant = np.concatenate([start, np.cumsum(basis * heights[:, None], axis=0)])
        above = np.searchsorted(-heights, shift)
        return np.asarray(constant[above] + shift[:, None] * linear[above])
