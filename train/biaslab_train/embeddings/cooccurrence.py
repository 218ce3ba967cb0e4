"""Weighted co-occurrence counts of a corpus for GloVe, in tiles, from sorted runs on disk.

Two words at distance d in a line count 1/d, in both directions (Pennington et al. 2014). Sums are
exact integers in units of 1/lcm(1, ..., window), so that they do not depend on how much memory
there was; the repeats of a line in a bootstrap are weights of its pairs.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from biaslab.probes.trace.corpus import EncodedCorpus

_SMALLEST, _LARGEST = 512, 8192
_LOCAL_BITS = 13  # a place within a block of at most 8192 words
_MOST_BLOCKS = 1 << 11

Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class Tiles:
    """Blocks of words by frequency rank; a tile is a block by a block.

    The matrix is symmetric, so only cells with row <= column are stored, and tiles with row block
    <= column block. Blocks grow with the rank: frequent words meet often, so their tiles are dense
    and kept small; rare words seldom do.

    - `words`: V, words of the vocabulary.
    """

    words: int

    @cached_property
    def bounds(self) -> Numbers:
        """First rank of each block, and V: shape (blocks + 1,)."""
        bounds = [0]
        while bounds[-1] < self.words:
            size = min(max(bounds[-1] // 16, _SMALLEST), _LARGEST)
            bounds.append(min(bounds[-1] + size, self.words))
        if len(bounds) > _MOST_BLOCKS:
            raise ValueError(f"{self.words:,} words are more than the tiles can index.")
        return np.array(bounds, dtype=np.int64)

    @property
    def blocks(self) -> int:
        """Number of blocks."""
        return len(self.bounds) - 1

    @cached_property
    def _block_of(self) -> Numbers:
        return np.repeat(np.arange(self.blocks), np.diff(self.bounds))

    @cached_property
    def row_part(self) -> Numbers:
        """Contribution of a word, as the row, to the number of a cell, shape (V,)."""
        local = np.arange(self.words) - self.bounds[self._block_of]
        return (self._block_of * self.blocks << 2 * _LOCAL_BITS) + (local << _LOCAL_BITS)

    @cached_property
    def column_part(self) -> Numbers:
        """Contribution of a word, as the column, to the number of a cell, shape (V,)."""
        local = np.arange(self.words) - self.bounds[self._block_of]
        return (self._block_of << 2 * _LOCAL_BITS) + local

    def pairs(self) -> list[tuple[int, int]]:
        """Return row and column block of each tile, in the order of their cells' numbers."""
        return [(i, j) for i in range(self.blocks) for j in range(i, self.blocks)]

    def starts(self, cells: Numbers) -> Numbers:
        """Start of each tile of `pairs` in sorted cells, and their end: (tiles + 1,)."""
        first = np.array([i * self.blocks + j for i, j in self.pairs()]) << 2 * _LOCAL_BITS
        return np.append(np.searchsorted(cells, first), len(cells)).astype(np.int64)

    def ranks(self, cells: Numbers) -> tuple[Numbers, Numbers]:
        """Return row and column of cells as ranks of words."""
        tile = cells >> 2 * _LOCAL_BITS
        row, column = self.local(cells)
        return self.bounds[tile // self.blocks] + row, self.bounds[tile % self.blocks] + column

    @staticmethod
    def local(cells: Numbers) -> tuple[Numbers, Numbers]:
        """Return row and column of cells within their tile."""
        inside = (1 << _LOCAL_BITS) - 1
        return (cells >> _LOCAL_BITS) & inside, cells & inside


_REPEAT_BITS, _DISTANCE_BITS = 8, 5
_CODE_BITS = _REPEAT_BITS + _DISTANCE_BITS
_BYTES_PER_PAIR = 48  # of the arrays that live at once while a block is counted
_BYTES_PER_MERGED = 64

Cells = NDArray[np.int64]


@dataclass(frozen=True)
class Cooccurrences:
    """Counts as sorted cells on disk.

    - `tiles`: how cells are numbered.
    - `cells`: int64, numbers of the cells that are not zero, ascending; row <= column.
    - `counts`: float32, their counts; a word with itself counts twice, once for each direction.
    - `margins`, ndarray, shape (V,): row sums of the symmetric matrix.
    """

    tiles: Tiles
    cells: Path
    counts: Path
    margins: NDArray[np.float64]


def count(
    encoded: EncodedCorpus,
    repeats: NDArray[np.uint8],
    window: int,
    folder: Path,
    memory: float = 2e9,
) -> Cooccurrences:
    """Count the pairs of a resampled corpus.

    - `encoded`: corpus over V words.
    - `repeats`, ndarray of uint8, shape (lines,): how often each line counts.
    - `window`: largest distance, 1 to 20.
    - `folder`: folder of runs and counts: up to three times the size of the counts.
    - `memory`: bytes to work in, about; the outcome is the same.
    """
    tiles = Tiles(len(encoded.read_order()))
    unit = math.lcm(*range(1, window + 1))
    runs: list[tuple[Path, Path]] = []
    tokens = max(1, int(memory / (_BYTES_PER_PAIR * window)))
    for ids, times in _blocks(encoded, repeats, tokens):
        cells, sums = _counted(ids, times, window, unit, tiles)
        paths = folder / f"run-{len(runs)}.cells", folder / f"run-{len(runs)}.sums"
        cells.tofile(paths[0])
        sums.tofile(paths[1])
        runs.append(paths)
    cooccurrences = Cooccurrences(
        tiles, folder / "cells.bin", folder / "counts.bin", np.zeros(tiles.words)
    )
    at_once = max(16, int(memory / (_BYTES_PER_MERGED * max(1, len(runs)))))
    with cooccurrences.cells.open("wb") as cells_out, cooccurrences.counts.open("wb") as counts_out:
        for cells, sums in _merged(runs, at_once):
            rows, columns = tiles.ranks(cells)
            counts = sums / unit * np.where(rows == columns, 2, 1)
            cooccurrences.margins[:] += np.bincount(rows, counts, tiles.words)
            cooccurrences.margins[:] += np.bincount(
                columns, counts * (rows != columns), tiles.words
            )
            cells.tofile(cells_out)
            counts.astype(np.float32).tofile(counts_out)
    for path in (path for run in runs for path in run):
        path.unlink()
    return cooccurrences


def _blocks(
    encoded: EncodedCorpus, repeats: NDArray[np.uint8], tokens: int
) -> Iterator[tuple[NDArray[np.int32], tuple[NDArray[np.int64], NDArray[np.uint8]]]]:
    """Yield whole lines of about this many tokens, with line and repeats."""
    lengths = encoded.read_lengths()
    ends = np.cumsum(lengths, dtype=np.int64)
    if not len(ends) or not ends[-1]:
        return
    ids = np.memmap(encoded.ids, dtype=np.int32, mode="r")
    begin = 0
    while begin < len(ends):
        base = ends[begin - 1] if begin else 0
        end = max(begin + 1, int(np.searchsorted(ends, base + tokens, side="right")))
        of_token = np.repeat(repeats[begin:end], lengths[begin:end])
        line = np.repeat(np.arange(begin, end), lengths[begin:end])
        drawn = of_token > 0
        yield ids[base : ends[end - 1]][drawn], (line[drawn], of_token[drawn])
        begin = end


def _counted(
    ids: NDArray[np.int32],
    of_token: tuple[NDArray[np.int64], NDArray[np.uint8]],
    window: int,
    unit: int,
    tiles: Tiles,
) -> tuple[Cells, Cells]:
    """Return cells of a block, ascending, and their sums in units of 1/unit.

    One array of integers is sorted, nothing is sorted along with it: the lowest bits of each tell
    the pair's distance and repeats.
    """
    line, repeats = of_token
    parts = []
    for distance in range(1, window + 1):
        first = np.flatnonzero(line[distance:] == line[:-distance])
        left, right = ids[first], ids[first + distance]
        pairs = tiles.row_part[np.minimum(left, right)]
        pairs += tiles.column_part[np.maximum(left, right)]
        pairs <<= _CODE_BITS
        pairs |= (distance << _REPEAT_BITS) | repeats[first].astype(np.int64)
        parts.append(pairs)
    coded = np.concatenate(parts)
    del parts
    coded.sort()
    code = np.arange(1 << _CODE_BITS)
    distances = np.maximum(code >> _REPEAT_BITS, 1)
    weights = np.where(distances <= window, unit // distances, 0) * (code % (1 << _REPEAT_BITS))
    return _summed(coded >> _CODE_BITS, weights[coded & ((1 << _CODE_BITS) - 1)])


def _summed(cells: Cells, values: Cells) -> tuple[Cells, Cells]:
    """Sum the values of equal neighbours."""
    if not len(cells):
        return cells, values
    first = np.flatnonzero(np.concatenate([[True], cells[1:] != cells[:-1]]))
    return cells[first], np.add.reduceat(values, first)


def _merged(runs: Sequence[tuple[Path, Path]], at_once: int) -> Iterator[tuple[Cells, Cells]]:
    """Merge sorted runs, holding ``at_once`` cells of each in memory."""
    maps = [
        tuple(np.memmap(path, dtype=np.int64, mode="r") for path in run)
        for run in runs
        if run[0].stat().st_size
    ]
    at = [0] * len(maps)
    while any(here < len(cells) for here, (cells, _) in zip(at, maps, strict=True)):
        # All cells up to the least of the last ones in sight are in sight in every run.
        ends = [
            cells[here + at_once - 1]
            for here, (cells, _) in zip(at, maps, strict=True)
            if here + at_once < len(cells)
        ]
        limit = min(ends, default=np.iinfo(np.int64).max)
        parts = []
        for k, (cells, sums) in enumerate(maps):
            begin = at[k]
            near = cells[begin : begin + at_once]
            at[k] = begin + int(np.searchsorted(near, limit, side="right"))
            parts.append((near[: at[k] - begin], sums[begin : at[k]]))
        together = np.concatenate([part[0] for part in parts])
        order = np.argsort(together, kind="stable")
        yield _summed(together[order], np.concatenate([part[1] for part in parts])[order])
