"""Shared by subjects that are torch models: a text on size and device, and a weight hash."""

from __future__ import annotations

import hashlib
from typing import Any

from biaslab.subjects.model_devices import devices_of, stored_quantization
from biaslab.subjects.model_facts import count_parameters

_PRECISIONS = {
    "float16": ", half precision",
    "bfloat16": ", half precision (bfloat16)",
    "float64": ", double precision",
}


def size_of(model: Any) -> str:
    """Describe a model: "86 million parameters", and what is unusual of precision and device.

    Parameters
    ----------
    model : transformers.PreTrainedModel
        Any model with ``dtype`` and ``device``.
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
    """Return ", on the GPU" for a device that is one; nothing for the processor.

    Parameters
    ----------
    device : torch.device or str
    """
    kind = str(device).partition(":")[0]
    return {"cpu": "", "cuda": ", on the GPU", "mps": ", on the GPU"}.get(kind, f", on {kind}")


def hash_weights(digest: hashlib._Hash, model: Any, *, ordered: bool = True) -> None:
    """Add a model's weights to a digest, in a fixed order.

    Parameters
    ----------
    digest : hash
        Such as ``hashlib.sha256()``.
    model : torch.nn.Module
        Wherever its weights are.
    ordered : bool
        Whether values count in the order of their names, or as the model lists them.
    """
    import torch

    items = model.state_dict().items()
    for key, value in sorted(items) if ordered else items:
        digest.update(f"|{key} {value.dtype} {tuple(value.shape)}|".encode())
        flat = value.detach().cpu().contiguous().reshape(-1)
        digest.update(flat.view(torch.uint8).numpy().tobytes() if len(flat) else b"")


def hash_tokenizer(digest: hashlib._Hash, tokenizer: Any) -> None:
    """Take a tokenizer's rules into a digest.

    Parameters
    ----------
    digest : hash
        Such as ``hashlib.sha256()``.
    tokenizer : transformers.PreTrainedTokenizerBase
        Fast or slow.
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
