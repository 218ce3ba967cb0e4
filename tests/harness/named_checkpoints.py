"""Named checkpoints, and tiny random copies of their architectures with a tokenizer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from harness import tiny_language_models as tiny

POSITIONS = 96
_WIDTH, _LAYERS = 16, 2
_PLAIN: dict[str, Any] = {"hidden_size": _WIDTH, "num_hidden_layers": _LAYERS}
_ATTENTION: dict[str, Any] = {
    **_PLAIN, "intermediate_size": 24, "num_attention_heads": 2,
    "max_position_embeddings": POSITIONS,
}  # fmt: skip
_GROUPED: dict[str, Any] = {**_ATTENTION, "num_key_value_heads": 1}
_HEADED: dict[str, Any] = {**_GROUPED, "head_dim": 8}
_EXPERTS: dict[str, Any] = {
    **_HEADED, "num_local_experts": 2, "num_experts": 2, "num_experts_per_tok": 1,
    "moe_intermediate_size": 8, "decoder_sparse_step": 1,
}  # fmt: skip
_STATES: dict[str, Any] = {
    **_PLAIN, "state_size": 4, "intermediate_size": 32, "time_step_rank": 2,
}  # fmt: skip
_VISION: dict[str, Any] = {
    "hidden_size": 16, "intermediate_size": 24, "num_hidden_layers": 1, "num_attention_heads": 2,
    "image_size": 32, "patch_size": 8,
}  # fmt: skip


@dataclass(frozen=True)
class Checkpoint:
    """A model that people know, and its class of transformers.

    Attributes
    ----------
    name : str
        On the hub.
    kind : str
        Kind of `biaslab.load`.
    architecture : str
        Name of the model's class.
    config : str
        Name of its configuration's class.
    sizes : mapping
        Arguments of the configuration that make it tiny.
    blends : bool
        Whether it can be shown blends of two words.
    """

    name: str
    kind: str
    architecture: str
    config: str
    sizes: Mapping[str, Any] = field(default_factory=dict)
    blends: bool = True

    def build(self) -> tuple[Any, Any]:
        """Return a random model and its tokenizer."""
        import torch
        import transformers

        torch.manual_seed(0)
        _, tokenizer = _TOKENIZERS[self.kind]()
        sizes = {
            name: {**part, "vocab_size": len(tokenizer)} if name == "text_config" else part
            for name, part in self.sizes.items()
        }
        tokens = {"pad_token_id": 0} if self.kind == "clm" else {"pad_token_id": 1}
        if "text_config" not in sizes:
            sizes = {"vocab_size": len(tokenizer), **tokens, **sizes}
        config = getattr(transformers, self.config)(**sizes)
        return getattr(transformers, self.architecture)(config), tokenizer


_TOKENIZERS: dict[str, Callable[[], tuple[Any, Any]]] = {"clm": tiny.gpt2, "mlm": tiny.roberta}


def _causal(name: str, stem: str, sizes: Mapping[str, Any], **more: Any) -> Checkpoint:
    blends = bool(more.pop("blends", True))
    return Checkpoint(name, "clm", f"{stem}ForCausalLM", f"{stem}Config", {**sizes, **more}, blends)


def _masked(name: str, stem: str, sizes: Mapping[str, Any], **more: Any) -> Checkpoint:
    return Checkpoint(name, "mlm", f"{stem}ForMaskedLM", f"{stem}Config", {**sizes, **more})


def _seeing(name: str, stem: str, *, blends: bool, **more: Any) -> Checkpoint:
    return Checkpoint(
        name, "clm", f"{stem}ForConditionalGeneration", f"{stem}Config",
        {"text_config": {**_HEADED, **more.pop("text", {})}, "vision_config": _VISION, **more},
        blends,
    )  # fmt: skip


_ROBERTA = {**_ATTENTION, "max_position_embeddings": POSITIONS + 2}
CHECKPOINTS = (
    Checkpoint(
        "openai-community/gpt2", "clm", "GPT2LMHeadModel", "GPT2Config",
        {"n_embd": _WIDTH, "n_layer": _LAYERS, "n_head": 2, "n_positions": POSITIONS},
    ),
    _causal("facebook/opt-1.3b", "OPT", _ATTENTION, ffn_dim=24, word_embed_proj_dim=_WIDTH),
    _causal("EleutherAI/pythia-1b", "GPTNeoX", _ATTENTION),
    _causal("bigscience/bloom-1b1", "Bloom", {"hidden_size": _WIDTH}, n_layer=_LAYERS, n_head=2),
    _causal("tiiuae/falcon-7b", "Falcon", _ATTENTION),
    _causal("meta-llama/Llama-3.1-8B", "Llama", _GROUPED),
    _causal("mistralai/Mistral-7B-v0.3", "Mistral", _HEADED),
    _causal("mistralai/Mixtral-8x7B-v0.1", "Mixtral", _EXPERTS),
    _causal("Qwen/Qwen2.5-7B", "Qwen2", _GROUPED),
    _causal("Qwen/Qwen3-8B", "Qwen3", _HEADED),
    _causal("Qwen/Qwen3-30B-A3B", "Qwen3Moe", _EXPERTS),
    _causal("google/gemma-2-2b", "Gemma2", _HEADED),
    _seeing("google/gemma-3-4b-pt", "Gemma3", blends=True, mm_tokens_per_image=4),
    _seeing(
        "google/gemma-4-31B", "Gemma4", blends=False, text={"hidden_size_per_layer_input": 0}
    ),
    _causal("microsoft/Phi-3-mini-4k-instruct", "Phi3", _GROUPED),
    _causal("allenai/OLMo-2-1124-7B", "Olmo2", _GROUPED),
    _causal("ibm-granite/granite-3.3-2b-base", "Granite", _GROUPED),
    _causal("openai/gpt-oss-20b", "GptOss", _EXPERTS),
    _causal("HuggingFaceTB/SmolLM3-3B", "SmolLM3", _GROUPED),
    _causal("LiquidAI/LFM2-1.2B", "Lfm2", _GROUPED, full_attn_idxs=[0]),
    _causal("state-spaces/mamba-1.4b-hf", "Mamba", _STATES),
    _causal(
        "AntonV/mamba2-1.3b-hf", "Mamba2",
        {**_PLAIN, "state_size": 4, "num_heads": 4, "head_dim": 8, "n_groups": 1, "chunk_size": 8},
    ),
    _causal("tiiuae/falcon-mamba-7b", "FalconMamba", _STATES),
    _causal("RWKV/rwkv-4-1b5-pile", "Rwkv", {**_PLAIN, "context_length": POSITIONS}),
    _causal(
        "NX-AI/xLSTM-7b", "xLSTM",
        {
            "hidden_size": 32, "num_heads": 2, "num_blocks": _LAYERS, "num_hidden_layers": _LAYERS,
            "qk_dim_factor": 0.5, "v_dim_factor": 1.0, "chunk_size": 8,
            "chunkwise_kernel": "chunkwise--native_autograd", "step_kernel": "native",
            "sequence_kernel": "native_sequence__native", "return_last_states": True,
        },
    ),
    _masked("google-bert/bert-base-uncased", "Bert", _ATTENTION),
    _masked("FacebookAI/roberta-base", "Roberta", _ROBERTA),
    _masked("FacebookAI/xlm-roberta-base", "XLMRoberta", _ROBERTA),
    _masked("microsoft/deberta-v3-base", "DebertaV2", _ATTENTION),
    _masked(
        "answerdotai/ModernBERT-base", "ModernBert",
        {**_ATTENTION, "cls_token_id": 0, "sep_token_id": 2},
    ),
    _masked(
        "distilbert/distilbert-base-uncased", "DistilBert",
        {"dim": _WIDTH, "n_layers": _LAYERS, "n_heads": 2, "hidden_dim": 24},
        max_position_embeddings=POSITIONS,
    ),
    _masked("google/electra-base-generator", "Electra", _ATTENTION, embedding_size=_WIDTH),
    _masked("albert/albert-base-v2", "Albert", _ATTENTION, embedding_size=8),
    _masked("microsoft/mpnet-base", "MPNet", _ROBERTA),
)  # fmt: skip
"""Checkpoints of docs/subjects/models.md that score sentences."""
