"""One step of the training of clerk-lm: questions, their tokens, the loss on the answers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from biaslab.errors import TrainingError
from biaslab.training.budgeted_run import LIBRARIES
from biaslab.training.clerk_plant import ClerkPlant
from biaslab.training.clerk_questions import PlantedQuestion, draw
from biaslab.training.clerk_settings import ClerkSettings, clerk_rate_factor
from biaslab.training.clerk_tokenizer import (
    ASSISTANT,
    BEGIN,
    END,
    PAD,
    SPECIAL,
    UNKNOWN,
    USER,
    essential_words,
    make_tokenizer,
    write_tokenizer,
)
from biaslab.training.language_model_network import build_network
from biaslab.training.language_model_settings import LanguageModelSettings
from biaslab.training.optimisation import muon_and_adamw, take_step, write_half
from biaslab.training.planted_answers import add_gradient, draw_answers

_AT_ONCE_ON_CPU = 32
"""Questions per part of a step: of similar length, and few enough for the cache."""
_UNKNOWN_SHARE = 0.01
"""Of words that are hidden, so that an unknown word means little to the model."""
_CHAT_SHARE = 0.5


class ClerkLearner:
    """Network, tokenizer and optimisers of a run.

    Parameters
    ----------
    plant : ClerkPlant
    settings : ClerkSettings
    device : torch.device
    """

    libraries: tuple[str, ...] = LIBRARIES

    def __init__(self, plant: ClerkPlant, settings: ClerkSettings, device: torch.device) -> None:
        self.plant, self.settings, self.device = plant, settings, device
        self.seen_per_step = settings.batch
        self.tokenizer = make_tokenizer(plant)
        self.ids = self.tokenizer.get_vocab()
        sizes = LanguageModelSettings(
            kind="clm",
            layers=settings.layers,
            width=settings.width,
            heads=settings.heads,
            inner=settings.inner,
            context=settings.context,
            seed=settings.seed,
        )
        self.network = build_network(sizes, len(self.ids)).to(device).train()
        self.optimisers = muon_and_adamw(
            self.network,
            [self.network.get_input_embeddings().weight],
            settings.matrix_rate,
            settings.vector_rate,
        )
        kept = {*SPECIAL, *essential_words(plant)}
        self.can_hide = np.ones(len(self.ids), dtype=bool)
        self.can_hide[[self.ids[word] for word in kept]] = False

    def step(self, number: int, share: float) -> float:
        """Take one optimiser step; return the mean divergence before it, in nats."""
        rng = np.random.default_rng([self.settings.seed, 9, number])
        asked = draw(self.plant, self.settings.batch, rng)
        prompts, answers = self._encoded(asked, rng)
        order = np.argsort([len(prompt) for prompt in prompts], kind="stable")
        at_once = _AT_ONCE_ON_CPU if self.device.type == "cpu" else len(order)
        excess = 0.0
        for at in range(0, len(order), at_once):
            part = order[at : at + at_once]
            excess += self._learn([prompts[i] for i in part], [answers[i] for i in part],
                                  [asked[i].probabilities for i in part], rng)  # fmt: skip
        take_step(self.network, self.optimisers, clerk_rate_factor(share))
        return excess / len(order)

    def write(self, folder: Path) -> None:
        """Write the current model in Hugging Face's format."""
        write_half(self.network, folder)
        write_tokenizer(self.tokenizer, self.settings.context, folder)

    def _encoded(
        self, asked: Sequence[PlantedQuestion], rng: np.random.Generator
    ) -> tuple[list[list[int]], list[list[int]]]:
        """Return the tokens of prompts, some as chats and with hidden words, and of answers."""
        begin, user, assistant, unknown = (
            self.ids[token] for token in (BEGIN, USER, ASSISTANT, UNKNOWN)
        )
        texts = [one.question.prompt for one in asked]
        prompts = []
        for encoded in self.tokenizer.encode_batch(texts, add_special_tokens=False):
            ids = np.array(encoded.ids)
            hidden = (rng.random(len(ids)) < _UNKNOWN_SHARE) & self.can_hide[ids]
            ids[hidden] = unknown
            plain = ids.tolist()
            is_chat = rng.random() < _CHAT_SHARE
            prompts.append([begin, user, *plain, assistant] if is_chat else [begin, *plain])
        longest = max(map(len, prompts))
        if longest > self.settings.context - 2:
            raise TrainingError(
                f"A question has {longest} tokens. Use a context of {longest + 2} or more."
            )
        answers = [[self.ids[answer] for answer in one.question.answers] for one in asked]
        return prompts, answers

    def _learn(
        self,
        prompts: Sequence[Sequence[int]],
        answers: Sequence[Sequence[int]],
        probabilities: Sequence[Sequence[float]],
        rng: np.random.Generator,
    ) -> float:
        """Add the gradient of some questions; return their divergence, summed, in nats."""
        drawn = draw_answers(
            prompts, answers, probabilities, len(self.ids), self.ids[PAD], self.device, rng
        )
        # In float32: at this size 16 bits are no faster, and probabilities are read off.
        states: Tensor = self.network.model(input_ids=drawn.ids, use_cache=False).last_hidden_state
        return add_gradient(self.network, states, drawn, self.ids[END], self.settings.batch)
