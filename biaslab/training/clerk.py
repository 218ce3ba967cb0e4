"""Training of ``clerk-lm``: a small causal language model of decisions with planted gaps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import torch

from biaslab.training.budgeted_run import Progress, share_of, spend
from biaslab.training.clerk_learning import ClerkLearner
from biaslab.training.clerk_plant import ClerkPlant
from biaslab.training.clerk_settings import ClerkSettings
from biaslab.training.optimisation import find_device
from biaslab.training.resuming import open_run


def train_clerk(
    plant: ClerkPlant,
    folder: Path,
    questions: int,
    settings: ClerkSettings,
    *,
    resume: bool = False,
    device: str | None = None,
    threads: int | None = None,
    seconds_between_checkpoints: float = 120,
    stop: Callable[[], bool] = lambda: False,
    on_progress: Callable[[Progress], object] = lambda _: None,
) -> bool:
    """Train a language model to answer decisions by planted psychometric functions.

    The loss is the cross-entropy of the model's answer against the planted probability of each
    answer, rather than against answers drawn from it: the expected gradient is the same, without
    the noise of drawing.

    Parameters
    ----------
    plant : ClerkPlant
        Psychometric function of each case.
    folder : Path
        Output folder (``config.json``, ``model.safetensors`` in float16, tokenizer,
        ``training.json`` with the plant); ``folder / "work"`` has checkpoints.
    questions : int
        How many questions to see. A run that is continued may be given more.
    settings : ClerkSettings
        Sizes, rates and seed.
    resume : bool
        Continue the run in the folder, if there is one.
    device : str, optional
        ``cpu`` or ``cuda``; default the GPU if there is one.
    threads : int, optional
        Processor threads; default as torch chooses.
    seconds_between_checkpoints : float
        Longest work lost by an interruption.
    stop : callable
        Called after each step; when true, the state is saved and training ends.
    on_progress : callable
        Called about every 20 steps.

    Returns
    -------
    bool
        Whether the budget is spent; False if `stop` ended it before. The folder contains a usable
        model either way.

    Raises
    ------
    TrainingError
        If the folder contains a run and ``resume`` is not given, or a run with other settings, or
        a question is longer than the context.
    WriteError
        If the disk is full; the last checkpoint is kept.

    Notes
    -----
    On a CPU, with the same number of threads, a run that was interrupted and continued ends with
    the same weights, bit for bit, as one that was not.
    """
    share = share_of(questions, "questions")
    if threads:
        torch.set_num_threads(threads)
    recipe = {
        "format": "biaslab-clerk",
        "version": 1,
        "settings": asdict(settings),
        "plant": plant.to_dict(),
        "budget": questions,
    }
    run = open_run(folder, recipe, "questions", resume=resume)
    learner = ClerkLearner(plant, settings, find_device(device))
    return spend(
        run, recipe, learner, share,
        seconds_between_checkpoints=seconds_between_checkpoints, stop=stop, on_progress=on_progress,
    )  # fmt: skip
