"""A corpus counted block by block, in a folder that training or `count_for` left."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from biaslab.atomic import write_atomically
from biaslab.errors import CorpusError, TrainingError
from biaslab.home import home_folder
from biaslab.recent import Recent
from biaslab.subjects.embedding.ensemble import write_vocabulary
from biaslab.subjects.opening.load import BUNDLED, bundled_names
from biaslab.training.block_counts import BlockCounts, count_blocks
from biaslab.training.corpus import prepare, read_prepared
from biaslab.training.encoded import EncodedCorpus, encode
from biaslab.training.settings import PPMISettings

METHOD = "ppmi-svd"


@dataclass(frozen=True)
class CountedCorpus:
    """What a trace reads.

    Attributes
    ----------
    vocabulary : tuple of str
        The R kept words.
    settings : PPMISettings
    seed : int
        Of the bootstrap.
    sha256 : str
        Of the tokenised corpus.
    text : Path
        The tokenised corpus, a passage a line.
    encoded : EncodedCorpus
    counts : BlockCounts
    """

    vocabulary: tuple[str, ...]
    settings: PPMISettings
    seed: int
    sha256: str
    text: Path
    encoded: EncodedCorpus
    counts: BlockCounts

    @cached_property
    def rank(self) -> dict[str, int]:
        """Number of each word in the counts."""
        order = self.encoded.read_order().tolist()
        return {self.vocabulary[place]: rank for rank, place in enumerate(order)}


_recent: Recent[tuple[Path, int, int], CountedCorpus] = Recent(2)
"""Reading the frequencies of all words takes longer than a trace."""


def counts_folder(subject: str | Path) -> Path:
    """Where the counts of a subject are looked for by default.

    Parameters
    ----------
    subject : str or Path
        A name: a folder of the user's data. The path of an ensemble: that folder itself.
    """
    if isinstance(subject, Path):
        return subject
    return home_folder() / "counts" / Path(subject).name


def open_counted(folder: Path, memory: float = 2e9) -> CountedCorpus:
    """Open a counted corpus.

    Parameters
    ----------
    folder : Path
        Output folder of ``biaslab train counts``, or of ``biaslab train bootstraps --method
        ppmi-svd`` with its ``work`` folder.

    Raises
    ------
    CorpusError
        When it holds no counts, or those of another method.
    """
    recipe, words = folder / "recipe.json", folder / "vocabulary.txt"
    if not (recipe.exists() and words.exists() and (folder / "work" / "counts.tsv").exists()):
        raise CorpusError(
            "The counts of the corpus are not there. Count it once, with `biaslab train counts"
            " SUBJECT --corpus FILE`, for vectors that were made from counts (such as"
            " wiki-bootstraps), and try again."
        )
    key = (folder.resolve(), recipe.stat().st_mtime_ns, words.stat().st_mtime_ns)
    return _recent.get(key, lambda: _read(folder, memory))


def _read(folder: Path, memory: float) -> CountedCorpus:
    recipe, words = folder / "recipe.json", folder / "vocabulary.txt"
    try:
        noted: dict[str, Any] = json.loads(recipe.read_text(encoding="utf-8"))
    except ValueError as error:
        raise CorpusError("recipe.json is damaged. Count the corpus again.") from error
    settings = _settings(noted, folder)
    vocabulary = words.read_text(encoding="utf-8").split()
    corpus = read_prepared(folder / "work")
    others = corpus.contexts_besides(vocabulary, settings.contexts)
    encoded = encode(corpus, vocabulary, folder / "work", others)
    contexts = len(vocabulary) + len(others)
    counts = count_blocks(encoded, contexts, settings.window, settings.blocks, memory)
    return CountedCorpus(
        tuple(vocabulary), settings, int(noted["seed"]), corpus.sha256, corpus.path, encoded, counts
    )


def count_for(
    subject: str,
    source: Path,
    folder: Path | None = None,
    *,
    processes: int | None = None,
    memory: float = 2e9,
) -> Path:
    """Count the corpus of an ensemble block by block, without training it again.

    Parameters
    ----------
    subject : str
        A bundled name, or the folder of an ensemble.
    source : Path
        The corpus that the ensemble was trained on.
    folder : Path, optional
        Output folder; default as `counts_folder`.
    processes : int, optional
        How many tokenise at once; default one per core.
    memory : float
        Bytes to work in, about.

    Returns
    -------
    Path
        The folder, to open with `open_counted`.

    Raises
    ------
    CorpusError
        When the corpus is another one, or the ensemble was trained by another method.
    """
    is_bundled = subject in bundled_names()
    trained = BUNDLED / subject if is_bundled else Path(subject)
    manifest = trained / "ensemble.json"
    if not manifest.exists():
        raise TrainingError(
            f"{subject} is no trained ensemble. Name a bundled one ({', '.join(bundled_names())}),"
            " or a folder that `biaslab train bootstraps` wrote."
        )
    recipe: dict[str, Any] = json.loads(manifest.read_text(encoding="utf-8"))
    _settings(recipe, trained)
    folder = folder or counts_folder(subject if is_bundled else trained)
    corpus = prepare(source, folder / "work", processes or os.cpu_count() or 1)
    if corpus.sha256 != recipe["corpus"]["sha256"]:
        raise CorpusError(
            f"{source} is not the corpus that {trained.name} was trained on: it holds"
            f" {corpus.tokens:,} words, not {recipe['corpus']['tokens']:,} or other ones. Name the"
            " same files, or train an ensemble on this corpus."
        )
    vocabulary = (trained / "vocabulary.txt").read_text(encoding="utf-8").split()
    write_vocabulary(folder, vocabulary)
    write_atomically(folder / "recipe.json", json.dumps(recipe, indent=1))
    open_counted(folder, memory)
    return folder


def _settings(recipe: dict[str, Any], folder: Path) -> PPMISettings:
    if recipe.get("method") != METHOD:
        method = recipe.get("method", "another method")
        raise CorpusError(
            f"{folder.name} was trained by {method}. Only vectors made from counts can be traced:"
            f" train with --method {METHOD}."
        )
    return PPMISettings(**recipe["settings"])
