"""Vectors of a resampled corpus: skip-gram by gensim, or counts by PPMI and an SVD."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from biaslab.probes.trace.block_counts import BlockCounts, generator
from biaslab.probes.trace.corpus import PreparedCorpus
from biaslab.probes.trace.counted import PPMISettings
from biaslab.probes.trace.ppmi import POWER_ROUNDS, Matrix, associate, decompose
from biaslab.stats.threads import one_blas_thread
from biaslab_train.settings import Settings, setting


@dataclass(frozen=True)
class SkipGramSettings(Settings):
    """Settings of one skip-gram replicate; the names are gensim's.

    100 dimensions are those of Liang and Acuna (2020), section 3.1.
    """

    vector_size: int = setting(100, "dimensions of the vectors")
    window: int = setting(5, "words of context on either side")
    epochs: int = setting(2, "passes over the resampled corpus")
    negative: int = setting(5, "noise words per positive example", least=0)
    sample: float = setting(2e-5, "subsampling threshold of frequent words", least=0)
    min_count: int = setting(8, "minimum number of occurrences of a trained word", least=0)


_BLOCK = 1 << 16


def line_repeats(lines: int, rng: np.random.Generator) -> NDArray[np.uint8]:
    """Draw how often each line of a corpus is repeated: Poisson(1), shape (lines,).

    The total length then varies a little between replicates, as in Liang and Acuna (2020), section
    4.2 (after Chamandy et al. 2012). Lines are resampled independently, so the interval that
    follows is about resampled paragraphs, not about whole articles.
    """
    repeats = np.empty(lines, dtype=np.uint8)
    for begin, block in _blocks(lines, rng):
        repeats[begin : begin + len(block)] = block
    return repeats


def poisson_resample(corpus: PreparedCorpus, rng: np.random.Generator, out: Path) -> int:
    """Write the resample of `line_repeats`; return its number of lines."""
    written = 0
    with corpus.path.open("rb") as stream, out.open("wb") as target:
        for _, block in _blocks(corpus.lines, rng):
            # A block of lines is joined before it is written: one call for 65,536 of them.
            lines = zip(stream, block.tolist(), strict=False)
            target.write(b"".join([line * n for line, n in lines if n]))
            written += int(block.sum())
    return written


def _blocks(lines: int, rng: np.random.Generator) -> Iterator[tuple[int, NDArray[np.int64]]]:
    for begin in range(0, lines, _BLOCK):
        yield begin, rng.poisson(1.0, size=min(_BLOCK, lines - begin))


def fit_skip_gram(
    corpus: PreparedCorpus,
    vocabulary: Sequence[str],
    settings: SkipGramSettings,
    seed: tuple[int, int],
    scratch: Path,
    on_epoch: Callable[[int], None] = lambda _: None,
) -> NDArray[np.float32]:
    """Train on a resample of a corpus.

    One worker thread and a seeded generator: the same seed gives the same bytes on the same
    machine and package versions. Word frequencies, on which subsampling and noise words depend,
    are those of the corpus and not of the resample: replicates then differ only in their text, and
    share one vocabulary.

    - `corpus`: corpus to resample.
    - `vocabulary`: V words whose vectors are returned; all words of the corpus are trained.
    - `settings`: replicate to train.
    - `seed`: of the run, and the replicate's number.
    - `scratch`: folder for the resampled copy.
    - `on_epoch`: called with the number of epochs done.
    - Returns ndarray, shape (V, vector_size): zeros for a word missing from the resample: it has
      only its starting vector.
    """
    from gensim.models import Word2Vec
    from gensim.models.callbacks import CallbackAny2Vec

    class Epochs(CallbackAny2Vec):  # type: ignore[misc]
        done = 0

        def on_epoch_end(self, _model: Any) -> None:
            self.done += 1
            on_epoch(self.done)

    resampled = scratch / "resample.txt"
    lines = poisson_resample(corpus, generator(*seed), resampled)
    model = Word2Vec(
        sg=1, workers=1, seed=(seed[0] * 100_003 + seed[1]) % 2**31, **asdict(settings)
    )
    model.build_vocab_from_freq(corpus.counts, corpus_count=lines)
    rows = [model.wv.key_to_index[word] for word in vocabulary]
    untrained = model.wv.vectors[rows].copy()
    model.train(
        corpus_file=str(resampled),
        total_words=corpus.tokens,
        epochs=settings.epochs,
        callbacks=[Epochs()],
    )
    vectors: NDArray[np.float32] = model.wv.vectors[rows]
    vectors[(vectors == untrained).all(axis=1)] = 0
    return vectors


PPMI_ROUNDS = POWER_ROUNDS + 1
"""Of `fit_ppmi`: counting, then those of the decomposition."""


def fit_ppmi(
    counts: BlockCounts,
    times: NDArray[np.integer],
    settings: PPMISettings,
    seed: tuple[int, int],
    scratch: Path,
    memory: float = 2e9,
    on_round: Callable[[int], None] = lambda _: None,
) -> Matrix:
    """Compute the vectors of a resample.

    - `counts`: of K blocks, R words and V contexts.
    - `times`, ndarray of int, shape (K,): how often the resample has each block.
    - `settings`: dimensions and the power p.
    - `seed`: of the run, and the replicate's number: where the decomposition starts.
    - `scratch`: folder for the matrix, 4 R V bytes.
    - `memory`: bytes to count in, about; the decomposition reads the matrix from disk.
    - `on_round`: called with the number of rounds done, of `PPMI_ROUNDS`.
    - Returns ndarray, shape (R, vector_size): by rank; zeros for a word that the resample lacks.
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
