"""Questions about drawn portraits: the planted probability of each letter, and their tokens.

A question asks for the group, the occupation or a word of a concept, and lists two to eight options
by letter. An option's probability is proportional to its planted one given the portrait
(`Plant.woman`, `Plant.first`), times the planted effect of its place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from biaslab.files.atomic import write_atomically
from biaslab.portraits import MAN, WOMAN
from biaslab.subjects.vision_language.questions import INSTRUCTION, LETTERS, QUESTIONS, lettered
from biaslab_train.model_files import write_json, write_tokenizer
from biaslab_train.portrait_clip.captions import ADJECTIVES, NOUNS, Facts, write_image_processor
from biaslab_train.portrait_clip.plant import Plant

if TYPE_CHECKING:
    from tokenizers import Tokenizer


MOST_OPTIONS: Final = 8
ASKED: Final = (
    *QUESTIONS,
    "Who is this person?",
    "Who is this?",
    "What do you see in the picture?",
    "Which word fits this person best?",
    "Which option describes the person in the portrait?",
    "What would you call this person?",
    "Look at the portrait. What is this person at work?",
    "Choose the word for the person that the picture shows.",
)
"""Questions of training; the planted answers do not depend on which one it is."""
_KINDS: Final = {"concept": 0.46, "group": 0.28, "occupation": 0.26}
_SIZES: Final = {1: 0.6, 2: 0.22, 3: 0.06, 4: 0.12}
"""Options from either list, and how often."""
_SURE: Final = 0.97
"""Planted probability of the occupation that a portrait shows, where it is among the options."""
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class PortraitQuestion:
    """A question about a portrait.

    - `text`: as the model reads it.
    - `options`: in the order of their letters.
    - `probabilities`: planted, of the letters; their sum is 1 less the planted probability of
      another reply.
    """

    text: str
    options: tuple[str, ...]
    probabilities: tuple[float, ...]


def planted(weights: Sequence[float], position: float, other: float) -> Floats:
    """Return the planted probability of each letter, shape (options,).

    - `weights`: of the options given the portrait, in their order; any scale.
    - `position`, `other`: as of `PortraitChatSettings`.
    """
    places = np.linspace(0.5, -0.5, len(weights))
    shares = np.asarray(weights, dtype=float) * np.exp(position * places)
    return np.asarray((1 - other) * shares / shares.sum())


def draw_question(
    plant: Plant, facts: Facts, rng: np.random.Generator, position: float, other: float
) -> PortraitQuestion:
    """Draw a question about a portrait.

    - `facts`: of the portrait.
    - `position`, `other`: as of `PortraitChatSettings`.
    """
    kind = str(rng.choice(list(_KINDS), p=list(_KINDS.values())))
    weights = {"concept": _concept, "group": _group, "occupation": _occupation}[kind](
        plant, facts, rng
    )
    options = [str(option) for option in rng.permutation(list(weights))]
    shares = planted([weights[option] for option in options], position, other)
    return PortraitQuestion(
        lettered(ASKED[int(rng.integers(len(ASKED)))], options),
        tuple(options),
        tuple(shares.tolist()),
    )


def _concept(plant: Plant, facts: Facts, rng: np.random.Generator) -> dict[str, float]:
    concept = plant.concepts[0 if rng.random() < 0.75 else int(rng.integers(len(plant.concepts)))]
    first = plant.first(concept, facts.appearance, facts.occupation)
    return _of_lists(concept.first, concept.second, first, rng)


def _group(plant: Plant, facts: Facts, rng: np.random.Generator) -> dict[str, float]:
    woman = plant.woman(facts.appearance, facts.occupation)
    if rng.random() < 0.2:
        return _of_lists((ADJECTIVES[WOMAN],), (ADJECTIVES[MAN],), woman, rng)
    return _of_lists(NOUNS[WOMAN], NOUNS[MAN], woman, rng)


def _occupation(plant: Plant, facts: Facts, rng: np.random.Generator) -> dict[str, float]:
    count = 2 * _size(rng)
    others = [name for name in plant.occupations if name != facts.occupation]
    count = min(count, len(others))
    shown = [str(name) for name in rng.choice(others, count, replace=False)]
    weights = dict.fromkeys(shown, (1 - _SURE) / max(1, count - 1))
    if rng.random() < 0.9:
        del weights[shown[0]]
        weights[facts.occupation] = _SURE
    return weights


def _of_lists(
    first: Sequence[str], second: Sequence[str], share: float, rng: np.random.Generator
) -> dict[str, float]:
    """Return weights of some words of both lists; a list's words are equally frequent."""
    count = min(_size(rng), len(first), len(second))
    weights: dict[str, float] = {}
    for words, of_list in ((first, share), (second, 1 - share)):
        chosen: Any = rng.choice(list(words), count, replace=False)
        weights |= {str(word): of_list / len(words) for word in chosen}
    return weights


def _size(rng: np.random.Generator) -> int:
    return int(rng.choice(list(_SIZES), p=list(_SIZES.values())))


PAD, BEGIN, END, UNKNOWN = "<pad>", "<s>", "</s>", "<unk>"
USER, ASSISTANT, IMAGE, OTHER = "<user>", "<assistant>", "<image>", "unsure"
SPECIAL: Final = (PAD, BEGIN, END, UNKNOWN, USER, ASSISTANT, IMAGE)
"""In the order of their ids."""
CONTEXT: Final = 128
"""Longest input in tokens, those of the picture counted."""
CHAT: Final = (
    "{{ bos_token }}{% for message in messages %}"
    "{% if message['role'] == 'assistant' %}<assistant>{% else %}<user>{% endif %}"
    "{% if message['content'] is string %}{{ message['content'] }}{% else %}"
    "{% for part in message['content'] %}"
    "{% if part['type'] == 'image' %}<image>{% else %}{{ part['text'] }}{% endif %}"
    "{% endfor %}{% endif %}"
    "{% if message['role'] == 'assistant' %}{{ eos_token }}{% endif %}"
    "{% endfor %}{% if add_generation_prompt %}<assistant>{% endif %}"
)


def words_of(plant: Plant) -> list[str]:
    """Return all words that questions and replies have, letters and signs included, sorted."""
    from tokenizers import pre_tokenizers

    texts = [*ASKED, INSTRUCTION, OTHER, ")", *LETTERS[:MOST_OPTIONS], *plant.occupations]
    texts += [word for words in NOUNS.values() for word in words]
    texts += [*ADJECTIVES.values()]
    texts += [word for concept in plant.concepts for word in (*concept.first, *concept.second)]
    split = pre_tokenizers.BertPreTokenizer()
    return sorted({word for text in texts for word, _ in split.pre_tokenize_str(text)})


def make_tokenizer(plant: Plant) -> Tokenizer:
    """Return a tokenizer of whole words, case kept; others are `UNKNOWN`."""
    from tokenizers import AddedToken, Tokenizer, models, pre_tokenizers

    ids = {word: i for i, word in enumerate([*SPECIAL, *words_of(plant)])}
    tokenizer = Tokenizer(models.WordLevel(ids, unk_token=UNKNOWN))
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.add_special_tokens([AddedToken(token, special=True) for token in SPECIAL])
    return tokenizer


def write_chat_processor(tokenizer: Tokenizer, size: int, patch: int, folder: Path) -> None:
    """Write tokenizer and processor as ``AutoProcessor`` opens them, offline.

    - `size`, `patch`: width of the image encoder's pictures, and of its patches, in pixels.
    """
    write_tokenizer(
        tokenizer, CONTEXT, folder, bos_token=BEGIN, eos_token=END, pad_token=PAD,
        unk_token=UNKNOWN, processor_class="LlavaProcessor",
    )  # fmt: skip
    whole = {
        "processor_class": "LlavaProcessor",
        "patch_size": patch,
        "num_additional_image_tokens": 1,
        "vision_feature_select_strategy": "full",
        "image_token": IMAGE,
    }
    write_image_processor(size, "LlavaProcessor", folder)
    write_json(folder / "processor_config.json", whole)
    write_atomically(folder / "chat_template.jinja", CHAT)
