"""Rows of stored vectors: read and multiplied by block, their lengths and neighbours.

A block stays in the processor's cache between conversion and product, so that rows of any stored
type, in any order, cost about as much as the product alone, and memory stays bounded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from biaslab.threads.cores import spread

Floats = NDArray[np.float32]
Rows = slice | NDArray[np.int64]
Change = Callable[[NDArray[np.int64], Floats], Floats]
"""From row numbers (n,) and their vectors (n, d), which it may overwrite, to the new vectors."""

_BLOCK_NUMBERS = 65_536
"""Numbers per block: 256 kB as float32, half of a usual second-level cache."""
_THIN_PRODUCT = 262_144
"""Multiplications per product up to which the linear algebra library starts no threads.

Their hand-over costs more than so thin a product gains, and on a busy machine many times more.
"""
_FEWEST_ROWS = 32


@dataclass(frozen=True)
class Choice:
    """Rows chosen from matrices of d columns, cut into blocks; serves all replicates.

    - `parts`: each block's place among the chosen rows, and its rows: a slice where they follow
      each other, which needs no copy.
    - `size`: rows of the largest block.
    - `whole`: all rows, if they are consecutive.
    """

    parts: tuple[tuple[slice, Rows], ...]
    size: int
    whole: slice | None

    @classmethod
    def of(cls, rows: NDArray[np.int64], dim: int) -> Choice:
        """Cut rows into blocks."""
        size = max(_FEWEST_ROWS, _BLOCK_NUMBERS // dim)
        starts = range(0, len(rows), size)
        parts = [(slice(s, s + size), _as_slice(rows[s : s + size])) for s in starts]
        whole = _as_slice(rows) if len(rows) else None
        return cls(tuple(parts), min(size, len(rows)), whole if isinstance(whole, slice) else None)

    def blocks(self, stored: NDArray[np.generic]) -> Iterator[tuple[slice, Rows, Floats]]:
        """Yield place, rows and float32 vectors (m, d) of each block of a matrix (V, d).

        The vectors are valid until the next block and must not be changed.
        """
        as_float = stored.dtype == np.float32
        # Rows that are computed on request go block by block: all at once would be all in memory.
        if as_float and self.whole is not None and isinstance(stored, np.ndarray):
            yield slice(None), self.whole, np.asarray(stored[self.whole], dtype=np.float32)
            return
        shape = (self.size, stored.shape[1])
        copy = np.empty(shape, dtype=stored.dtype)
        converted = copy if as_float else np.empty(shape, dtype=np.float32)
        for place, rows in self.parts:
            if isinstance(rows, slice):
                block: NDArray[Any] = stored[rows]
            else:
                # The rows are valid; clipping only saves numpy another copy.
                block = np.take(stored, rows, axis=0, out=copy[: len(rows)], mode="clip")
            if not as_float:
                np.copyto(converted[: len(block)], block, casting="unsafe")
                block = converted[: len(block)]
            yield place, rows, block


def multiply(block: Floats, by: Floats, out: Floats) -> Floats:
    """Multiply (m, d) by (d, K) in pieces on this thread, into ``out``."""
    dim, columns = by.shape
    step = max(_FEWEST_ROWS, _THIN_PRODUCT // by.size)
    even = len(block) // step * step
    pieces = block[:even].reshape(-1, step, dim)
    np.matmul(pieces, by, out=out[:even].reshape(-1, step, columns))
    np.matmul(block[even:], by, out=out[even:])
    return out


def _as_slice(rows: NDArray[np.int64]) -> Rows:
    if (np.diff(rows) == 1).all():
        return slice(int(rows[0]), int(rows[-1]) + 1)
    return rows


_UNKNOWN, _SOUND, _UNSOUND = range(3)


class InverseLengths:
    """One over the length of each row of B matrices of shape (V, d).

    - `replicates`: B matrices of shape (V, d), as stored. They must not change.
    """

    def __init__(self, replicates: Sequence[NDArray[np.generic]]) -> None:
        self._replicates = replicates
        rows = len(replicates[0])
        # Untouched memory is free, so unused rows cost nothing.
        self._state = np.zeros(rows, dtype=np.uint8)
        self._table = np.empty((len(replicates), rows), dtype=np.float32)

    def of(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return inverse lengths, shape (B, V), measured at least for the given rows.

        Infinity marks a row of zeros, 0 or NaN one that contains infinity or NaN.
        """
        self._measure(rows)
        return self._table

    def unsound(self, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return which rows have no direction in some replicate, shape (n,)."""
        self._measure(rows)
        return np.asarray(self._state[rows] == _UNSOUND)

    def _measure(self, rows: NDArray[np.int64]) -> None:
        state, table = self._state, self._table
        fresh = rows[state[rows] == _UNKNOWN]
        if not fresh.size:
            return
        fresh = np.unique(fresh)
        choice = Choice.of(fresh, self._replicates[0].shape[1])

        def measure(b: int) -> None:
            with np.errstate(all="ignore"):
                for _, which, block in choice.blocks(self._replicates[b]):
                    table[b, which] = 1 / np.sqrt(np.einsum("nd,nd->n", block, block))

        spread(measure, len(table), len(table) * fresh.size * self._replicates[0].shape[1])
        sound = ((table[:, fresh] > 0) & (table[:, fresh] < np.inf)).all(axis=0)
        # Last, so that another thread never reads a length that is not set yet.
        state[fresh] = np.where(sound, _SOUND, _UNSOUND)


#: Rows read at once when a whole vocabulary is, to bound memory.
_SLICE = 16_384


class DerivedRows:
    """A float32 matrix (V, d) whose rows are computed from stored ones; it stores none.

    Offers the part of ndarray that `biaslab.subjects.embedding.base.EmbeddingSubject` needs:
    shape, slices, ``take`` and conversion.

    - `stored`, ndarray, shape (R, d): rows as stored.
    - `scale`, ndarray, shape (V,), or None: factors of the rows.
    - `change`: change of the rows.
    - `places`, ndarray, shape (V,): the stored row of each row; by default they are the same.
    """

    ndim = 2
    dtype = np.dtype(np.float32)

    def __init__(
        self,
        stored: NDArray[np.generic],
        scale: NDArray[np.floating] | None = None,
        change: Change | None = None,
        places: NDArray[np.integer] | None = None,
    ) -> None:
        self._stored, self._scale, self._change, self._places = stored, scale, change, places
        self.shape = (len(stored if places is None else places), stored.shape[1])

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: slice | NDArray[np.integer]) -> Floats:
        if not isinstance(rows, slice):
            return self.take(rows)
        count = range(*rows.indices(len(self)))
        out = np.empty((len(count), self.shape[1]), dtype=np.float32)
        for start in range(0, len(count), _SLICE):
            part = np.array(count[start : start + _SLICE], dtype=np.int64)
            self.take(part, out=out[start : start + _SLICE])
        return out

    def take(
        self,
        rows: NDArray[np.integer],
        axis: int = 0,  # noqa: ARG002  # np.take passes both on
        out: Floats | None = None,
        mode: str = "raise",  # noqa: ARG002
    ) -> Floats:
        """Return selected rows, as ``ndarray.take`` along the first axis."""
        requested = np.asarray(rows, dtype=np.int64)
        stored = requested if self._places is None else self._places[requested]
        vectors = np.asarray(self._stored[stored]).astype(np.float32, copy=False)
        if self._scale is not None:
            vectors *= self._scale[requested].astype(np.float32)[:, None]
        if self._change is not None:
            vectors = self._change(requested, vectors)
        if out is None:
            return vectors
        out[...] = vectors
        return out

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        if copy is False:
            raise ValueError("These rows are computed, so they cannot be returned without a copy.")
        return self[:].astype(np.float32 if dtype is None else dtype, copy=False)


class Neighbour(NamedTuple):
    """A word and its (mean) cosine to a term, in [-1, 1]."""

    word: str
    cosine: float


def mean_cosines(
    replicates: Sequence[NDArray[np.generic]], vectors: NDArray[np.floating]
) -> NDArray[np.float64]:
    """Return cosines of all rows to one vector per replicate, averaged.

    - `replicates`, sequence of B arrays, shape (V, d): of any stored type; the scale of a quantised
      row cancels.
    - `vectors`: ndarray, shape (B, d).
    - Returns ndarray, shape (V,): NaN for a row without direction in some replicate.
    """
    out = np.zeros(len(replicates[0]))
    for rows, vector in zip(replicates, vectors, strict=True):
        unit = vector / np.linalg.norm(vector)
        for start in range(0, len(rows), _SLICE):
            block = np.asarray(rows[start : start + _SLICE]).astype(np.float32)
            with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
                out[start : start + len(block)] += block @ unit / np.linalg.norm(block, axis=1)
    return out / len(replicates)
