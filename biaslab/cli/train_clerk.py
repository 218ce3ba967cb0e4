"""``biaslab train clerk``: train a small language model of decisions with planted gaps."""

from __future__ import annotations

import argparse
from functools import partial

from biaslab.cli.commands import Option, command, flag, given
from biaslab.cli.options import DEVICE, MODEL_FOLDER, THREADS
from biaslab.cli.training_progress import train_until_stopped
from biaslab.training.clerk_settings import ClerkSettings

_SIZES = {
    "layers": "transformer layers",
    "width": "dimensions of the hidden states",
    "heads": "attention heads",
    "inner": "dimensions of the feed-forward layers",
    "context": "longest input in tokens",
    "batch": "questions per step",
    "seed": "random seed of questions and initial weights",
}
"""Integer settings that an option of the same name changes, with their help texts."""
_DEFAULT = ClerkSettings()


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
    *(Option(f"--{name}", about, getattr(_DEFAULT, name)) for name, about in _SIZES.items()),
    DEVICE,
    THREADS,
    flag("--resume", "continue an interrupted run, or one whose --questions you raise"),
    examples=("biaslab train clerk --plant my-gaps.toml --output my-clerk",),
    description="Train a small causal language model that decides made-up cases by planted"
    " psychometric functions, whose gaps are known. --resume continues an interrupted run.",
)
def train_decisions(options: argparse.Namespace) -> None:
    """Train on all questions, or until a signal arrives."""
    from biaslab.training.clerk_plant_file import DEFAULT, read_plant

    plant = read_plant(options.plant or DEFAULT)
    settings = ClerkSettings(**given(options, *_SIZES))
    # Imported after the checks above, so that their messages do not wait for torch.
    from biaslab.training.clerk import train_clerk

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
