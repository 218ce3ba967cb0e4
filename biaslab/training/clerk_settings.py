"""Settings of a training run of clerk-lm, besides its plant."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from biaslab.errors import TrainingError
from biaslab.training.network_settings import (
    check_rotary_heads,
    check_sizes,
    rate_factor_of_share,
)


@dataclass(frozen=True)
class ClerkSettings:
    """Settings of a small model that answers decisions; a run that continues must repeat them.

    Attributes
    ----------
    layers, width, heads, inner : int
        Transformer blocks, hidden size, attention heads, size of the gated feed-forward layer.
    context : int
        Longest input of the trained model, in tokens.
    batch : int
        Questions of an optimiser step.
    seed : int
        Fixes the starting weights and the questions.
    matrix_rate, vector_rate : float
        Learning rates: of the hidden weight matrices (Muon), and of embeddings and norms (AdamW).

    Raises
    ------
    TrainingError
        If a setting is out of its range.
    """

    layers: int = 2
    width: int = 80
    heads: int = 4
    inner: int = 160
    context: int = 160
    batch: int = 128
    seed: int = 1
    matrix_rate: float = 0.01
    vector_rate: float = 0.003

    def __post_init__(self) -> None:
        check_sizes(self, "layers", "width", "heads", "inner", "batch")
        check_rotary_heads(self.width, self.heads)
        if self.context < 16:
            raise TrainingError(f"A context of {self.context} tokens is too short. Use 16 or more.")


clerk_rate_factor = partial(rate_factor_of_share, decay_share=0.6)
"""Factor of learning rates, by the used share of the budget."""
