"""Training of ``clerk-lm``: a small causal language model of decisions with planted gaps."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from torch import Tensor

from biaslab.errors import TrainingError
from biaslab_train.clerk.questions import (
    ASSISTANT,
    BEGIN,
    CHAT,
    END,
    PAD,
    SPECIAL,
    UNKNOWN,
    USER,
    PlantedQuestion,
    draw,
    essential_words,
    make_tokenizer,
)
from biaslab_train.language_models.network import build_network
from biaslab_train.model_files import write_half, write_tokenizer
from biaslab_train.optimisation import add_answers_gradient, draw_answers
from biaslab_train.recipes import Learner, PlantedRecipe, Start

_AT_ONCE_ON_CPU = 32
"""Questions per part of a step: of similar length, and few enough for the cache."""
_UNKNOWN_SHARE = 0.01
"""Of words that are hidden, so that an unknown word means little to the model."""
_CHAT_SHARE = 0.5


class ClerkLearner(Learner):
    """Network and tokenizer of a clerk."""

    decay_share = 0.6

    def __init__(self, recipe: ClerkRecipe, start: Start) -> None:
        self.plant, self.settings = recipe.plant, recipe.settings
        self.tokenizer = make_tokenizer(self.plant)
        self.ids = self.tokenizer.get_vocab()
        network = build_network(self.settings, len(self.ids), "clm")
        super().__init__(network, self.settings, start.device)
        kept = {*SPECIAL, *essential_words(self.plant)}
        self.can_hide = np.ones(len(self.ids), dtype=bool)
        self.can_hide[[self.ids[word] for word in kept]] = False

    def add_gradient(self, number: int) -> float:
        """Add the gradient of a step; return the mean divergence, in nats."""
        rng = np.random.default_rng([self.settings.seed, 9, number])
        questions = draw(self.plant, self.settings.batch, rng)
        prompts, answers = self._encoded(questions, rng)
        order = np.argsort([len(prompt) for prompt in prompts], kind="stable")
        at_once = _AT_ONCE_ON_CPU if self.device.type == "cpu" else len(order)
        excess = 0.0
        for at in range(0, len(order), at_once):
            part = order[at : at + at_once]
            excess += self._learn([prompts[i] for i in part], [answers[i] for i in part],
                                  [questions[i].probabilities for i in part], rng)  # fmt: skip
        return excess / len(order)

    def write(self, folder: Path) -> None:
        """Write the current model in Hugging Face's format."""
        write_half(self.network, folder)
        roles = {"bos_token": BEGIN, "eos_token": END, "pad_token": PAD, "unk_token": UNKNOWN}
        write_tokenizer(self.tokenizer, self.settings.context, folder, **roles, chat_template=CHAT)

    def _encoded(
        self, questions: Sequence[PlantedQuestion], rng: np.random.Generator
    ) -> tuple[list[list[int]], list[list[int]]]:
        """Return the tokens of prompts, some as chats and with hidden words, and of answers."""
        begin, user, assistant, unknown = (
            self.ids[token] for token in (BEGIN, USER, ASSISTANT, UNKNOWN)
        )
        texts = [one.question.prompt for one in questions]
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
        answers = [[self.ids[answer] for answer in one.question.answers] for one in questions]
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
        return add_answers_gradient(self.network, states, drawn, self.ids[END], self.settings.batch)


class ClerkRecipe(PlantedRecipe):
    """Recipe of a language model that answers decisions by planted psychometric functions."""

    name, unit = "clerk", "questions"

    def learner(self, start: Start) -> ClerkLearner:
        """Return a new model of the plant's questions."""
        return ClerkLearner(self, start)
