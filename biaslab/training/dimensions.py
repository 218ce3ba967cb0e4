"""Dimensions of a whole corpus: what turns a word's counts into its vector.

A word's vector is its row of associations times V S^(p - 1) of the decomposition U S V' (see
`biaslab.training.ppmi`), so the vector that follows from other counts needs no other decomposition,
as long as the dimensions hardly turn.
"""

from __future__ import annotations

import io
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from biaslab.atomic import write_atomically
from biaslab.stats.blas import one_blas_thread
from biaslab.training import ppmi
from biaslab.training.block_counts import BlockCounts, count_pairs
from biaslab.training.passages import Passages
from biaslab.training.settings import PPMISettings

OnRound = Callable[[int], None]
_ROWS_AT_ONCE = 512
_ROUNDS = 12
"""Of the decomposition. With the 4 of training, its random start moves a PSE by 1 to 3 points, as
much as passages do; with 8, by 0.1."""
_NOTHING = 1e-6
"""Share of the largest singular value below which a dimension holds nothing."""


@dataclass(frozen=True)
class Dimensions:
    """What stays fixed when a part of the corpus is left out.

    Attributes
    ----------
    basis : ndarray, shape (V, d)
        V S^(p - 1).
    log_share : ndarray, shape (V,)
        Logarithm of each context's share of all counts.
    vectors : ndarray, shape (R, d)
        U S^p: the vectors of the whole corpus.
    """

    basis: NDArray[np.float64]
    log_share: NDArray[np.float64]
    vectors: NDArray[np.float32]


def dimensions_of(
    counts: BlockCounts,
    settings: PPMISettings,
    seed: int,
    memory: float = 2e9,
    on_round: OnRound = lambda _: None,
) -> Dimensions:
    """Decompose the whole corpus, or read what an earlier call kept beside the counts.

    An exception from ``on_round``, called with the number of rounds done, stops it.
    """
    kind = f"{settings.vector_size}-{settings.power:g}-{seed}"
    path = counts.cells.with_name(f"{counts.cells.stem}-dimensions-{kind}.npz")
    if not path.exists():
        with _weighted(counts, np.ones(counts.blocks, np.int64), memory) as matrix:
            log_share = _log_share(matrix)
            left, values = _decomposed(matrix, settings, seed, memory, on_round)
            full = values > _NOTHING * values[0]
            scale = np.where(full, np.where(full, values, 1) ** (settings.power - 2), 0)
            basis = (matrix.T @ left) * scale
        content = io.BytesIO()
        vectors = left * values**settings.power
        np.savez(content, basis=basis, log_share=log_share, vectors=vectors)
        write_atomically(path, content.getvalue())
    with np.load(path, allow_pickle=False) as kept:
        basis = kept["basis"].astype(np.float64)  # as wide as what it is multiplied with
        return Dimensions(basis, kept["log_share"], kept["vectors"])


def vectors_without(
    counts: BlockCounts,
    settings: PPMISettings,
    seed: int,
    removed: NDArray[np.integer] | Passages,
    memory: float = 2e9,
    on_round: OnRound = lambda _: None,
) -> NDArray[np.float32]:
    """Really leave blocks or passages out: counts, associations and decomposition made anew.

    Parameters
    ----------
    removed : ndarray of int, or Passages
        Blocks, or lines of the text.

    Returns
    -------
    ndarray, shape (R, d)
        By rank.
    """
    times = np.ones(counts.blocks, np.int64)
    if not isinstance(removed, Passages):
        times[removed] = 0
    with _weighted(counts, times, memory) as matrix:
        if isinstance(removed, Passages):
            _subtract(matrix, removed, settings.window)
        left, values = _decomposed(matrix, settings, seed, memory, on_round)
    vectors: NDArray[np.float32] = left * values**settings.power
    return vectors


@contextmanager
def _weighted(
    counts: BlockCounts, times: NDArray[np.int64], memory: float
) -> Iterator[ppmi.Matrix]:
    with tempfile.TemporaryDirectory(dir=counts.cells.parent) as scratch, one_blas_thread():
        yield counts.weighted(times, Path(scratch) / "matrix.bin", memory)


def _decomposed(
    matrix: ppmi.Matrix, settings: PPMISettings, seed: int, memory: float, on_round: OnRound
) -> tuple[ppmi.Matrix, NDArray[np.float32]]:
    """Decompose counts, from the same start whatever was left out."""
    ppmi.associate(matrix, memory)
    rng = np.random.default_rng([seed, 0, 2])
    return ppmi.decompose(matrix, settings.vector_size, rng, on_round, _ROUNDS)


def _log_share(matrix: ppmi.Matrix) -> NDArray[np.float64]:
    of_context = np.zeros(matrix.shape[1])
    for first in range(0, len(matrix), _ROWS_AT_ONCE):
        of_context += matrix[first : first + _ROWS_AT_ONCE].sum(axis=0, dtype=np.float64)
    total = max(of_context.sum(), 1.0)
    shares: NDArray[np.float64] = np.log(np.maximum(of_context, 1)) - np.log(total)
    return shares


def _subtract(matrix: ppmi.Matrix, removed: Passages, window: int) -> None:
    words, contexts = matrix.shape
    cells, sums = count_pairs(removed.ids, removed.passage, words, contexts, window)
    row, column = np.divmod(cells.astype(np.int64), contexts)
    matrix[row, column] -= sums
    square = column < words
    matrix[column[square], row[square]] -= sums[square]
