"""Where a training run stands, and what must not change when it continues."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from biaslab.errors import TrainingError
from biaslab.training.checkpoint import damaged, read_about


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
