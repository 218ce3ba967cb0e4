"""Small language models with random weights and a tokenizer trained on the spot."""

from __future__ import annotations

from typing import Any

from harness.tiny_parts import SIZES, byte_pairs, fast, network, of_bert

TEXTS = [
    "the nurse is here and the engineer is there",
    "she is a person and he is a person",
    "this is a woman that is a man",
    "career family business home flower insect",
]
WORDS = sorted({word for text in TEXTS for word in text.split()})
WHOLE_WORDS = sorted({*WORDS[::2], "is", "person", "the"})
"""Known whole to `bert`, which takes the others to pieces."""


def bert(seed: int = 0, layers: int = 2) -> tuple[Any, Any]:
    """A masked language model's encoder, with word pieces, and its tokenizer.

    Weights are large, so that the vector of a sentence depends on its words by more than rounding.
    """
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers

    # Not trained: the trainer numbers pieces differently in each process.
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    letters = sorted(set("".join(WORDS)))
    pieces = [*special, *letters, *(f"##{letter}" for letter in letters), *WHOLE_WORDS]
    vocabulary = {piece: number for number, piece in enumerate(dict.fromkeys(pieces))}
    raw = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    raw.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer = of_bert(raw)
    torch.manual_seed(seed)
    model = network(
        "BertModel", vocab_size=len(tokenizer), **{**SIZES, "num_hidden_layers": layers},
        max_position_embeddings=40, initializer_range=0.4,
    )  # fmt: skip
    return model, tokenizer


def gpt(seed: int = 0) -> tuple[Any, Any]:
    """A causal language model's body, with byte pairs and no token for padding."""
    import torch

    tokenizer = fast(byte_pairs(TEXTS, 320, ["<end>"]), eos="<end>")
    torch.manual_seed(seed)
    model = network(
        "GPT2Model", vocab_size=len(tokenizer), n_embd=16, n_layer=2, n_head=2, n_positions=40,
        bos_token_id=0, eos_token_id=0,
    )  # fmt: skip
    return model, tokenizer
