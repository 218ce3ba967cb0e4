"""Training of ``clerk-lm``: a small causal language model of decisions with planted gaps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from biaslab.errors import TrainingError
from biaslab_train.clerk.plant import ClerkPlant
from biaslab_train.clerk.questions import (
    ASSISTANT,
    BEGIN,
    END,
    PAD,
    SPECIAL,
    UNKNOWN,
    USER,
    PlantedQuestion,
    draw,
    essential_words,
    make_tokenizer,
    write_tokenizer,
)
from biaslab_train.language_models.network import build_network
from biaslab_train.optimisation import (
    add_gradient,
    draw_answers,
    find_device,
    muon_and_adamw,
    take_step,
    write_half,
)
from biaslab_train.runs import LIBRARIES, Progress, open_run, share_of, spend
from biaslab_train.settings import ClerkSettings, LanguageModelSettings, clerk_rate_factor

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


def train_clerk(
    plant: ClerkPlant,
    folder: Path,
    questions: int,
    settings: ClerkSettings,
    *,
    resume: bool = False,
    device: str | None = None,
    threads: int | None = None,
    seconds_between_checkpoints: float = 120,
    stop: Callable[[], bool] = lambda: False,
    on_progress: Callable[[Progress], object] = lambda _: None,
) -> bool:
    """Train a language model to answer decisions by planted psychometric functions.

    The loss is the cross-entropy of the model's answer against the planted probability of each
    answer, rather than against answers drawn from it: the expected gradient is the same, without
    the noise of drawing.

    Parameters
    ----------
    plant : ClerkPlant
        Psychometric function of each case.
    folder : Path
        Output folder (``config.json``, ``model.safetensors`` in float16, tokenizer,
        ``training.json`` with the plant); ``folder / "work"`` has checkpoints.
    questions : int
        How many questions to see. A run that is continued may be given more.
    settings : ClerkSettings
        Sizes, rates and seed.
    resume : bool
        Continue the run in the folder, if there is one.
    device : str, optional
        ``cpu`` or ``cuda``; default the GPU if there is one.
    threads : int, optional
        Processor threads; default as torch chooses.
    seconds_between_checkpoints : float
        Longest work lost by an interruption.
    stop : callable
        Called after each step; when true, the state is saved and training ends.
    on_progress : callable
        Called about every 20 steps.

    Returns
    -------
    bool
        Whether the budget is spent; False if `stop` ended it before. The folder contains a usable
        model either way.

    Raises
    ------
    TrainingError
        If the folder contains a run and ``resume`` is not given, or a run with other settings, or
        a question is longer than the context.
    WriteError
        If the disk is full; the last checkpoint is kept.

    Notes
    -----
    On a CPU, with the same number of threads, a run that was interrupted and continued ends with
    the same weights, bit for bit, as one that was not.
    """
    share = share_of(questions, "questions")
    if threads:
        torch.set_num_threads(threads)
    recipe = {
        "format": "biaslab-clerk",
        "version": 1,
        "settings": asdict(settings),
        "plant": plant.to_dict(),
        "budget": questions,
    }
    run = open_run(folder, recipe, "questions", resume=resume)
    learner = ClerkLearner(plant, settings, find_device(device))
    return spend(
        run, recipe, learner, share,
        seconds_between_checkpoints=seconds_between_checkpoints, stop=stop, on_progress=on_progress,
    )  # fmt: skip
