"""Training of ``portrait-clip``: a small CLIP model with a planted bias."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import torch

from biaslab.training.budgeted_run import Progress, share_of, spend
from biaslab.training.optimisation import find_device, quicker_precision
from biaslab.training.portrait_clip_data import prepare_pool
from biaslab.training.portrait_clip_learning import ClipLearner
from biaslab.training.portrait_clip_plant import Plant
from biaslab.training.portrait_clip_settings import PortraitClipSettings
from biaslab.training.resuming import open_run


def train_portrait_clip(
    plant: Plant,
    folder: Path,
    portraits: int,
    settings: PortraitClipSettings,
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
    """Train a CLIP model on drawn portraits with planted captions.

    Parameters
    ----------
    plant : Plant
        Content of captions, with probabilities.
    folder : Path
        Output folder (``config.json``, ``model.safetensors`` in float16, tokenizer, image
        processor, ``training.json`` with the plant); ``folder / "work"`` has checkpoints.
    portraits : int
        How many portraits to see, repeats counted. A run that is continued may be given more.
    settings : PortraitClipSettings
        Sizes, rates and seed.
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
    share = share_of(portraits, "portraits")
    if threads:
        torch.set_num_threads(threads)
    place = find_device(device)
    recipe = {
        "format": "biaslab-portrait-clip",
        "version": 1,
        "settings": asdict(settings),
        "plant": plant.to_dict(),
    }
    run = open_run(folder, recipe, "portraits", resume=resume)
    recipe["precision"] = precision = run.noted.get("precision") or quicker_precision(place)
    pool = prepare_pool(
        data or folder / "data",
        plant,
        settings.pool,
        settings.image,
        settings.seed,
        stop,
        on_drawing,
    )
    if pool is None:
        return False
    learner = ClipLearner(plant, pool, settings, place, precision)
    return spend(
        run, recipe, learner, share,
        seconds_between_checkpoints=seconds_between_checkpoints, stop=stop, on_progress=on_progress,
    )  # fmt: skip
