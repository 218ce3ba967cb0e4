"""``biaslab train sentiment``: a sentiment classifier over averaged word vectors."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from biaslab.cli.commands import Commands

if TYPE_CHECKING:
    from biaslab.training.sentiment import SentimentProgress

SETTINGS = {
    "text": ("--text", str, "whose text the vectors learn from: labelled, unlabelled or all"),
    "vector_size": ("--dimensions", int, "of the word vectors"),
    "window": ("--window", int, "of skip-gram"),
    "negative": ("--negative", int, "noise words of skip-gram"),
    "sample": ("--sample", float, "subsampling threshold of skip-gram"),
    "min_count": ("--min-count", int, "least occurrences of a word"),
    "max_words": ("--max-words", int, "most frequent words to keep at most"),
    "hidden": ("--hidden", int, "units of the hidden layer"),
    "epochs": ("--epochs", int, "passes over the labelled reviews at most"),
    "folds": ("--folds", int, "of the cross-validation"),
    "seed": ("--seed", int, "fixes all that is random"),
}  # fmt: skip
"""Settings that an option changes; each recipe's own value where none is given."""


def add(kinds: Commands) -> None:
    """Add the command to those of ``biaslab train``."""
    from biaslab.training.sentiment_settings import RECIPES

    parser = kinds.add_parser(
        "sentiment",
        help="a sentiment classifier of reviews; a killed run continues",
        description="Train a sentiment classifier on labelled reviews, cross-validate it, measure"
        " it on the test reviews, and write it with its model card. Repeating the command of a run"
        " that was ended continues it.",
    )
    parser.add_argument(
        "--data",
        type=Path,
        required=True,
        help="folder of the Large Movie Review data, folder with train.tsv and test.tsv (also"
        " compressed), or one such table with the columns label and text",
    )
    parser.add_argument("--output", type=Path, required=True, help="folder of the classifier")
    parser.add_argument(
        "--recipe",
        default="joint",
        help=f"{', '.join(RECIPES)}: joint (default) trains vectors and network together; paper is"
        " what paper 000 tells",
    )
    for name, (option, kind, about) in SETTINGS.items():
        parser.add_argument(option, type=kind, dest=name, help=about)
    parser.add_argument("--device", default="cpu", help="where the network learns: cpu, cuda ...")
    parser.set_defaults(handler=_train)


def _train(options: argparse.Namespace) -> int:
    from biaslab.subjects.sentiment_reader import read_sentiment
    from biaslab.training.sentiment import train_sentiment
    from biaslab.training.sentiment_settings import sentiment_settings

    settings = sentiment_settings(
        options.recipe, **{name: getattr(options, name) for name in SETTINGS}
    )

    def show(progress: SentimentProgress) -> None:
        print(f"\r{progress.done} of {progress.total}: {progress.message:<50}", end="", flush=True)

    folder = train_sentiment(
        options.data, options.output, settings, device=options.device, on_progress=show
    )
    print()
    classifier = read_sentiment(folder)
    for name, found in classifier.recipe["quality"].items():
        area = found["auc"]
        print(
            f"{name.replace('_', ' ')}: AUC {area['value']:.4f}, accuracy {found['accuracy']:.1%},"
            f" calibration error {found['calibration_error']:.3f}"
        )
    for note in classifier.notes:
        print(note)
    print(f"Finished: bl.load({str(folder)!r}) opens it.")
    return 0
