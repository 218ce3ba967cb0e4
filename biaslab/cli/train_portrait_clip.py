"""``biaslab train portrait-clip``: a small CLIP model of drawn portraits, with a planted bias."""

from __future__ import annotations

import argparse
import signal
import threading
from pathlib import Path

from biaslab.cli.commands import Commands

_SIZES = {
    "pool": "different portraits that are drawn for training",
    "image": "width and height of the network's pictures in pixels",
    "patch": "width of the squares that it cuts them into",
    "layers": "of the network that sees", "width": "its size", "heads": "its heads",
    "inner": "its feed-forward size", "joint": "dimensions in which both networks meet",
    "batch": "portraits of a step", "rounds": "captions that each gets in it",
    "seed": "fixes portraits, captions and starting weights",
}  # fmt: skip


def add(kinds: Commands) -> None:
    """Add the command to those of ``biaslab train``."""
    from biaslab.training.portrait_clip_settings import PortraitClipSettings

    parser = kinds.add_parser(
        "portrait-clip",
        help="a small CLIP model of drawn portraits with a planted bias; --resume continues",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument(
        "--plant", type=Path, help="TOML file of what captions say; the package's own if left out"
    )
    parser.add_argument(
        "--strength", type=float, default=1.0, help="factor on what is planted; 0 plants nothing"
    )
    parser.add_argument("--output", type=Path, required=True, help="folder of the model")
    parser.add_argument(
        "--portraits", type=int, default=200_000, help="portraits to see, repeats counted"
    )
    default = PortraitClipSettings()
    for name, about in _SIZES.items():
        parser.add_argument(f"--{name}", type=int, default=getattr(default, name), help=about)
    parser.add_argument("--data", type=Path, help="folder of the drawn portraits, to be shared")
    parser.add_argument("--device", help="cpu or cuda; the GPU where there is one")
    parser.add_argument("--threads", type=int, help="processor threads")
    parser.add_argument(
        "--resume", action="store_true", help="continue; there may be more --portraits than before"
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
        print(f"\rdrawing: {done:,} of {total:,} portraits    ", end="", flush=True)

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
        print(f"\nFinished: {options.output} holds the model.")
    else:
        print(f"\nStopped: repeat the command with --resume to go on in {options.output}.")
    return 0
