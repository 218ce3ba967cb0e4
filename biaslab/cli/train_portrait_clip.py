"""``biaslab train portrait-clip``: train a small CLIP model with a planted bias."""

from __future__ import annotations

import argparse
from functools import partial

from biaslab.cli.commands import Option, command, flag, given
from biaslab.cli.options import DEVICE, MODEL_FOLDER, PORTRAIT_FOLDER, STRENGTH, THREADS
from biaslab.cli.training_progress import show_drawing, train_until_stopped
from biaslab.training.portrait_clip_settings import PortraitClipSettings

_SIZES = {
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
_DEFAULT = PortraitClipSettings()


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
    *(Option(f"--{name}", about, getattr(_DEFAULT, name)) for name, about in _SIZES.items()),
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
    from biaslab.training.portrait_clip_plant import DEFAULT, read_plant

    plant = read_plant(options.plant or DEFAULT).scaled(options.strength)
    settings = PortraitClipSettings(**given(options, *_SIZES))
    # Imported after the checks above, so that their messages do not wait for torch.
    from biaslab.training.portrait_clip import train_portrait_clip

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
