"""Texts as numbers, their counts by hand, and what a resample of their blocks is."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np

from biaslab.probes.trace.corpus import EncodedCorpus


def random_lines(rng: np.random.Generator, contexts: int, lines: int = 120) -> list[list[int]]:
    """Draw lines of 0 to 39 contexts, the first ones most often."""
    sizes = rng.integers(0, 40, lines)
    return [(contexts * rng.random(n) ** 2).astype(int).tolist() for n in sizes]


def encoded_lines(folder: Path, lines: list[list[int]], words: int) -> EncodedCorpus:
    """Write lines as `encode` does, the first contexts being the words."""
    folder.mkdir(exist_ok=True)
    paths = EncodedCorpus(*(folder / name for name in ("ids", "lengths", "order")))
    np.array([i for line in lines for i in line], np.int32).tofile(paths.ids)
    np.array([len(line) for line in lines], np.int32).tofile(paths.lengths)
    np.arange(words, dtype=np.int64).tofile(paths.order)
    return paths


def counted_by_hand(lines: list[list[int]], words: int, contexts: int, window: int) -> np.ndarray:
    """Count every pair of a text, one after another: shape (words, contexts)."""
    matrix = np.zeros((contexts, contexts))
    for line in lines:
        for i, one in enumerate(line):
            for j in range(max(0, i - window), i):
                matrix[one, line[j]] += window + 1 - (i - j)
                matrix[line[j], one] += window + 1 - (i - j)
    return matrix[:words]


def resampled(lines: list[list[int]], times: np.ndarray, first: np.ndarray) -> list[list[int]]:
    """The text with the lines of each block so many times."""
    return [
        line
        for k, (begin, end) in enumerate(pairwise(first))
        for _ in range(times[k])
        for line in lines[begin:end]
    ]
