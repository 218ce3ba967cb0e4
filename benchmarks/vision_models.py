"""A CLIP model of the size of ViT-B/32 with random weights, for the measurements of images.

Time does not depend on what the weights are.
"""

from __future__ import annotations

from typing import Any

from biaslab.subjects import VisionLanguageModel
from harness.tiny_vision_language import word_pieces

NAME = "CLIP of the size of ViT-B/32"
LONGEST = 77


def vit_b(device: str, layers: int = 12) -> VisionLanguageModel:
    """The model, in float32 on a CPU and in float16 on a GPU.

    Parameters
    ----------
    device : str
        Where it runs.
    layers : int
        Of both towers: fewer for a test.
    """
    import torch
    import transformers

    tokenizer = word_pieces(LONGEST)
    config = transformers.CLIPConfig(
        text_config={
            "vocab_size": 49_408, "num_hidden_layers": layers, "max_position_embeddings": LONGEST,
            "bos_token_id": tokenizer.cls_token_id, "eos_token_id": tokenizer.sep_token_id,
            "pad_token_id": tokenizer.pad_token_id,
        },
        vision_config={"num_hidden_layers": layers},
    )  # fmt: skip
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        model: Any = transformers.CLIPModel(config)
    if device != "cpu":
        model = model.half()
    kinds: Any = transformers
    images = getattr(kinds, "CLIPImageProcessorPil", None) or kinds.CLIPImageProcessor
    processor = kinds.CLIPProcessor(image_processor=images(), tokenizer=tokenizer)
    return VisionLanguageModel.of(model, processor, device=device, name=NAME)
