"""Runs of training: checkpoints, continuing after an interruption, a budget that is spent."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np

from biaslab.errors import TrainingError
from biaslab.files.atomic import write_atomically

if TYPE_CHECKING:
    import torch


def save_state(
    path: Path,
    network: Any,
    optimisers: Mapping[str, torch.optim.Optimizer],
    position: Mapping[str, Any],
    recipe: Mapping[str, Any],
) -> None:
    """Write weights, optimiser state, position and recipe.

    Parameters
    ----------
    path : Path
        The file.
    network, optimisers
        Model, and optimisers by name.
    position, recipe : mapping
        Position and recipe of the run; both are stored as JSON.

    Raises
    ------
    WriteError
        If it cannot be written; the checkpoint before it is untouched.
    """
    import torch
    from safetensors.torch import save

    tensors = {f"network/{name}": p.detach() for name, p in network.named_parameters()}
    for name, optimiser in optimisers.items():
        for index, state in optimiser.state_dict()["state"].items():
            tensors |= {f"{name}/{index}/{key}": torch.as_tensor(v) for key, v in state.items()}
    about = {"position": json.dumps(dict(position)), "recipe": json.dumps(recipe)}
    cpu = {name: tensor.cpu().contiguous() for name, tensor in tensors.items()}
    write_atomically(path, save(cpu, metadata=about))


def read_about(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return position and recipe of a checkpoint.

    Raises
    ------
    TrainingError
        If the file is no checkpoint, or damaged.
    """
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="pt") as file:
            about = file.metadata() or {}
            return dict(json.loads(about["position"])), json.loads(about["recipe"])
    except (SafetensorError, OSError, KeyError, TypeError, ValueError) as error:
        raise damaged(path, error) from error


def damaged(path: Path, error: Exception) -> TrainingError:
    """Return the error for an unreadable checkpoint, with the remedy."""
    return TrainingError(
        f"{path} is not a checkpoint of this command, or is damaged ({error}). Remove it to start"
        " over, or choose another --output."
    )


def load_state(path: Path, network: Any, optimisers: Mapping[str, torch.optim.Optimizer]) -> None:
    """Restore weights and optimiser state.

    Raises
    ------
    TrainingError
        If the file is damaged, or of another network.
    """
    from safetensors.torch import load_file

    tensors = load_file(path)
    states: dict[str, dict[int, dict[str, torch.Tensor]]] = {name: {} for name in optimisers}
    parameters = dict(network.named_parameters())
    try:
        for name, tensor in tensors.items():
            owner, _, rest = name.partition("/")
            if owner == "network":
                parameters.pop(rest).data.copy_(tensor)
            else:
                index, _, key = rest.partition("/")
                states[owner].setdefault(int(index), {})[key] = tensor
    except (KeyError, RuntimeError) as error:
        raise TrainingError(f"{path} belongs to another network ({error}).") from error
    if parameters:
        raise TrainingError(f"{path} lacks {', '.join(sorted(parameters))}.")
    for name, optimiser in optimisers.items():
        groups = optimiser.state_dict()["param_groups"]
        optimiser.load_state_dict({"state": states[name], "param_groups": groups})


@dataclass(frozen=True)
class Position:
    """How far a run is; with the seed, all randomness follows from ``step``.

    Attributes
    ----------
    step, seen : int
        Optimiser steps done, and examples seen.
    seconds : float
        Time spent in training, over all starts.
    """

    step: int = 0
    seen: int = 0
    seconds: float = 0.0

    def to_dict(self, unit: str) -> dict[str, Any]:
        """Return the position as it is stored, with the examples under their own name."""
        return {"step": self.step, unit: self.seen, "seconds": self.seconds}


@dataclass(frozen=True)
class Run:
    """A run of training in a folder.

    Attributes
    ----------
    folder, checkpoint : Path
        Output folder, and the file in it from which the run continues, if there is one yet.
    unit : str
        What the run counts its examples in, such as ``questions``.
    position : Position
        How far it is.
    noted : dict
        Recipe in its checkpoint; empty for a new run.
    """

    folder: Path
    checkpoint: Path
    unit: str
    position: Position
    noted: dict[str, Any]


def find_checkpoint(folder: Path, *, resume: bool) -> Path:
    """Return where a run in a folder has its checkpoint, whether there is one yet or not.

    Raises
    ------
    TrainingError
        If the folder contains a run and `resume` is not given.
    """
    checkpoint = folder / "work" / "checkpoint.safetensors"
    if checkpoint.exists() and not resume:
        raise TrainingError(
            f"{folder} already contains a run. Add --resume to continue it, or choose another "
            "--output."
        )
    return checkpoint


def open_run(
    folder: Path,
    recipe: Mapping[str, Any],
    unit: str,
    *,
    resume: bool,
    parts: Sequence[str] = ("settings", "plant"),
) -> Run:
    """Return the run of a folder: a new one, or the one that is to be continued.

    Parameters
    ----------
    folder : Path
    recipe : mapping
        Recipe of the command.
    unit : str
        What the run counts its examples in.
    resume : bool
        Continue the run in the folder, if there is one.
    parts : sequence of str
        Parts of the recipe that have to agree with those of the run in the folder.

    Raises
    ------
    TrainingError
        If the folder contains a run and `resume` is not given, or a run with another recipe, or
        its checkpoint is damaged.
    """
    checkpoint = find_checkpoint(folder, resume=resume)
    if not checkpoint.exists():
        return Run(folder, checkpoint, unit, Position(), {})
    about, noted = read_about(checkpoint)
    changed = [name for name in parts if noted.get(name) != recipe[name]]
    if changed:
        raise TrainingError(
            f"{folder} contains a run with other {' and '.join(changed)}. Repeat the command"
            " that started it, or choose another --output."
        )
    try:
        position = Position(about["step"], about[unit], about["seconds"])
    except KeyError as error:
        raise damaged(checkpoint, error) from error
    return Run(folder, checkpoint, unit, position, noted)


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
