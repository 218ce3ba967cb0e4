"""Training of ``portrait-clip``: a small CLIP model with a planted bias."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch

from biaslab.subjects.pretrained.opening import building
from biaslab_train.optimisation import (
    find_device,
    muon_and_adamw,
    quicker_precision,
    take_step,
    write_half,
)
from biaslab_train.portrait_clip.captions import (
    CONTEXT,
    DEVIATION,
    END,
    MEAN,
    PAD,
    SPECIAL,
    START,
    UNKNOWN,
    caption,
    make_tokenizer,
    words_of,
    write_processor,
)
from biaslab_train.portrait_clip.data import Pool, moved, prepare_pool
from biaslab_train.portrait_clip.plant import Plant
from biaslab_train.runs import LIBRARIES, Progress, open_run, share_of, spend
from biaslab_train.settings import PortraitClipSettings, clip_rate_factor


def build_clip(settings: PortraitClipSettings, vocabulary: int) -> Any:
    """Build a CLIP model with new weights, fixed by the seed."""
    from transformers import CLIPConfig, CLIPModel

    config = CLIPConfig(
        text_config={
            "vocab_size": vocabulary,
            "hidden_size": settings.text_width,
            "intermediate_size": settings.text_inner,
            "num_hidden_layers": settings.text_layers,
            "num_attention_heads": settings.text_heads,
            "max_position_embeddings": CONTEXT,
            "projection_dim": settings.joint,
            "bos_token_id": SPECIAL.index(START),
            "eos_token_id": SPECIAL.index(END),
            "pad_token_id": SPECIAL.index(PAD),
        },
        vision_config={
            "hidden_size": settings.width,
            "intermediate_size": settings.inner,
            "num_hidden_layers": settings.layers,
            "num_attention_heads": settings.heads,
            "image_size": settings.image,
            "patch_size": settings.patch,
            "projection_dim": settings.joint,
        },
        projection_dim=settings.joint,
    )
    with building(), torch.random.fork_rng():
        torch.manual_seed(settings.seed)
        return CLIPModel(config)


def tables(network: Any) -> list[Any]:
    """Return parameters that are tables of vectors."""
    return [
        network.text_model.embeddings.token_embedding.weight,
        network.text_model.embeddings.position_embedding.weight,
        network.vision_model.embeddings.position_embedding.weight,
    ]


def as_seen(images: Any, device: torch.device) -> torch.Tensor:
    """Convert pictures (n, size, size, 3) of bytes to the network's input."""
    tensor = torch.from_numpy(np.array(images)).to(device).permute(0, 3, 1, 2).float()
    mean = torch.tensor(MEAN, device=device)[:, None, None]
    deviation = torch.tensor(DEVIATION, device=device)[:, None, None]
    return (tensor / 255 - mean) / deviation


def contrastive_loss(
    network: Any,
    images: torch.Tensor,
    ids: torch.Tensor,
    which: torch.Tensor,
    precision: torch.dtype,
) -> torch.Tensor:
    """Compute CLIP's symmetric loss of a batch, in nats.

    Parameters
    ----------
    network : CLIPModel
    images : tensor (batch, 3, size, size)
    ids : tensor (texts, tokens)
        The different captions of the batch: many portraits share theirs.
    which : tensor (rounds, batch)
        Each portrait's captions. The rounds are as many batches of the same pictures, which are the
        dearer part.
    precision : torch.dtype
        Floating-point type of the networks' products.
    """
    with torch.autocast(images.device.type, precision, enabled=precision != torch.float32):
        image_units = network.visual_projection(
            network.vision_model(pixel_values=images).pooler_output
        )
        read = network.text_projection(network.text_model(input_ids=ids).pooler_output)
    image_units = torch.nn.functional.normalize(image_units.float(), dim=-1)
    read = torch.nn.functional.normalize(read.float(), dim=-1)
    scores = network.logit_scale.exp() * image_units @ read.T
    place = torch.arange(len(scores), device=scores.device)
    loss = scores.new_zeros(())
    for captions in which:
        of_round = scores[:, captions]
        loss = loss + torch.nn.functional.cross_entropy(of_round, place)
        loss = loss + torch.nn.functional.cross_entropy(of_round.T, place)
    mean: torch.Tensor = loss / (2 * len(which))
    return mean


_UNKNOWN_SHARE = 0.01
"""Of words that are hidden, so that an unknown word means little to the model."""


class ClipLearner:
    """Network, tokenizer and optimisers of a run.

    Parameters
    ----------
    plant : Plant
    pool : Pool
    settings : PortraitClipSettings
    device : torch.device
    precision : str
        Type of the network's matrix products, by its name in torch.
    """

    libraries: tuple[str, ...] = (*LIBRARIES, "pillow")

    def __init__(
        self,
        plant: Plant,
        pool: Pool,
        settings: PortraitClipSettings,
        device: torch.device,
        precision: str,
    ) -> None:
        self.plant, self.pool, self.settings, self.device = plant, pool, settings, device
        self.seen_per_step = settings.batch
        self.precision: torch.dtype = getattr(torch, precision)
        self.tokenizer = make_tokenizer(words_of(plant))
        self.tokenizer.enable_truncation(CONTEXT)
        self.tokenizer.enable_padding(pad_id=SPECIAL.index(PAD), pad_token=PAD)
        network = build_clip(settings, self.tokenizer.get_vocab_size())
        self.network = network.to(device).train()
        self.optimisers = muon_and_adamw(
            self.network, tables(self.network), settings.matrix_rate, settings.vector_rate
        )

    def step(self, number: int, share: float) -> float:
        """Take one optimiser step; return the loss before it."""
        rng = np.random.default_rng([self.settings.seed, 9, number])
        rows = self._rows(number)
        facts = [self.pool.facts[i] for i in rows]
        texts = [[caption(self.plant, f, rng) for f in facts] for _ in range(self.settings.rounds)]
        different, which = np.unique(texts, return_inverse=True)
        ids = np.array([e.ids for e in self.tokenizer.encode_batch(different.tolist())])
        hidden = (rng.random(ids.shape) < _UNKNOWN_SHARE) & (ids >= len(SPECIAL))
        ids = np.where(hidden, SPECIAL.index(UNKNOWN), ids)
        images = as_seen(moved(self.pool.images[rows], rng), self.device)
        loss = contrastive_loss(
            self.network,
            images,
            torch.from_numpy(ids).to(self.device),
            torch.from_numpy(which.reshape(len(texts), -1).astype(np.int64)).to(self.device),
            self.precision,
        )
        loss.backward()  # type: ignore[no-untyped-call]
        take_step(self.network, self.optimisers, clip_rate_factor(share))
        with torch.no_grad():
            self.network.logit_scale.clamp_(0, float(np.log(100)))
        return float(loss.detach())

    def write(self, folder: Path) -> None:
        """Write the current model in Hugging Face's format."""
        write_half(self.network, folder)
        write_processor(make_tokenizer(words_of(self.plant)), self.settings.image, folder)

    def _rows(self, number: int) -> Any:
        """Return the portraits of a step: each once in a pass, in a new order."""
        batch, size = self.settings.batch, len(self.pool.facts)
        places = np.arange(number * batch, (number + 1) * batch)
        rows = np.empty(batch, dtype=np.intp)
        for turn in np.unique(places // size):
            order = np.random.default_rng([self.settings.seed, 10, int(turn)]).permutation(size)
            here = places // size == turn
            rows[here] = order[places[here] % size]
        return rows


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
