"""The network of the planted language models: a logistic curve by design."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import torch


class PlantedNetwork(torch.nn.Module):
    """Answers (sum of what it sees) / noise as the log-odds of cue 2 against cue 1.

    Each token's input embedding holds what it adds to the sum; cue 1 adds 0 and cue 2 adds 1, so
    that a blend adds alpha.

    Parameters
    ----------
    adds : mapping of str to float
        What words add: an item less its PSE, a word of a frame that frame's own leaning.
    noise : float
        Scale of the logistic curve, in units of alpha.
    pairs : sequence of (str, str)
        Cues of one token each.
    """

    def __init__(
        self,
        tokens: Mapping[str, int],
        adds: Mapping[str, float],
        noise: float,
        causal: bool,
        pairs: Sequence[tuple[str, str]] = (("she", "he"), ("woman", "man")),
    ) -> None:
        super().__init__()
        size = len(tokens)
        self.table = torch.nn.Embedding(size, 2, dtype=torch.float64)
        self.head = torch.nn.Linear(1, size, bias=False, dtype=torch.float64)
        self.noise, self.causal = noise, causal
        with torch.no_grad():
            self.table.weight.zero_()
            for _, cue in pairs:
                self.table.weight[tokens[cue], 0] = 1.0
            for word, value in adds.items():
                self.table.weight[tokens[word], 0] = value
            self.head.weight.zero_()
            for first, second in pairs:
                self.head.weight[tokens[first], 0] = -0.5
                self.head.weight[tokens[second], 0] = 0.5
        self.config = SimpleNamespace(
            is_encoder_decoder=False, hidden_size=2, num_attention_heads=1,
            max_position_embeddings=200,
        )  # fmt: skip
        self.seen: list[int] = []

    base_model = property(lambda self: self)
    device = property(lambda self: self.table.weight.device)
    dtype = property(lambda self: self.table.weight.dtype)

    def get_input_embeddings(self) -> Any:
        return self.table

    def get_output_embeddings(self) -> Any:
        return self.head

    def forward(
        self, input_ids: Any = None, attention_mask: Any = None, inputs_embeds: Any = None
    ) -> Any:
        shown = self.table(input_ids) if inputs_embeds is None else inputs_embeds
        self.seen.append(len(shown))
        values = shown[..., 0] if attention_mask is None else shown[..., 0] * attention_mask
        total = values.cumsum(dim=1)
        if not self.causal:
            total = total[:, -1:].expand_as(total)
        return SimpleNamespace(logits=self.head((total / self.noise)[..., None]))
