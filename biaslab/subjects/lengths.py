"""Lengths of stored rows, measured and cached on first use."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from biaslab.subjects.blocks import Choice
from biaslab.threads import spread

_UNKNOWN, _SOUND, _UNSOUND = range(3)


class InverseLengths:
    """One over the length of each row of B matrices of shape (V, d).

    Parameters
    ----------
    replicates : sequence of ndarray
        B matrices of shape (V, d), as stored. They must not change.
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
