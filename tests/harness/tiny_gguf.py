"""A tiny GGUF file, written with the package gguf."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

WIDTH, HEADS, INNER, LAYERS = 32, 2, 64, 2
CHAT = (
    "{% for m in messages %}({{ m['role'] }}){{ m['content'] }}<|end|>{% endfor %}"
    "{% if add_generation_prompt %}(assistant){% endif %}"
)
"""A template whose answers end where the model stops."""


def write(
    path: Path,
    *,
    architecture: str = "llama",
    quantization: str = "Q4_1",
    chat: str = "",
    change: Callable[[Any], None] | None = None,
) -> Path:
    """Write a causal model of random weights whose tokens are bytes and a few words.

    - `change`: called with the writer before it writes.
    """
    gguf: Any = importlib.import_module("gguf")
    spelling = _spelling()
    words = [("h", "e"), ("s", "he"), ("\u0120", "she"), ("\u0120", "he")]
    tokens = ["<|begin|>", "<|end|>", *spelling, *("".join(pair) for pair in words)]
    writer = gguf.GGUFWriter(path, architecture)
    writer.add_file_type(gguf.LlamaFileType[f"MOSTLY_{quantization}"])
    writer.add_context_length(4096)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(INNER)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_freq_base(10_000.0)
    writer.add_tokenizer_model("gpt2")
    writer.add_token_list(tokens)
    writer.add_token_types([3, 3] + [1] * (len(tokens) - 2))
    writer.add_token_merges([" ".join(pair) for pair in words])
    writer.add_bos_token_id(0)
    writer.add_eos_token_id(1)
    if chat:
        writer.add_chat_template(chat)
    kind = gguf.GGMLQuantizationType[quantization]
    rng = np.random.default_rng(1)

    def add(name: str, *shape: int) -> None:
        if len(shape) == 1:
            writer.add_tensor(name, np.ones(shape, dtype=np.float32))
            return
        values = rng.normal(0, 0.3, shape).astype(np.float32)
        writer.add_tensor(name, gguf.quantize(values, kind), raw_dtype=kind)

    add("token_embd.weight", len(tokens), WIDTH)
    for layer in range(LAYERS):
        for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
            add(f"blk.{layer}.{name}.weight", WIDTH, WIDTH)
        add(f"blk.{layer}.ffn_gate.weight", INNER, WIDTH)
        add(f"blk.{layer}.ffn_up.weight", INNER, WIDTH)
        add(f"blk.{layer}.ffn_down.weight", WIDTH, INNER)
        add(f"blk.{layer}.attn_norm.weight", WIDTH)
        add(f"blk.{layer}.ffn_norm.weight", WIDTH)
    add("output_norm.weight", WIDTH)
    if change is not None:
        change(writer)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def _spelling() -> list[str]:
    """Return the characters that stand for the 256 bytes in tokens like those of GPT-2."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    return [chr(byte) for byte in plain] + [chr(256 + n) for n in range(256 - len(plain))]
