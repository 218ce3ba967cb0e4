"""What is known of an open model: sizes, memory, devices, precision and hashes."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from biaslab.subjects.pretrained.options import devices_of, stored_quantization


def in_words(number: int) -> str:
    """Return a large number as a person says it.

    Examples
    --------
    >>> in_words(110_000_000), in_words(854_977), in_words(7_240_000_000)
    ('110 million', '0.85 million', '7.2 billion')
    """
    if number < 10_000:
        return f"{number:,}"
    unit, word = (1e9, "billion") if number >= 1e9 else (1e6, "million")
    value = number / unit
    return f"{value:.{0 if value >= 10 else 1 if value >= 1 else 2}f} {word}"


def size_text(size: int) -> str:
    """Return bytes in a unit that fits.

    Examples
    --------
    >>> size_text(438_000_000), size_text(1_300), size_text(2_800_000)
    ('438 MB', '1.3 kB', '2.8 MB')
    """
    for unit, word in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if size >= unit:
            value = size / unit
            return f"{value:.{0 if value >= 10 else 1}f} {word}"
    return f"{size} bytes"


@dataclass(frozen=True)
class ModelFacts:
    """Size, place and precision of an open model.

    Attributes
    ----------
    parameters : int
    memory : int
        Bytes of its parameters and buffers.
    devices : tuple of str
        Where its parts lie, such as ("cuda:0", "cuda:1").
    dtype : str
        Floating-point type in which it computes, such as "bfloat16".
    quantization : str
        Such as "bitsandbytes, 4 bits"; empty if it is not quantised.
    attention : str
        Implementation of attention, such as "sdpa".
    revision : str
        Commit on the hub; empty for a folder or a model in memory.
    template : str
        How a causal model is shown a text; empty for other models.
    identity : {"values", "files"}
        How the weights count in the content hash.
    adapter : str
        The adapter that was merged into it, and its base; empty for most.
    """

    parameters: int
    memory: int
    devices: tuple[str, ...]
    dtype: str
    quantization: str = ""
    attention: str = ""
    revision: str = ""
    template: str = ""
    identity: str = "values"
    adapter: str = ""

    def summary(self) -> str:
        """One sentence: parameters, memory, devices, precision, attention and revision."""
        parts = [
            f"{in_words(self.parameters)} parameters",
            self.adapter,
            f"{size_text(self.memory)} on {' and '.join(self.devices)}",
            self.quantization and f"quantised ({self.quantization})",
            f"computes in {self.dtype}",
            self.attention and f"attention {self.attention}",
            self.revision and f"revision {self.revision[:12]}",
            self.template and self.template != "auto" and f"template {self.template}",
        ]
        return f"{', '.join(part for part in parts if part)}."

    def as_dict(self) -> dict[str, Any]:
        """Return the facts as plain values."""
        return asdict(self)


def summary_of(loaded: Mapping[str, Any]) -> str:
    """Return the facts of a model, or the notes on vectors, that a provenance holds; "" without.

    - `loaded`: as of `biaslab.Provenance`; fields that this version does not know are left out.
    """
    known = {field.name for field in fields(ModelFacts)}
    if not {"parameters", "memory", "devices", "dtype"} <= set(loaded):
        return " ".join(loaded.get("notes", ()))
    return ModelFacts(**{name: v for name, v in loaded.items() if name in known}).summary()


def facts_of(model: Any, *, identity: str = "values", template: str = "") -> ModelFacts:
    """Return the facts of an open model.

    - `model`: with ``dtype`` and ``config``, which may be None.
    - `identity`, `template`: as of `ModelFacts`.
    """
    config = model.config
    return ModelFacts(
        parameters=count_parameters(model),
        memory=memory_of_model(model),
        devices=devices_of(model),
        dtype=str(model.dtype).removeprefix("torch."),
        quantization=stored_quantization(config),
        attention=str(getattr(config, "_attn_implementation", None) or ""),
        revision=str(getattr(config, "_commit_hash", None) or ""),
        template=template,
        identity=identity,
        adapter=str(getattr(config, "merged_adapter", None) or ""),
    )


def count_parameters(model: Any) -> int:
    """Return the number of parameters; of weights packed by bitsandbytes, before packing."""
    count = getattr(model, "num_parameters", None)
    if count is not None and stored_quantization(model.config):
        return int(count())
    return sum(parameter.numel() for parameter in model.parameters())


def memory_of_model(model: Any) -> int:
    """Return the bytes of a model's parameters and buffers, each counted once."""
    tensors = {id(each): each for each in (*model.parameters(), *model.buffers())}
    return sum(int(each.nbytes) for each in tensors.values())


_PRECISIONS = {
    "float16": ", half precision",
    "bfloat16": ", half precision (bfloat16)",
    "float64": ", double precision",
}


def size_of(model: Any) -> str:
    """Describe a model: "86 million parameters", and what is unusual of precision and device.

    - `model`: any model with ``dtype`` and ``device``.
    """
    parameters = count_parameters(model) / 1e6
    size = f"{parameters:,.0f}" if parameters >= 10 else f"{parameters:.2g}"
    quantization = stored_quantization(model.config)
    precision = (
        f", quantised ({quantization})"
        if quantization
        else _PRECISIONS.get(str(model.dtype).removeprefix("torch."), "")
    )
    devices = devices_of(model)
    where = f", on {' and '.join(devices)}" if len(devices) > 1 else device_text(devices[0])
    return f"{size} million parameters{precision}{where}"


def device_text(device: Any) -> str:
    """Return ", on the GPU" for a device that is one; nothing for the processor."""
    kind = str(device).partition(":")[0]
    return {"cpu": "", "cuda": ", on the GPU", "mps": ", on the GPU"}.get(kind, f", on {kind}")


def hash_weights(digest: hashlib._Hash, model: Any, *, ordered: bool = True) -> None:
    """Add a model's weights to a digest, in a fixed order.

    - `digest`: such as ``hashlib.sha256()``.
    - `model`: wherever its weights are.
    - `ordered`: whether values count in the order of their names, or as the model lists them.
    """
    import torch

    items = model.state_dict().items()
    for key, value in sorted(items) if ordered else items:
        digest.update(f"|{key} {value.dtype} {tuple(value.shape)}|".encode())
        flat = value.detach().cpu().contiguous().reshape(-1)
        digest.update(flat.view(torch.uint8).numpy().tobytes() if len(flat) else b"")


def hash_tokenizer(digest: hashlib._Hash, tokenizer: Any) -> None:
    """Take a tokenizer's rules into a digest.

    - `digest`: such as ``hashlib.sha256()``.
    - `tokenizer`: fast or slow.
    """
    backend = getattr(tokenizer, "backend_tokenizer", None)
    if backend is None:
        rules = repr(sorted(tokenizer.get_vocab().items()))
    else:
        # It remembers how it last filled up or cut a batch, which is no part of its rules.
        plain = type(backend).from_str(backend.to_str())
        plain.no_padding()
        plain.no_truncation()
        rules = plain.to_str()
    digest.update(rules.encode("utf-8", "surrogatepass"))


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
