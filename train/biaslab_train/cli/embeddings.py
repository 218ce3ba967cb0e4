"""``biaslab train bootstraps`` and ``counts``: word embeddings, and counts of their corpus."""

from __future__ import annotations

import argparse
from dataclasses import fields
from pathlib import Path

from biaslab.cli.commands import Option, command, given
from biaslab.errors import TrainingError
from biaslab.probes.trace.counted import PPMISettings
from biaslab_train.embeddings.glove import GloVeSettings
from biaslab_train.embeddings.methods import SkipGramSettings
from biaslab_train.embeddings.replicates import Settings

METHODS: dict[str, type[Settings]] = {
    "skip-gram": SkipGramSettings,
    "glove": GloVeSettings,
    "ppmi-svd": PPMISettings,
}
SETTINGS = {
    "vector_size": ("--dimensions", int, "dimensions of the vectors"),
    "window": ("--window", int, "words of context on either side"),
    "epochs": ("--epochs", int, "passes over the data"),
    "sample": ("--sample", float, "subsampling threshold of frequent words"),
    "min_count": ("--min-count", int, "minimum number of occurrences of a trained word"),
    "x_max": ("--x-max", float, "co-occurrence count above which GloVe's weight is 1"),
    "learning_rate": ("--learning-rate", float, "initial learning rate"),
    "contexts": ("--contexts", int, "context words that are counted"),
    "power": ("--power", float, "power of the singular values"),
    "blocks": ("--blocks", int, "stretches of the corpus that are resampled"),
}
"""Options of the methods' settings; each method has its own default."""


def _defaults(name: str) -> str:
    """Name the methods that have a setting, and their defaults."""
    defaults = {
        method: {f.name: f.default for f in fields(kind)}.get(name)
        for method, kind in METHODS.items()
    }
    return "default: " + ", ".join(f"{d:g} for {m}" for m, d in defaults.items() if d is not None)


@command(
    "bootstraps",
    "an ensemble of bootstrapped word embeddings (skip-gram, GloVe or PPMI)",
    Option(
        "--corpus",
        "text file (UTF-8, one paragraph per line), Wikipedia dump (.xml.bz2), or folder",
        required=True,
        metavar="PATH",
    ),
    Option("--output", "folder for the ensemble", required=True, metavar="FOLDER"),
    Option("--method", "training method", "skip-gram", choices=[*METHODS]),
    Option("--replicates", "bootstrap replicates to train", 32),
    *(
        Option(option, f"{about} ({_defaults(name)})", type=kind, dest=name)
        for name, (option, kind, about) in SETTINGS.items()
    ),
    Option("--seed", "random seed", 1),
    Option("--words", "words to keep even if they are not frequent", metavar="FILE"),
    Option("--frequent", "number of most frequent words to keep", 10_000),
    Option("--keep-count", "minimum number of occurrences of a kept word", 10),
    Option("--processes", "replicates to train in parallel (default: one per core)", type=int),
    Option(
        "--work", "folder for temporary files (default: inside the output folder)", metavar="FOLDER"
    ),
    Option("--device", "device for GloVe: cpu, cuda, cuda:1 ...", "cpu"),
    Option("--memory", "memory per process for the counts of GloVe and PPMI", 2.0, metavar="GB"),
    Option("--scheduler", "Dask scheduler whose workers train: tcp://HOST:PORT", metavar="ADDRESS"),
    Option(
        "--evaluate",
        "word similarity sets; the agreement is recorded with the ensemble",
        [],
        nargs="+",
        metavar="FILE",
    ),
    examples=(
        "biaslab train bootstraps --corpus corpus.txt.xz --output my-bootstraps",
        "biaslab train bootstraps --corpus wiki.xml.bz2 --output glove --method glove",
    ),
    description="Train word embeddings on bootstrap resamples of a corpus. Repeating the command"
    " of an interrupted run continues it.",
)
def train_ensemble(options: argparse.Namespace) -> None:
    """Train the replicates that are missing, and write the ensemble."""
    from biaslab.probes.similarity import read_judgements
    from biaslab_train.embeddings.bootstraps import Progress, train_bootstraps

    def show(progress: Progress) -> None:
        left = progress.seconds_left
        estimate = f", about {max(1, round(left / 60))} min left" if left else ""
        print(f"\r{progress.done} of {progress.total} replicates{estimate}    ", end="", flush=True)

    folder = train_bootstraps(
        options.corpus,
        options.output,
        settings=_settings(options),
        words=_words(options.words),
        memory=options.memory * 1e9,
        judgements=[read_judgements(path) for path in options.evaluate],
        on_progress=show,
        **given(options, "replicates", "seed", "frequent", "keep_count"),
        **given(options, "processes", "work", "device", "scheduler"),
    )
    print(f"\nFinished. The name of the subject is its folder, {folder}.")


def _settings(options: argparse.Namespace) -> Settings:
    chosen = given(options, *SETTINGS)
    chosen = {name: value for name, value in chosen.items() if value is not None}
    kind = METHODS[options.method]
    for name in chosen:
        if name not in {field.name for field in fields(kind)}:
            raise TrainingError(f"{options.method} has no {SETTINGS[name][0]}: leave it out.")
    return kind(**chosen)


def _words(path: Path | None) -> list[str]:
    if path is None:
        return []
    try:
        return path.read_text(encoding="utf-8").split()
    except (OSError, UnicodeDecodeError) as error:
        raise TrainingError(f"--words {path} cannot be read as UTF-8 text: {error}.") from error


@command(
    "counts",
    "counts of an ensemble's corpus, for 'biaslab probe trace'",
    Option("subject", "bundled name or folder of an ensemble made from counts"),
    Option("--corpus", "the corpus that it was trained on", required=True, metavar="PATH"),
    Option("--output", "folder for the counts (default: in your biaslab folder)", metavar="FOLDER"),
    Option("--processes", "processes that read text (default: one per core)", type=int),
    Option("--memory", "memory for the counts", 2.0, metavar="GB"),
    examples=("biaslab train counts wiki-bootstraps --corpus enwiki-2015-sample.txt.xz",),
    description="Count the corpus of an ensemble block by block. The counts of wiki-bootstraps"
    " take 2 GB; no vectors are trained.",
)
def count_corpus(options: argparse.Namespace) -> None:
    """Count the corpus, and print where the counts are."""
    from biaslab_train.embeddings.corpus import count_for

    folder = count_for(
        options.subject,
        options.corpus,
        options.output,
        memory=options.memory * 1e9,
        **given(options, "processes"),
    )
    print(f"Counted in {folder}. Now trace a word: biaslab probe trace {options.subject} WORD")
