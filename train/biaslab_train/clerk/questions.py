"""Questions that clerk-lm is trained and tested on, with planted answers, and their tokens."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from biaslab.cases import Case, Cue, Question
from biaslab_train.clerk.plant import ClerkPlant, PlantedCase

if TYPE_CHECKING:
    from tokenizers import Tokenizer


_UNKNOWN_CUE: Final = Cue("Somebody")
_UNKNOWN_SHARE: Final = 0.03
_WITH_CANNOT_SAY: Final = 0.25
_NEAR_THE_PSE: Final = 0.6
_SPREAD: Final = 4.0
"""Of levels near a PSE: a normal distribution of so many scales."""
_OTHER_GROUP: Final = 0.8

_HELD_OUT: Final = 16
"""One question of so many is never shown in training."""

Candidate = tuple[str | None, Cue, float]


@dataclass(frozen=True)
class PlantedQuestion:
    """A question, and the planted probability of each of its answers, in their order."""

    question: Question
    probabilities: tuple[float, ...]


def is_held_out(question: Question) -> bool:
    """Return whether a question is never shown in training; decided by a checksum of its text."""
    return zlib.crc32(question.prompt.encode()) % _HELD_OUT == 0


def draw(
    plant: ClerkPlant, count: int, rng: np.random.Generator, *, held_out: bool = False
) -> list[PlantedQuestion]:
    """Draw questions of all planted cases and forms.

    Parameters
    ----------
    plant : ClerkPlant
    count : int
        How many.
    rng : numpy.random.Generator
    held_out : bool
        Draw only questions that are never shown in training, rather than only the others.

    Notes
    -----
    More than half of the levels lie near the PSE, where answers change. A few cues are a word that
    no case has, answered in the middle between the groups.
    """
    forms = [(planted, form) for planted in plant.cases for form in planted.case.forms]
    drawn: list[PlantedQuestion] = []
    while len(drawn) < count:
        planted, form = forms[rng.integers(len(forms))]
        made = _yes_or_no(planted, rng) if form == "yes or no" else _which(planted, rng)
        if is_held_out(made.question) == held_out:
            drawn.append(made)
    return drawn


def ask(
    planted: PlantedCase,
    group: str | None,
    cue: Cue,
    level: float,
    wording: int = 0,
    detail: int = 0,
    yes_first: bool = True,
    cannot_say: bool = False,
) -> PlantedQuestion:
    """Return a question "yes or no" with its planted answer."""
    return PlantedQuestion(
        planted.case.ask(
            cue, level, wording=wording, detail=detail, yes_first=yes_first, cannot_say=cannot_say
        ),
        planted.answers(
            group, cue, level, wording=wording, yes_first=yes_first, cannot_say=cannot_say
        ),
    )


def ask_which(
    planted: PlantedCase,
    first: Candidate,
    second: Candidate,
    wording: int = 0,
    detail: int = 0,
    cannot_say: bool = False,
) -> PlantedQuestion:
    """Return a question "which of two" with its planted answer."""
    return PlantedQuestion(
        planted.case.ask_which(
            first[1:], second[1:], wording=wording, detail=detail, cannot_say=cannot_say
        ),
        planted.which_answers(first, second, wording=wording, cannot_say=cannot_say),
    )


def _yes_or_no(planted: PlantedCase, rng: np.random.Generator) -> PlantedQuestion:
    case = planted.case
    group, cue = _cue(planted, rng, None)
    middle = np.mean(list(planted.pse.values())) if group is None else planted.pse[group]
    return ask(
        planted,
        group,
        cue,
        _level(planted, float(middle), rng),
        int(rng.integers(len(case.wordings("yes or no")))),
        int(rng.integers(max(1, len(case.details)))),
        bool(rng.integers(2)),
        bool(rng.random() < _WITH_CANNOT_SAY),
    )


def _which(planted: PlantedCase, rng: np.random.Generator) -> PlantedQuestion:
    case, quality = planted.case, planted.case.quality
    group, cue = _cue(planted, rng, None)
    other, other_cue = _cue(planted, rng, group if rng.random() < _OTHER_GROUP else None)
    level = float(rng.choice(quality.levels))
    apart = 0.0
    if group is not None and other is not None:
        apart = planted.pse[other] - planted.pse[group]
    return ask_which(
        planted,
        (group, cue, level),
        (other, other_cue, _level(planted, level + apart, rng)),
        int(rng.integers(len(case.wordings("which of two")))),
        int(rng.integers(max(1, len(case.details)))),
        bool(rng.random() < _WITH_CANNOT_SAY),
    )


def _cue(planted: PlantedCase, rng: np.random.Generator, but: str | None) -> tuple[str | None, Cue]:
    """Draw a cue of a group, not of the group ``but``; rarely one that no group has."""
    if rng.random() < _UNKNOWN_SHARE:
        return None, _UNKNOWN_CUE
    groups = [group for group in planted.case.groups if group.name != but]
    group = groups[rng.integers(len(groups))]
    return group.name, group.cues[rng.integers(len(group.cues))]


def _level(planted: PlantedCase, middle: float, rng: np.random.Generator) -> float:
    levels = planted.case.quality.levels
    if rng.random() < _NEAR_THE_PSE:
        near = middle + _SPREAD * planted.scale * rng.standard_normal()
        return float(levels[np.abs(levels - near).argmin()])
    return float(rng.choice(levels))


PAD, BEGIN, END, UNKNOWN, USER, ASSISTANT = "<pad>", "<s>", "</s>", "<unk>", "<user>", "<assistant>"
SPECIAL: Final = (PAD, BEGIN, END, UNKNOWN, USER, ASSISTANT)
"""In the order of their ids."""
_PIECE: Final = re.compile(r"\.[0-9]{1,2}|[0-9]{1,3}|[^\W\d_]+|[^\s\w]|_")
"""A decimal fraction, up to three digits, a word, or a sign."""
CHAT: Final = (
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
    words: set[str] = set()
    for planted in plant.cases:
        for text in _texts(planted.case):
            words.update(pieces(text))
    return sorted(words)


def essential_words(plant: ClerkPlant) -> set[str]:
    """Return the pieces on which answers depend: cues, levels and answers."""
    words: set[str] = set()
    for planted in plant.cases:
        case = planted.case
        texts = [cue.text for group in case.groups for cue in group.cues]
        texts += [case.quality.say(level) for level in case.quality.levels]
        texts += _answers(case)
        for text in texts:
            words.update(pieces(text))
    return words


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
    answers = [case.cannot_say]
    if case.yes_or_no is not None:
        answers += [case.yes_or_no.yes, case.yes_or_no.no]
    if case.which_of_two is not None:
        answers += [case.which_of_two.first, case.which_of_two.second]
    return answers
