"""Linear layers with weights packed for the processor: the same products, a fifth faster.

oneDNN reorders a weight into blocks that fit the processor's registers and caches. A product with
plain weights does that, or goes without, at every call. Packed copies take as much memory as the
weights and live as long as one reading of many texts.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

#: Tokens from which packing takes less time than it saves.
WORTH_PACKING: Final = 2_048
#: Share of the memory that packed weights may take.
_OF_MEMORY: Final = 0.75
_SAME: Final = 1e-5
"""Largest difference of a product, relative to the largest number in it."""


class PackedWeights:
    """Packed copies of the linear layers of a model's body; the caller holds the model's lock.

    Layers that another thread computes with would have no copies.

    Parameters
    ----------
    model : transformers.PreTrainedModel
        Layers count that are plain `torch.nn.Linear` on a processor in float32.
    tokens : int or None
        How many go through the model in all: too few are not worth a copy. None makes copies
        however few they are.
    cap : float
        Bytes of memory for copies and batches together. Copies take at most three quarters;
        layers beyond that stay as they are.

    Attributes
    ----------
    bytes : int
        Memory of the copies.
    """

    def __init__(self, model: Any, tokens: int | None, cap: float) -> None:
        self.bytes = 0
        self._forwards: list[tuple[Any, Any]] = []
        is_few = tokens is not None and tokens < WORTH_PACKING
        if is_few or not _is_supported(model):
            return
        import torch

        left = _OF_MEMORY * cap
        with torch.inference_mode():
            for layer in model.base_model.modules():
                if not _is_plain(layer) or (size := 4 * layer.weight.numel()) > left:
                    continue
                if (forward := _packed(layer)) is None:
                    return
                left -= size
                self.bytes += size
                self._forwards.append((layer, forward))

    @contextmanager
    def installed(self) -> Iterator[None]:
        """Let the layers multiply with their packed weights; the caller holds the model's lock."""
        done: list[Any] = []
        try:
            for layer, forward in self._forwards:
                if "forward" not in vars(layer):
                    layer.forward = forward
                    done.append(layer)
            yield
        finally:
            for layer in done:
                del layer.forward


def _is_supported(model: Any) -> bool:
    import torch

    mkldnn: Any = torch.backends.mkldnn
    operations = torch.ops.mkldnn
    return (
        model.device.type == "cpu"
        and model.dtype == torch.float32
        and bool(mkldnn.is_available())
        and hasattr(operations, "_reorder_linear_weight")
        and hasattr(operations, "_linear_pointwise")
    )


def _is_plain(layer: Any) -> bool:
    import torch

    return (
        type(layer) is torch.nn.Linear
        and layer.weight.device.type == "cpu"
        and layer.weight.dtype == torch.float32
        and "forward" not in vars(layer)
    )


def _packed(layer: Any) -> Any:
    """Return a layer's forward with packed weights; None where the products differ."""
    import torch

    operations: Any = torch.ops.mkldnn
    bias = None if layer.bias is None else layer.bias.detach()
    try:
        weight = operations._reorder_linear_weight(layer.weight.detach().contiguous(), 1_024)

        def forward(states: torch.Tensor) -> Any:
            return operations._linear_pointwise(states, weight, bias, "none", [], "")

        probe = torch.linspace(-1, 1, 2 * layer.in_features, dtype=layer.weight.dtype)
        probe = probe.reshape(2, layer.in_features)
        plain = torch.nn.functional.linear(probe, layer.weight, bias)
        again = forward(probe)
    except (RuntimeError, TypeError, AttributeError):
        return None
    largest = max(1.0, float(plain.abs().max()))
    is_same = again.shape == plain.shape and float((again - plain).abs().max()) <= _SAME * largest
    return forward if is_same else None


__all__ = ["WORTH_PACKING", "PackedWeights"]
