"""``biaslab train portrait-clip``: train a small CLIP model with a planted bias."""

from __future__ import annotations

import argparse
import signal
import threading
from pathlib import Path

from biaslab.cli.commands import Commands
from biaslab.cli.common_options import add_device

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


def add(kinds: Commands) -> None:
    """Add the command to ``biaslab train``."""
    from biaslab.training.portrait_clip_settings import PortraitClipSettings

    parser = kinds.add_parser(
        "portrait-clip",
        help="a small CLIP model of drawn portraits with a planted bias",
        description="Train a small CLIP model on drawn portraits whose captions carry a planted"
        " bias. --resume continues an interrupted run.",
    )
    parser.add_argument(
        "--plant",
        type=Path,
        metavar="FILE",
        help="TOML file that describes the planted bias (default: that of the bundled model)",
    )
    parser.add_argument(
        "--strength",
        type=float,
        default=1.0,
        help="factor on the planted bias; 0 plants none (default: %(default)s)",
    )
    parser.add_argument(
        "--output", type=Path, required=True, metavar="FOLDER", help="folder for the model"
    )
    parser.add_argument(
        "--portraits",
        type=int,
        default=200_000,
        help="portraits to train on, repetitions included (default: %(default)s)",
    )
    default = PortraitClipSettings()
    for name, about in _SIZES.items():
        parser.add_argument(
            f"--{name}",
            type=int,
            default=getattr(default, name),
            help=f"{about} (default: %(default)s)",
        )
    parser.add_argument(
        "--data",
        type=Path,
        metavar="FOLDER",
        help="folder for the drawn portraits, which several runs may share",
    )
    add_device(parser)
    parser.add_argument("--threads", type=int, help="number of processor threads")
    parser.add_argument(
        "--resume",
        action="store_true",
        help="continue an interrupted run, or one whose --portraits you raise",
    )
    parser.set_defaults(handler=_train)


def _train(options: argparse.Namespace) -> int:
    from biaslab.training.portrait_clip_plant import DEFAULT, read_plant
    from biaslab.training.portrait_clip_settings import PortraitClipSettings

    plant = read_plant(options.plant or DEFAULT).scaled(options.strength)
    settings = PortraitClipSettings(**{name: getattr(options, name) for name in _SIZES})
    from biaslab.training.portrait_clip import ClipProgress, train_portrait_clip

    def show(progress: ClipProgress) -> None:
        minutes = max(1, round(progress.seconds_left / 60))
        print(
            f"\r{progress.share:.1%}: {progress.portraits:,} portraits, loss {progress.loss:.3f}, "
            f"{progress.pace:,.0f} a second, about {minutes} min left    ",
            end="",
            flush=True,
        )

    def show_drawing(done: int, total: int) -> None:
        print(f"\rDrawing: {done:,} of {total:,} portraits    ", end="", flush=True)

    stopped = threading.Event()
    before = {
        number: signal.signal(number, lambda *_: stopped.set())
        for number in (signal.SIGTERM, signal.SIGINT)
    }
    try:
        finished = train_portrait_clip(
            plant,
            options.output,
            options.portraits,
            settings,
            data=options.data,
            resume=options.resume,
            device=options.device,
            threads=options.threads,
            stop=stopped.is_set,
            on_progress=show,
            on_drawing=show_drawing,
        )
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if finished:
        print(f"\nFinished. The model is in {options.output}.")
    else:
        print(f"\nStopped. Repeat the command with --resume to continue in {options.output}.")
    return 0
