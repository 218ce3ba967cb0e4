"""What is loaded of a model: size, memory, devices, precision and version."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from biaslab.subjects.model_devices import devices_of, stored_quantization
from biaslab.subjects.sizes_in_words import in_words, size_text


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

    def summary(self) -> str:
        """One sentence: parameters, memory, devices, precision, attention and revision."""
        parts = [
            f"{in_words(self.parameters)} parameters",
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
    """Return the facts of a model that a provenance holds, as a sentence; "" without facts.

    Parameters
    ----------
    loaded : mapping
        As of `biaslab.Provenance`; fields that this version does not know are left out.
    """
    known = {field.name for field in fields(ModelFacts)}
    if not {"parameters", "memory", "devices", "dtype"} <= set(loaded):
        return ""
    return ModelFacts(**{name: v for name, v in loaded.items() if name in known}).summary()


def facts_of(model: Any, *, identity: str = "values", template: str = "") -> ModelFacts:
    """Return the facts of an open model.

    Parameters
    ----------
    model : torch.nn.Module
        With ``dtype`` and ``config``, which may be None.
    identity, template : str
        As of `ModelFacts`.
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
