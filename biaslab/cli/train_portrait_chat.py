"""``biaslab train portrait-chat``: train a small LLaVA model with a planted bias."""

from __future__ import annotations

import argparse
from functools import partial

from biaslab.cli.commands import Option, command, flag, given
from biaslab.cli.options import DEVICE, MODEL_FOLDER, PORTRAIT_FOLDER, STRENGTH, THREADS
from biaslab.cli.training_progress import show_drawing, train_until_stopped
from biaslab.training.portrait_chat_settings import PortraitChatSettings

_SIZES = {
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
_DEFAULT = PortraitChatSettings()


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
    *(Option(f"--{name}", about, getattr(_DEFAULT, name)) for name, about in _SIZES.items()),
    *(Option(f"--{name}", about, getattr(_DEFAULT, name)) for name, about in _PLANTED.items()),
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
    from biaslab.training.portrait_clip_plant import DEFAULT, read_plant

    plant = read_plant(options.plant or DEFAULT).scaled(options.strength)
    settings = PortraitChatSettings(**given(options, *_SIZES, *_PLANTED))
    # Imported after the checks above, so that their messages do not wait for torch.
    from biaslab.training.portrait_chat import train_portrait_chat

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
