"""Co-occurrence counts of the blocks of a text, kept on disk.

A bootstrap that resamples blocks has counts that are a weighted sum of theirs: the text is read
once, however many replicates follow. Two words at distance d within a window of w count w + 1 - d,
which is what the random windows of word2vec give on average (Levy, Goldberg and Dagan 2015,
section 3.1). Sums are integers, so they do not depend on how the work was divided.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from biaslab.files.atomic import write_atomically
from biaslab.probes.trace.corpus import EncodedCorpus, PartCounts, part_counts

_DISTANCE_BITS = 5
_BYTES_PER_PAIR = 64  # of the arrays that live at once while a run is counted
_BYTES_PER_CELL = 12  # of a stripe: an exact sum, and the float that it becomes

Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class BlockCounts:
    """Counts of words with their contexts, block by block.

    The first R of the V contexts are the words themselves. A pair is kept once, as row <= column
    with row < R; blocks too large for the memory are several runs.

    Attributes
    ----------
    words, contexts : int
        R and V.
    blocks : int
        Number K of blocks.
    cells : Path
        Unsigned integers, row * V + column; ascending within a run.
    sums : Path
        uint32, the weighted count of each cell.
    starts : ndarray, shape (runs + 1,)
        Where each run begins in both files, and their end.
    block : ndarray, shape (runs,)
        The block that each run belongs to.
    """

    words: int
    contexts: int
    blocks: int
    cells: Path
    sums: Path
    starts: Numbers
    block: Numbers

    def weighted(
        self, times: NDArray[np.integer], path: Path, memory: float = 2e9
    ) -> NDArray[np.float32]:
        """Sum the blocks, each counted several times or not at all.

        - `times`, ndarray of int, shape (K,): how often each block counts.
        - `path`: file for the matrix, 4 R V bytes.
        - `memory`: bytes to work in, about; the outcome is the same.
        - Returns ndarray of float32, shape (R, V): memory-mapped; a word with itself counts twice,
          once for each direction.
        """
        cells = np.memmap(self.cells, _cell_type(self.words, self.contexts), "r")
        sums = np.memmap(self.sums, np.uint32, "r")
        matrix = np.memmap(path, np.float32, "w+", shape=(self.words, self.contexts))
        drawn = np.flatnonzero(times[self.block])
        for rows in stripes(self.words, self.contexts * _BYTES_PER_CELL, memory):
            first, last = rows.start * self.contexts, rows.stop * self.contexts
            stripe = np.zeros(last - first, np.int64)
            for run in drawn:
                inside = cells[self.starts[run] : self.starts[run + 1]]
                bounds = np.searchsorted(inside, np.array([first, last], inside.dtype))
                here = slice(*(self.starts[run] + bounds))
                # A run has each cell once, so none is lost in this sum.
                stripe[cells[here] - first] += sums[here] * np.int64(times[self.block[run]])
            matrix[rows] = stripe.reshape(-1, self.contexts)
        _mirror(matrix[:, : self.words], memory)
        return matrix

    def of_word(self, word: int) -> PartCounts:
        """Counts of one of the R words with all contexts, in each block."""
        cells = np.memmap(self.cells, _cell_type(self.words, self.contexts), "r")
        sums = np.memmap(self.sums, np.uint32, "r")
        # Its own row begins with itself; before that it is a column of the words above.
        own = np.array([word, word + 1]) * self.contexts + np.array([word, 0])
        above = (np.arange(word + 1) * self.contexts + word).astype(cells.dtype)
        parts = []
        for run, block in enumerate(self.block.tolist()):
            inside = cells[self.starts[run] : self.starts[run + 1]]
            weights = sums[self.starts[run] : self.starts[run + 1]]
            row = slice(*np.searchsorted(inside, own.astype(cells.dtype)))
            at = np.searchsorted(inside, above)
            there = np.flatnonzero(inside[np.minimum(at, len(inside) - 1)] == above)
            context = np.concatenate([inside[row].astype(np.int64) % self.contexts, there])
            count = np.concatenate([weights[row], weights[at[there]]])
            parts.append((np.full(len(context), block), context, count))
        part, context, count = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
        return part_counts((self.blocks, self.contexts), part, context, count)


def count_blocks(
    encoded: EncodedCorpus, contexts: int, window: int, blocks: int, memory: float = 2e9
) -> BlockCounts:
    """Count a text block by block, or find what an earlier call counted.

    - `encoded`: the text over V contexts, of which the first R are the words of its order.
    - `contexts`: V.
    - `window`: largest distance, 1 to 20.
    - `blocks`: number of stretches of whole lines, of about the same length; at most one per line.
    - `memory`: bytes to work in, about; the outcome is the same.
    """
    words = len(encoded.read_order())
    lengths = encoded.read_lengths()
    first = block_starts(lengths, blocks)
    of_what = f"{encoded.ids.name} {contexts} {window} {blocks}"
    key = hashlib.sha256(of_what.encode()).hexdigest()[:16]
    folder = encoded.ids.parent
    noted = folder / f"blocks-{key}.json"
    cells, sums = folder / f"blocks-{key}.cells", folder / f"blocks-{key}.sums"
    if not noted.exists():
        runs: list[tuple[int, int]] = []
        with cells.open("wb") as cells_out, sums.open("wb") as sums_out:
            tokens = max(1, int(memory / (_BYTES_PER_PAIR * window)))
            for block, ids, line in _runs(encoded, lengths, first, tokens):
                pairs, weights = count_pairs(ids, line, words, contexts, window)
                pairs.tofile(cells_out)
                weights.tofile(sums_out)
                runs.append((block, len(pairs)))
        write_atomically(noted, json.dumps(runs))
    runs = json.loads(noted.read_text())
    starts = np.cumsum([0, *(size for _, size in runs)], dtype=np.int64)
    block_of = np.array([block for block, _ in runs], np.int64)
    return BlockCounts(words, contexts, len(first) - 1, cells, sums, starts, block_of)


def block_starts(lengths: NDArray[np.integer], blocks: int) -> Numbers:
    """First line of each of at most ``blocks`` stretches of about equal length, and the end."""
    ends = np.cumsum(lengths, dtype=np.int64)
    total = int(ends[-1]) if len(ends) else 0
    aims = total * np.arange(1, blocks) // blocks
    inner = np.searchsorted(ends, aims, side="left") + 1
    return np.unique(np.concatenate([[0], inner[inner < len(ends)], [len(ends)]])).astype(np.int64)


def stripes(rows: int, bytes_per_row: int, memory: float) -> Iterator[slice]:
    """Rows of a matrix in stripes that fit the memory."""
    at_once = max(1, int(memory / bytes_per_row))
    for begin in range(0, rows, at_once):
        yield slice(begin, min(begin + at_once, rows))


def _runs(
    encoded: EncodedCorpus, lengths: NDArray[np.int32], first: Numbers, tokens: int
) -> Iterator[tuple[int, NDArray[np.int32], Numbers]]:
    """Whole lines of one block, of about so many tokens: block, ids, and the line of each."""
    ends = np.cumsum(lengths, dtype=np.int64)
    if not len(ends) or not ends[-1]:
        return
    ids = np.memmap(encoded.ids, np.int32, "r")
    for block, (begin, last) in enumerate(pairwise(first.tolist())):
        while begin < last:
            base = int(ends[begin - 1]) if begin else 0
            fit = int(np.searchsorted(ends, base + tokens, side="right"))
            end = min(max(begin + 1, fit), last)
            line = np.repeat(np.arange(begin, end), lengths[begin:end])
            yield block, ids[base : ends[end - 1]], line
            begin = end


def count_pairs(
    ids: NDArray[np.int32], line: Numbers, words: int, contexts: int, window: int
) -> tuple[NDArray[np.unsignedinteger], NDArray[np.uint32]]:
    """Count the pairs of a text: its cells, ascending, and their sums.

    One array of integers is sorted: the lowest bits of each are the weight of its pair.
    """
    parts = []
    for distance in range(1, window + 1):
        pair = np.flatnonzero(line[distance:] == line[:-distance])
        one, two = ids[pair], ids[pair + distance]
        row, column = np.minimum(one, two), np.maximum(one, two)
        wanted = row < words
        code = row[wanted].astype(np.uint64) * np.uint64(contexts)
        code += column[wanted].astype(np.uint64)
        parts.append((code << np.uint64(_DISTANCE_BITS)) | np.uint64(window + 1 - distance))
    coded = np.concatenate(parts)
    del parts
    coded.sort()
    cells = coded >> np.uint64(_DISTANCE_BITS)
    weights = (coded & np.uint64((1 << _DISTANCE_BITS) - 1)).astype(np.uint32)
    kind = _cell_type(words, contexts)
    if not len(cells):
        return cells.astype(kind), weights
    begins = np.flatnonzero(np.concatenate([[True], cells[1:] != cells[:-1]]))
    return cells[begins].astype(kind), np.add.reduceat(weights, begins, dtype=np.uint32)


def _cell_type(words: int, contexts: int) -> type[np.uint32] | type[np.uint64]:
    return np.uint32 if words * contexts <= 1 << 32 else np.uint64


def _mirror(square: NDArray[np.float32], memory: float) -> None:
    """Add to the upper triangle of a square its transpose, in place and a tile at a time."""
    words = len(square)
    side = max(1, int((memory / 8) ** 0.5))
    for i in range(0, words, side):
        for j in range(i, words, side):
            upper = square[i : i + side, j : j + side]
            if i == j:
                upper += upper.T.copy()
            else:
                square[j : j + side, i : i + side] = upper.T


def generator(seed: int, index: int) -> np.random.Generator:
    """Return the generator of replicate ``index``'s line repeats."""
    return np.random.default_rng([seed, index])


def block_repeats(blocks: int, rng: np.random.Generator) -> NDArray[np.uint8]:
    """Draw how often each block of a corpus is repeated: Poisson(1), shape (blocks,).

    Articles, which a block holds whole but for its ends, stay together, so the spread between
    replicates includes what the paragraphs of an article share.
    """
    return rng.poisson(1.0, blocks).astype(np.uint8)
