"""A corpus counted block by block: its settings, and the folder that training left."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from biaslab.errors import CorpusError, TrainingError
from biaslab.people.access import home_folder
from biaslab.probes.trace.block_counts import BlockCounts, count_blocks
from biaslab.probes.trace.corpus import EncodedCorpus, encode, read_prepared
from biaslab.threads.recent import Recent

WIDEST_WINDOW = 20
"""Of counts: beyond it GloVe's exact sums would not fit 64 bits, nor a distance its 5 bits."""


@dataclass(frozen=True)
class PPMISettings:
    """Settings of one replicate by positive pointwise mutual information and an SVD.

    Attributes
    ----------
    vector_size : int
        Dimensions.
    window : int
        Largest distance between a word and its context word, on both sides, 1 to 20; a pair at
        distance d counts window + 1 - d.
    contexts : int
        Context words: those that are kept, and the most frequent others up to this number.
    power : float
        Of the singular values: 0 weights all dimensions alike, 1 is the decomposition itself.
    blocks : int
        Stretches of the corpus, of about equal length, that the bootstrap resamples.
    """

    vector_size: int = 100
    window: int = 6
    contexts: int = 50_000
    power: float = 0.25
    blocks: int = 512

    def __post_init__(self) -> None:
        if not 1 <= self.window <= WIDEST_WINDOW:
            raise TrainingError(
                f"The window must have 1 to {WIDEST_WINDOW} words: got {self.window}."
            )
        least_of = {"vector_size": 1, "contexts": 1, "power": 0, "blocks": 2}
        for name, least in least_of.items():
            if getattr(self, name) < least:
                raise TrainingError(f"{name} must be at least {least}: got {getattr(self, name)}.")


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

    - `subject`: a name: a folder of the user's data. The path of an ensemble: that folder itself.
    """
    if isinstance(subject, Path):
        return subject
    return home_folder() / "counts" / Path(subject).name


def has_counts(folder: Path) -> bool:
    """Whether a folder holds a counted corpus."""
    files = ("recipe.json", "vocabulary.txt", "work/counts.tsv")
    return all((folder / name).exists() for name in files)


def open_counted(folder: Path, memory: float = 2e9) -> CountedCorpus:
    """Open a counted corpus.

    - `folder`: output folder of ``biaslab train counts``, or of ``biaslab train bootstraps --method
      ppmi-svd`` with its ``work`` folder.
    - Raises `CorpusError` when it holds no counts, or those of another method.
    """
    recipe, words = folder / "recipe.json", folder / "vocabulary.txt"
    if not has_counts(folder):
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
    settings = settings_of_recipe(noted, folder)
    vocabulary = words.read_text(encoding="utf-8").split()
    corpus = read_prepared(folder / "work")
    others = corpus.contexts_besides(vocabulary, settings.contexts)
    encoded = encode(corpus, vocabulary, folder / "work", others)
    contexts = len(vocabulary) + len(others)
    counts = count_blocks(encoded, contexts, settings.window, settings.blocks, memory)
    return CountedCorpus(
        tuple(vocabulary), settings, int(noted["seed"]), corpus.sha256, corpus.path, encoded, counts
    )


def settings_of_recipe(recipe: dict[str, Any], folder: Path) -> PPMISettings:
    """Return the settings in the recipe of an ensemble; refuse those of other methods."""
    if recipe.get("method") != METHOD:
        method = recipe.get("method", "another method")
        raise CorpusError(
            f"{folder.name} was trained by {method}. Only vectors made from counts can be traced:"
            f" train with --method {METHOD}."
        )
    return PPMISettings(**recipe["settings"])
