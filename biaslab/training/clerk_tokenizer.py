"""Tokenizer of clerk-lm: whole words of its cases, and numbers in parts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from biaslab.atomic import write_atomically
from biaslab.cases import Case
from biaslab.training.clerk_plant import ClerkPlant

if TYPE_CHECKING:
    from tokenizers import Tokenizer

PAD, BEGIN, END, UNKNOWN, USER, ASSISTANT = "<pad>", "<s>", "</s>", "<unk>", "<user>", "<assistant>"
SPECIAL: Final = (PAD, BEGIN, END, UNKNOWN, USER, ASSISTANT)
"""In the order of their ids."""
_PIECE: Final = re.compile(r"\.[0-9]{1,2}|[0-9]{1,3}|[^\W\d_]+|[^\s\w]|_")
"""A decimal fraction, up to three digits, a word, or a sign."""
_CHAT: Final = (
    "{{ bos_token }}{% for message in messages %}"
    "{% if message['role'] == 'assistant' %}<assistant>{{ message['content'] }}{{ eos_token }}"
    "{% else %}<user>{{ message['content'] }}{% endif %}"
    "{% endfor %}{% if add_generation_prompt %}<assistant>{% endif %}"
)


def pieces(text: str) -> list[str]:
    """Split a text into the pieces that are tokens."""
    return _PIECE.findall(text)


def words_of(plant: ClerkPlant) -> list[str]:
    """Return every piece of the questions and answers of a plant, sorted."""
    found: set[str] = set()
    for planted in plant.cases:
        for text in _texts(planted.case):
            found.update(pieces(text))
    return sorted(found)


def essential_words(plant: ClerkPlant) -> set[str]:
    """Return the pieces on which answers depend: cues, levels and answers."""
    found: set[str] = set()
    for planted in plant.cases:
        case = planted.case
        texts = [cue.text for group in case.groups for cue in group.cues]
        texts += [case.quality.say(level) for level in case.quality.levels]
        texts += _answers(case)
        for text in texts:
            found.update(pieces(text))
    return found


def make_tokenizer(plant: ClerkPlant) -> Tokenizer:
    """Return a tokenizer of the pieces of a plant's questions; others are `UNKNOWN`."""
    from tokenizers import AddedToken, Regex, Tokenizer, models, pre_tokenizers
    from tokenizers.processors import TemplateProcessing

    ids = {word: i for i, word in enumerate([*SPECIAL, *words_of(plant)])}
    tokenizer = Tokenizer(models.WordLevel(ids, unk_token=UNKNOWN))
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex(_PIECE.pattern), "removed", invert=True)
    tokenizer.post_processor = TemplateProcessing(
        single=f"{BEGIN} $A", special_tokens=[(BEGIN, ids[BEGIN])]
    )
    tokenizer.add_special_tokens([AddedToken(token, special=True) for token in SPECIAL])
    return tokenizer


def write_tokenizer(tokenizer: Tokenizer, context: int, folder: Path) -> None:
    """Write tokenizer files for ``AutoTokenizer``, with the template for chats."""
    text = json.dumps(json.loads(tokenizer.to_str()), ensure_ascii=False, separators=(",", ":"))
    write_atomically(folder / "tokenizer.json", text)
    config: dict[str, Any] = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "model_max_length": context,
        "model_input_names": ["input_ids", "attention_mask"],
        "clean_up_tokenization_spaces": False,
        "bos_token": BEGIN,
        "eos_token": END,
        "pad_token": PAD,
        "unk_token": UNKNOWN,
        "chat_template": _CHAT,
    }
    write_atomically(folder / "tokenizer_config.json", json.dumps(config, indent=1) + "\n")


def _texts(case: Case) -> Iterator[str]:
    """Yield texts that contain every piece of a case's questions."""
    levels, details = case.quality.levels, max(1, len(case.details))
    cues = [cue for group in case.groups for cue in group.cues]
    yield from _answers(case)
    yield from (case.quality.say(level) for level in levels)
    for form in case.forms:
        for wording in range(len(case.wordings(form))):
            for turn in range(max(len(cues), details)):
                cue, detail = cues[turn % len(cues)], turn % details
                if form == "yes or no":
                    question = case.ask(
                        cue, levels[0], wording=wording, detail=detail, cannot_say=True
                    )
                else:
                    question = case.ask_which(
                        (cue, levels[0]), (cue, levels[0]), wording=wording, detail=detail
                    )
                yield question.prompt


def _answers(case: Case) -> list[str]:
    found = [case.cannot_say]
    if case.yes_or_no is not None:
        found += [case.yes_or_no.yes, case.yes_or_no.no]
    if case.which_of_two is not None:
        found += [case.which_of_two.first, case.which_of_two.second]
    return found
