"""Language models whose answers to a blend of two cues are known: logistic curves by design."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from biaslab.probes.psychometrics.frames import shipped_frames
from biaslab.subjects.language_model.model import LanguageModel, LanguageModelKind
from harness.heavy import torch
from harness.tiny_parts import fast, of_bert, whole_words

_TEXT = """
she he woman man Last now and works as a an the is was here said that nurse engineer teacher
one two three four five six seven eight nine ten . ,
"""
WORDS = tuple(_TEXT.split())
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


def all_frames() -> tuple[str, ...]:
    """Every word of the shipped frames."""
    texts = [
        frame.text
        for pair in (("she", "he"), ("woman", "man"), ("her", "him"), ("hers", "his"))
        for item in ("nurse", "algebra", "loyal", "love")
        for frame in shipped_frames(item, *pair)
    ]
    return tuple(dict.fromkeys(re.findall(r"\w+|[^\w\s]", " ".join(texts))))


def planted(
    adds: Mapping[str, float],
    noise: float,
    kind: LanguageModelKind = "clm",
    words: Sequence[str] = (),
    pairs: Sequence[tuple[str, str]] = (("she", "he"), ("woman", "man")),
) -> LanguageModel:
    """A language model with a planted truth; one token per word, of ``words`` and a few more."""
    from harness.planted_network import PlantedNetwork

    raw = whole_words([*SPECIAL, *WORDS, *words], "[UNK]")
    tokenizer = of_bert(raw) if kind == "mlm" else fast(raw, unk="[UNK]", pad="[PAD]", bos="[CLS]")
    network = PlantedNetwork(tokenizer.get_vocab(), adds, noise, kind == "clm", pairs)
    return LanguageModel(network, tokenizer, kind=kind, name=f"planted {kind}")


def planted_folder(folder: Path, adds: Mapping[str, float], noise: float) -> Path:
    """A causal model in Hugging Face's format whose PSE is nearly that which is planted.

    One layer of Llama looks at all tokens alike and adds up what they hold, of which the head reads
    the answer; norms bend that by some thousandths.

    Parameters
    ----------
    adds : mapping of str to float
        What words add to `PlantedNetwork`; ``she`` and ``woman`` add 0, ``he`` and ``man`` 1.
    noise : float
        Scale of the curve in a frame with 20 tokens before the answer.
    """
    from transformers import LlamaConfig, LlamaForCausalLM

    lm = planted({}, 1.0, words=all_frames())
    tokens = lm.tokenizer.get_vocab()
    config = LlamaConfig(
        vocab_size=len(tokens), hidden_size=4, num_hidden_layers=1, num_attention_heads=1,
        num_key_value_heads=1, intermediate_size=4, max_position_embeddings=200,
        tie_word_embeddings=False, bos_token_id=tokens["[CLS]"], eos_token_id=None,
        pad_token_id=tokens["[PAD]"],
    )  # fmt: skip
    model: Any = LlamaForCausalLM(config)
    with torch.no_grad():
        for weight in model.parameters():
            if weight.ndim == 2:
                weight.zero_()
        table = model.get_input_embeddings().weight
        table[:, 1] = 20.0
        for word, value in {"he": 1.0, "man": 1.0, **adds}.items():
            table[tokens[word], 0] = value
        layer = model.model.layers[0].self_attn
        layer.v_proj.weight[0, 0] = layer.o_proj.weight[0, 0] = 1.0
        head = model.get_output_embeddings().weight
        # A token adds 1/20 of 1/10 to the mean of values, and the last norm divides by 10.
        scale = 20 * 10 * 10 / noise / 2
        for first, second in (("she", "he"), ("woman", "man")):
            head[tokens[first], 0], head[tokens[second], 0] = -scale, scale
    model.save_pretrained(folder)
    lm.tokenizer.save_pretrained(folder)
    return folder
