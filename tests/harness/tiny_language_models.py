"""Tiny language models of many kinds: random weights, and a tokenizer trained on the spot."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from harness.tiny_parts import (
    SIZES,
    byte_pairs,
    fast,
    network,
    of_bert,
    unigrams,
    whole_words,
    word_pieces,
)

TEXTS = [
    "The nurse is here, and the engineer isn't there.",
    "She is a person and he is a person; they are people.",
    "This is a woman, that is a man. Her work is good. His work is hard.",
    "Career, family, business, home, flower, insect.",
    "The old man thanked the young woman for the unbelievable science lesson.",
]
POSITIONS = 96
LM = tuple[Any, Any]
_ROTARY = {"rope_type": "default", "rope_theta": 10_000.0}


def _lm(name: str, tokenizer: Any, **config: Any) -> LM:
    sizes = {**SIZES, "max_position_embeddings": POSITIONS}
    return network(name, vocab_size=len(tokenizer), **{**sizes, **config}), tokenizer


def tokenizer_of(special: list[str], around: str = "", **named: str) -> Any:
    """Return a tokenizer of byte pairs with special tokens, such as ``eos="</s>"``."""
    return fast(byte_pairs(TEXTS, 340, special), around, **named)


def bert() -> LM:
    """Word pieces, in lower case."""
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    return _lm("BertForMaskedLM", of_bert(word_pieces(TEXTS, 110, special, lowercase=True)))


def roberta() -> LM:
    """Byte pairs; positions begin after that of padding."""
    from tokenizers import processors

    raw = byte_pairs(TEXTS, 340, ["<s>", "<pad>", "</s>", "<unk>", "<mask>"])
    raw.post_processor = processors.RobertaProcessing(
        ("</s>", 2), ("<s>", 0), add_prefix_space=False
    )
    return _lm(
        "RobertaForMaskedLM",
        fast(raw, cls="<s>", sep="</s>", mask="<mask>", unk="<unk>", pad="<pad>"),
        max_position_embeddings=POSITIONS + 2, pad_token_id=1, bos_token_id=0, eos_token_id=2,
    )  # fmt: skip


def _bert_of_byte_pairs() -> Any:
    return of_bert(byte_pairs(TEXTS, 340, ["[CLS]", "[PAD]", "[SEP]", "[UNK]", "[MASK]"]))


def deberta() -> LM:
    """Byte pairs and disentangled attention."""
    return _lm(
        "DebertaForMaskedLM", _bert_of_byte_pairs(), relative_attention=True,
        pos_att_type=["c2p", "p2c"], max_relative_positions=-1, position_biased_input=False,
        type_vocab_size=0, pad_token_id=1,
    )  # fmt: skip


def deberta_v2() -> LM:
    """Pieces of whole text between spaces, and disentangled attention in buckets."""
    special = ["[PAD]", "[CLS]", "[SEP]", "[UNK]", "[MASK]"]
    return _lm(
        "DebertaV2ForMaskedLM", of_bert(unigrams(TEXTS, 110, special, "[UNK]")),
        relative_attention=True, pos_att_type=["c2p", "p2c"], position_buckets=16,
        norm_rel_ebd="layer_norm", share_att_key=True, position_biased_input=False,
        type_vocab_size=0,
    )  # fmt: skip


def modernbert() -> LM:
    """Rotary positions, as the bundled masked model."""
    return _lm(
        "ModernBertForMaskedLM", _bert_of_byte_pairs(), pad_token_id=1, cls_token_id=0,
        sep_token_id=2, bos_token_id=0, eos_token_id=2, layer_types=["full_attention"] * 2,
        rope_parameters={"full_attention": _ROTARY, "sliding_attention": _ROTARY},
    )  # fmt: skip


def gpt2() -> LM:
    """Byte pairs; one token for end and beginning, none for padding."""
    tokenizer = tokenizer_of(["<|endoftext|>"], bos="<|endoftext|>", eos="<|endoftext|>")
    model = network(
        "GPT2LMHeadModel", vocab_size=len(tokenizer), n_embd=16, n_layer=2, n_head=2,
        n_positions=POSITIONS, bos_token_id=0, eos_token_id=0,
    )  # fmt: skip
    return model, tokenizer


def llama() -> LM:
    """Byte pairs between spaces that fall back on bytes; its own token for the beginning."""
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    raw = Tokenizer(models.BPE(byte_fallback=True, unk_token="<unk>"))
    raw.pre_tokenizer = pre_tokenizers.Metaspace()
    special = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256))]
    trainer = trainers.BpeTrainer(vocab_size=360, special_tokens=special, show_progress=False)
    raw.train_from_iterator(TEXTS, trainer)
    return _lm(
        "LlamaForCausalLM", fast(raw, "<s> $A", bos="<s>", eos="</s>", unk="<unk>"),
        num_key_value_heads=1, bos_token_id=1, eos_token_id=2,
    )  # fmt: skip


def falcon(alibi: bool = False) -> LM:
    """Byte pairs, and a token for the end only; rotary positions or none."""
    tokenizer = tokenizer_of(["<|endoftext|>"], eos="<|endoftext|>")
    model = network(
        "FalconForCausalLM", vocab_size=len(tokenizer), hidden_size=16, num_hidden_layers=2,
        num_attention_heads=2, max_position_embeddings=POSITIONS, alibi=alibi, bos_token_id=0,
        eos_token_id=0,
    )  # fmt: skip
    return model, tokenizer


def few_words(positions: int) -> LM:
    """A causal model of so few words that they come out in no order."""
    words = ["<s>", "<pad>", "The", "man", "woman", "likes", "math", "and", "poetry", ".", "male"]
    tokenizer = fast(whole_words(words, "<s>"), bos="<s>", eos="<s>", pad="<pad>", unk="<s>")
    model = network(
        "GPT2LMHeadModel", vocab_size=len(words), n_positions=positions, n_embd=16, n_layer=1,
        n_head=2, bos_token_id=0, eos_token_id=0, pad_token_id=1,
    )  # fmt: skip
    return model, tokenizer


def biogpt(folder: Path) -> LM:
    """BioGPT's own tokenizer, in Python: Moses' words and byte pairs with an end of word.

    Parameters
    ----------
    folder : Path
        For its files.
    """
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers
    from transformers import BioGptTokenizer

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
    return _lm("BioGptForCausalLM", tokenizer, layerdrop=0.0)


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
