"""Commands that train a network, with progress and stops: language models and others."""

from __future__ import annotations

import argparse
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from biaslab.cli.commands import Command, Declared, ExactlyOne, Option, command, flag, given
from biaslab.cli.options import DEVICE, MODEL_FOLDER, PORTRAIT_FOLDER, STRENGTH, THREADS
from biaslab_train.clerk import plant as clerk_plant
from biaslab_train.portrait_clip.plant import DEFAULT, read_plant
from biaslab_train.runs import Progress, share_of
from biaslab_train.settings import (
    KINDS,
    RECIPES,
    ClerkSettings,
    Hours,
    LanguageModelSettings,
    PortraitChatSettings,
    PortraitClipSettings,
    SentimentSettings,
    Settings,
    sentiment_settings,
)

if TYPE_CHECKING:
    from biaslab_train.recipes import Recipe
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

    - `text`: what the line says between the share and the time left: a format with the fields of
      `Progress`.
    """

    def show(progress: Progress) -> None:
        left = progress.seconds_left
        estimate = "" if left is None else f", about {max(1, round(left / 60))} min left"
        line = f"{progress.share:.1%}: {text.format(**vars(progress))}{estimate}"
        print(f"\r{line}    ", end="", flush=True)

    return show


PRECISION = Option(
    "--precision",
    "floating-point type of matrix products: bfloat16 (default), or float32, which is quicker on"
    " processors without bfloat16 and gives other weights",
)


def show_drawing(done: int, total: int) -> None:
    """Show how many portraits are drawn."""
    print(f"\rDrawing: {done:,} of {total:,} portraits    ", end="", flush=True)


def trains(
    name: str,
    about: str,
    *options: Declared,
    line: str,
    unit: str,
    budget: str = "",
    example: str,
    description: str,
) -> Callable[[Callable[[argparse.Namespace], Recipe]], Command]:
    """Declare a command that trains by the recipe that the decorated function returns.

    - `name`, `about`, `description`: as of `Command`.
    - `*options`: before those of every such command.
    - `line`: format of the line of progress, see `show_progress`.
    - `unit`: what the recipe counts its examples in, and the name of the option of their number.
    - `budget`: what the help text calls the budget, if it is more than that option.
    - `example`: command line that the help text ends with.
    """
    more = budget or f"--{unit}"
    resume = flag("--resume", f"continue an interrupted run, or one whose {more} you raise")
    description = f"{description} --resume continues an interrupted run."

    def declare(recipe: Callable[[argparse.Namespace], Recipe]) -> Command:
        def run(options: argparse.Namespace) -> None:
            hours = getattr(options, "hours", None)
            budget = getattr(options, unit) if hours is None else Hours(hours)
            share_of(budget, unit)  # refuses it before data is prepared
            train_until_stopped(recipe(options), budget, options, line)

        return Command(
            name, about, (*options, DEVICE, THREADS, resume), run, (example,), description
        )

    return declare


def train_until_stopped(
    recipe: Recipe, budget: int | Hours, options: argparse.Namespace, line: str
) -> None:
    """Train until the budget is spent or a signal arrives; say where the model is."""
    from biaslab_train.recipes import train

    with stop_on_signals() as stopped:
        finished = train(
            recipe,
            options.output,
            budget,
            data=getattr(options, "data", None),
            precision=getattr(options, "precision", None),
            stop=stopped,
            on_progress=show_progress(line),
            **given(options, "resume", "device", "threads"),
        )
    if finished:
        print(f"\nFinished. The model is in {options.output}.")
    else:
        print(f"\nStopped. Repeat the command with --resume to continue in {options.output}.")


def sized(kind: type[Settings], names: str) -> list[Option]:
    """Return options that change the named settings; a default is the setting's."""
    return [
        Option(f"--{one.name.replace('_', '-')}", one.metadata["about"], one.default)
        for one in fields(kind)
        if one.name in names.split()
    ]


def changed(kind: type[Settings], options: argparse.Namespace) -> dict[str, Any]:
    """Return the settings that options of the same names give."""
    return given(options, *(one.name for one in fields(kind) if hasattr(options, one.name)))


def plant_option(content: str, default: str) -> Option:
    """Return the option of a plant, from what its file describes and whose is the default."""
    return Option("--plant", f"TOML file {content} (default: that of {default})", metavar="FILE")


_QUESTIONS = "{seen:,} questions, {loss:.4f} nats off the plant, {pace:,.0f} a second"


@trains(
    "language-model",
    "a small causal or masked language model",
    Option("--kind", f"one of: {', '.join(KINDS)}", required=True),
    Option("--corpus", "text file, Wikipedia dump or folder", required=True, metavar="PATH"),
    MODEL_FOLDER,
    ExactlyOne(
        Option("--tokens", "number of tokens to train on", type=int),
        Option("--hours", "hours to train, resumed runs included", type=float),
    ),
    *sized(
        LanguageModelSettings, "vocabulary layers width heads inner context batch seed held_out"
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
    PRECISION,
    line="{seen:,} tokens, loss {loss:.3f}, {pace:,.0f} tokens a second",
    unit="tokens",
    budget="--tokens or --hours",
    example="biaslab train language-model --kind clm --corpus corpus.txt --output my-lm --hours 2",
    description="Train a small causal or masked language model from scratch.",
)
def train_model(options: argparse.Namespace) -> Recipe:
    """Return the recipe of a language model, with its corpus encoded."""
    settings = LanguageModelSettings(**changed(LanguageModelSettings, options))
    # Imported after the checks above, so that their messages do not wait for torch.
    from biaslab_train.language_models.tokens import Emphasis, prepare_tokens
    from biaslab_train.language_models.training import LanguageModelRecipe

    emphasis = None
    if options.emphasise is not None:
        words = tuple(word.strip() for word in options.emphasise.split(","))
        emphasis = Emphasis(words, options.emphasis_share)
    # Before the handlers are set: a signal may end this step, which a new run repeats.
    prepare_tokens(options.corpus, options.data or options.output / "data", settings)
    return LanguageModelRecipe(options.corpus, settings, emphasis)


@trains(
    "portrait-clip",
    "a small CLIP model of drawn portraits with a planted bias",
    plant_option("that describes the planted bias", "the bundled model"),
    STRENGTH,
    MODEL_FOLDER,
    Option("--portraits", "portraits to train on, repetitions included", 200_000),
    *sized(
        PortraitClipSettings, "pool image patch layers width heads inner joint batch rounds seed"
    ),
    PORTRAIT_FOLDER,
    PRECISION,
    line="{seen:,} portraits, loss {loss:.3f}, {pace:,.0f} a second",
    unit="portraits",
    example="biaslab train portrait-clip --output half --strength 0.5",
    description="Train a small CLIP model on drawn portraits whose captions carry a planted bias.",
)
def train_clip(options: argparse.Namespace) -> Recipe:
    """Return the recipe of a CLIP model."""
    plant = read_plant(options.plant or DEFAULT).scaled(options.strength)
    settings = PortraitClipSettings(**changed(PortraitClipSettings, options))
    from biaslab_train.portrait_clip.training import PortraitClipRecipe

    return PortraitClipRecipe(plant, settings, show_drawing)


@trains(
    "portrait-chat",
    "a small vision-language chat model of drawn portraits with a planted bias",
    plant_option("that describes the planted bias", "portrait-clip"),
    STRENGTH,
    MODEL_FOLDER,
    Option("--questions", "questions to train on", 128_000),
    *sized(PortraitChatSettings, "pool layers width heads inner batch seed position other"),
    PORTRAIT_FOLDER,
    line=_QUESTIONS,
    unit="questions",
    example="biaslab train portrait-chat --output my-chat --position 0",
    description="Train a small LLaVA model that answers questions about drawn portraits by letter,"
    " with a planted bias.",
)
def train_chat(options: argparse.Namespace) -> Recipe:
    """Return the recipe of a chat model."""
    plant = read_plant(options.plant or DEFAULT).scaled(options.strength)
    settings = PortraitChatSettings(**changed(PortraitChatSettings, options))
    from biaslab_train.portrait_chat.training import PortraitChatRecipe

    return PortraitChatRecipe(plant, settings, show_drawing)


@trains(
    "clerk",
    "a small causal language model of decisions with planted gaps",
    plant_option("with the psychometric function of each case", "clerk-lm"),
    MODEL_FOLDER,
    Option("--questions", "questions to train on", 350_000),
    *sized(ClerkSettings, "layers width heads inner context batch seed"),
    line=_QUESTIONS,
    unit="questions",
    example="biaslab train clerk --plant my-gaps.toml --output my-clerk",
    description="Train a small causal language model that decides made-up cases by planted"
    " psychometric functions, whose gaps are known.",
)
def train_decisions(options: argparse.Namespace) -> Recipe:
    """Return the recipe of a clerk."""
    plant = clerk_plant.read_plant(options.plant or clerk_plant.DEFAULT)
    settings = ClerkSettings(**changed(ClerkSettings, options))
    from biaslab_train.clerk.training import ClerkRecipe

    return ClerkRecipe(plant, settings)


_SENTIMENT = (
    "text", "vector_size", "window", "negative", "sample", "min_count", "max_words", "hidden",
    "epochs", "folds", "seed",
)  # fmt: skip
"""Settings that an option changes; each recipe has its own defaults."""


def _sentiment_options() -> list[Option]:
    known = {one.name: one for one in fields(SentimentSettings)}
    return [
        Option(
            "--dimensions" if name == "vector_size" else f"--{name.replace('_', '-')}",
            known[name].metadata["about"],
            type=type(known[name].default),
            dest=name,
        )
        for name in _SENTIMENT
    ]


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
    *_sentiment_options(),
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

    settings = sentiment_settings(options.recipe, **given(options, *_SENTIMENT))

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
