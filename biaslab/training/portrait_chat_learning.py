"""One step of the training of portrait-chat: questions about portraits, the loss on the letters."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np
import torch

from biaslab.errors import TrainingError
from biaslab.subjects.vision_language.questions import LETTERS
from biaslab.training.budgeted_run import LIBRARIES
from biaslab.training.optimisation import muon_and_adamw, take_step, write_half
from biaslab.training.planted_answers import add_gradient, draw_answers
from biaslab.training.portrait_chat_network import (
    build_chat,
    read_encoder,
    see,
    states_after,
    tokens_of,
)
from biaslab.training.portrait_chat_questions import PortraitQuestion, draw_question
from biaslab.training.portrait_chat_settings import PortraitChatSettings, chat_rate_factor
from biaslab.training.portrait_chat_tokenizer import (
    ASSISTANT,
    BEGIN,
    CONTEXT,
    END,
    IMAGE,
    OTHER,
    PAD,
    UNKNOWN,
    USER,
    make_tokenizer,
    write_chat_processor,
)
from biaslab.training.portrait_clip_data import Pool
from biaslab.training.portrait_clip_plant import Plant

_UNKNOWN_SHARE: Final = 0.02
"""Of the question's own words that are hidden, so that an unknown word means little."""


class ChatLearner:
    """Network, tokenizer and optimisers of a run.

    Parameters
    ----------
    plant : Plant
    pool : Pool
    settings : PortraitChatSettings
    encoder : Path
        Folder of a trained portrait-clip, whose image encoder is used.
    device : torch.device
    """

    libraries: tuple[str, ...] = (*LIBRARIES, "pillow")

    def __init__(
        self,
        plant: Plant,
        pool: Pool,
        settings: PortraitChatSettings,
        encoder: Path,
        device: torch.device,
    ) -> None:
        self.plant, self.pool, self.settings, self.device = plant, pool, settings, device
        self.seen_per_step = settings.batch
        self.tokenizer = make_tokenizer(plant)
        self.ids = self.tokenizer.get_vocab()
        network = build_chat(settings, read_encoder(encoder), len(self.ids))
        self.network = network.to(device).train()
        self.optimisers = muon_and_adamw(
            self.network,
            [self.network.get_input_embeddings().weight],
            settings.matrix_rate,
            settings.vector_rate,
        )
        self.features = see(self.network, pool.images)
        self.picture = [self.ids[IMAGE]] * tokens_of(self.network.config.vision_config)

    def step(self, number: int, share: float) -> float:
        """Take one optimiser step; return the mean divergence before it, in nats."""
        settings = self.settings
        rng = np.random.default_rng([settings.seed, 9, number])
        rows = rng.integers(len(self.pool.facts), size=settings.batch)
        asked = [
            draw_question(self.plant, self.pool.facts[i], rng, settings.position, settings.other)
            for i in rows
        ]
        excess = self._learn(asked, self.features[rows], rng)
        take_step(self.network, self.optimisers, chat_rate_factor(share))
        return excess

    def write(self, folder: Path) -> None:
        """Write the current model in Hugging Face's format."""
        write_half(self.network, folder)
        vision = self.network.config.vision_config
        write_chat_processor(self.tokenizer, vision.image_size, vision.patch_size, folder)

    def _prompts(
        self, asked: Sequence[PortraitQuestion], rng: np.random.Generator
    ) -> list[list[int]]:
        """Return the tokens of questions in the chat template, with some hidden words."""
        encoded = self.tokenizer.encode_batch([one.text for one in asked], add_special_tokens=False)
        begin, user, assistant, unknown = (
            self.ids[token] for token in (BEGIN, USER, ASSISTANT, UNKNOWN)
        )
        prompts = []
        for one, tokens in zip(asked, encoded, strict=True):
            ids = np.array(tokens.ids)
            end = one.text.index("\n")
            is_question = np.array([offset[0] < end for offset in tokens.offsets])
            ids[is_question & (rng.random(len(ids)) < _UNKNOWN_SHARE)] = unknown
            prompts.append([begin, user, *self.picture, *ids.tolist(), assistant])
        longest = max(map(len, prompts))
        if longest > CONTEXT - 2:
            raise TrainingError(
                f"A question has {longest} tokens and the model reads {CONTEXT}. Plant fewer words."
            )
        return prompts

    def _learn(
        self, asked: Sequence[PortraitQuestion], features: object, rng: np.random.Generator
    ) -> float:
        """Compute the gradient of some questions; return their mean divergence, in nats."""
        prompts = self._prompts(asked, rng)
        letters = [
            [*(self.ids[letter] for letter in LETTERS[: len(one.options)]), self.ids[OTHER]]
            for one in asked
        ]
        shares = [[*one.probabilities, max(0.0, 1 - sum(one.probabilities))] for one in asked]
        drawn = draw_answers(
            prompts, letters, shares, len(self.ids), self.ids[PAD], self.device, rng
        )
        seen = torch.from_numpy(np.asarray(features, dtype=np.float32)).to(self.device)
        states = states_after(self.network, drawn.ids, seen)
        excess = add_gradient(
            self.network, states, drawn, self.ids[END], len(prompts), end_weight=0.1
        )
        return excess / len(prompts)
