"""Network of portrait-chat: portrait-clip's image encoder, a projector and a language model."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray

from biaslab.subjects.pretrained.opening import building, no_progress_bar
from biaslab.training.portrait_chat_settings import PortraitChatSettings
from biaslab.training.portrait_chat_tokenizer import BEGIN, CONTEXT, END, IMAGE, PAD, SPECIAL
from biaslab.training.portrait_clip_network import as_seen

_AT_ONCE: Final = 256
Features = NDArray[np.float16]


def read_encoder(folder: Path) -> Any:
    """Return the image encoder of a trained portrait-clip, frozen."""
    import transformers

    library: Any = transformers  # it declares few types
    with building(), no_progress_bar():
        clip = library.CLIPModel.from_pretrained(folder, local_files_only=True)
    return clip.vision_model.float().eval().requires_grad_(False)


def build_chat(settings: PortraitChatSettings, encoder: Any, vocabulary: int) -> Any:
    """Build a LLaVA model around an image encoder, with other weights fixed by the seed."""
    from transformers import LlamaConfig, LlavaConfig, LlavaForConditionalGeneration

    text = LlamaConfig(
        vocab_size=vocabulary,
        hidden_size=settings.width,
        intermediate_size=settings.inner,
        num_hidden_layers=settings.layers,
        num_attention_heads=settings.heads,
        max_position_embeddings=CONTEXT,
        bos_token_id=SPECIAL.index(BEGIN),
        eos_token_id=SPECIAL.index(END),
        pad_token_id=SPECIAL.index(PAD),
        tie_word_embeddings=True,
    )
    config = LlavaConfig(
        vision_config=encoder.config.to_dict(),
        text_config=text,
        image_token_index=SPECIAL.index(IMAGE),
        projector_hidden_act="gelu",
        vision_feature_select_strategy="full",
        vision_feature_layer=-1,
        image_seq_length=tokens_of(encoder.config),
        tie_word_embeddings=True,
    )
    with building(), torch.random.fork_rng():
        torch.manual_seed(settings.seed)
        network: Any = LlavaForConditionalGeneration(config)
    weights = {f"vision_model.{k}": v for k, v in encoder.state_dict().items()}
    tower = network.model.vision_tower
    names = set(tower.state_dict())
    weights = weights if set(weights) == names else encoder.state_dict()
    tower.load_state_dict(weights)
    tower.requires_grad_(False)
    return network


def tokens_of(vision: Any) -> int:
    """Return the tokens of a picture, the encoder's own included."""
    return int(vision.image_size // vision.patch_size) ** 2 + 1


def see(network: Any, images: Any) -> Features:
    """Return the image encoder's features of pictures, (pictures, tokens, width)."""
    out = []
    with torch.inference_mode():
        for at in range(0, len(images), _AT_ONCE):
            seen = network.model.vision_tower(
                as_seen(images[at : at + _AT_ONCE], network.device), output_hidden_states=True
            )
            out.append(seen.hidden_states[-1].half().cpu().numpy())
    return np.concatenate(out)


def states_after(network: Any, ids: torch.Tensor, features: torch.Tensor) -> torch.Tensor:
    """Return the language model's states (rows, tokens, width) of questions with pictures.

    Parameters
    ----------
    network : LlavaForConditionalGeneration
    ids : tensor of int64 (rows, tokens)
        With as many `IMAGE` tokens in each row as a picture has features; filled up at the end.
    features : tensor (rows, picture tokens, width of the encoder)
    """
    model = network.model
    embedded = model.get_input_embeddings()(ids)
    seen = model.multi_modal_projector(features)
    place = (ids == SPECIAL.index(IMAGE))[..., None]
    embedded = embedded.masked_scatter(place, seen.to(embedded.dtype))
    states: torch.Tensor = model.language_model(
        inputs_embeds=embedded, use_cache=False
    ).last_hidden_state
    return states
