"""Tiny multilingual language models: random weights, and a tokenizer trained on all frames."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cache
from typing import Any

import biaslab as bl
from biaslab.frames import FrameSet
from biaslab.subjects.language_model import LanguageModel
from harness.heavy import torch

SIZES: dict[str, Any] = {
    "hidden_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 24,
}


def all_sets() -> tuple[FrameSet, ...]:
    """The frames of every language: neutral ones, and both forms where there are two."""
    found = []
    for code in bl.frames.names():
        found += [bl.frames.get(code), bl.frames.get(code, cues="names")]
        if found[-1].language.has_gender:
            found.append(bl.frames.get(code, "both"))
    return tuple(found)


@cache
def texts() -> tuple[str, ...]:
    """Sentences of all languages with their cues."""
    return _filled(*all_sets())


def words_of(*sets: FrameSet) -> tuple[str, ...]:
    """Every word and mark of the sentences of some frames, cues included."""
    return tuple(dict.fromkeys(re.findall(r"\w+|[^\w\s]", " ".join(_filled(*sets)))))


def cue_words() -> tuple[str, ...]:
    """Every word of a cue."""
    cues = [cue for frames in all_sets() for pair in frames.cues for cue in pair]
    return tuple(dict.fromkeys(word for cue in cues for word in cue.split()))


def _filled(*sets: FrameSet) -> tuple[str, ...]:
    """Each sentence once, with the pairs of cues in turn."""
    return tuple(
        sentence.fill(*frames.cues[i % len(frames.cues)]).text
        for frames in sets
        for item in frames.items
        for i, sentence in enumerate(frames.sentences(item))
    )


def xlm_roberta() -> LanguageModel:
    """Pieces of a unigram model, as XLM-R has; spaces belong to the word that follows."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast, XLMRobertaConfig, XLMRobertaForMaskedLM

    tokenizer = Tokenizer(models.Unigram())
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    trainer = trainers.UnigramTrainer(
        vocab_size=3000, special_tokens=special, unk_token="<unk>", show_progress=False
    )
    tokenizer.train_from_iterator(texts(), trainer)
    # So little text leaves even frequent words in pieces; in a large one they are whole.
    state = json.loads(tokenizer.to_str())
    pieces = [f"\N{LOWER ONE EIGHTH BLOCK}{word}" for word in cue_words()]
    left = [entry for entry in state["model"]["vocab"] if entry[0] not in pieces]
    state["model"]["vocab"] = left + [[piece, -2.0] for piece in pieces]
    tokenizer = Tokenizer.from_str(json.dumps(state))
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, cls_token="<s>", sep_token="</s>", mask_token="<mask>",
        unk_token="<unk>", pad_token="<pad>",
    )  # fmt: skip
    config = XLMRobertaConfig(
        vocab_size=len(fast), **SIZES, max_position_embeddings=130, pad_token_id=1, bos_token_id=0,
        eos_token_id=2,
    )  # fmt: skip
    return _spread(XLMRobertaForMaskedLM(config), fast, "mlm")


def multilingual_bert() -> LanguageModel:
    """Cased word pieces, as mBERT has."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers
    from transformers import BertConfig, BertForMaskedLM, PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=False, strip_accents=False)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    trainer = trainers.WordPieceTrainer(
        vocab_size=4000, special_tokens=special, show_progress=False, min_frequency=1
    )
    tokenizer.train_from_iterator(texts(), trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, cls_token="[CLS]", sep_token="[SEP]", mask_token="[MASK]",
        unk_token="[UNK]", pad_token="[PAD]",
    )  # fmt: skip
    config = BertConfig(vocab_size=len(fast), **SIZES, max_position_embeddings=128)
    return _spread(BertForMaskedLM(config), fast, "mlm")


def multilingual_gpt() -> LanguageModel:
    """Byte pairs of all languages and a causal network, as mGPT and BLOOM have."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=1200, special_tokens=["<|endoftext|>"], show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )  # fmt: skip
    tokenizer.train_from_iterator(texts(), trainer)
    end = "<|endoftext|>"
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token=end, eos_token=end)
    config = GPT2Config(
        vocab_size=len(fast), n_embd=16, n_layer=2, n_head=2, n_positions=160, bos_token_id=0,
        eos_token_id=0,
    )  # fmt: skip
    return _spread(GPT2LMHeadModel(config), fast, "clm")


def _spread(model: Any, tokenizer: Any, kind: Any) -> LanguageModel:
    # Random weights hardly tell tokens apart: larger ones do.
    with torch.no_grad():
        for weight in model.parameters():
            if weight.ndim == 2:
                weight.mul_(8)
    return LanguageModel.of(model, tokenizer, kind=kind)


MODELS: dict[str, Callable[[], LanguageModel]] = {
    "xlm-roberta": xlm_roberta,
    "multilingual-bert": multilingual_bert,
    "multilingual-gpt": multilingual_gpt,
}


@cache
def tiny(name: str) -> LanguageModel:
    """One of `MODELS`, the same each time."""
    torch.manual_seed(0)
    return MODELS[name]()
