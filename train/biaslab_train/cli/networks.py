"""Commands that train a network, with progress and stops: language models and others."""

from __future__ import annotations

import argparse
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from biaslab.cli.commands import ExactlyOne, Option, command, flag, given
from biaslab.cli.options import DEVICE, MODEL_FOLDER, PORTRAIT_FOLDER, STRENGTH, THREADS
from biaslab_train.settings import (
    KINDS,
    RECIPES,
    Budget,
    ClerkSettings,
    LanguageModelSettings,
    PortraitChatSettings,
    PortraitClipSettings,
    sentiment_settings,
)

if TYPE_CHECKING:
    from biaslab_train.runs import Progress
    from biaslab_train.sentiment.training import SentimentProgress


@contextmanager
def stop_on_signals() -> Iterator[Callable[[], bool]]:
    """Give a function that says whether SIGTERM or SIGINT has arrived in the meantime."""
    stopped = threading.Event()
    before = {
        number: signal.signal(number, lambda *_: stopped.set())
        for number in (signal.SIGTERM, signal.SIGINT)
    }
    try:
        yield stopped.is_set
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def show_progress(text: str) -> Callable[[Progress], None]:
    """Return a function that shows the progress of a training, each time on the same line.

    Parameters
    ----------
    text : str
        What the line says between the share and the time left: a format with the fields of
        `Progress`.
    """

    def show(progress: Progress) -> None:
        left = progress.seconds_left
        estimate = "" if left is None else f", about {max(1, round(left / 60))} min left"
        line = f"{progress.share:.1%}: {text.format(**vars(progress))}{estimate}"
        print(f"\r{line}    ", end="", flush=True)

    return show


def show_drawing(done: int, total: int) -> None:
    """Show how many portraits are drawn."""
    print(f"\rDrawing: {done:,} of {total:,} portraits    ", end="", flush=True)


def train_until_stopped(train: Callable[..., bool], text: str, folder: Path) -> None:
    """Train until the budget is spent or a signal arrives; say where the model is.

    Parameters
    ----------
    train : callable
        Takes ``stop`` and ``on_progress``; returns whether the budget is spent.
    text : str
        Format of the line of progress, see `show_progress`.
    folder : Path
        Where it trains.
    """
    with stop_on_signals() as stopped:
        finished = train(stop=stopped, on_progress=show_progress(text))
    if finished:
        print(f"\nFinished. The model is in {folder}.")
    else:
        print(f"\nStopped. Repeat the command with --resume to continue in {folder}.")


_LANGUAGE_MODEL_SIZES = {
    "vocabulary": "tokens in the vocabulary",
    "layers": "transformer layers",
    "width": "dimensions of the hidden states",
    "heads": "attention heads",
    "inner": "dimensions of the feed-forward layers",
    "context": "tokens per sequence",
    "batch": "sequences per step",
    "seed": "random seed",
}
"""Integer settings that an option of the same name changes, with their help texts."""
_LANGUAGE_MODEL_DEFAULT = LanguageModelSettings()


@command(
    "language-model",
    "a small causal or masked language model",
    Option("--kind", f"one of: {', '.join(KINDS)}", required=True),
    Option("--corpus", "text file, Wikipedia dump or folder", required=True, metavar="PATH"),
    MODEL_FOLDER,
    ExactlyOne(
        Option("--tokens", "number of tokens to train on", type=int),
        Option("--hours", "hours to train, resumed runs included", type=float),
    ),
    *(
        Option(f"--{name}", about, getattr(_LANGUAGE_MODEL_DEFAULT, name))
        for name, about in _LANGUAGE_MODEL_SIZES.items()
    ),
    Option(
        "--held-out", "share of articles held out for evaluation", _LANGUAGE_MODEL_DEFAULT.held_out
    ),
    Option(
        "--emphasise",
        "comma-separated words whose passages are shown more often from now on",
        metavar="WORDS",
    ),
    Option("--emphasis-share", "share of sequences that contain one of these words", 0.25),
    Option(
        "--data", "folder for the encoded corpus, which several runs may share", metavar="FOLDER"
    ),
    DEVICE,
    THREADS,
    flag("--resume", "continue an interrupted run, or one whose budget you raise"),
    examples=(
        "biaslab train language-model --kind causal --corpus corpus.txt --output my-lm --hours 2",
    ),
    description="Train a small causal or masked language model from scratch. --resume continues"
    " an interrupted run.",
)
def train_model(options: argparse.Namespace) -> None:
    """Train until the budget is spent, or until a signal arrives."""
    settings = LanguageModelSettings(**given(options, "kind", *_LANGUAGE_MODEL_SIZES, "held_out"))
    budget = Budget(**given(options, "tokens", "hours"))
    # Imported after the checks above, so that their messages do not wait for torch.
    from biaslab_train.language_models.tokens import Emphasis, prepare_tokens
    from biaslab_train.language_models.training import train_language_model

    emphasis = None
    if options.emphasise is not None:
        words = tuple(word.strip() for word in options.emphasise.split(","))
        emphasis = Emphasis(words, options.emphasis_share)

    text = "{seen:,} tokens, loss {loss:.3f}, {pace:,.0f} tokens a second"
    data = options.data or options.output / "data"
    # Before the handlers are set: a signal may end this step, which a new run repeats.
    prepare_tokens(options.corpus, data, settings)
    with stop_on_signals() as stopped:
        finished = train_language_model(
            options.corpus,
            options.output,
            budget,
            settings,
            data=data,
            emphasis=emphasis,
            stop=stopped,
            on_progress=show_progress(text),
            **given(options, "resume", "device", "threads"),
        )
    state = "Finished." if finished else "Stopped. Continue with --resume."
    print(f"\n{state} The model is in {options.output}.")


_PORTRAIT_CLIP_SIZES = {
    "pool": "different portraits to draw for training",
    "image": "width and height of the images in pixels",
    "patch": "width of a patch in pixels",
    "layers": "layers of the image encoder",
    "width": "dimensions of its hidden states",
    "heads": "its attention heads",
    "inner": "dimensions of its feed-forward layers",
    "joint": "dimensions of the joint space of images and captions",
    "batch": "portraits per step",
    "rounds": "captions per portrait and step",
    "seed": "random seed of portraits, captions and initial weights",
}
"""Integer settings that an option of the same name changes, with their help texts."""
_PORTRAIT_CLIP_DEFAULT = PortraitClipSettings()


@command(
    "portrait-clip",
    "a small CLIP model of drawn portraits with a planted bias",
    Option(
        "--plant",
        "TOML file that describes the planted bias (default: that of the bundled model)",
        metavar="FILE",
    ),
    STRENGTH,
    MODEL_FOLDER,
    Option("--portraits", "portraits to train on, repetitions included", 200_000),
    *(
        Option(f"--{name}", about, getattr(_PORTRAIT_CLIP_DEFAULT, name))
        for name, about in _PORTRAIT_CLIP_SIZES.items()
    ),
    PORTRAIT_FOLDER,
    DEVICE,
    THREADS,
    flag("--resume", "continue an interrupted run, or one whose --portraits you raise"),
    examples=("biaslab train portrait-clip --output half --strength 0.5",),
    description="Train a small CLIP model on drawn portraits whose captions carry a planted bias."
    " --resume continues an interrupted run.",
)
def train_clip(options: argparse.Namespace) -> None:
    """Train on all portraits, or until a signal arrives."""
    from biaslab_train.portrait_clip.plant import DEFAULT, read_plant

    plant = read_plant(options.plant or DEFAULT).scaled(options.strength)
    settings = PortraitClipSettings(**given(options, *_PORTRAIT_CLIP_SIZES))
    # Imported after the checks above, so that their messages do not wait for torch.
    from biaslab_train.portrait_clip.training import train_portrait_clip

    train_until_stopped(
        partial(
            train_portrait_clip,
            plant,
            options.output,
            options.portraits,
            settings,
            on_drawing=show_drawing,
            **given(options, "data", "resume", "device", "threads"),
        ),
        "{seen:,} portraits, loss {loss:.3f}, {pace:,.0f} a second",
        options.output,
    )


_PORTRAIT_CHAT_SIZES = {
    "pool": "different portraits to draw for training",
    "layers": "layers of the language model",
    "width": "dimensions of its hidden states",
    "heads": "its attention heads",
    "inner": "dimensions of its feed-forward layers",
    "batch": "questions per step",
    "seed": "random seed of portraits, questions and initial weights",
}
"""Integer settings that an option of the same name changes, with their help texts."""
_PLANTED = {
    "position": "planted log-odds of the option listed first against the last; 0 plants none",
    "other": "planted probability of a reply without a letter",
}
_PORTRAIT_CHAT_DEFAULT = PortraitChatSettings()


@command(
    "portrait-chat",
    "a small vision-language chat model of drawn portraits with a planted bias",
    Option(
        "--plant",
        "TOML file that describes the planted bias (default: that of portrait-clip)",
        metavar="FILE",
    ),
    STRENGTH,
    MODEL_FOLDER,
    Option("--questions", "questions to train on", 128_000),
    *(
        Option(f"--{name}", about, getattr(_PORTRAIT_CHAT_DEFAULT, name))
        for name, about in _PORTRAIT_CHAT_SIZES.items()
    ),
    *(
        Option(f"--{name}", about, getattr(_PORTRAIT_CHAT_DEFAULT, name))
        for name, about in _PLANTED.items()
    ),
    PORTRAIT_FOLDER,
    DEVICE,
    THREADS,
    flag("--resume", "continue an interrupted run, or one whose --questions you raise"),
    examples=("biaslab train portrait-chat --output my-chat --position 0",),
    description="Train a small LLaVA model that answers questions about drawn portraits by letter,"
    " with a planted bias. --resume continues an interrupted run.",
)
def train_chat(options: argparse.Namespace) -> None:
    """Train on all questions, or until a signal arrives."""
    from biaslab_train.portrait_clip.plant import DEFAULT, read_plant

    plant = read_plant(options.plant or DEFAULT).scaled(options.strength)
    settings = PortraitChatSettings(**given(options, *_PORTRAIT_CHAT_SIZES, *_PLANTED))
    # Imported after the checks above, so that their messages do not wait for torch.
    from biaslab_train.portrait_chat.training import train_portrait_chat

    train_until_stopped(
        partial(
            train_portrait_chat,
            plant,
            options.output,
            options.questions,
            settings,
            on_drawing=show_drawing,
            **given(options, "data", "resume", "device", "threads"),
        ),
        "{seen:,} questions, {loss:.4f} nats off the plant, {pace:,.0f} a second",
        options.output,
    )


_CLERK_SIZES = {
    "layers": "transformer layers",
    "width": "dimensions of the hidden states",
    "heads": "attention heads",
    "inner": "dimensions of the feed-forward layers",
    "context": "longest input in tokens",
    "batch": "questions per step",
    "seed": "random seed of questions and initial weights",
}
"""Integer settings that an option of the same name changes, with their help texts."""
_CLERK_DEFAULT = ClerkSettings()


@command(
    "clerk",
    "a small causal language model of decisions with planted gaps",
    Option(
        "--plant",
        "TOML file with the psychometric function of each case (default: that of clerk-lm)",
        metavar="FILE",
    ),
    MODEL_FOLDER,
    Option("--questions", "questions to train on", 350_000),
    *(
        Option(f"--{name}", about, getattr(_CLERK_DEFAULT, name))
        for name, about in _CLERK_SIZES.items()
    ),
    DEVICE,
    THREADS,
    flag("--resume", "continue an interrupted run, or one whose --questions you raise"),
    examples=("biaslab train clerk --plant my-gaps.toml --output my-clerk",),
    description="Train a small causal language model that decides made-up cases by planted"
    " psychometric functions, whose gaps are known. --resume continues an interrupted run.",
)
def train_decisions(options: argparse.Namespace) -> None:
    """Train on all questions, or until a signal arrives."""
    from biaslab_train.clerk.plant import DEFAULT, read_plant

    plant = read_plant(options.plant or DEFAULT)
    settings = ClerkSettings(**given(options, *_CLERK_SIZES))
    # Imported after the checks above, so that their messages do not wait for torch.
    from biaslab_train.clerk.training import train_clerk

    train_until_stopped(
        partial(
            train_clerk,
            plant,
            options.output,
            options.questions,
            settings,
            **given(options, "resume", "device", "threads"),
        ),
        "{seen:,} questions, {loss:.4f} nats off the plant, {pace:,.0f} a second",
        options.output,
    )


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
    from biaslab_train.sentiment.training import train_sentiment

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
