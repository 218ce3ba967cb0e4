"""Train a model as a command: show progress, stop on signals, say where the model is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from biaslab.cli.training_signals import stop_on_signals

if TYPE_CHECKING:
    from biaslab.training.budgeted_run import Progress


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
