"""Train until a budget is spent: steps, progress, checkpoints, and the trained model's folder."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np

from biaslab.atomic import write_atomically
from biaslab.errors import TrainingError
from biaslab.training.checkpoint import load_state, save_state
from biaslab.training.resuming import Position, Run

if TYPE_CHECKING:
    import torch

LIBRARIES: Final[tuple[str, ...]] = ("torch", "transformers", "tokenizers", "numpy")
"""Whose versions ``training.json`` lists, whatever is trained."""


@dataclass(frozen=True)
class Progress:
    """How far training is.

    Attributes
    ----------
    step, seen : int
        Optimiser steps done, and examples seen: questions, portraits or tokens.
    seconds : float
        Time spent in training, over all starts.
    share : float
        Used share of the budget, in [0, 1].
    loss : float
        Mean loss since the last report, in nats. Where answers are planted: the mean divergence
        from their probabilities, 0 at best.
    pace : float
        Examples a second since this start.
    seconds_left : float or None
        Estimate from the pace.
    """

    step: int
    seen: int
    seconds: float
    share: float
    loss: float
    pace: float
    seconds_left: float | None


class Learner(Protocol):
    """What is trained, a step at a time.

    Attributes
    ----------
    network : torch.nn.Module
    optimisers : dict
        Optimisers by name.
    seen_per_step : int
        Examples of an optimiser step.
    libraries : tuple of str
        Distributions whose versions are noted with the model.
    """

    network: Any
    optimisers: dict[str, torch.optim.Optimizer]
    seen_per_step: int
    libraries: tuple[str, ...]

    def step(self, number: int, share: float) -> float:
        """Take one optimiser step, at this used share of the budget; return the loss before it."""

    def write(self, folder: Path) -> None:
        """Write the current model in Hugging Face's format."""


def share_of(budget: int, unit: str) -> Callable[[Position], float]:
    """Return a function from a position to the used share of a budget of examples.

    Raises
    ------
    TrainingError
        If the budget is not above zero.
    """
    if budget < 1:
        raise TrainingError(f"The budget must be above zero. Give a positive --{unit}.")
    return lambda position: position.seen / budget


def spend(
    run: Run,
    recipe: Mapping[str, Any],
    learner: Learner,
    share: Callable[[Position], float],
    *,
    seconds_between_checkpoints: float,
    stop: Callable[[], bool],
    on_progress: Callable[[Progress], object],
    steps_between_reports: int = 20,
) -> bool:
    """Train from the position of a run until its budget is spent, or until it is stopped.

    Parameters
    ----------
    run : Run
        Where the run stands.
    recipe : mapping
        What the run is made by; stored in its checkpoint and in ``training.json``.
    learner : Learner
        As at the start; the state in the checkpoint, if there is one, is loaded into it.
    share : callable
        Returns the used share of the budget at a position: 1 or more when it is spent.
    seconds_between_checkpoints : float
        Longest work lost by an interruption.
    stop : callable
        Called after each step; when true, the state is saved and training ends.
    on_progress : callable
        Called every so many steps.
    steps_between_reports : int

    Returns
    -------
    bool
        Whether the budget is spent.

    Raises
    ------
    TrainingError
        If the checkpoint is damaged, or the run diverges.
    WriteError
        If the disk is full; the last checkpoint is kept.
    """
    run.checkpoint.parent.mkdir(parents=True, exist_ok=True)
    if run.checkpoint.exists():
        load_state(run.checkpoint, learner.network, learner.optimisers)
    position = run.position

    def save() -> None:
        stored = position.to_dict(run.unit)
        save_state(run.checkpoint, learner.network, learner.optimisers, stored, recipe)
        learner.write(run.folder)
        versions = {name: version(name) for name in learner.libraries}
        about = {**recipe, "position": stored, "versions": versions}
        write_atomically(run.folder / "training.json", json.dumps(about, indent=1) + "\n")

    began = saved = time.monotonic()
    losses: list[float] = []
    while (used := share(position)) < 1 and not stop():
        losses.append(learner.step(position.step, used))
        _check_loss(losses[-1], position.step)
        now = time.monotonic()
        position = Position(
            position.step + 1,
            position.seen + learner.seen_per_step,
            run.position.seconds + now - began,
        )
        if position.step % steps_between_reports == 0:
            on_progress(_progress(run.position, position, share, losses))
            losses = []
        if now - saved > seconds_between_checkpoints:
            save()
            saved = now
    save()
    return share(position) >= 1


def _check_loss(loss: float, steps: int) -> None:
    """Check that a loss after so many steps is a number; if it is not, the run diverged."""
    if not math.isfinite(loss):
        raise TrainingError(
            f"The loss is no longer a number after {steps} steps. The last checkpoint"
            " is kept; start again with lower learning rates or another seed."
        )


def _progress(
    start: Position, now: Position, share: Callable[[Position], float], losses: list[float]
) -> Progress:
    took, used = now.seconds - start.seconds, share(now)
    gained = used - share(start)
    return Progress(
        now.step,
        now.seen,
        now.seconds,
        min(1.0, used),
        float(np.mean(losses)),
        (now.seen - start.seen) / took,
        max(0.0, 1 - used) * took / gained if gained > 0 else None,
    )
