"""Runs of training: checkpoints, continuing after an interruption, how far they are."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from biaslab.errors import TrainingError
from biaslab.files.atomic import write_atomically
from biaslab_train.settings import Hours

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

    - `path`: the file.
    - `network`, `optimisers`: model, and optimisers by name.
    - `position`, `recipe`: position and recipe of the run; both are stored as JSON.
    - Raises `WriteError` if it cannot be written; the checkpoint before it is untouched.
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

    Raises `TrainingError` if the file is no checkpoint, or damaged.
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

    Raises `TrainingError` if the file is damaged, or of another network.
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

    - `step`, `seen`: optimiser steps done, and examples seen.
    - `seconds`: time spent in training, over all starts.
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

    - `folder`, `checkpoint`: output folder, and the file in it from which the run continues, if
      there is one yet.
    - `unit`: what the run counts its examples in, such as ``questions``.
    - `position`: how far it is.
    - `noted`: recipe in its checkpoint; empty for a new run.
    """

    folder: Path
    checkpoint: Path
    unit: str
    position: Position
    noted: dict[str, Any]


def find_checkpoint(folder: Path, *, resume: bool) -> Path:
    """Return where a run in a folder has its checkpoint, whether there is one yet or not.

    Raises `TrainingError` if the folder contains a run and `resume` is not given.
    """
    checkpoint = folder / "work" / "checkpoint.safetensors"
    if checkpoint.exists() and not resume:
        raise TrainingError(
            f"{folder} already contains a run. Add --resume to continue it, or choose another "
            "--output."
        )
    return checkpoint


def open_run(folder: Path, content: Mapping[str, Any], unit: str, *, resume: bool) -> Run:
    """Return the run of a folder: a new one, or the one that is to be continued.

    - `content`: what has to agree with the run in the folder, by name.
    - `unit`: what the run counts its examples in.
    - `resume`: continue the run in the folder, if there is one.
    - Raises `TrainingError` if the folder contains a run and `resume` is not given, or a run with
      another recipe, or its checkpoint is damaged.
    """
    checkpoint = find_checkpoint(folder, resume=resume)
    if not checkpoint.exists():
        return Run(folder, checkpoint, unit, Position(), {})
    about, noted = read_about(checkpoint)
    changed = [name for name, value in content.items() if noted.get(name) != value]
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


@dataclass(frozen=True)
class Progress:
    """How far training is.

    - `step`, `seen`: optimiser steps done, and examples seen: questions, portraits or tokens.
    - `seconds`: time spent in training, over all starts.
    - `share`: used share of the budget, in [0, 1].
    - `loss`: mean loss since the last report, in nats. Where answers are planted: the mean
      divergence from their probabilities, 0 at best.
    - `pace`: examples a second since this start.
    - `seconds_left`: estimate from the pace.
    """

    step: int
    seen: int
    seconds: float
    share: float
    loss: float
    pace: float
    seconds_left: float | None


def share_of(budget: int | Hours, unit: str) -> Callable[[Position], float]:
    """Return a function from a position to the used share of a budget.

    Raises `TrainingError` if the budget is not above zero.
    """
    amount, option = (budget.hours, "hours") if isinstance(budget, Hours) else (budget, unit)
    if amount <= 0:
        raise TrainingError(f"The budget must be above zero. Give a positive --{option}.")
    if isinstance(budget, Hours):
        return lambda position: position.seconds / (3600 * amount)
    return lambda position: position.seen / amount


def check_loss(loss: float, steps: int) -> None:
    """Check that a loss after so many steps is a number; if it is not, the run diverged."""
    if not math.isfinite(loss):
        raise TrainingError(
            f"The loss is no longer a number after {steps} steps. The last checkpoint"
            " is kept; start again with lower learning rates or another seed."
        )


def progress_between(
    start: Position, now: Position, share: Callable[[Position], float], losses: list[float]
) -> Progress:
    """Return how far training is, from where it started and the losses since the last report."""
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
