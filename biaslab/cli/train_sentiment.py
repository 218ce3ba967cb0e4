"""``biaslab train sentiment``: train a sentiment classifier over averaged word vectors."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from biaslab.cli.commands import Option, command, given
from biaslab.training.sentiment_settings import RECIPES, sentiment_settings

if TYPE_CHECKING:
    from biaslab.training.sentiment import SentimentProgress

SETTINGS = {
    "text": (
        "--text",
        str,
        "reviews that the word vectors are trained on: labelled, unlabelled or all",
    ),
    "vector_size": ("--dimensions", int, "dimensions of the word vectors"),
    "window": ("--window", int, "words of context on either side (skip-gram)"),
    "negative": ("--negative", int, "negative samples (skip-gram)"),
    "sample": ("--sample", float, "subsampling threshold of frequent words (skip-gram)"),
    "min_count": ("--min-count", int, "minimum number of occurrences of a word"),
    "max_words": ("--max-words", int, "maximum size of the vocabulary"),
    "hidden": ("--hidden", int, "units of the hidden layer"),
    "epochs": ("--epochs", int, "maximum number of passes over the labelled reviews"),
    "folds": ("--folds", int, "folds of the cross-validation"),
    "seed": ("--seed", int, "random seed"),
}
"""Settings that an option changes; each recipe has its own defaults."""


@command(
    "sentiment",
    "a sentiment classifier of reviews",
    Option(
        "--data",
        "folder of the Large Movie Review dataset; a folder with train.tsv and test.tsv"
        " (compressed or not); or one such table with the columns label and text",
        required=True,
        metavar="PATH",
    ),
    Option("--output", "folder for the classifier", required=True, metavar="FOLDER"),
    Option(
        "--recipe",
        f"{', '.join(RECIPES)}: joint (default) trains vectors and network together; paper follows"
        " Liang and Acuna (2020)",
        "joint",
    ),
    *(
        Option(option, about, type=kind, dest=name)
        for name, (option, kind, about) in SETTINGS.items()
    ),
    Option("--device", "device to train the network on: cpu, cuda ...", "cpu"),
    examples=(
        "biaslab train sentiment --data reviews.tsv.gz --output my-sentiment --recipe paper",
    ),
    description="Train a sentiment classifier on labelled reviews, cross-validate it, test it on"
    " the test reviews, and write it with its model card. Repeating the command of an interrupted"
    " run continues it.",
)
def train_classifier(options: argparse.Namespace) -> None:
    """Train, test and write a classifier, and print how good it is."""
    from biaslab.subjects.classifier.sentiment import read_sentiment
    from biaslab.training.sentiment import train_sentiment

    settings = sentiment_settings(options.recipe, **given(options, *SETTINGS))

    def show(progress: SentimentProgress) -> None:
        print(f"\r{progress.done} of {progress.total}: {progress.message:<50}", end="", flush=True)

    folder = train_sentiment(
        options.data, options.output, settings, device=options.device, on_progress=show
    )
    print()
    classifier = read_sentiment(folder)
    for name, quality in classifier.recipe["quality"].items():
        area = quality["auc"]
        print(
            f"{name.replace('_', ' ')}: AUC {area['value']:.4f}, accuracy"
            f" {quality['accuracy']:.1%}, calibration error {quality['calibration_error']:.3f}"
        )
    for note in classifier.notes:
        print(note)
    print(f"Finished. The name of the subject is its folder, {folder}.")
