"""Passages of an encoded text: the lines in which words stand, and what stands beside them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from biaslab.training.encoded import EncodedCorpus
from biaslab.training.part_counts import PartCounts, part_counts

Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class Passages:
    """Whole lines of a text.

    Attributes
    ----------
    lines : ndarray, shape (n,)
        Their numbers in the text, from 0, ascending.
    ids : ndarray, shape (tokens,)
        Their known words, one line after another; numbered as in `EncodedCorpus`.
    passage : ndarray, shape (tokens,)
        Which of the n lines each belongs to.
    """

    lines: Numbers
    ids: NDArray[np.int32]
    passage: Numbers

    def chosen(self, which: NDArray[np.integer]) -> Passages:
        """Some of the n lines, ascending."""
        which = np.sort(which)
        kept = np.isin(self.passage, which)
        return Passages(
            self.lines[which], self.ids[kept], np.searchsorted(which, self.passage[kept])
        )

    def occurrences(self, word: int) -> Numbers:
        """How often a word stands in each, shape (n,)."""
        return np.bincount(self.passage[self.ids == word], minlength=len(self.lines))

    def counts_of(self, word: int, contexts: int, window: int) -> PartCounts:
        """Counts of a word with its contexts in each line, as `block_counts` weights them."""
        places = self._places_of.get(word, np.empty(0, np.int64))
        found = []
        for distance in range(1, window + 1):
            for other in (places - distance, places + distance):
                inside = (other >= 0) & (other < len(self.ids))
                at, beside = places[inside], other[inside]
                same = self.passage[at] == self.passage[beside]
                beside = beside[same]
                found.append((beside, np.full(len(beside), window + 1 - distance)))
        beside, count = (np.concatenate(arrays) for arrays in zip(*found, strict=True))
        shape = len(self.lines), contexts
        return part_counts(shape, self.passage[beside], self.ids[beside], count)

    @cached_property
    def _places_of(self) -> dict[int, Numbers]:
        order = np.argsort(self.ids, kind="stable")
        words, first = np.unique(self.ids[order], return_index=True)
        return dict(zip(words.tolist(), np.split(order, first[1:]), strict=True))


def passages_with(encoded: EncodedCorpus, words: Sequence[int]) -> Passages:
    """Read the lines in which any of some words stands."""
    ids = np.memmap(encoded.ids, np.int32, "r")
    ends = np.cumsum(encoded.read_lengths(), dtype=np.int64)
    wanted = np.zeros(max(int(ids.max(initial=0)), *words) + 1, np.bool_)
    wanted[list(words)] = True
    lines = np.unique(np.searchsorted(ends, np.flatnonzero(wanted[ids]), side="right"))
    first = np.concatenate([[0], ends])[lines]
    sizes = ends[lines] - first
    passage = np.repeat(np.arange(len(lines)), sizes)
    offset = np.arange(len(passage)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return Passages(lines, np.array(ids[first[passage] + offset]), passage)


def read_lines(path: Path, lines: NDArray[np.integer]) -> dict[int, list[str]]:
    """Read some lines of a tokenised text: the words of each, by its number."""
    wanted = sorted(set(lines.tolist()))
    with path.open(encoding="utf-8") as stream:
        return dict(zip(wanted, _at(stream, wanted), strict=True))


def _at(stream: Iterator[str], wanted: list[int]) -> Iterator[list[str]]:
    next_line = 0
    for line in wanted:
        yield next(islice(stream, line - next_line, None)).split()
        next_line = line + 1


def excerpt(words: list[str], sought: Sequence[str], around: int = 12) -> str:
    """Cut a passage down to the first places of a word, with as many words on either side.

    Of the words sought, it is the first one that stands there.
    """
    there = next(word for word in sought if word in words)
    places = [i for i, each in enumerate(words) if each == there]
    kept: list[range] = []
    for place in places[:2]:
        part = range(max(0, place - around), min(len(words), place + around + 1))
        if kept and part.start <= kept[-1].stop:
            part = range(kept.pop().start, part.stop)
        kept.append(part)
    text = " … ".join(" ".join(words[part.start : part.stop]) for part in kept)
    before = "… " if kept and kept[0].start > 0 else ""
    after = " …" if kept and kept[-1].stop < len(words) else ""
    return before + text + after
