"""A word in the blocks of a corpus: its vectors without each of them, and in resamples."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from biaslab.recent import Recent
from biaslab.training.counted import CountedCorpus
from biaslab.training.dimensions import Dimensions
from biaslab.training.folded import FoldedWord

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class TermInBlocks:
    """What the blocks' counts of a word come to.

    Attributes
    ----------
    row : ndarray, shape (V,)
        Counts in the whole corpus.
    without_block : ndarray, shape (blocks, d)
        Vectors without each block.
    resampled : ndarray, shape (B, d)
        Vectors in each resample.
    """

    row: Floats
    without_block: Floats
    resampled: Floats


_recent: Recent[tuple[object, ...], TermInBlocks] = Recent(24)
"""Cues are asked about again and again, and reading their counts takes longest; 1 MB each."""


def term_in_blocks(
    corpus: CountedCorpus, term: str, dimensions: Dimensions, times: NDArray[np.int64]
) -> TermInBlocks:
    """Read the counts of a word, or remember them.

    Parameters
    ----------
    corpus : CountedCorpus
    term : str
    dimensions : Dimensions
        Of the corpus.
    times : ndarray, shape (B, blocks)
        How often each resample has each block.
    """
    cells = corpus.counts.cells
    key = (cells, cells.stat().st_mtime_ns, corpus.settings, corpus.seed, term, len(times))
    return _recent.get(key, lambda: _read(corpus, term, dimensions, times))


def _read(
    corpus: CountedCorpus, term: str, dimensions: Dimensions, times: NDArray[np.int64]
) -> TermInBlocks:
    counts = corpus.counts.of_word(corpus.rank[term])
    row = np.asarray(counts.sum(axis=0), np.float64)
    resampled = [FoldedWord(each, dimensions).vector for each in (times @ counts).astype(float)]
    return TermInBlocks(row, FoldedWord(row, dimensions).without(counts), np.array(resampled))
