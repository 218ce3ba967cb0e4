"""Tiny language models of many kinds: random weights, and a tokenizer trained on the spot."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

TEXTS = [
    "The nurse is here, and the engineer isn't there.",
    "She is a person and he is a person; they are people.",
    "This is a woman, that is a man. Her work is good. His work is hard.",
    "Career, family, business, home, flower, insect.",
    "The old man thanked the young woman for the unbelievable science lesson.",
]
POSITIONS = 96
LM = tuple[Any, Any]


def bert() -> LM:
    """Word pieces, in lower case."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers
    from transformers import BertConfig, BertForMaskedLM

    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    trainer = trainers.WordPieceTrainer(
        vocab_size=110, special_tokens=special, show_progress=False, min_frequency=1
    )
    tokenizer.train_from_iterator(TEXTS, trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    fast = _fast(tokenizer, cls="[CLS]", sep="[SEP]", mask="[MASK]", unk="[UNK]", pad="[PAD]")
    return BertForMaskedLM(BertConfig(**_sizes(fast), max_position_embeddings=POSITIONS)), fast


def roberta() -> LM:
    """Byte pairs; positions begin after that of padding."""
    from tokenizers import processors
    from transformers import RobertaConfig, RobertaForMaskedLM

    tokenizer = _byte_pairs(["<s>", "<pad>", "</s>", "<unk>", "<mask>"])
    tokenizer.post_processor = processors.RobertaProcessing(
        ("</s>", 2), ("<s>", 0), add_prefix_space=False
    )
    fast = _fast(tokenizer, cls="<s>", sep="</s>", mask="<mask>", unk="<unk>", pad="<pad>")
    config = RobertaConfig(
        **_sizes(fast), max_position_embeddings=POSITIONS + 2, pad_token_id=1, bos_token_id=0,
        eos_token_id=2,
    )  # fmt: skip
    return RobertaForMaskedLM(config), fast


def deberta() -> LM:
    """Byte pairs and disentangled attention."""
    from transformers import DebertaConfig, DebertaForMaskedLM

    fast = _deberta_tokenizer()
    config = DebertaConfig(
        **_sizes(fast), max_position_embeddings=POSITIONS, relative_attention=True,
        pos_att_type=["c2p", "p2c"], max_relative_positions=-1, position_biased_input=False,
        type_vocab_size=0, pad_token_id=1,
    )  # fmt: skip
    return DebertaForMaskedLM(config), fast


def deberta_v2() -> LM:
    """Pieces of whole text between spaces, and disentangled attention in buckets."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers
    from transformers import DebertaV2Config, DebertaV2ForMaskedLM

    tokenizer = Tokenizer(models.Unigram())
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    special = ["[PAD]", "[CLS]", "[SEP]", "[UNK]", "[MASK]"]
    trainer = trainers.UnigramTrainer(
        vocab_size=110, special_tokens=special, unk_token="[UNK]", show_progress=False
    )
    tokenizer.train_from_iterator(TEXTS, trainer)
    ids = [(name, tokenizer.token_to_id(name)) for name in ("[CLS]", "[SEP]")]
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=ids
    )
    fast = _fast(tokenizer, cls="[CLS]", sep="[SEP]", mask="[MASK]", unk="[UNK]", pad="[PAD]")
    attention: dict[str, Any] = {
        "relative_attention": True,
        "pos_att_type": ["c2p", "p2c"],
        "position_buckets": 16,
        "norm_rel_ebd": "layer_norm",
        "share_att_key": True,
        "position_biased_input": False,
    }
    config = DebertaV2Config(
        **_sizes(fast), **attention, max_position_embeddings=POSITIONS, type_vocab_size=0
    )
    return DebertaV2ForMaskedLM(config), fast


def modernbert() -> LM:
    """Rotary positions, as the bundled masked model."""
    from transformers import ModernBertConfig, ModernBertForMaskedLM

    fast = _deberta_tokenizer()
    theta = {"rope_type": "default", "rope_theta": 10_000.0}
    config = ModernBertConfig(
        **_sizes(fast), max_position_embeddings=POSITIONS, pad_token_id=1, cls_token_id=0,
        sep_token_id=2, bos_token_id=0, eos_token_id=2, layer_types=["full_attention"] * 2,
        rope_parameters={"full_attention": theta, "sliding_attention": theta},
    )  # fmt: skip
    return ModernBertForMaskedLM(config), fast


def gpt2() -> LM:
    """Byte pairs; one token for end and beginning, none for padding."""
    from transformers import GPT2Config, GPT2LMHeadModel

    fast = _fast(_byte_pairs(["<|endoftext|>"]), bos="<|endoftext|>", eos="<|endoftext|>")
    config = GPT2Config(
        vocab_size=len(fast), n_embd=16, n_layer=2, n_head=2, n_positions=POSITIONS,
        bos_token_id=0, eos_token_id=0,
    )  # fmt: skip
    return GPT2LMHeadModel(config), fast


def llama() -> LM:
    """Byte pairs between spaces that fall back on bytes; its own token for the beginning."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers
    from transformers import LlamaConfig, LlamaForCausalLM

    tokenizer = Tokenizer(models.BPE(byte_fallback=True, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    special = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256))]
    trainer = trainers.BpeTrainer(vocab_size=360, special_tokens=special, show_progress=False)
    tokenizer.train_from_iterator(TEXTS, trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A", special_tokens=[("<s>", 1)]
    )
    fast = _fast(tokenizer, bos="<s>", eos="</s>", unk="<unk>")
    config = LlamaConfig(
        **_sizes(fast), num_key_value_heads=1, max_position_embeddings=POSITIONS, bos_token_id=1,
        eos_token_id=2,
    )  # fmt: skip
    return LlamaForCausalLM(config), fast


def falcon(alibi: bool = False) -> LM:
    """Byte pairs, and a token for the end only; rotary positions or none."""
    from transformers import FalconConfig, FalconForCausalLM

    fast = _fast(_byte_pairs(["<|endoftext|>"]), eos="<|endoftext|>")
    config = FalconConfig(
        vocab_size=len(fast), hidden_size=16, num_hidden_layers=2, num_attention_heads=2,
        max_position_embeddings=POSITIONS, alibi=alibi, bos_token_id=0, eos_token_id=0,
    )  # fmt: skip
    return FalconForCausalLM(config), fast


def biogpt(folder: Path) -> LM:
    """BioGPT's own tokenizer, in Python: Moses' words and byte pairs with an end of word.

    Parameters
    ----------
    folder : Path
        For its files.
    """
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers
    from transformers import BioGptConfig, BioGptForCausalLM, BioGptTokenizer

    trained = Tokenizer(models.BPE(unk_token="<unk>", end_of_word_suffix="</w>"))
    trained.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    trainer = trainers.BpeTrainer(
        vocab_size=150, special_tokens=["<s>", "<pad>", "</s>", "<unk>"],
        end_of_word_suffix="</w>", show_progress=False,
    )  # fmt: skip
    escaped = [text.replace(",", " ,").replace(".", " .").replace("'", " &apos;") for text in TEXTS]
    trained.train_from_iterator(escaped, trainer)
    model = json.loads(trained.to_str())["model"]
    (folder / "vocab.json").write_text(json.dumps(model["vocab"]))
    merges = "".join(f"{' '.join(pair)}\n" for pair in model["merges"])
    (folder / "merges.txt").write_text(merges)
    tokenizer = BioGptTokenizer(str(folder / "vocab.json"), str(folder / "merges.txt"))
    config = BioGptConfig(**_sizes(tokenizer), max_position_embeddings=POSITIONS, layerdrop=0.0)
    return BioGptForCausalLM(config), tokenizer


MASKED: dict[str, Callable[[], LM]] = {
    "bert": bert,
    "roberta": roberta,
    "deberta": deberta,
    "deberta-v2": deberta_v2,
    "modernbert": modernbert,
}
CAUSAL: dict[str, Callable[[], LM]] = {
    "gpt2": gpt2,
    "llama": llama,
    "falcon": falcon,
    "falcon-alibi": lambda: falcon(alibi=True),
}


def tokenizer_of(special: list[str], **named: str) -> Any:
    """Return a tokenizer of byte pairs with special tokens, such as ``eos="</s>"``."""
    return _fast(_byte_pairs(special), **named)


def _sizes(tokenizer: Any) -> dict[str, Any]:
    return {
        "vocab_size": len(tokenizer),
        "hidden_size": 16,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "intermediate_size": 24,
    }


def _deberta_tokenizer() -> Any:
    from tokenizers import processors

    tokenizer = _byte_pairs(["[CLS]", "[PAD]", "[SEP]", "[UNK]", "[MASK]"])
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 0), ("[SEP]", 2)]
    )
    return _fast(tokenizer, cls="[CLS]", sep="[SEP]", mask="[MASK]", unk="[UNK]", pad="[PAD]")


def _byte_pairs(special: list[str]) -> Any:
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.BpeTrainer(
        vocab_size=340,
        special_tokens=special,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(TEXTS, trainer)
    return tokenizer


def _fast(tokenizer: Any, **special: str) -> Any:
    from transformers import PreTrainedTokenizerFast

    named = {f"{name}_token": token for name, token in special.items()}
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, **named)
