"""One step of the training of portrait-clip: portraits, their captions, the contrastive loss."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch

from biaslab.training.budgeted_run import LIBRARIES
from biaslab.training.optimisation import muon_and_adamw, take_step, write_half
from biaslab.training.portrait_clip_captions import caption, words_of
from biaslab.training.portrait_clip_data import Pool, moved
from biaslab.training.portrait_clip_network import as_seen, build_clip, contrastive_loss, tables
from biaslab.training.portrait_clip_plant import Plant
from biaslab.training.portrait_clip_settings import PortraitClipSettings, clip_rate_factor
from biaslab.training.portrait_clip_tokenizer import (
    CONTEXT,
    PAD,
    SPECIAL,
    UNKNOWN,
    make_tokenizer,
    write_processor,
)

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
