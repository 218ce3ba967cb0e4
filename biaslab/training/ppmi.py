"""Word vectors from counts: positive pointwise mutual information, reduced by an SVD.

After Levy, Goldberg and Dagan (2015), "Improving distributional similarity with lessons learned
from word embeddings": a word is its row of max(0, log(P(w, c) / (P(w) P(c)))) over contexts c, and
vectors are U S^p of the truncated decomposition U S V'.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from biaslab.stats.blas import one_blas_thread
from biaslab.training.block_counts import BlockCounts, stripes
from biaslab.training.settings import PPMISettings

_SPARE = 53
"""Directions beyond the wanted ones: the more, the nearer the last wanted ones come."""
_POWER_ROUNDS = 4
ROUNDS = _POWER_ROUNDS + 1
"""Of `fit`: counting, then those of the decomposition."""
_BYTES_PER_LOGARITHM = 8

Matrix = NDArray[np.float32]


def fit(
    counts: BlockCounts,
    times: NDArray[np.integer],
    settings: PPMISettings,
    seed: tuple[int, int],
    scratch: Path,
    memory: float = 2e9,
    on_round: Callable[[int], None] = lambda _: None,
) -> Matrix:
    """Compute the vectors of a resample.

    Parameters
    ----------
    counts : BlockCounts
        Of K blocks, R words and V contexts.
    times : ndarray of int, shape (K,)
        How often the resample has each block.
    settings : PPMISettings
        Dimensions and the power p.
    seed : tuple of int
        Of the run, and the replicate's number: where the decomposition starts.
    scratch : Path
        Folder for the matrix, 4 R V bytes.
    memory : float
        Bytes to count in, about; the decomposition reads the matrix from disk.
    on_round : callable
        Called with the number of rounds done, of `ROUNDS`.

    Returns
    -------
    ndarray, shape (R, vector_size)
        By rank; zeros for a word that the resample lacks.
    """
    with one_blas_thread():
        matrix = counts.weighted(times, scratch / "matrix.bin", memory)
        absent = associate(matrix, memory)
        on_round(1)
        rng = np.random.default_rng([*seed, 1])
        left, values = decompose(matrix, settings.vector_size, rng, lambda done: on_round(done + 1))
    vectors: Matrix = left * values**settings.power
    vectors[absent] = 0
    return vectors


def associate(matrix: Matrix, memory: float = 2e9) -> NDArray[np.bool_]:
    """Turn counts into positive pointwise mutual information, in place.

    Probabilities are those within the matrix.

    Parameters
    ----------
    matrix : ndarray of float32, shape (R, V)
        Counts of words with contexts.
    memory : float
        Bytes to work in, about.

    Returns
    -------
    ndarray of bool, shape (R,)
        Words without any context.
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
    rounds: int = _POWER_ROUNDS,
) -> tuple[Matrix, NDArray[np.float32]]:
    """Largest singular values and their left vectors, by randomised subspace iteration.

    Halko, Martinsson and Tropp (2011), "Finding structure with randomness", algorithm 4.4.

    Parameters
    ----------
    matrix : ndarray of float32, shape (R, V)
    size : int
        Number of dimensions.
    rng : numpy.random.Generator
        Where the iteration starts.
    on_round : callable
        Called with the number of rounds done.
    rounds : int
        The more, the less the start matters.

    Returns
    -------
    left : ndarray, shape (R, size)
    values : ndarray, shape (size,)
        Descending.
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
