"""Stored rows, converted to float32 and multiplied one block after another.

A block stays in the processor's cache between conversion and product, so choosing any rows of any
stored type costs about as much as the bare product, and memory stays bounded.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

_BLOCK_NUMBERS = 65_536
"""Numbers per block: 256 kB as float32, half of a usual second-level cache."""
_THIN_PRODUCT = 262_144
"""Multiplications per product up to which the linear algebra library starts no threads.

Their hand-over costs more than so thin a product gains, and on a busy machine many times more.
"""
_FEWEST_ROWS = 32


def multiply(stored: NDArray[np.generic], rows: NDArray[np.int64], by: Floats, out: Floats) -> None:
    """Write the chosen rows times a matrix.

    Parameters
    ----------
    stored : ndarray, shape (V, d)
        Any real type, memory-mapped or not.
    rows : ndarray, shape (n,)
        Which rows, in any order.
    by : ndarray, shape (d, K)
    out : ndarray, shape (n, K)
    """
    thin = _THIN_PRODUCT // by.size
    for part, block in blocks(stored, rows, thin):
        np.matmul(block, by, out=out[part])


def squared_lengths(stored: NDArray[np.generic], rows: NDArray[np.int64], out: Floats) -> None:
    """Write the squared length of each of the chosen rows, shape (n,)."""
    for part, block in blocks(stored, rows):
        np.einsum("nd,nd->n", block, block, out=out[part])


def blocks(
    stored: NDArray[np.generic], rows: NDArray[np.int64], most: int = _BLOCK_NUMBERS
) -> Iterator[tuple[slice, Floats]]:
    """The chosen rows as float32, block by block, each with its place among them.

    The arrays are overwritten by the next block; copy what should last.

    Parameters
    ----------
    stored, rows
        As of `multiply`.
    most : int
        Number of rows in a block, if the cache holds so many.
    """
    dim = stored.shape[1]
    size = max(_FEWEST_ROWS, min(most, _BLOCK_NUMBERS // dim))
    as_stored = np.empty((size, dim), dtype=stored.dtype)
    converted = as_stored if stored.dtype == np.float32 else np.empty((size, dim), np.float32)
    for start in range(0, len(rows), size):
        chosen = rows[start : start + size]
        block = converted[: len(chosen)]
        # Rows are valid; clipping only saves numpy a copy of the block.
        np.take(stored, chosen, axis=0, out=as_stored[: len(chosen)], mode="clip")
        if converted is not as_stored:
            np.copyto(block, as_stored[: len(chosen)], casting="unsafe")
        yield slice(start, start + len(chosen)), block
