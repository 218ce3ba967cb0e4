"""Tokenizer and processor of portrait-chat, in transformers' format."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from biaslab.atomic import write_atomically
from biaslab.subjects.vision_language.questions import INSTRUCTION, LETTERS
from biaslab.training.portrait_chat_questions import ASKED, MOST_OPTIONS
from biaslab.training.portrait_clip_captions import ADJECTIVES, NOUNS
from biaslab.training.portrait_clip_plant import Plant
from biaslab.training.portrait_clip_tokenizer import write_image_processor

if TYPE_CHECKING:
    from tokenizers import Tokenizer

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

    Parameters
    ----------
    tokenizer : tokenizers.Tokenizer
    size, patch : int
        Width of the image encoder's pictures, and of its patches, in pixels.
    folder : Path
    """
    text = json.dumps(json.loads(tokenizer.to_str()), ensure_ascii=False, separators=(",", ":"))
    write_atomically(folder / "tokenizer.json", text)
    config: dict[str, Any] = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "model_max_length": CONTEXT,
        "model_input_names": ["input_ids", "attention_mask"],
        "clean_up_tokenization_spaces": False,
        "bos_token": BEGIN,
        "eos_token": END,
        "pad_token": PAD,
        "unk_token": UNKNOWN,
        "processor_class": "LlavaProcessor",
    }
    whole = {
        "processor_class": "LlavaProcessor",
        "patch_size": patch,
        "num_additional_image_tokens": 1,
        "vision_feature_select_strategy": "full",
        "image_token": IMAGE,
    }
    write_atomically(folder / "tokenizer_config.json", json.dumps(config, indent=1) + "\n")
    write_image_processor(size, "LlavaProcessor", folder)
    write_atomically(folder / "processor_config.json", json.dumps(whole, indent=1) + "\n")
    write_atomically(folder / "chat_template.jinja", CHAT)
