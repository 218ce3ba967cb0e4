"""Dimensions of counts: positive pointwise mutual information, reduced by an SVD.

After Levy, Goldberg and Dagan (2015), "Improving distributional similarity with lessons learned
from word embeddings": a word is its row of max(0, log(P(w, c) / (P(w) P(c)))) over contexts c, and
vectors are U S^p of the truncated decomposition U S V'. That is the row times V S^(p - 1), so the
vector that follows from other counts needs no other decomposition, as long as the dimensions hardly
turn.
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

from biaslab.files.atomic import write_atomically
from biaslab.probes.trace.block_counts import BlockCounts, count_pairs, stripes
from biaslab.probes.trace.corpus import Passages
from biaslab.probes.trace.counted import PPMISettings
from biaslab.stats.threads import one_blas_thread

_SPARE = 53
"""Directions beyond the wanted ones: the more, the nearer the last wanted ones come."""
POWER_ROUNDS = 4
_BYTES_PER_LOGARITHM = 8

Matrix = NDArray[np.float32]


def associate(matrix: Matrix, memory: float = 2e9) -> NDArray[np.bool_]:
    """Turn counts into positive pointwise mutual information, in place.

    Probabilities are those within the matrix.

    - `matrix`, ndarray of float32, shape (R, V): counts of words with contexts.
    - `memory`: bytes to work in, about.
    - Returns ndarray of bool, shape (R,): words without any context.
    """
    words, contexts = matrix.shape
    of_word, of_context = np.empty(words), np.zeros(contexts)
    parts = list(stripes(words, contexts * _BYTES_PER_LOGARITHM, memory))
    for rows in parts:
        of_word[rows] = matrix[rows].sum(axis=1, dtype=np.float64)
        of_context += matrix[rows].sum(axis=0, dtype=np.float64)
    # A count of zero has no logarithm: what divides it may be anything, and it stays zero.
    of_words = np.log(np.maximum(of_word, 1)).astype(np.float32)
    total = max(of_word.sum(), 1.0)
    of_contexts = (np.log(np.maximum(of_context, 1)) - np.log(total)).astype(np.float32)
    for rows in parts:
        part = matrix[rows]
        with np.errstate(divide="ignore"):
            np.log(part, out=part)
        part -= of_words[rows, None]
        part -= of_contexts
        np.maximum(part, 0, out=part)
    absent: NDArray[np.bool_] = of_word == 0
    return absent


def decompose(
    matrix: Matrix,
    size: int,
    rng: np.random.Generator,
    on_round: Callable[[int], None] = lambda _: None,
    rounds: int = POWER_ROUNDS,
) -> tuple[Matrix, NDArray[np.float32]]:
    """Largest singular values and their left vectors, by randomised subspace iteration.

    Halko, Martinsson and Tropp (2011), "Finding structure with randomness", algorithm 4.4.

    - `matrix`: ndarray of float32, shape (R, V).
    - `size`: number of dimensions.
    - `rng`: where the iteration starts.
    - `on_round`: called with the number of rounds done.
    - `rounds`: the more, the less the start matters.
    - Returns `left`, ndarray, shape (R, size).
    - Returns `values`, ndarray, shape (size,): descending.
    """
    width = min(size + _SPARE, *matrix.shape)
    basis = matrix @ rng.standard_normal((matrix.shape[1], width), dtype=np.float32)
    for done in range(rounds):
        basis = np.linalg.qr(basis)[0]
        basis = matrix @ np.linalg.qr(matrix.T @ basis)[0]
        on_round(done + 1)
    basis = np.linalg.qr(basis)[0]
    small = basis.T @ matrix
    squares, turn = np.linalg.eigh((small @ small.T).astype(np.float64))
    order = np.argsort(-squares)[:size]
    left = basis @ turn[:, order].astype(np.float32)
    return left, np.sqrt(np.maximum(squares[order], 0)).astype(np.float32)


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

    - `removed`: blocks, or lines of the text.
    - Returns ndarray, shape (R, d): by rank.
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
def _weighted(counts: BlockCounts, times: NDArray[np.int64], memory: float) -> Iterator[Matrix]:
    with tempfile.TemporaryDirectory(dir=counts.cells.parent) as scratch, one_blas_thread():
        yield counts.weighted(times, Path(scratch) / "matrix.bin", memory)


def _decomposed(
    matrix: Matrix, settings: PPMISettings, seed: int, memory: float, on_round: OnRound
) -> tuple[Matrix, NDArray[np.float32]]:
    """Decompose counts, from the same start whatever was left out."""
    associate(matrix, memory)
    rng = np.random.default_rng([seed, 0, 2])
    return decompose(matrix, settings.vector_size, rng, on_round, _ROUNDS)


def _log_share(matrix: Matrix) -> NDArray[np.float64]:
    of_context = np.zeros(matrix.shape[1])
    for first in range(0, len(matrix), _ROWS_AT_ONCE):
        of_context += matrix[first : first + _ROWS_AT_ONCE].sum(axis=0, dtype=np.float64)
    total = max(of_context.sum(), 1.0)
    shares: NDArray[np.float64] = np.log(np.maximum(of_context, 1)) - np.log(total)
    return shares


def _subtract(matrix: Matrix, removed: Passages, window: int) -> None:
    words, contexts = matrix.shape
    cells, sums = count_pairs(removed.ids, removed.passage, words, contexts, window)
    row, column = np.divmod(cells.astype(np.int64), contexts)
    matrix[row, column] -= sums
    square = column < words
    matrix[column[square], row[square]] -= sums[square]
