"""Settings of a training run of portrait-chat, besides its plant."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial

from biaslab.errors import TrainingError
from biaslab.training.network_settings import (
    check_rotary_heads,
    check_sizes,
    rate_factor_of_share,
)


@dataclass(frozen=True)
class PortraitChatSettings:
    """Settings of a small LLaVA model; a run that continues must repeat them.

    Attributes
    ----------
    pool : int
        Different portraits that are drawn for training.
    layers, width, heads, inner : int
        Of the language model. The image encoder is portrait-clip's, unchanged.
    batch : int
        Questions of an optimiser step.
    seed : int
        Fixes portraits, questions and starting weights.
    position : float
        Planted log-odds of the option listed first against the one listed last; the options
        between them lie evenly between. 0 plants no position bias.
    other : float
        Planted probability of no letter at all, in [0, 0.5].
    matrix_rate, vector_rate : float
        Learning rates: of the hidden weight matrices (Muon), and of the rest (AdamW).

    Raises
    ------
    TrainingError
        If a setting is out of its range.
    """

    pool: int = 4_000
    layers: int = 3
    width: int = 96
    heads: int = 4
    inner: int = 224
    batch: int = 64
    seed: int = 1
    position: float = 0.6
    other: float = 0.04
    matrix_rate: float = 0.01
    vector_rate: float = 0.003

    def __post_init__(self) -> None:
        check_sizes(self, "pool", "layers", "heads", "inner", "batch")
        check_rotary_heads(self.width, self.heads)
        if not math.isfinite(self.position):
            raise TrainingError(f"position is {self.position}. Use a number; 0 plants none.")
        if not 0 <= self.other <= 0.5:
            raise TrainingError(f"other is {self.other}. Use a probability from 0 to 0.5.")


chat_rate_factor = partial(rate_factor_of_share, decay_share=0.5)
"""Factor of learning rates, by the used share of the budget."""
