"""Torch modules made of plain functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from harness.heavy import torch


def module_of(answer: Callable[[torch.Tensor], Any]) -> torch.nn.Module:
    """Make a module that answers with what a function makes of the points."""

    class Answering(torch.nn.Module):
        def forward(self, points: torch.Tensor) -> Any:
            return answer(points)

    return Answering()
