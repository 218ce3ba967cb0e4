"""Recipes: what each kind of network brings to its training, and the loop that trains them all."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, ClassVar, Final

import torch

from biaslab.errors import TrainingError
from biaslab_train.model_files import write_json
from biaslab_train.optimisation import find_device, muon_and_adamw, take_step
from biaslab_train.runs import (
    Position,
    Progress,
    Run,
    check_loss,
    find_checkpoint,
    load_state,
    open_run,
    progress_between,
    save_state,
    share_of,
)
from biaslab_train.settings import Hours, rate_factor_of_share

LIBRARIES: Final[tuple[str, ...]] = ("torch", "transformers", "tokenizers", "numpy")
"""Whose versions ``training.json`` lists, whatever is trained."""
PRECISIONS: Final = ("bfloat16", "float32")
"""Of matrix products, the default first: the bundled models were trained in it."""


class Learner(ABC):
    """A network that is trained, a step at a time.

    - `network`: with new weights.
    - `settings`: with the fields ``batch``, ``matrix_rate`` and ``vector_rate``.
    - `optimisers`: optimisers by name.
    - `seen_per_step`: examples of an optimiser step.
    - `libraries`: distributions whose versions are noted with the model.
    - `decay_share`: last share of the budget, over which learning rates fall.
    """

    libraries: ClassVar[tuple[str, ...]] = LIBRARIES
    decay_share: ClassVar[float] = 0.5
    steps_between_reports: ClassVar[int] = 20

    def __init__(self, network: Any, settings: Any, device: torch.device) -> None:
        self.device = device
        self.network = network.to(device).train()
        self.optimisers = muon_and_adamw(
            self.network, self.tables(), settings.matrix_rate, settings.vector_rate
        )
        self.seen_per_step: int = settings.batch

    def tables(self) -> list[Any]:
        """Return the parameters that are tables of vectors, and no maps."""
        return [self.network.get_input_embeddings().weight]

    def step(self, number: int, share: float) -> float:
        """Take one optimiser step, at this used share of the budget; return the loss before it."""
        loss = self.add_gradient(number)
        take_step(
            self.network, self.optimisers, self.rate_factor(number * self.seen_per_step, share)
        )
        return loss

    @abstractmethod
    def add_gradient(self, number: int) -> float:
        """Add the gradient of a step's loss, and return this loss in nats.

        Where answers are planted, it is the mean divergence from their probabilities.
        """

    def rate_factor(self, _: int, share: float) -> float:
        """Return the factor of learning rates after so many examples, at a used share."""
        return rate_factor_of_share(share, self.decay_share)

    @abstractmethod
    def write(self, folder: Path) -> None:
        """Write the current model in Hugging Face's format."""

    def log(self, progress: Progress) -> None:  # noqa: B027 (most kinds keep none)
        """Keep figures of a run."""


@dataclass(frozen=True)
class Start:
    """Circumstances in which a recipe makes its learner.

    - `data`: folder of prepared data, which several runs may share.
    - `precision`: of matrix products.
    - `stop`: called now and then while data is prepared; when true, this ends.
    """

    run: Run
    data: Path
    device: torch.device
    precision: torch.dtype
    stop: Callable[[], bool]


class Recipe(ABC):
    """Data, network and loss of one kind of model.

    - `name`: of the kind.
    - `unit`: what it counts its examples in, such as ``questions``.
    - `is_mixed`: whether matrix products may be in 16 bits; then they are by default.
    """

    name: ClassVar[str]
    unit: ClassVar[str]
    is_mixed: ClassVar[bool] = False

    @abstractmethod
    def content(self, data: Path) -> dict[str, Any]:
        """Return what a run that continues must repeat, by name, as JSON holds it."""

    def notes(self, _: Run) -> dict[str, Any]:
        """Return what else is noted with a run."""
        return {}

    @abstractmethod
    def learner(self, start: Start) -> Learner | None:
        """Return what is trained, or None if preparing its data was stopped."""


@dataclass(frozen=True)
class PlantedRecipe(Recipe):
    """A recipe of a model with a planted bias.

    - `settings`: sizes, rates and seed.
    """

    plant: Any
    settings: Any

    def content(self, _: Path) -> dict[str, Any]:
        """Return settings and plant."""
        return {"settings": asdict(self.settings), "plant": self.plant.to_dict()}


def train(
    recipe: Recipe,
    folder: Path,
    budget: int | Hours,
    *,
    data: Path | None = None,
    resume: bool = False,
    device: str | None = None,
    threads: int | None = None,
    precision: str | None = None,
    seconds_between_checkpoints: float = 120,
    stop: Callable[[], bool] = lambda: False,
    on_progress: Callable[[Progress], object] = lambda _: None,
) -> bool:
    """Train a network by its recipe, into a folder in Hugging Face's format.

    Parameters
    ----------
    recipe : Recipe
    folder : Path
        Output folder (``config.json``, ``model.safetensors`` in float16, tokenizer,
        ``training.json`` with the recipe); ``folder / "work"`` has checkpoints.
    budget : int or Hours
        How many examples to see, repeats counted, or how long. A run that is continued may be given
        more.
    data : Path, optional
        Folder of prepared data: drawn portraits, or an encoded corpus. Default
        ``folder / "data"``.
    resume : bool
        Continue the run in the folder, if there is one.
    device : str, optional
        ``cpu`` or ``cuda``; default the GPU if there is one.
    threads : int, optional
        Processor threads; default as torch chooses.
    precision : {"bfloat16", "float32"}, optional
        Of matrix products, for a recipe that is mixed; default that of the run that is continued,
        else bfloat16. It is noted in the recipe, as the other one gives other weights.
    seconds_between_checkpoints : float
        Longest work lost by an interruption.
    stop : callable
        Called after each step; when true, the state is saved and training ends.
    on_progress : callable
        Called every 20 steps, or 50 of a language model.

    Returns
    -------
    bool
        Whether the budget is spent; False if `stop` ended it before. The folder contains a usable
        model either way, unless data was still being prepared.

    Raises
    ------
    TrainingError
        If the folder contains a run and ``resume`` is not given, or a run with another recipe;
        its checkpoint is damaged; or the run diverges.
    CorpusError
        If the corpus of a language model cannot be read or is too small.
    WriteError
        If the disk is full; the last checkpoint is kept.

    Notes
    -----
    On a CPU, with examples as budget and the same number of threads, a run that was interrupted
    and continued ends with the same weights, bit for bit, as one that was not.
    """
    share = share_of(budget, recipe.unit)
    if threads:
        torch.set_num_threads(threads)
    # Checked before data is prepared, which may take long.
    find_checkpoint(folder, resume=resume)
    place, data = find_device(device), data or folder / "data"
    content = recipe.content(data)
    run = open_run(folder, content, recipe.unit, resume=resume)
    about = {"format": f"biaslab-{recipe.name}", "version": 1, **content}
    if isinstance(budget, int):
        about["budget"] = budget
    chosen = _precision(recipe, run, precision)
    if recipe.is_mixed:
        about["precision"] = chosen
    about |= recipe.notes(run)
    learner = recipe.learner(Start(run, data, place, getattr(torch, chosen), stop))
    if learner is None:
        return False
    return _spend(run, about, learner, share, seconds_between_checkpoints, stop, on_progress)


def _precision(recipe: Recipe, run: Run, given: str | None) -> str:
    """Return the precision of a run: the same for the same command, on every machine."""
    usual = PRECISIONS[0] if recipe.is_mixed else "float32"
    noted = run.noted.get("precision")
    if given is not None and given not in (PRECISIONS if recipe.is_mixed else (usual,)):
        raise TrainingError(f"precision={given!r}: choose {' or '.join(PRECISIONS)}.")
    if given is not None and noted not in (None, given):
        raise TrainingError(
            f"The run in {run.folder} computes in {noted}, not in {given}. Leave out --precision,"
            " or choose another --output."
        )
    return given or noted or usual


def _spend(
    run: Run,
    about: dict[str, Any],
    learner: Learner,
    share: Callable[[Position], float],
    seconds_between_checkpoints: float,
    stop: Callable[[], bool],
    on_progress: Callable[[Progress], object],
) -> bool:
    """Train from the position of a run until its budget is spent, or until it is stopped."""
    run.checkpoint.parent.mkdir(parents=True, exist_ok=True)
    for left_over in run.checkpoint.parent.glob(".*.partial"):
        left_over.unlink(missing_ok=True)
    if run.checkpoint.exists():
        load_state(run.checkpoint, learner.network, learner.optimisers)
    position = run.position

    def save() -> None:
        stored = position.to_dict(run.unit)
        save_state(run.checkpoint, learner.network, learner.optimisers, stored, about)
        learner.write(run.folder)
        versions = {name: version(name) for name in learner.libraries}
        write_json(run.folder / "training.json", about | {"position": stored, "versions": versions})

    began = saved = time.monotonic()
    losses: list[float] = []
    while (used := share(position)) < 1 and not stop():
        losses.append(learner.step(position.step, used))
        check_loss(losses[-1], position.step)
        now = time.monotonic()
        position = Position(
            position.step + 1,
            position.seen + learner.seen_per_step,
            run.position.seconds + now - began,
        )
        if position.step % learner.steps_between_reports == 0:
            progress = progress_between(run.position, position, share, losses)
            on_progress(progress)
            learner.log(progress)
            losses = []
        if now - saved > seconds_between_checkpoints:
            save()
            saved = now
    save()
    return share(position) >= 1
