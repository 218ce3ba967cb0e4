"""A tokenised corpus in a folder: its text, its words as numbers, its passages."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, repeat
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from biaslab.errors import CorpusError


@dataclass(frozen=True)
class PreparedCorpus:
    """A corpus tokenised once, one line of space-separated tokens per source line.

    Attributes
    ----------
    path : Path
        The tokenised text, UTF-8.
    counts : Counter of str
        Occurrences of each token in the whole corpus.
    lines, tokens : int
        Number of non-empty lines, and of tokens in them.
    sha256 : str
        Hash of the tokenised text: two corpora with one hash train the same embeddings.
    """

    path: Path
    counts: Counter[str]
    lines: int
    tokens: int
    sha256: str

    def contexts_besides(self, kept: Sequence[str], contexts: int) -> list[str]:
        """The most frequent words that are not kept: so many that there are ``contexts`` in all."""
        besides = set(kept)
        others = (word for word, _ in self.counts.most_common() if word not in besides)
        return list(islice(others, max(0, contexts - len(besides))))


def read_prepared(work: Path) -> PreparedCorpus:
    """Return the corpus that `prepare` wrote into a folder.

    Raises `CorpusError` when it is not there: on a cluster, when this machine does not see the
    folder.
    """
    try:
        with (work / "counts.tsv").open(encoding="utf-8") as stream:
            head = stream.readline().split("\t")
            rows = (row.rstrip("\n").split("\t") for row in stream)
            counts = Counter({word: int(count) for word, count in rows})
        if not (work / "tokens.txt").exists():
            raise FileNotFoundError
    except FileNotFoundError as error:
        from socket import gethostname

        raise CorpusError(
            f"{gethostname()} cannot find the tokenised corpus in {work}. On a cluster, --work"
            " must be a folder that all machines see under the same path."
        ) from error
    return PreparedCorpus(
        work / "tokens.txt", counts, int(head[0]), counts.total(), head[1].strip()
    )


_READ_BYTES = 1 << 24
_LINE_END, _OTHER = -2, -1


@dataclass(frozen=True)
class EncodedCorpus:
    """Files of a corpus over V words, as raw arrays.

    Attributes
    ----------
    ids : Path
        int32, the known words of all lines one after another: those of the vocabulary by their rank
        in 0 ... V-1, contexts by V and their place among the contexts.
    lengths : Path
        int32, known words per line.
    order : Path
        int64, shape (V,): place in the vocabulary of each rank; rank 0 is the most frequent word.
    """

    ids: Path
    lengths: Path
    order: Path

    def read_order(self) -> NDArray[np.int64]:
        """Place in the vocabulary of each rank, shape (V,)."""
        return np.fromfile(self.order, dtype=np.int64)

    def read_lengths(self) -> NDArray[np.int32]:
        """Return the number of known words per line, shape (lines,)."""
        return np.fromfile(self.lengths, dtype=np.int32)


def encode(
    corpus: PreparedCorpus, vocabulary: Sequence[str], work: Path, contexts: Sequence[str] = ()
) -> EncodedCorpus:
    """Write a corpus as numbers into a folder, once for all replicates.

    A word outside the vocabulary and the contexts is passed over: its neighbours move together, as
    in the reference implementations of GloVe and word2vec.
    """
    of_contexts = ["", *contexts] if contexts else []
    of_words = "\n".join([corpus.sha256, *vocabulary, *of_contexts]).encode()
    key = hashlib.sha256(of_words).hexdigest()[:16]
    encoded = EncodedCorpus(*(work / f"{name}-{key}.bin" for name in ("ids", "lengths", "order")))
    if all(path.exists() for path in (encoded.ids, encoded.lengths, encoded.order)):
        return encoded
    frequency = np.array([corpus.counts[word] for word in vocabulary])
    order = np.argsort(-frequency, kind="stable")
    known_words = [vocabulary[place] for place in order] + list(contexts)
    rank = {word: r for r, word in enumerate(known_words)} | {"\n": _LINE_END}
    partial = [path.with_suffix(".partial") for path in (encoded.ids, encoded.lengths)]
    with (
        corpus.path.open(encoding="utf-8") as stream,
        partial[0].open("wb") as ids,
        partial[1].open("wb") as lengths,
    ):
        while lines := stream.readlines(_READ_BYTES):
            words = "".join(lines).replace("\n", " \n ").split(" ")
            ranks = np.fromiter(map(rank.get, words, repeat(_OTHER)), np.int32, len(words))
            known = np.cumsum(ranks >= 0)[ranks == _LINE_END]
            np.diff(known, prepend=0).astype(np.int32).tofile(lengths)
            ranks[ranks >= 0].tofile(ids)
    for path, final in zip(partial, (encoded.ids, encoded.lengths), strict=True):
        path.replace(final)
    order.astype(np.int64).tofile(partial_order := encoded.order.with_suffix(".partial"))
    partial_order.replace(encoded.order)
    return encoded


PartCounts: TypeAlias = sparse.csr_array


def part_counts(
    shape: tuple[int, int],
    part: NDArray[np.integer],
    context: NDArray[np.integer],
    count: NDArray[np.integer],
) -> PartCounts:
    """Sum counts by part and context.

    - `shape`: number of parts, and V.
    - `part`, `context`, `count`: ndarray of int, shape (m,).
    """
    cells = sparse.csr_array((count.astype(np.int64), (part, context)), shape=shape)
    cells.sum_duplicates()
    return cells


def joined(counts: PartCounts) -> PartCounts:
    """All parts as one."""
    return sparse.csr_array(np.asarray(counts.sum(axis=0)).reshape(1, -1))


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
        neighbours = []
        for distance in range(1, window + 1):
            for other in (places - distance, places + distance):
                inside = (other >= 0) & (other < len(self.ids))
                at, beside = places[inside], other[inside]
                same = self.passage[at] == self.passage[beside]
                beside = beside[same]
                neighbours.append((beside, np.full(len(beside), window + 1 - distance)))
        beside, count = (np.concatenate(arrays) for arrays in zip(*neighbours, strict=True))
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
