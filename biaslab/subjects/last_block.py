"""Compute the last block of a language model only at the places that are read.

In a transformer's block only keys and values of other places are looked at. In the last one, what
follows the attention is needed at the places that are read alone, and so are the queries.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import torch

#: Parts of a block that look at one place at a time, by their names in common architectures.
_MLPS: Final = ("mlp", "feed_forward", "ffn")
_ATTENTIONS: Final = ("self_attn", "self_attention", "attention", "attn")
_PROJECTIONS: Final = ("q_proj", "o_proj", "out_proj", "dense", "c_proj", "Wo")


def last_attention(model: Any) -> Any:
    """Return the attention of the last layer, with its sum, in BERT-like models.

    None in others, such as those that add the layer's input outside the attention.
    """
    layers = getattr(getattr(model.base_model, "encoder", None), "layer", None)
    if not layers:
        return None
    last = layers[-1]
    parts = {"attention", "intermediate", "output"}
    return last.attention if {name for name, _ in last.named_children()} == parts else None


def last_parts(model: Any) -> list[Any]:
    """Return the parts of the last block that look at one place at a time.

    They are found by their names, and a model is tried before they are trusted: see
    `LanguageModel.takes_out_early`. What follows the attention of a BERT-like model is left to
    `last_attention`.
    """
    import torch

    if (attention := last_attention(model)) is not None:
        inner = (("self", "query"), ("output", "dense"))
        found = [getattr(getattr(attention, part, None), name, None) for part, name in inner]
        return [each for each in found if each is not None]
    config = model.config
    text = config.get_text_config() if hasattr(config, "get_text_config") else config
    count = getattr(text, "num_hidden_layers", None)
    for module in model.base_model.modules():
        if isinstance(module, torch.nn.ModuleList) and len(module) == count:
            return _parts_of(module[-1])
    return []


def _parts_of(block: Any) -> list[Any]:
    found = [getattr(block, name) for name in _MLPS if hasattr(block, name)]
    for name in _ATTENTIONS:
        attention = getattr(block, name, None)
        found += [
            getattr(attention, projection)
            for projection in _PROJECTIONS
            if hasattr(attention, projection)
        ]
    return found


@contextmanager
def only_at(parts: list[Any], rows: torch.Tensor, columns: torch.Tensor) -> Iterator[None]:
    """Compute parts of a model at some places only; their output is 0 at others.

    Parameters
    ----------
    parts : list of torch.nn.Module
        Each takes states (texts, length, width), and looks at one place at a time.
    rows, columns : Tensor of int64, shape (n,)
        Which places.
    """
    sizes: dict[int, tuple[int, int]] = {}

    def before(part: Any, args: tuple[Any, ...]) -> Any:
        states = args[0] if args else None
        if states is None or states.ndim != 3:
            return None
        sizes[id(part)] = states.shape[:2]
        return (states[rows.to(states.device), columns.to(states.device)][None], *args[1:])

    def after(part: Any, _: Any, output: Any) -> Any:
        if (size := sizes.pop(id(part), None)) is None:
            return None
        states = output[0] if isinstance(output, tuple) else output
        full = states.new_zeros((*size, states.shape[-1]))
        full[rows.to(states.device), columns.to(states.device)] = states[0]
        return (full, *output[1:]) if isinstance(output, tuple) else full

    hooks = [part.register_forward_pre_hook(before) for part in parts]
    hooks += [part.register_forward_hook(after) for part in parts]
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()


__all__ = ["last_attention", "last_parts", "only_at"]
