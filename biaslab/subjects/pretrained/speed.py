"""About how long a model takes, from its size and what its device computes."""

from __future__ import annotations

import time
from typing import Any

_ROWS, _WIDTH, _TIMES = 512, 1_024, 3


def seconds_per_token(model: Any) -> float:
    """Return about how many seconds each token of many texts takes, heads and attention aside.

    A token takes two operations for each weight; a matrix product of a few milliseconds on the
    model's device says how fast these are.
    """
    import torch

    embedding = model.get_input_embeddings().weight
    weights = sum(
        weight.numel()
        for weight in model.base_model.parameters()
        if weight.ndim > 1 and weight is not embedding
    )
    device = embedding.device
    kind = embedding.dtype
    rows = torch.ones((_ROWS, _WIDTH), dtype=kind, device=device)
    square = torch.ones((_WIDTH, _WIDTH), dtype=kind, device=device)
    times = []
    for _ in range(_TIMES):
        begun = time.perf_counter()
        float((rows @ square)[0, 0])  # a value has to wait for the device
        times.append(time.perf_counter() - begun)
    return float(weights / square.numel() * min(times) / _ROWS)
