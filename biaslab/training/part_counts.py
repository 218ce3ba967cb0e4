"""Counts of one word with V contexts in each of n parts of a text: a sparse matrix (n, V)."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

PartCounts: TypeAlias = sparse.csr_array


def part_counts(
    shape: tuple[int, int],
    part: NDArray[np.integer],
    context: NDArray[np.integer],
    count: NDArray[np.integer],
) -> PartCounts:
    """Sum counts by part and context.

    Parameters
    ----------
    shape : (int, int)
        Number of parts, and V.
    part, context, count : ndarray of int, shape (m,)
    """
    cells = sparse.csr_array((count.astype(np.int64), (part, context)), shape=shape)
    cells.sum_duplicates()
    return cells


def joined(counts: PartCounts) -> PartCounts:
    """All parts as one."""
    return sparse.csr_array(np.asarray(counts.sum(axis=0)).reshape(1, -1))
