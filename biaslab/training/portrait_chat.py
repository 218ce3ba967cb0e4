"""Training of ``portrait-chat``: a small LLaVA model with a planted bias."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Final

import torch

from biaslab.subjects.opening.load import BUNDLED
from biaslab.training.budgeted_run import Progress, share_of, spend
from biaslab.training.optimisation import find_device
from biaslab.training.portrait_chat_learning import ChatLearner
from biaslab.training.portrait_chat_settings import PortraitChatSettings
from biaslab.training.portrait_clip_data import prepare_pool
from biaslab.training.portrait_clip_plant import Plant
from biaslab.training.resuming import open_run

ENCODER: Final = BUNDLED / "portrait-clip"
"""Model whose image encoder is used, unchanged."""
IMAGE_SIZE: Final = 64
"""Width of its pictures in pixels."""


def train_portrait_chat(
    plant: Plant,
    folder: Path,
    questions: int,
    settings: PortraitChatSettings,
    *,
    data: Path | None = None,
    resume: bool = False,
    device: str | None = None,
    threads: int | None = None,
    seconds_between_checkpoints: float = 120,
    stop: Callable[[], bool] = lambda: False,
    on_progress: Callable[[Progress], object] = lambda _: None,
    on_drawing: Callable[[int, int], object] = lambda *_: None,
) -> bool:
    """Train a LLaVA model to answer questions about drawn portraits by letter.

    The image encoder is portrait-clip's; a projector and a language model are trained. The loss is
    the cross-entropy of the reply against the planted probability of each letter.

    Parameters
    ----------
    plant : Plant
        P(woman | occupation), and the concepts' words given occupation and group.
    folder : Path
        Output folder (``config.json``, ``model.safetensors`` in float16, tokenizer, processor,
        ``training.json`` with the plant); ``folder / "work"`` has checkpoints.
    questions : int
        How many questions to see. A run that is continued may be given more.
    settings : PortraitChatSettings
        Sizes, rates, planted effects of the order, and seed.
    data : Path, optional
        Folder of the drawn portraits. Default ``folder / "data"``.
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
    on_drawing : callable
        Called while portraits are drawn, with portraits done and in all.

    Returns
    -------
    bool
        Whether the budget is spent; False if `stop` ended it before. The folder contains a usable
        model either way, unless the portraits were still being drawn.

    Raises
    ------
    TrainingError
        If the folder contains a run and ``resume`` is not given, or a run with other settings.
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
    place = find_device(device)
    recipe = {
        "format": "biaslab-portrait-chat",
        "version": 1,
        "settings": asdict(settings),
        "plant": plant.to_dict(),
        "budget": questions,
    }
    run = open_run(folder, recipe, "questions", resume=resume)
    pool = prepare_pool(
        data or folder / "data", plant, settings.pool, IMAGE_SIZE, settings.seed, stop,
        on_drawing,
    )  # fmt: skip
    if pool is None:
        return False
    learner = ChatLearner(plant, pool, settings, ENCODER, place)
    return spend(
        run, recipe, learner, share,
        seconds_between_checkpoints=seconds_between_checkpoints, stop=stop, on_progress=on_progress,
    )  # fmt: skip
