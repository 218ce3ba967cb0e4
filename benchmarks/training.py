"""Training of bootstrap replicates.

Skip-gram: one replicate as `biaslab train bootstraps` makes it (reading the counts, writing the
resample, training on it, writing the vectors), against bare gensim `Word2Vec` given the same corpus
and settings, which scans the vocabulary itself. Both use one thread, in turns, and count tokens of
the corpus per second of the processor: two epochs of which each passes over every token. "Training
only" leaves out gensim's scan of the vocabulary: what a replicate would take if the bootstrap cost
nothing. GloVe: counting a resample and epochs over the counts, also with one thread.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict
from itertools import islice
from pathlib import Path

import numpy as np

from benchmarks.findings import Figure, Findings
from biaslab.probes.trace.block_counts import generator
from biaslab.probes.trace.corpus import PreparedCorpus, encode
from biaslab.subjects.embedding.ensemble import write_replicate, write_vocabulary
from biaslab.subjects.text_files import read_lines
from biaslab_train.embeddings import glove
from biaslab_train.embeddings.cooccurrence import count
from biaslab_train.embeddings.corpus import prepare
from biaslab_train.embeddings.glove import GloVeSettings
from biaslab_train.embeddings.methods import SkipGramSettings, line_repeats
from biaslab_train.embeddings.replicates import ReplicateTask, train

REAL = Path(__file__).resolve().parents[2] / "shared/data/corpora/enwiki-2015-sample.txt.xz"
LINES = 40_000
ROUNDS = 3
GOAL = 0.9
WORDS = 10_000
GLOVE_EPOCHS = 4


def measure() -> Findings:
    """Train both in turns, then GloVe."""
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        source, about = _text(work)
        begun = time.perf_counter()
        corpus = prepare(source, work / "work")
        tokenising = corpus.tokens / (time.perf_counter() - begun)
        vocabulary = sorted(word for word, _ in corpus.counts.most_common(WORDS))
        write_vocabulary(work / "work", vocabulary)
        figures = [
            *_skip_gram(corpus, work),
            *_glove(corpus, vocabulary, work / "work"),
            Figure("tokenising plain text, once per corpus", _rate(tokenising)),
        ]
    return Findings(tuple(figures), (about,))


def _text(work: Path) -> tuple[Path, str]:
    """Lines of the Wikipedia sample, or words drawn by Zipf's law where it is absent."""
    out = work / "text.txt"
    if REAL.exists():
        with out.open("w", encoding="utf-8") as target:
            target.writelines(islice(read_lines(REAL), LINES))
        return out, f"The corpus is the first {LINES:,} lines of the Wikipedia sample of 2015."
    rng = np.random.default_rng(1)
    ranks = rng.zipf(1.2, size=(LINES, 75))
    names = _names(200_000)
    with out.open("w", encoding="utf-8") as target:
        target.writelines(" ".join(names[r % len(names)] for r in row) + "\n" for row in ranks)
    return out, f"The corpus is {LINES:,} lines of 75 words drawn by Zipf's law."


def _names(number: int) -> list[str]:
    """Words of letters only: a tokeniser leaves digits out."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    return ["".join(letters[k // 26**p % 26] for p in range(4)) for k in range(number)]


def _skip_gram(corpus: PreparedCorpus, work: Path) -> list[Figure]:
    settings = SkipGramSettings()
    task = ReplicateTask(0, 1, settings, work / "work", work)
    passed = corpus.tokens * settings.epochs

    def ours() -> None:
        write_replicate(work, 0, train(task))

    def bare() -> float:
        from gensim.models import Word2Vec

        model = Word2Vec(sg=1, workers=1, seed=1, **asdict(settings))
        model.build_vocab(corpus_file=str(corpus.path))
        begun = time.process_time()
        model.train(corpus_file=str(corpus.path), total_words=corpus.tokens, epochs=settings.epochs)
        return time.process_time() - begun

    taken: dict[str, list[float]] = {"ours": [], "bare": [], "training": []}
    for _ in range(ROUNDS):
        taken["ours"].append(_seconds(ours))
        training: list[float] = []
        taken["bare"].append(_seconds(lambda: training.append(bare())))  # noqa: B023
        taken["training"] += training
    rates = {name: passed / statistics.median(seconds) for name, seconds in taken.items()}
    return [
        Figure(
            what,
            _rate(rates["ours"]),
            f"at least {GOAL:.0%} of gensim",
            rates["ours"] >= GOAL * rates[other],
            f"gensim {_rate(rates[other])}",
            f"{rates['ours'] / rates[other]:.0%}",
        )
        for what, other in (
            ("skip-gram replicate, resampling included", "bare"),
            ("the same against gensim's training only", "training"),
        )
    ]


def _glove(corpus: PreparedCorpus, vocabulary: list[str], work: Path) -> list[Figure]:
    settings = GloVeSettings(epochs=GLOVE_EPOCHS)
    encoding = time.process_time()
    encoded = encode(corpus, vocabulary, work)
    encoding = time.process_time() - encoding
    repeats = line_repeats(corpus.lines, generator(1, 0))
    begun = time.process_time()
    counts = count(encoded, repeats, settings.window, work)
    counting = time.process_time() - begun
    ends: list[float] = []
    glove.fit(counts, settings, (1, 0), on_epoch=lambda _: ends.append(time.process_time()))
    epoch = statistics.median(np.diff(ends).tolist())
    cells = counts.cells.stat().st_size // 8
    each = f"{cells:,} cells, {len(vocabulary):,} words"
    return [
        Figure("GloVe: the corpus as numbers, once", _rate(corpus.tokens / encoding)),
        Figure(
            f"GloVe: counting a resample, window {settings.window}", _rate(corpus.tokens / counting)
        ),
        Figure(f"GloVe: an epoch over {each}", f"{epoch:.2f} s"),
        Figure("GloVe: cells of the symmetric matrix", f"{2 * cells / epoch / 1e6:.1f} M/s"),
    ]


def _seconds(thing: Callable[[], object]) -> float:
    begun = time.process_time()
    thing()
    return time.process_time() - begun


def _rate(tokens: float) -> str:
    return f"{tokens / 1000:,.0f} k tokens/s"
