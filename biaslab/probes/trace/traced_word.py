"""A word and its cues in a counted corpus: switch points without a passage or a block."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from biaslab.errors import QueryError
from biaslab.jobs.job import JobContext
from biaslab.probes.psychometrics.switch_points import mixed_cosines
from biaslab.probes.trace.block_counts import block_repeats, block_starts, generator
from biaslab.probes.trace.corpus import PartCounts, excerpt, joined, passages_with, read_lines
from biaslab.probes.trace.counted import CountedCorpus
from biaslab.probes.trace.ppmi import Dimensions, dimensions_of, vectors_without
from biaslab.stats.reproducibility import order
from biaslab.threads.recent import Recent

Floats = NDArray[np.float64]


class FoldedWord:
    """A word as the row of its associations times the dimensions of the whole corpus.

    The frequencies of contexts are those of the whole corpus too: leaving a part out changes them
    by next to nothing.

    Parameters
    ----------
    row : ndarray, shape (V,)
        Counts of the word with the contexts.
    dimensions : Dimensions
        Of d dimensions.
    """

    def __init__(self, row: Floats, dimensions: Dimensions) -> None:
        self._row, self._dimensions = row, dimensions
        self._total = float(row.sum())
        self._base = np.log(max(self._total, 1)) + dimensions.log_share
        with np.errstate(divide="ignore"):
            self._association = np.log(row) - self._base

    @property
    def vector(self) -> Floats:
        """The vector, shape (d,)."""
        positive = np.flatnonzero(self._association > 0)
        return np.asarray(self._association[positive] @ self._dimensions.basis[positive])

    def without(self, removed: PartCounts) -> Floats:
        """Vectors without one of several parts, each by itself.

        - `removed`: counts of the word in n parts; a negative count is added.
        - Returns ndarray, shape (n, d): zeros where nothing of the word is left.
        """
        parts = removed.shape[0]
        part = np.repeat(np.arange(parts), np.diff(removed.indptr))
        context, change = removed.indices, removed.data
        total = self._total - np.bincount(part, change, parts)
        # Fewer counts of the word raise its associations with all contexts that stay.
        shift = np.log(max(self._total, 1)) - np.log(np.maximum(total, 1))
        with np.errstate(divide="ignore"):
            left = np.log(np.maximum(self._row[context] - change, 0))
        rise = shift[part]
        new = np.maximum(left - self._base[context] + rise, 0)
        old = np.maximum(self._association[context] + rise, 0)
        moved = sparse.csr_array((new - old, context, removed.indptr), shape=removed.shape)
        vectors = self._raised(shift) + moved @ self._dimensions.basis
        vectors[total < 0.5] = 0
        return np.asarray(vectors)

    def _raised(self, shift: Floats) -> Floats:
        """Vectors with all associations raised by so much, shape (n,) -> (n, d).

        A sum of max(0, a + shift) over contexts is linear in the shift between two values of -a.
        """
        near = np.flatnonzero(self._association > -max(float(shift.max(initial=0)), 0))
        order = near[np.argsort(-self._association[near])]
        heights, basis = self._association[order], self._dimensions.basis[order]
        start = np.zeros((1, basis.shape[1]))
        linear = np.concatenate([start, np.cumsum(basis, axis=0)])
        constant = np.concatenate([start, np.cumsum(basis * heights[:, None], axis=0)])
        above = np.searchsorted(-heights, shift)
        return np.asarray(constant[above] + shift[:, None] * linear[above])


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

    - `dimensions`: of the corpus.
    - `times`, ndarray, shape (B, blocks): how often each resample has each block.
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


RARE = 10_000
"""Occurrences of a cue up to which passages are traced that have the cue and not the word.

One passage of a more frequent cue moves no PSE by more than about 0.1 points.
"""
Kind = Literal["passages", "blocks"]
Vectors = Mapping[str, Floats]
"""Of the word and the cues, each of shape (d,) or (n, d)."""


class TracedWord:
    """Pulls of passages and blocks on the switch point of a word under K cue pairs.

    Parameters
    ----------
    corpus : CountedCorpus
    word : str
    pairs : sequence of (str, str)
    replicates : int
        Number B of resampled corpora: those of the ensemble, and as many more.
    memory : float
        Bytes to count in, about.
    context : JobContext

    Attributes
    ----------
    passages : Passages
        The n lines with the word, or with a cue that stands in the corpus at most `RARE` times.
    block_of : ndarray, shape (n,)
        Their blocks, from 0.
    occurrences : ndarray, shape (n,)
        Of the word.
    pulls : ndarray, shape (n, K)
        Switch points minus those without each passage.
    block_pulls : ndarray, shape (blocks, K)

    Raises
    ------
    QueryError
        When fewer than two passages have the word.
    """

    def __init__(
        self,
        corpus: CountedCorpus,
        word: str,
        pairs: Sequence[tuple[str, str]],
        replicates: int,
        memory: float,
        context: JobContext,
    ) -> None:
        self._corpus, self._word, self._pairs, self._memory = corpus, word, pairs, memory
        self._context = context
        counts = corpus.counts
        self._terms = tuple(dict.fromkeys([word, *(cue for pair in pairs for cue in pair)]))
        context.report(0, len(self._terms) + 2, "decomposing the corpus")
        self._dimensions = dimensions_of(
            counts, corpus.settings, corpus.seed, memory, self._between_rounds
        )
        self._times = np.array(
            [block_repeats(counts.blocks, generator(corpus.seed, b)) for b in range(replicates)],
            np.int64,
        )
        terms: dict[str, TermInBlocks] = {}
        for done, term in enumerate(self._terms):
            context.checkpoint()
            context.report(done + 1, len(self._terms) + 2, "reading counts")
            terms[term] = term_in_blocks(corpus, term, self._dimensions, self._times)
        rare = [
            term
            for term, parts in terms.items()
            if term != word and parts.row.sum() <= RARE * _pairs_of_one(corpus.settings.window)
        ]
        self.passages = passages_with(corpus.encoded, [corpus.rank[t] for t in (word, *rare)])
        self.occurrences = self.passages.occurrences(corpus.rank[word])
        if np.count_nonzero(self.occurrences) < 2:
            raise QueryError(
                f"“{word}” stands in one passage of the corpus: without it there is no such word."
                " Trace a word that stands in more."
            )
        first = block_starts(corpus.encoded.read_lengths(), corpus.settings.blocks)
        self.block_of = np.searchsorted(first, self.passages.lines, side="right") - 1
        self._resampled = {term: parts.resampled for term, parts in terms.items()}
        self._folded = {t: FoldedWord(parts.row, self._dimensions) for t, parts in terms.items()}
        self._vectors = {term: folded.vector for term, folded in self._folded.items()}
        self._in_passages = {
            term: self.passages.counts_of(
                corpus.rank[term], counts.contexts, corpus.settings.window
            )
            for term in self._terms
        }
        base = self._switch_points(self._vectors)
        self.block_pulls = base - self._switch_points(
            {term: parts.without_block for term, parts in terms.items()}
        )
        self._cue_changes = {
            cue: self._folded[cue].without(self._in_passages[cue]) - self._vectors[cue]
            for cue in self._terms[1:]
        }
        self.pulls = base - self._switch_points(
            {word: self._folded[word].without(self._in_passages[word])}
            | {cue: self._vectors[cue] + change for cue, change in self._cue_changes.items()}
        )

    @property
    def whole(self) -> Floats:
        """Switch points in the embedding of the whole corpus, shape (K,)."""
        return self._of_matrix(self._dimensions.vectors)

    def strongest(
        self, toward: Literal[1, 2], most: int, what: Kind = "passages"
    ) -> NDArray[np.int64]:
        """Passages or blocks that pull most toward a cue, by their mean over pairs.

        The strongest is first, and none is there that pulls the other way.
        """
        pulls = self.pulls if what == "passages" else self.block_pulls
        mean = pulls.mean(axis=1) * (1 if toward == 1 else -1)
        first = order(mean, descending=True)[:most]
        return np.asarray(first[mean[first] > 0], np.int64)

    def together(self, which: NDArray[np.integer], what: Kind = "passages") -> Floats:
        """Predicted pull of passages or blocks that are left out together, shape (K,)."""
        rank, counts = self._corpus.rank, self._corpus.counts
        without = {}
        for term, folded in self._folded.items():
            of_term = self._in_passages[term] if what == "passages" else counts.of_word(rank[term])
            without[term] = folded.without(joined(of_term[which]))[0]
        return self._switch_points(self._vectors) - self._switch_points(without)

    def measured(self, which: NDArray[np.integer], what: Kind) -> Floats:
        """Pull of passages or blocks that are really left out together, shape (K,)."""
        corpus = self._corpus
        removed = self.passages.chosen(which) if what == "passages" else which
        vectors = vectors_without(
            corpus.counts, corpus.settings, corpus.seed, removed, self._memory, self._between_rounds
        )
        return self.whole - self._of_matrix(vectors)

    def excerpts(self, which: NDArray[np.integer]) -> list[str]:
        """Words around the word in passages, or around a cue where the word is not there."""
        lines = self.passages.lines[which]
        texts = read_lines(self._corpus.text, lines)
        return [excerpt(texts[line], self._terms) for line in lines.tolist()]

    def resampled_pulls(self, groups: Sequence[NDArray[np.integer]]) -> Floats:
        """Pulls of G groups of passages in each of B resampled corpora, shape (B, G, K).

        The text besides is as often there as the resample has it; a group's passages are there
        once each, and not at all. A cue moves as in the whole corpus.
        """
        used = np.unique(np.concatenate(groups))
        member = np.array([np.isin(used, group) for group in groups], np.int64)
        parts = self._in_passages[self._word][used]
        changes = {cue: change[used] for cue, change in self._cue_changes.items()}
        pulls = []
        counts = self._corpus.counts.of_word(self._corpus.rank[self._word])
        rows = (self._times @ counts).astype(np.float64)
        for replicate, row in enumerate(rows):
            folded = FoldedWord(row, self._dimensions)
            often = self._times[replicate, self.block_of[used]]
            points = []
            for copies in (1, 0):
                taken = member * (often - copies)
                removed = sparse.csr_array(taken) @ parts
                vectors = {
                    cue: self._resampled[cue][replicate] + taken @ change
                    for cue, change in changes.items()
                }
                points.append(self._switch_points(vectors | {self._word: folded.without(removed)}))
            pulls.append(points[0] - points[1])
        return np.array(pulls)

    def _between_rounds(self, _done: int) -> None:
        self._context.checkpoint()

    def _of_matrix(self, vectors: NDArray[np.float32]) -> Floats:
        rank = self._corpus.rank
        return self._switch_points({t: vectors[rank[t]].astype(np.float64) for t in self._terms})

    def _switch_points(self, vectors: Vectors) -> Floats:
        """Switch points of eq. 8, shape (K,) or (n, K); NaN where a vector is zero."""
        with np.errstate(invalid="ignore"):
            units = {t: v / np.linalg.norm(v, axis=-1, keepdims=True) for t, v in vectors.items()}
        word = units[self._word]
        points = [
            mixed_cosines(_dot(word, units[two] - units[one]), _dot(units[one], units[two]))
            for one, two in self._pairs
        ]
        return np.stack(np.broadcast_arrays(*points), axis=-1)


def _dot(one: Floats, two: Floats) -> Floats:
    return np.asarray((one * two).sum(axis=-1))


def _pairs_of_one(window: int) -> int:
    """Weighted count of an occurrence with its contexts, but for ends of lines."""
    return window * (window + 1)
