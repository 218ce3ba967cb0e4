"""Tiny multilingual language models: random weights, and a tokenizer trained on all frames."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cache

import biaslab as bl
from biaslab.frames import FrameSet
from biaslab.subjects.language_model.model import LanguageModel
from harness.heavy import torch
from harness.tiny_parts import (
    SIZES,
    byte_pairs,
    fast,
    network,
    of_bert,
    spread,
    unigrams,
    word_pieces,
)  # fmt: skip


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
    from tokenizers import Tokenizer

    raw = unigrams(texts(), 3000, ["<s>", "<pad>", "</s>", "<unk>", "<mask>"], "<unk>")
    # So little text leaves even frequent words in pieces; in a large one they are whole.
    state = json.loads(raw.to_str())
    pieces = [f"\N{LOWER ONE EIGHTH BLOCK}{word}" for word in cue_words()]
    left = [entry for entry in state["model"]["vocab"] if entry[0] not in pieces]
    state["model"]["vocab"] = left + [[piece, -2.0] for piece in pieces]
    raw = Tokenizer.from_str(json.dumps(state))
    tokenizer = of_bert(raw, "<s>", "</s>", mask="<mask>", unk="<unk>", pad="<pad>")
    model = network(
        "XLMRobertaForMaskedLM", vocab_size=len(tokenizer), **SIZES, max_position_embeddings=130,
        pad_token_id=1, bos_token_id=0, eos_token_id=2,
    )  # fmt: skip
    return LanguageModel.of(spread(model, 8), tokenizer, kind="mlm")


def multilingual_bert() -> LanguageModel:
    """Cased word pieces, as mBERT has."""
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    tokenizer = of_bert(word_pieces(texts(), 4000, special, lowercase=False, strip_accents=False))
    model = network(
        "BertForMaskedLM", vocab_size=len(tokenizer), **SIZES, max_position_embeddings=128
    )
    return LanguageModel.of(spread(model, 8), tokenizer, kind="mlm")


def multilingual_gpt() -> LanguageModel:
    """Byte pairs of all languages and a causal network, as mGPT and BLOOM have."""
    from tokenizers import decoders

    end = "<|endoftext|>"
    raw = byte_pairs(texts(), 1200, [end])
    raw.decoder = decoders.ByteLevel()
    tokenizer = fast(raw, bos=end, eos=end)
    model = network(
        "GPT2LMHeadModel", vocab_size=len(tokenizer), n_embd=16, n_layer=2, n_head=2,
        n_positions=160, bos_token_id=0, eos_token_id=0,
    )  # fmt: skip
    return LanguageModel.of(spread(model, 8), tokenizer, kind="clm")


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
