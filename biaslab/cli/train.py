"""``biaslab train``: train subjects."""

from __future__ import annotations

import argparse
from pathlib import Path

from biaslab.cli.commands import Commands


def add(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser("train", help="train subjects")
    kinds = parser.add_subparsers(required=True, metavar="KIND")
    boot = kinds.add_parser(
        "bootstraps", help="bootstrapped word embeddings (skip-gram); a killed run continues"
    )
    boot.add_argument("--corpus", type=Path, required=True, help="text file or folder, UTF-8")
    boot.add_argument("--output", type=Path, required=True, help="folder of the ensemble")
    boot.add_argument("--replicates", type=int, default=32)
    boot.add_argument("--epochs", type=int, default=2)
    boot.add_argument("--dimensions", type=int, default=100)
    boot.add_argument("--window", type=int, default=5)
    boot.add_argument("--sample", type=float, default=2e-5)
    boot.add_argument("--min-count", type=int, default=8)
    boot.add_argument("--seed", type=int, default=1)
    boot.add_argument("--words", type=Path, help="file of words to keep whatever their rank")
    boot.add_argument("--frequent", type=int, default=10_000, help="most frequent words to keep")
    boot.add_argument("--keep-count", type=int, default=10, help="least occurrences of a kept word")
    boot.add_argument("--processes", type=int, help="replicates at once; default one per core")
    boot.add_argument("--work", type=Path, help="scratch folder; default inside the output folder")
    boot.set_defaults(handler=_train_bootstraps)


def _train_bootstraps(options: argparse.Namespace) -> int:
    from biaslab.training.bootstraps import Progress, SkipGramSettings, train_bootstraps

    def show(progress: Progress) -> None:
        left = progress.seconds_left
        estimate = f", about {max(1, round(left / 60))} min left" if left else ""
        print(f"\r{progress.done} of {progress.total} replicates{estimate}    ", end="", flush=True)

    settings = SkipGramSettings(
        vector_size=options.dimensions,
        window=options.window,
        epochs=options.epochs,
        sample=options.sample,
        min_count=options.min_count,
    )
    words = options.words.read_text(encoding="utf-8").split() if options.words else []
    folder = train_bootstraps(
        options.corpus,
        options.output,
        replicates=options.replicates,
        settings=settings,
        seed=options.seed,
        words=words,
        frequent=options.frequent,
        keep_count=options.keep_count,
        processes=options.processes,
        work=options.work,
        on_progress=show,
    )
    print(f"\nFinished: bl.load({str(folder)!r}) opens it.")
    return 0
