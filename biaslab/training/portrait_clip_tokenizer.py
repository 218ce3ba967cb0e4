"""Tokenizer and image processor of portrait-clip, in transformers' format."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biaslab.atomic import write_atomically

if TYPE_CHECKING:
    from tokenizers import Tokenizer

PAD, START, UNKNOWN, END = "<pad>", "<start>", "<unknown>", "<end>"
SPECIAL = (PAD, START, UNKNOWN, END)
"""In the order of their ids. END is not 2: transformers reads that id of a CLIP model otherwise."""
CONTEXT = 24
"""Longest text in tokens, both ends counted."""
MEAN, DEVIATION = (0.6, 0.55, 0.52), (0.28, 0.28, 0.28)
"""Approximate moments of portraits' colours, which normalise the network's input."""


def make_tokenizer(words: Sequence[str]) -> Tokenizer:
    """Return a tokenizer of whole lower-case words; others are `UNKNOWN`."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers
    from tokenizers.processors import TemplateProcessing

    ids = {word: i for i, word in enumerate([*SPECIAL, *words])}
    tokenizer = Tokenizer(models.WordLevel(ids, unk_token=UNKNOWN))
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Lowercase()])
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = TemplateProcessing(
        single=f"{START} $A {END}",
        special_tokens=[(token, ids[token]) for token in (START, END)],
    )
    return tokenizer


def write_processor(tokenizer: Tokenizer, size: int, folder: Path) -> None:
    """Write tokenizer and image processor as ``AutoProcessor`` opens them, offline."""
    text = json.dumps(json.loads(tokenizer.to_str()), ensure_ascii=False, separators=(",", ":"))
    write_atomically(folder / "tokenizer.json", text)
    config: dict[str, Any] = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "model_max_length": CONTEXT,
        "model_input_names": ["input_ids", "attention_mask"],
        "clean_up_tokenization_spaces": False,
        "bos_token": START,
        "eos_token": END,
        "pad_token": PAD,
        "unk_token": UNKNOWN,
        "processor_class": "CLIPProcessor",
    }
    write_atomically(folder / "tokenizer_config.json", json.dumps(config, indent=1) + "\n")
    write_image_processor(size, "CLIPProcessor", folder)


def write_image_processor(size: int, processor: str, folder: Path) -> None:
    """Write the image processor of drawn portraits.

    Parameters
    ----------
    size : int
        Width of the network's pictures in pixels.
    processor : str
        Class of transformers that it is part of.
    folder : Path
    """
    images = {
        "image_processor_type": "CLIPImageProcessor",
        "processor_class": processor,
        "do_convert_rgb": True,
        "do_resize": True,
        "size": {"shortest_edge": size},
        "resample": 3,  # bicubic
        "do_center_crop": True,
        "crop_size": {"height": size, "width": size},
        "do_rescale": True,
        "rescale_factor": 1 / 255,
        "do_normalize": True,
        "image_mean": list(MEAN),
        "image_std": list(DEVIATION),
    }
    write_atomically(folder / "preprocessor_config.json", json.dumps(images, indent=1) + "\n")
