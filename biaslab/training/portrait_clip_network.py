"""Network of portrait-clip: a small CLIP model, and its contrastive loss."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from biaslab.subjects.pretrained.opening import building
from biaslab.training.portrait_clip_settings import PortraitClipSettings
from biaslab.training.portrait_clip_tokenizer import (
    CONTEXT,
    DEVIATION,
    END,
    MEAN,
    PAD,
    SPECIAL,
    START,
)


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
