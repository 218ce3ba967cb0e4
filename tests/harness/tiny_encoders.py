"""Small language models with random weights and a tokenizer trained on the spot."""

from __future__ import annotations

from typing import Any

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
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    # Not trained: the trainer numbers pieces differently in each process.
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    letters = sorted(set("".join(WORDS)))
    pieces = [*special, *letters, *(f"##{letter}" for letter in letters), *WHOLE_WORDS]
    vocabulary = {piece: number for number, piece in enumerate(dict.fromkeys(pieces))}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        special_tokens=[(name, tokenizer.token_to_id(name)) for name in ("[CLS]", "[SEP]")],
    )
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, unk_token="[UNK]", pad_token="[PAD]", cls_token="[CLS]",
        sep_token="[SEP]", mask_token="[MASK]",
    )  # fmt: skip
    torch.manual_seed(seed)
    config = BertConfig(
        vocab_size=len(fast), hidden_size=16, num_hidden_layers=layers, num_attention_heads=2,
        intermediate_size=24, max_position_embeddings=40, initializer_range=0.4,
    )  # fmt: skip
    return BertModel(config), fast


def gpt(seed: int = 0) -> tuple[Any, Any]:
    """A causal language model's body, with byte pairs and no token for padding."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers
    from transformers import GPT2Config, GPT2Model, PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.BpeTrainer(
        vocab_size=320,
        special_tokens=["<end>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(TEXTS, trainer)
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<end>")
    torch.manual_seed(seed)
    config = GPT2Config(
        vocab_size=len(fast), n_embd=16, n_layer=2, n_head=2, n_positions=40, bos_token_id=0,
        eos_token_id=0,
    )  # fmt: skip
    return GPT2Model(config), fast
