"""Bootstrapped word embeddings: the replicates behind a psychometric curve.

As in Liang and Acuna (2020), section 4.2, each replicate is trained on a streaming Poisson(1)
bootstrap of the corpus, so that the spread between replicates shows how far a reading depends on
the text that happened to be collected.
"""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, wait
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from biaslab.errors import CorpusError, MissingExtraError, TrainingError
from biaslab.files.atomic import write_atomically
from biaslab.probes.similarity import Judgements, word_similarity
from biaslab.probes.trace.block_counts import BlockCounts, count_blocks
from biaslab.probes.trace.corpus import EncodedCorpus, PreparedCorpus, encode
from biaslab.probes.trace.counted import PPMISettings
from biaslab.subjects.embedding.ensemble import (
    is_complete,
    read_ensemble,
    replicate_path,
    write_manifest,
    write_replicate,
    write_vocabulary,
)
from biaslab_train.embeddings.corpus import prepare
from biaslab_train.embeddings.glove import GloVeSettings, usable_device
from biaslab_train.embeddings.methods import SkipGramSettings
from biaslab_train.embeddings.processes import pool
from biaslab_train.embeddings.replicates import ReplicateTask, Settings, scratch_prefix, train

__all__ = ["GloVeSettings", "PPMISettings", "Progress", "SkipGramSettings", "train_bootstraps"]

_SKIP_GRAM = SkipGramSettings()
_METHODS: dict[type[Settings], str] = {
    SkipGramSettings: "skip-gram",
    GloVeSettings: "glove",
    PPMISettings: "ppmi-svd",
}
_LIBRARIES = {
    "skip-gram": ("gensim", "numpy"),
    "glove": ("gensim", "numpy", "torch"),
    "ppmi-svd": ("gensim", "numpy"),
}


@dataclass(frozen=True)
class Progress:
    """State of a run: ``done`` of ``total`` replicates, seconds left or None."""

    done: int
    total: int
    seconds_left: float | None


def train_bootstraps(
    source: Path,
    folder: Path,
    *,
    replicates: int = 32,
    settings: Settings = _SKIP_GRAM,
    seed: int = 1,
    words: Sequence[str] = (),
    frequent: int = 10_000,
    keep_count: int = 20,
    processes: int | None = None,
    work: Path | None = None,
    device: str = "cpu",
    memory: float = 2e9,
    scheduler: str | None = None,
    judgements: Sequence[Judgements] = (),
    on_progress: Callable[[Progress], None] = lambda _: None,
) -> Path:
    """Train an ensemble of bootstrapped embeddings into a folder, with resume.

    - `source`: corpus: a text file (plain, .gz, .bz2, .xz; one paragraph a line), a MediaWiki dump
      (.xml, compressed or not), or a folder of them.
    - `folder`: output folder: ``bl.load(folder)`` opens it.
    - `replicates`: number B of bootstrap replicates.
    - `settings`: method and settings, the same for all replicates.
    - `seed`: replicate b resamples with ``default_rng([seed, b])``: lines, the same for skip-gram
      and GloVe, or blocks of them for PPMI.
    - `words`: words to keep at any rank, if the corpus has ``keep_count`` of them.
    - `frequent`: how many of the most frequent words to keep besides. GloVe and PPMI train the kept
      words only.
    - `keep_count`: least number of occurrences of a kept word in the corpus.
    - `processes`: replicates trained at once on this machine; default one per core.
    - `work`: scratch folder (tokenised corpus; while a replicate is trained, its resampled copy or
      its counts); default ``folder / "work"``. With a scheduler all workers must see it under the
      same path; they store temporary files in their own temporary folder.
    - `device`: device of GloVe: ``"cpu"``, ``"cuda"``, ...
    - `memory`: bytes for counting in each process, about; the outcome does not depend on it.
    - `scheduler`: address of a Dask scheduler, whose workers train instead of this machine.
    - `judgements`: word-similarity sets; the ensemble's agreement with them is noted in its
      manifest.
    - `on_progress`: called about once a second with a `Progress`.
    - Returns: ``folder``.
    - Raises `CorpusError` when the corpus cannot be read, or the folder contains a run with other
      settings. Raises `TrainingError` when training cannot begin or continue. Finished replicates
      are kept; call it again to continue.
    """
    if replicates < 1:
        raise TrainingError(f"{replicates} replicates cannot be trained. Use 1 or more.")
    _check_libraries(settings, device)
    work = work or folder / "work"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        corpus = prepare(source, work, processes or os.cpu_count() or 1)
        vocabulary = _vocabulary(corpus, source, settings, words, frequent, keep_count)
        recipe = _recipe(corpus, settings, seed, replicates)
        _check_dimensions(settings, vocabulary)
        _claim(folder, recipe, vocabulary)
        tasks = _tasks(corpus, vocabulary, settings, seed, replicates, work, device, memory)
        todo = [task for task in tasks if not is_complete(folder, task.index)]
        _clear(work, todo)
        report = _reporter(folder, todo, replicates, on_progress)
        if scheduler:
            from biaslab_train.embeddings.replicates import run_on_cluster

            away = [_on_a_worker(task) for task in todo]
            run_on_cluster(
                away, scheduler, lambda i, content: write_replicate(folder, i, content), report
            )
        elif todo:
            _run_here(todo, folder, processes or os.cpu_count() or 1, report)
        write_manifest(folder, recipe)
        if judgements:
            write_manifest(folder, {**recipe, "quality": measured_quality(folder, judgements)})
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        raise TrainingError(
            f"Training stopped: {where}{error.strerror or error}. Finished replicates are kept in"
            f" {folder}. Free some space or check the folder's permissions, and repeat the same"
            " command."
        ) from error
    return folder


def _vocabulary(
    corpus: PreparedCorpus,
    source: Path,
    settings: Settings,
    words: Sequence[str],
    frequent: int,
    keep_count: int,
) -> list[str]:
    """Return the kept words, sorted."""
    least = max(keep_count, settings.min_count if isinstance(settings, SkipGramSettings) else 1)
    requested = dict.fromkeys(words) | dict.fromkeys(
        w for w, _ in corpus.counts.most_common(frequent)
    )
    vocabulary = sorted(word for word in requested if corpus.counts[word] >= least)
    if len(vocabulary) < 2:
        problem = f"Only {vocabulary[0]!r}" if vocabulary else "No word"
        raise CorpusError(
            f"{problem} of {source} occurs {least} times. Use a larger corpus, or a smaller "
            "--keep-count (and --min-count)."
        )
    return vocabulary


def _check_dimensions(settings: Settings, vocabulary: Sequence[str]) -> None:
    """A decomposition has no more dimensions than words."""
    if isinstance(settings, PPMISettings) and len(vocabulary) < settings.vector_size:
        raise TrainingError(
            f"{len(vocabulary)} kept words have no {settings.vector_size} dimensions. Keep more"
            " words (--frequent, --words), or choose fewer --dimensions."
        )


def _recipe(
    corpus: PreparedCorpus, settings: Settings, seed: int, replicates: int
) -> dict[str, Any]:
    method = _method(settings)
    return {
        "method": method,
        "settings": asdict(settings),
        "seed": seed,
        "replicates": replicates,
        "corpus": {"sha256": corpus.sha256, "lines": corpus.lines, "tokens": corpus.tokens},
        "versions": {name: version(name) for name in _LIBRARIES[method]},
    }


def _method(settings: Settings) -> str:
    return _METHODS[type(settings)]


def _check_libraries(settings: Settings, device: str) -> None:
    """Check dependencies before hours of work."""
    from importlib.util import find_spec

    if find_spec("gensim") is None:
        raise MissingExtraError("Training needs gensim: pip install 'biaslab[train]'.")
    if isinstance(settings, GloVeSettings):
        usable_device(device)
    elif device != "cpu":
        raise TrainingError(f"Only GloVe uses a GPU: leave out --device {device}.")


def _tasks(
    corpus: PreparedCorpus,
    vocabulary: Sequence[str],
    settings: Settings,
    seed: int,
    replicates: int,
    work: Path,
    device: str,
    memory: float,
) -> list[ReplicateTask]:
    work = work.resolve()  # a worker may run in another folder
    write_vocabulary(work, vocabulary)
    encoded: EncodedCorpus | None = None
    counted: BlockCounts | None = None
    if isinstance(settings, GloVeSettings):
        encoded = encode(corpus, vocabulary, work)
    elif isinstance(settings, PPMISettings):
        others = corpus.contexts_besides(vocabulary, settings.contexts)
        encoded = encode(corpus, vocabulary, work, others)
        contexts = len(vocabulary) + len(others)
        counted = count_blocks(encoded, contexts, settings.window, settings.blocks, memory)
    return [
        ReplicateTask(index, seed, settings, work, work, encoded, device, memory, counted)
        for index in range(replicates)
    ]


def _on_a_worker(task: ReplicateTask) -> ReplicateTask:
    """Return the task with a temporary folder on the worker's own disk."""
    return replace(task, scratch=None)


def _clear(work: Path, todo: Sequence[ReplicateTask]) -> None:
    """Remove files of interrupted replicates before these are trained again."""
    for task in todo:
        task.forget()
        for left in work.glob(f"{scratch_prefix(task.index)}*"):
            shutil.rmtree(left, ignore_errors=True)


def _run_here(
    todo: Sequence[ReplicateTask], folder: Path, processes: int, report: Callable[[], None]
) -> None:
    with pool(min(processes, len(todo))) as executor:
        pending = {executor.submit(_train_and_write, task, folder) for task in todo}
        while pending:
            finished, pending = wait(pending, timeout=1.0, return_when=FIRST_COMPLETED)
            for future in finished:
                future.result()
            report()


def _train_and_write(task: ReplicateTask, folder: Path) -> None:
    write_replicate(folder, task.index, train(task))


def _reporter(
    folder: Path, todo: Sequence[ReplicateTask], total: int, on_progress: Callable[[Progress], None]
) -> Callable[[], None]:
    started = time.monotonic()

    def report() -> None:
        done = sum(is_complete(folder, task.index) for task in todo)
        begun = (task.share_done() for task in todo if not is_complete(folder, task.index))
        share = done + sum(begun)
        elapsed = time.monotonic() - started
        left = elapsed * (len(todo) - share) / share if share else None
        on_progress(Progress(total - len(todo) + done, total, left))

    return report


def _claim(folder: Path, recipe: Mapping[str, Any], vocabulary: Sequence[str]) -> None:
    """Refuse to mix two recipes or vocabularies in one folder, then record ours."""
    path = folder / "recipe.json"
    old = _noted(path)
    changed = sorted(key for key in recipe if old.get(key) != recipe[key]) if old else []
    words = folder / "vocabulary.txt"
    if words.exists() and words.read_text(encoding="utf-8").split() != list(vocabulary):
        changed.append("words")
    # More replicates of the same recipe may be added: existing ones are unchanged.
    changed = [key for key in changed if key != "replicates"]
    if changed and any(folder.glob(replicate_path(folder, 0).name.replace("00", "*"))):
        raise CorpusError(
            f"{folder} contains replicates of another run ({', '.join(changed)} differ). "
            "Choose an empty --output folder, or repeat the command that started it."
        )
    write_atomically(path, json.dumps(recipe, indent=1))
    write_vocabulary(folder, vocabulary)


def _noted(path: Path) -> dict[str, Any]:
    try:
        noted: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except ValueError as error:
        raise TrainingError(
            f"{path} is damaged. Remove the folder, or choose another --output."
        ) from error
    return noted


def measured_quality(folder: Path, judgements: Sequence[Judgements]) -> list[dict[str, Any]]:
    """Return agreement of an ensemble with sets of judged pairs, one entry per set."""
    rows = word_similarity(read_ensemble(folder), judgements).to_frame().to_json(orient="records")
    entries: list[dict[str, Any]] = json.loads(rows)
    return entries
