"""Bootstrapped skip-gram embeddings: the replicates behind a psychometric curve.

Paper 000, section 4.2: each replicate is trained on a streaming Poisson(1) bootstrap of the
corpus, so that the spread between replicates shows how far a reading depends on the text that
happened to be collected.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from biaslab.errors import CorpusError
from biaslab.subjects.ensemble_folder import (
    is_complete,
    replicate_path,
    write_manifest,
    write_replicate,
    write_vocabulary,
)
from biaslab.training.corpus import PreparedCorpus, poisson_resample, prepare


@dataclass(frozen=True)
class SkipGramSettings:
    """Settings of one skip-gram replicate; the names are gensim's.

    Attributes
    ----------
    vector_size : int
        Dimensions; 100 in paper 000.
    window : int
        Largest distance between a word and its context word.
    epochs : int
        Passes over the resampled corpus.
    negative : int
        Noise words per positive example.
    sample : float
        Subsampling threshold of frequent words.
    min_count : int
        A word rarer than this in the corpus is not trained.
    """

    vector_size: int = 100
    window: int = 5
    epochs: int = 2
    negative: int = 5
    sample: float = 2e-5
    min_count: int = 8


@dataclass(frozen=True)
class Progress:
    """State of a training run: ``done`` of ``total`` replicates, estimate in seconds or None."""

    done: int
    total: int
    seconds_left: float | None


def train_replicate(
    corpus: PreparedCorpus,
    settings: SkipGramSettings,
    seed: int,
    index: int,
    vocabulary: Sequence[str],
    folder: Path,
    work: Path,
) -> int:
    """Train replicate ``index`` and write it atomically; return its number of resampled lines.

    One worker thread and a seeded generator: the same seed gives the same bytes on the same
    machine and package versions. Word frequencies, on which subsampling and noise words depend,
    are those of the corpus and not of the resample: replicates then differ in their text only, and
    share one vocabulary. A kept word that the resample lacks keeps its starting vector; it is
    written as missing.
    """
    from gensim.models import Word2Vec
    from gensim.models.callbacks import CallbackAny2Vec

    class EpochMarker(CallbackAny2Vec):  # type: ignore[misc]
        epochs = 0

        def on_epoch_end(self, _model: Any) -> None:
            self.epochs += 1
            _epoch_marker(work, index).write_text(str(self.epochs))

    resampled = work / f"resample-{index:02d}.txt"
    lines = poisson_resample(corpus, np.random.default_rng([seed, index]), resampled)
    model = Word2Vec(sg=1, workers=1, seed=(seed * 100_003 + index) % 2**31, **asdict(settings))
    model.build_vocab_from_freq(corpus.counts, corpus_count=lines)
    rows = [model.wv.key_to_index[word] for word in vocabulary]
    untrained = model.wv.vectors[rows].copy()
    model.train(
        corpus_file=str(resampled),
        total_words=corpus.tokens,
        epochs=settings.epochs,
        callbacks=[EpochMarker()],
    )
    resampled.unlink()
    vectors = model.wv.vectors[rows]
    vectors[(vectors == untrained).all(axis=1)] = 0
    write_replicate(folder, index, vectors)
    _epoch_marker(work, index).unlink(missing_ok=True)
    return lines


def train_bootstraps(
    source: Path,
    folder: Path,
    *,
    replicates: int = 32,
    settings: SkipGramSettings = SkipGramSettings(),
    seed: int = 1,
    words: Sequence[str] = (),
    frequent: int = 10_000,
    keep_count: int = 20,
    processes: int | None = None,
    work: Path | None = None,
    on_progress: Callable[[Progress], None] = lambda _: None,
) -> Path:
    """Train an ensemble of bootstrapped embeddings into a folder; a killed run continues.

    Parameters
    ----------
    source : Path
        Corpus: a text file (plain, .gz, .bz2, .xz) or a folder, one paragraph a line.
    folder : Path
        Where the ensemble goes: ``bl.load(folder)`` opens it.
    replicates : int
        Number B of bootstrap replicates.
    settings : SkipGramSettings
        Skip-gram settings, the same for all replicates.
    seed : int
        Replicate b draws from ``default_rng([seed, b])``.
    words : sequence of str
        Words to keep whatever their rank, if the corpus has ``keep_count`` of them.
    frequent : int
        How many of the most frequent words to keep besides.
    keep_count : int
        Least number of occurrences in the corpus of a word that is kept.
    processes : int, optional
        Replicates trained at once; default one per core.
    work : Path, optional
        Scratch folder (tokenised corpus and one resampled copy per process); default
        ``folder / "work"``.
    on_progress : callable
        Called about once a second with a `Progress`.

    Returns
    -------
    Path
        ``folder``.

    Raises
    ------
    CorpusError
        When the corpus cannot be read, or the folder holds a run with other settings.
    """
    folder.mkdir(parents=True, exist_ok=True)
    work = work or folder / "work"
    corpus = prepare(source, work)
    wanted = dict.fromkeys(words) | dict.fromkeys(w for w, _ in corpus.counts.most_common(frequent))
    keep_count = max(keep_count, settings.min_count)
    vocabulary = sorted(w for w in wanted if corpus.counts[w] >= keep_count)
    if not vocabulary:
        raise CorpusError(
            f"No word of {source} occurs {keep_count} times. Use a larger corpus or --keep-count 1."
        )
    recipe = {
        "method": "skip-gram",
        "settings": asdict(settings),
        "seed": seed,
        "replicates": replicates,
        "corpus": {"sha256": corpus.sha256, "lines": corpus.lines, "tokens": corpus.tokens},
        "versions": {name: version(name) for name in ("gensim", "numpy")},
    }
    _claim(folder, recipe)
    write_vocabulary(folder, vocabulary)
    started = time.monotonic()
    todo = [i for i in range(replicates) if not is_complete(folder, i)]
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes or os.cpu_count(), mp_context=context) as pool:
        pending = {
            pool.submit(train_replicate, corpus, settings, seed, i, vocabulary, folder, work)
            for i in todo
        }
        while pending:
            finished, pending = wait(pending, timeout=1.0, return_when=FIRST_COMPLETED)
            for future in finished:
                future.result()
            on_progress(_progress(folder, work, todo, replicates, settings.epochs, started))
    write_manifest(folder, recipe)
    return folder


def _epoch_marker(work: Path, index: int) -> Path:
    return work / f"epoch-{index:02d}"


def _progress(
    folder: Path, work: Path, todo: Sequence[int], total: int, epochs: int, started: float
) -> Progress:
    done = [is_complete(folder, i) for i in todo]
    share = float(sum(done))
    for i, complete in zip(todo, done, strict=True):
        marker = _epoch_marker(work, i)
        if not complete and marker.exists() and (text := marker.read_text()):
            share += int(text) / (epochs + 0.5)
    elapsed = time.monotonic() - started
    left = elapsed * (len(todo) - share) / share if share else None
    return Progress(total - len(todo) + sum(done), total, left)


def _claim(folder: Path, recipe: dict[str, Any]) -> None:
    """Refuse to mix replicates of two recipes in one folder."""
    path = folder / "recipe.json"
    if path.exists() and (old := json.loads(path.read_text())) != recipe:
        changed = sorted(k for k in recipe if old.get(k) != recipe[k])
        if replicate_path(folder, 0).parent.exists() and any(folder.glob("replicate-*")):
            raise CorpusError(
                f"{folder} holds replicates of another run ({', '.join(changed)} differ). "
                "Choose an empty --output folder, or repeat the command that began it."
            )
    path.write_text(json.dumps(recipe, indent=1))
