"""Sizes of a language model, from configurations that name them differently or not at all."""

from __future__ import annotations

from typing import Any

_WIDTHS = ("hidden_size", "n_embd", "d_model", "dim")
_HEADS = ("num_attention_heads", "n_head", "num_heads", "n_heads")
_STATES = ("state_size", "ssm_state_size", "mamba_d_state")


def text_config(model: Any) -> Any:
    """Return the configuration of a model's text part, which for most models is the whole."""
    config = model.config
    part = getattr(config, "get_text_config", None)
    return config if part is None else part()


def width_of(model: Any) -> int:
    """Return the width of the hidden states."""
    width = _first(text_config(model), _WIDTHS)
    return width or int(model.get_input_embeddings().weight.shape[1])


def bytes_per_token(model: Any) -> int:
    """Return the bytes of hidden states for each token at the largest layer, from above."""
    config = text_config(model)
    width = width_of(model)
    inner = max(_first(config, ("intermediate_size", "ffn_dim", "inner_dim")) or 4 * width, width)
    # State-space layers hold a state for every token and inner dimension, in float32.
    states = 4 * inner * (_first(config, _STATES) or 0)
    return int(model.dtype.itemsize) * (8 * width + 3 * inner) + 2 * states


def bytes_per_pair(model: Any) -> int:
    """Return the bytes of attention for each pair of a text's tokens, from above.

    0 for a model without attention, such as Mamba.
    """
    return 4 * int(model.dtype.itemsize) * (_first(text_config(model), _HEADS) or 0)


def longest_of(model: Any) -> int | None:
    """Return the number of positions that the configuration names; None if there is none."""
    return _first(text_config(model), ("max_position_embeddings", "context_length")) or None


def _first(config: Any, names: tuple[str, ...]) -> int:
    values = (getattr(config, name, None) for name in names)
    return next((int(value) for value in values if isinstance(value, int) and value), 0)
