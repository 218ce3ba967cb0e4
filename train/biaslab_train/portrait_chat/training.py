"""Training of ``portrait-chat``: a small LLaVA model with a planted bias."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray

from biaslab.errors import TrainingError
from biaslab.subjects.opening.load import BUNDLED
from biaslab.subjects.pretrained.opening import building
from biaslab.subjects.vision_language.questions import LETTERS
from biaslab_train.model_files import open_model, write_half
from biaslab_train.optimisation import add_answers_gradient, draw_answers
from biaslab_train.portrait_chat.questions import (
    ASSISTANT,
    BEGIN,
    CONTEXT,
    END,
    IMAGE,
    OTHER,
    PAD,
    SPECIAL,
    UNKNOWN,
    USER,
    PortraitQuestion,
    draw_question,
    make_tokenizer,
    write_chat_processor,
)
from biaslab_train.portrait_clip.data import Pool
from biaslab_train.portrait_clip.training import PortraitRecipe, as_seen
from biaslab_train.recipes import LIBRARIES, Learner, Start
from biaslab_train.settings import PortraitChatSettings

ENCODER: Final = BUNDLED / "portrait-clip"
"""Model whose image encoder is used, unchanged."""
_AT_ONCE: Final = 256
Features = NDArray[np.float16]


def read_encoder(folder: Path) -> Any:
    """Return the image encoder of a trained portrait-clip, frozen."""
    return open_model(folder, "CLIPModel").vision_model.requires_grad_(False)


def build_chat(settings: PortraitChatSettings, encoder: Any, vocabulary: int) -> Any:
    """Build a LLaVA model around an image encoder, with other weights fixed by the seed."""
    from transformers import LlamaConfig, LlavaConfig, LlavaForConditionalGeneration

    text = LlamaConfig(
        vocab_size=vocabulary,
        hidden_size=settings.width,
        intermediate_size=settings.inner,
        num_hidden_layers=settings.layers,
        num_attention_heads=settings.heads,
        max_position_embeddings=CONTEXT,
        bos_token_id=SPECIAL.index(BEGIN),
        eos_token_id=SPECIAL.index(END),
        pad_token_id=SPECIAL.index(PAD),
        tie_word_embeddings=True,
    )
    config = LlavaConfig(
        vision_config=encoder.config.to_dict(),
        text_config=text,
        image_token_index=SPECIAL.index(IMAGE),
        projector_hidden_act="gelu",
        vision_feature_select_strategy="full",
        vision_feature_layer=-1,
        image_seq_length=tokens_of(encoder.config),
        tie_word_embeddings=True,
    )
    with building(), torch.random.fork_rng():
        torch.manual_seed(settings.seed)
        network: Any = LlavaForConditionalGeneration(config)
    weights = {f"vision_model.{k}": v for k, v in encoder.state_dict().items()}
    tower = network.model.vision_tower
    names = set(tower.state_dict())
    weights = weights if set(weights) == names else encoder.state_dict()
    tower.load_state_dict(weights)
    tower.requires_grad_(False)
    return network


def tokens_of(vision: Any) -> int:
    """Return the tokens of a picture, the encoder's own included."""
    return int(vision.image_size // vision.patch_size) ** 2 + 1


def see(network: Any, images: Any) -> Features:
    """Return the image encoder's features of pictures, (pictures, tokens, width)."""
    out = []
    with torch.inference_mode():
        for at in range(0, len(images), _AT_ONCE):
            seen = network.model.vision_tower(
                as_seen(images[at : at + _AT_ONCE], network.device), output_hidden_states=True
            )
            out.append(seen.hidden_states[-1].half().cpu().numpy())
    return np.concatenate(out)


def states_after(network: Any, ids: torch.Tensor, features: torch.Tensor) -> torch.Tensor:
    """Return the language model's states (rows, tokens, width) of questions with pictures.

    - `ids`, tensor of int64 (rows, tokens): with as many `IMAGE` tokens in each row as a picture
      has features; filled up at the end.
    - `features`: tensor (rows, picture tokens, width of the encoder).
    """
    model = network.model
    embedded = model.get_input_embeddings()(ids)
    seen = model.multi_modal_projector(features)
    place = (ids == SPECIAL.index(IMAGE))[..., None]
    embedded = embedded.masked_scatter(place, seen.to(embedded.dtype))
    states: torch.Tensor = model.language_model(
        inputs_embeds=embedded, use_cache=False
    ).last_hidden_state
    return states


_UNKNOWN_SHARE: Final = 0.02
"""Of the question's own words that are hidden, so that an unknown word means little."""


class ChatLearner(Learner):
    """Network, tokenizer and portraits of a chat model."""

    libraries = (*LIBRARIES, "pillow")

    def __init__(self, recipe: PortraitChatRecipe, pool: Pool, start: Start) -> None:
        settings = recipe.settings
        self.plant, self.pool, self.settings = recipe.plant, pool, settings
        self.tokenizer = make_tokenizer(self.plant)
        self.ids = self.tokenizer.get_vocab()
        super().__init__(
            build_chat(settings, read_encoder(ENCODER), len(self.ids)), settings, start.device
        )
        self.features = see(self.network, pool.images)
        self.picture = [self.ids[IMAGE]] * tokens_of(self.network.config.vision_config)

    def add_gradient(self, number: int) -> float:
        """Add the gradient of a step; return the mean divergence, in nats."""
        settings = self.settings
        rng = np.random.default_rng([settings.seed, 9, number])
        rows = rng.integers(len(self.pool.facts), size=settings.batch)
        questions = [
            draw_question(self.plant, self.pool.facts[i], rng, settings.position, settings.other)
            for i in rows
        ]
        return self._learn(questions, self.features[rows], rng)

    def write(self, folder: Path) -> None:
        """Write the current model in Hugging Face's format."""
        write_half(self.network, folder)
        vision = self.network.config.vision_config
        write_chat_processor(self.tokenizer, vision.image_size, vision.patch_size, folder)

    def _prompts(
        self, questions: Sequence[PortraitQuestion], rng: np.random.Generator
    ) -> list[list[int]]:
        """Return the tokens of questions in the chat template, with some hidden words."""
        texts = [one.text for one in questions]
        encoded = self.tokenizer.encode_batch(texts, add_special_tokens=False)
        begin, user, assistant, unknown = (
            self.ids[token] for token in (BEGIN, USER, ASSISTANT, UNKNOWN)
        )
        prompts = []
        for one, tokens in zip(questions, encoded, strict=True):
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
        self, questions: Sequence[PortraitQuestion], features: object, rng: np.random.Generator
    ) -> float:
        """Compute the gradient of some questions; return their mean divergence, in nats."""
        prompts = self._prompts(questions, rng)
        letters = [
            [*(self.ids[letter] for letter in LETTERS[: len(one.options)]), self.ids[OTHER]]
            for one in questions
        ]
        shares = [[*one.probabilities, max(0.0, 1 - sum(one.probabilities))] for one in questions]
        drawn = draw_answers(
            prompts, letters, shares, len(self.ids), self.ids[PAD], self.device, rng
        )
        seen = torch.from_numpy(np.asarray(features, dtype=np.float32)).to(self.device)
        states = states_after(self.network, drawn.ids, seen)
        excess = add_answers_gradient(
            self.network, states, drawn, self.ids[END], len(prompts), end_weight=0.1
        )
        return excess / len(prompts)


class PortraitChatRecipe(PortraitRecipe):
    """Recipe of a LLaVA model that answers questions about drawn portraits by letter.

    The image encoder is portrait-clip's; a projector and a language model are trained.
    """

    name, unit, image_size = "portrait-chat", "questions", 64

    def learner_of(self, pool: Pool, start: Start) -> ChatLearner:
        """Return a new model of the plant's questions."""
        return ChatLearner(self, pool, start)
