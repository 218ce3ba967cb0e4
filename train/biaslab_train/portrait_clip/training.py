"""Training of ``portrait-clip``: a small CLIP model with a planted bias."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from biaslab.subjects.pretrained.opening import building
from biaslab_train.model_files import write_half
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
from biaslab_train.recipes import LIBRARIES, Learner, PlantedRecipe, Start
from biaslab_train.settings import PortraitClipSettings


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

    - `images`: tensor (batch, 3, size, size).
    - `ids`, tensor (texts, tokens): the different captions of the batch: many portraits share
      theirs.
    - `which`, tensor (rounds, batch): each portrait's captions. The rounds are as many batches of
      the same pictures, which are the dearer part.
    - `precision`: floating-point type of the networks' products.
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


class ClipLearner(Learner):
    """Network, tokenizer and portraits of a CLIP model."""

    libraries = (*LIBRARIES, "pillow")

    def __init__(self, recipe: PortraitClipRecipe, pool: Pool, start: Start) -> None:
        settings = recipe.settings
        self.plant, self.pool, self.settings = recipe.plant, pool, settings
        self.precision = start.precision
        self.tokenizer = make_tokenizer(words_of(self.plant))
        self.tokenizer.enable_truncation(CONTEXT)
        self.tokenizer.enable_padding(pad_id=SPECIAL.index(PAD), pad_token=PAD)
        super().__init__(
            build_clip(settings, self.tokenizer.get_vocab_size()), settings, start.device
        )

    def tables(self) -> list[Any]:
        """Return the embeddings of tokens and of positions."""
        text, vision = self.network.text_model.embeddings, self.network.vision_model.embeddings
        return [
            text.token_embedding.weight,
            text.position_embedding.weight,
            vision.position_embedding.weight,
        ]

    def step(self, number: int, share: float) -> float:
        """Take one optimiser step; return the loss before it."""
        loss = super().step(number, share)
        with torch.no_grad():
            self.network.logit_scale.clamp_(0, float(np.log(100)))
        return loss

    def add_gradient(self, number: int) -> float:
        """Add the gradient of a step's contrastive loss; return this loss in nats."""
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


@dataclass(frozen=True)
class PortraitRecipe(PlantedRecipe):
    """A recipe of a model that is trained on drawn portraits.

    - `on_drawing`: called while portraits are drawn, with portraits done and in all.
    """

    on_drawing: Callable[[int, int], object] = lambda *_: None

    @property
    @abstractmethod
    def image_size(self) -> int:
        """Width and height of portraits in pixels."""

    def learner(self, start: Start) -> Learner | None:
        """Return a new model, or None if drawing was stopped."""
        pool = prepare_pool(
            start.data, self.plant, self.settings.pool, self.image_size, self.settings.seed,
            start.stop, self.on_drawing,
        )  # fmt: skip
        return None if pool is None else self.learner_of(pool, start)

    @abstractmethod
    def learner_of(self, pool: Pool, start: Start) -> Learner:
        """Return a new model of these portraits."""


class PortraitClipRecipe(PortraitRecipe):
    """Recipe of a CLIP model of drawn portraits with planted captions."""

    name, unit, is_mixed = "portrait-clip", "portraits", True

    @property
    def image_size(self) -> int:
        """Width and height of portraits in pixels."""
        size: int = self.settings.image
        return size

    def learner_of(self, pool: Pool, start: Start) -> ClipLearner:
        """Return a new model of the plant's captions."""
        return ClipLearner(self, pool, start)
