"""Tiny GPT-2 models with known layers: random blocks, and a lean that one block makes of blends."""

from __future__ import annotations

from typing import Any

import numpy as np

from biaslab.subjects.language_model.model import LanguageModel
from harness.heavy import torch
from harness.tiny_parts import fast, network, whole_words

WIDTH = 32
FRAMES = tuple(
    f"{begin} {{stimulus}} {verb} a {{item}} {end} {{answer}}"
    for begin, verb, end in (
        ("The", "is", "and"), ("One", "was", "by"), ("This", "became", "for"),
        ("That", "met", "so"), ("Old", "saw", "near"), ("Our", "calls", "with"),
        ("Late", "paid", "or"), ("Here", "heard", "as"),
    )
)  # fmt: skip
ITEMS = ("nurse", "clerk", "pilot", "smith", "cook", "judge")


def gpt2(
    seed: int,
    *,
    blocks: int = 4,
    plant: int | None = None,
    push: float = 0.0,
    constant: float = 0.0,
) -> LanguageModel:
    """A causal model with a word per token whose answers follow the blend of she and he.

    Weights are random and small. One attention, in a block that the seed draws, copies how much of
    he a text holds to all later places, and the head reads it there.

    Parameters
    ----------
    plant : int, optional
        Number of the block, from 1, that is edited.
    push : float
        A rank-one term of its MLP that fires for he only. The last norm's bias then balances the
        answers to the two pure cues, so that the model leans to she for blends alone.
    constant : float
        What the same block adds toward she whatever the text: a lean without a place.
    """
    texts = " ".join(FRAMES).replace("{stimulus}", "she").replace("{item}", "an")
    words = ["[UNK]", "[BOS]", "she", "he", *ITEMS, *texts.replace("{answer}", "").split()]
    tokenizer = fast(whole_words(words, "[UNK]"), unk="[UNK]", bos="[BOS]", pad="[UNK]")
    tokens = tokenizer.get_vocab()
    model = network(
        "GPT2LMHeadModel", vocab_size=len(tokens), n_embd=WIDTH, n_layer=blocks, n_head=1,
        n_positions=32, bos_token_id=1, eos_token_id=None,
    ).double()  # fmt: skip
    rng = np.random.default_rng(seed)
    with torch.no_grad():
        for name, weight in sorted(model.named_parameters()):
            if weight.ndim == 2:
                values = rng.standard_normal(tuple(weight.shape))
                weight.copy_(torch.from_numpy((0.5 if "wte" in name else 0.05) * values))
        axis = torch.zeros(WIDTH, dtype=torch.float64)
        axis[0], axis[1] = 0.5**0.5, -(0.5**0.5)  # its mean is 0, so that norms leave it
        table = model.transformer.wte.weight
        for weight in (table, model.transformer.wpe.weight):
            weight -= (weight @ axis)[:, None] * axis
        middle = (table[tokens["she"]] + table[tokens["he"]]) / 2
        table[tokens["she"]], table[tokens["he"]] = middle - axis, middle + axis
        # Random blocks neither write nor move the axis, so that the answer is known.
        for block in model.transformer.h:
            for weight in (block.attn.c_proj.weight, block.mlp.c_proj.weight):
                weight -= (weight @ axis)[:, None] * axis
        attention = model.transformer.h[int(rng.integers(blocks))].attn
        attention.c_attn.weight[:, : 2 * WIDTH] = 0  # it looks at all places alike
        attention.c_attn.weight[:, 2 * WIDTH :] = torch.outer(axis, axis)
        attention.c_proj.weight.copy_(6 * torch.outer(axis, axis))
        if plant is not None:
            mlp = model.transformer.h[plant - 1].mlp
            mlp.c_fc.weight[:, 0] = 10 * axis
            mlp.c_proj.weight[0] = push * axis
            mlp.c_proj.bias -= constant * axis
    if push:
        _balance(LanguageModel.of(model, tokenizer, kind="clm"), axis)
    return LanguageModel.of(model, tokenizer, kind="clm", name=f"tiny GPT-2 {seed}")


def _balance(lm: LanguageModel, axis: Any) -> None:
    """Move the output so that the answers to the pure cues are even in the mean."""
    table = lm.model.get_output_embeddings().weight.detach()
    tokens = lm.tokenizer.get_vocab()
    found = []
    for frame in FRAMES:
        for cue in ("she", "he"):
            text = frame.replace("{stimulus}", cue).replace("{item}", ITEMS[0])
            ids = lm.tokenize(text.replace(" {answer}", "")).ids
            with torch.no_grad():
                logits = lm.model(input_ids=torch.from_numpy(ids)[None]).logits[0, -1]
            found.append(float(logits[tokens["he"]] - logits[tokens["she"]]))
    gain = float((table[tokens["he"]] - table[tokens["she"]]) @ axis)
    lm.model.transformer.ln_f.bias.data -= np.mean(found) / gain * axis
