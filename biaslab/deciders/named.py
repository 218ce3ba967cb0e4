"""Answers that a reply names, and whether a negation or a condition goes with them."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from biaslab.deciders.mentions import Word, is_ideographic, mentions, words_of

SENTENCE_ENDS: Final = re.compile(r"[.!?。！？;\n]+")
_CLAUSE_ENDS: Final = re.compile(r"[,，、:：–—]")
_NEGATIONS_WORDS: Final = (
    "against cannot if instead neither never no nobody none nor not rather refuse refused than"
    " unable unless unwilling whether without won't wouldn't don't doesn't didn't can't couldn't"
    " shouldn't isn't aren't wasn't mustn't needn't cant wont dont"
)
_NEGATIONS: Final = frozenset(_NEGATIONS_WORDS.split())
_NEEDED: Final = re.compile(
    r"\bif (?:i|you) (?:had to|have to|must|need to|insist)\b|\bif forced\b", re.IGNORECASE
)
"""Conditions that are none: who has to choose chooses."""


@dataclass(frozen=True)
class Named:
    """An answer that is named.

    Attributes
    ----------
    answer : str
    is_negated : bool
        Whether a negation or a condition goes with it.
    is_exact : bool
        Whether it is written as the question writes it.
    """

    answer: str
    is_negated: bool
    is_exact: bool


def named(text: str, answers: Sequence[str], negations: Collection[str] = ()) -> list[Named]:
    """Return the answers named outside questions.

    Parameters
    ----------
    text : str
    answers : sequence of str
    negations : collection of str
        Of other languages than English, in small letters. They may also follow an answer in its
        clause, as in German or Japanese.
    """
    found: list[Named] = []
    at = 0
    for end in [*SENTENCE_ENDS.finditer(text), None]:
        sentence = text[at : end.start() if end else len(text)]
        at = end.end() if end else len(text)
        if end is not None and ("?" in end[0] or "？" in end[0]):
            continue
        sentence = _NEEDED.sub("so", sentence)
        words = words_of(sentence)
        negation = first_negation(words)
        foreign = _foreign(sentence, words, answers, negations)
        found += [
            Named(
                mention.answer,
                mention.first > negation or foreign <= _clause_end(sentence, words, mention.first),
                mention.is_exact,
            )
            for mention in mentions(sentence, words, answers)
        ]
    if all(answer.isupper() for answer in answers) and any(one.is_exact for one in found):
        found = [one for one in found if one.is_exact]
    return found


def first_negation(words: Sequence[Word]) -> int:
    """Return the number of the first word that negates in English; else the number of words."""
    places = (number for number, word in enumerate(words) if word.folded in _NEGATIONS)
    return next(places, len(words))


def _foreign(
    sentence: str, words: Sequence[Word], answers: Sequence[str], negations: Collection[str]
) -> int:
    """Return where the first negation of another language stands; else the sentence's length."""
    none = len(sentence) + 1
    own = {word.casefold() for answer in answers for word in answer.split()}
    places = [word.start for word in words if word.folded in negations and word.folded not in own]
    rest = sentence
    for answer in sorted(filter(is_ideographic, answers), key=len, reverse=True):
        rest = rest.replace(answer, "\x00" * len(answer))
    places += [
        place
        for negation in negations
        if is_ideographic(negation) and (place := rest.find(negation)) >= 0
    ]
    return min(places, default=none)


def _clause_end(sentence: str, words: Sequence[Word], first: int) -> int:
    """Return where the clause of a word ends."""
    end = _CLAUSE_ENDS.search(sentence, words[first].end)
    return end.start() if end else len(sentence)
