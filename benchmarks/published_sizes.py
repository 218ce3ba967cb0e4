"""Published configurations of the named checkpoints, as arguments of transformers' classes."""

from __future__ import annotations

from typing import Any, Final


def _sizes(
    width: int, layers: int, heads: int, inner: int, words: int, **more: Any
) -> dict[str, Any]:
    return {
        "hidden_size": width, "num_hidden_layers": layers, "num_attention_heads": heads,
        "intermediate_size": inner, "vocab_size": words, **more,
    }  # fmt: skip


def _grouped(
    width: int, layers: int, heads: int, inner: int, words: int, groups: int, **more: Any
) -> dict[str, Any]:
    more = {"num_key_value_heads": groups, "tie_word_embeddings": False, **more}
    return _sizes(width, layers, heads, inner, words, **more)


_EMBEDDED = {"tie_word_embeddings": True}

PUBLISHED: Final[dict[str, dict[str, Any]]] = {
    "openai-community/gpt2": {},
    "facebook/opt-1.3b": {
        "hidden_size": 2_048, "num_hidden_layers": 24, "num_attention_heads": 32,
        "ffn_dim": 8_192, "vocab_size": 50_272, "word_embed_proj_dim": 2_048,
    },
    "EleutherAI/pythia-1b": _sizes(2_048, 16, 8, 8_192, 50_304, tie_word_embeddings=False),
    "bigscience/bloom-1b1": {"hidden_size": 1_536, "n_layer": 24, "n_head": 16,
                             "vocab_size": 250_880},
    "tiiuae/falcon-7b": {"hidden_size": 4_544, "num_hidden_layers": 32, "num_attention_heads": 71,
                         "vocab_size": 65_024},
    "meta-llama/Llama-3.1-8B": _grouped(4_096, 32, 32, 14_336, 128_256, 8),
    "mistralai/Mistral-7B-v0.3": _grouped(4_096, 32, 32, 14_336, 32_768, 8),
    "mistralai/Mixtral-8x7B-v0.1": _grouped(
        4_096, 32, 32, 14_336, 32_000, 8, num_local_experts=8, num_experts_per_tok=2
    ),
    "Qwen/Qwen2.5-7B": _grouped(3_584, 28, 28, 18_944, 152_064, 4),
    "Qwen/Qwen3-8B": _grouped(4_096, 36, 32, 12_288, 151_936, 8, head_dim=128),
    "Qwen/Qwen3-30B-A3B": _grouped(
        2_048, 48, 32, 6_144, 151_936, 4, head_dim=128, moe_intermediate_size=768,
        num_experts=128, num_experts_per_tok=8, decoder_sparse_step=1,
    ),
    "google/gemma-2-2b": _grouped(2_304, 26, 8, 9_216, 256_000, 4, head_dim=256, **_EMBEDDED),
    "google/gemma-3-4b-pt": {
        "text_config": _grouped(2_560, 34, 8, 10_240, 262_208, 4, head_dim=256, **_EMBEDDED),
        "vision_config": {"hidden_size": 1_152, "num_hidden_layers": 27,
                          "num_attention_heads": 16, "intermediate_size": 4_304,
                          "image_size": 896, "patch_size": 14, "vision_use_head": False},
    },
    "microsoft/Phi-3-mini-4k-instruct": _grouped(3_072, 32, 32, 8_192, 32_064, 32),
    "allenai/OLMo-2-1124-7B": _grouped(4_096, 32, 32, 11_008, 100_352, 32),
    "ibm-granite/granite-3.3-2b-base": _grouped(2_048, 40, 32, 8_192, 49_152, 8, **_EMBEDDED),
    "openai/gpt-oss-20b": _grouped(
        2_880, 24, 64, 2_880, 201_088, 8, head_dim=64, num_local_experts=32, num_experts_per_tok=4
    ),
    "HuggingFaceTB/SmolLM3-3B": _grouped(2_048, 36, 16, 11_008, 128_256, 4, **_EMBEDDED),
    "LiquidAI/LFM2-1.2B": _grouped(
        2_048, 16, 32, 12_288, 65_536, 8, full_attn_idxs=[2, 5, 8, 10, 12, 14], **_EMBEDDED
    ),
    "state-spaces/mamba-1.4b-hf": {
        "hidden_size": 2_048, "num_hidden_layers": 48, "vocab_size": 50_280, "state_size": 16,
        "time_step_rank": 128, "intermediate_size": 4_096,
    },
    "AntonV/mamba2-1.3b-hf": {
        "hidden_size": 2_048, "num_hidden_layers": 48, "vocab_size": 50_288, "state_size": 128,
        "num_heads": 64, "head_dim": 64, "n_groups": 1, "tie_word_embeddings": True,
    },
    "tiiuae/falcon-mamba-7b": {
        "hidden_size": 4_096, "num_hidden_layers": 64, "vocab_size": 65_024, "state_size": 16,
        "time_step_rank": 256, "intermediate_size": 8_192, "tie_word_embeddings": False,
    },
    "RWKV/rwkv-4-1b5-pile": {"hidden_size": 2_048, "num_hidden_layers": 24, "vocab_size": 50_277,
                             "context_length": 1_024},
    "NX-AI/xLSTM-7b": {"hidden_size": 4_096, "num_blocks": 32, "num_heads": 8,
                       "vocab_size": 50_304},
    "google-bert/bert-base-uncased": {},
    "FacebookAI/roberta-base": {"vocab_size": 50_265, "max_position_embeddings": 514,
                                "type_vocab_size": 1},
    "FacebookAI/xlm-roberta-base": {"vocab_size": 250_002, "max_position_embeddings": 514,
                                    "type_vocab_size": 1},
    "microsoft/deberta-v3-base": {
        "vocab_size": 128_100, "hidden_size": 768, "num_hidden_layers": 12,
        "num_attention_heads": 12, "intermediate_size": 3_072, "type_vocab_size": 0,
        "relative_attention": True, "position_buckets": 256, "norm_rel_ebd": "layer_norm",
        "share_att_key": True, "pos_att_type": ["p2c", "c2p"], "position_biased_input": False,
        "max_relative_positions": -1,
    },
    "answerdotai/ModernBERT-base": {},
    "distilbert/distilbert-base-uncased": {},
    "google/electra-base-generator": {
        "embedding_size": 768, "hidden_size": 256, "num_hidden_layers": 12,
        "num_attention_heads": 4, "intermediate_size": 1_024,
    },
    "albert/albert-base-v2": {"embedding_size": 128, "hidden_size": 768, "num_hidden_layers": 12,
                              "num_attention_heads": 12, "intermediate_size": 3_072},
    "microsoft/mpnet-base": {"vocab_size": 30_527, "max_position_embeddings": 514},
}  # fmt: skip
"""What is left out has the value of the class."""

PLANNED: Final = {
    "google/gemma-2-9b": _grouped(3_584, 42, 16, 14_336, 256_000, 8, head_dim=256, **_EMBEDDED),
    "Qwen/Qwen3-32B": _grouped(5_120, 64, 64, 25_600, 151_936, 8),
    "meta-llama/Llama-3.1-70B": _grouped(8_192, 80, 64, 28_672, 128_256, 8),
}
"""Larger ones, which are on the plan for a GPU only."""

IN_WORDS: Final = {"google/gemma-4-31B": 31e9}
"""Parameters of checkpoints whose configuration is not here, in their makers' round figure."""
