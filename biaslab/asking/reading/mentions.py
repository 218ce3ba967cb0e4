"""Answers that a text names, and whether a negation or a condition goes with them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

_WORD: Final = re.compile(r"\w+(?:['’]\w+)*")
_LABELS_WORDS: Final = (
    "answer applicant candidate choice choose chose decision option person pick select"
    " selected verdict"
)
_LABELS: Final = frozenset(_LABELS_WORDS.split())
"""Words before a short answer that make it one: ``candidate b``."""
_AFTER_A_LETTER_WORDS: Final = (
    "and as because for gets has is or over rather seems should since with would"
)
_AFTER_A_LETTER: Final = frozenset(_AFTER_A_LETTER_WORDS.split())
"""Words that follow the letter A as an answer, and not the article."""
_ORDINARY: Final = frozenset({"no", "non", "não", "nie", "si"})
"""Answers that are common words too."""
_IDEOGRAPHS: Final = re.compile(r"[\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff]+")
_KANA: Final = re.compile(r"[\u3041-\u309f]")


@dataclass(frozen=True)
class Word:
    """A word of a text: as written, in small letters, and where."""

    written: str
    folded: str
    start: int
    end: int


@dataclass(frozen=True)
class Mention:
    """An answer named in a text, and the number of its first word there.

    It is exact if it is written as the question writes it.
    """

    answer: str
    first: int
    is_exact: bool


def normalised(text: str) -> str:
    """Return a text with compatible forms of letters made one: ``Ａ`` is ``A``."""
    return unicodedata.normalize("NFKC", text)


def words_of(text: str) -> list[Word]:
    """Return the words of a text."""
    return [
        Word(found[0], found[0].casefold(), found.start(), found.end())
        for found in _WORD.finditer(text)
    ]


def mentions(text: str, words: Sequence[Word], answers: Sequence[str]) -> Iterator[Mention]:
    """Yield the answers that a text names, as whole words in any case, the longest ones first.

    A single letter counts as a capital that is not the article or the pronoun, or after a word
    such as ``candidate`` at the end of a clause. ``no`` counts in capitals, or where a comma or
    the end follows it as the first word. Chinese and Japanese answers of two characters or more
    count within a word, as these languages part no words.
    """
    yield from _within(words, [answer for answer in answers if is_ideographic(answer)])
    answers = [answer for answer in answers if not is_ideographic(answer)]
    forms = sorted(
        ((words_of(normalised(answer)), answer) for answer in answers),
        key=lambda form: -len(form[0]),
    )
    at = 0
    while at < len(words):
        for form, answer in forms:
            run = words[at : at + len(form)]
            if not form or [w.folded for w in run] != [w.folded for w in form]:
                continue
            is_exact = all(w.written == f.written for w, f in zip(run, form, strict=True))
            if len(form) > 1 or _counts(text, words, at):
                yield Mention(answer, at, is_exact)
            at += len(form) - 1
            break
        at += 1


def is_ideographic(text: str) -> bool:
    """Return whether a text is Chinese or Japanese alone."""
    return _IDEOGRAPHS.fullmatch(text) is not None


def _within(words: Sequence[Word], answers: Sequence[str]) -> Iterator[Mention]:
    """Yield the Chinese and Japanese answers in words; what a longer one takes is taken."""
    for number, word in enumerate(words):
        rest = word.written
        for answer in sorted(answers, key=len, reverse=True):
            at = rest.find(answer) if len(answer) > 1 else -1
            while at >= 0:
                if not _goes_on(rest, at, answer):
                    yield Mention(answer, number, True)
                rest = f"{rest[:at]}{chr(0) * len(answer)}{rest[at + len(answer) :]}"
                at = rest.find(answer)
        if word.written in answers and len(word.written) == 1:
            yield Mention(word.written, number, True)


def _goes_on(text: str, at: int, answer: str) -> bool:
    """Return whether an answer in hiragana is part of a longer word: はい in はいる."""
    if not all(_KANA.match(letter) for letter in answer):
        return False
    around = text[max(0, at - 1) : at] + text[at + len(answer) : at + len(answer) + 1]
    return _KANA.search(around) is not None


def _counts(text: str, words: Sequence[Word], at: int) -> bool:
    """Return whether a word of an answer's form is one, and not ordinary language."""
    word = words[at]
    if len(word.folded) > 1 and word.folded not in _ORDINARY:
        return True
    rest = text[word.end : word.end + 3]
    if word.folded in _ORDINARY:
        return word.written.isupper() or (at == 0 and _ends_clause(rest))
    if not word.folded.isalpha():
        return True
    is_labelled = at > 0 and words[at - 1].folded in _LABELS
    if word.written.islower():
        return is_labelled and _ends_clause(rest)
    if is_labelled or _ends_clause(rest):
        return True
    is_word = word.folded in {"a", "i"}
    return not is_word or (
        word.folded == "a" and at + 1 < len(words) and words[at + 1].folded in _AFTER_A_LETTER
    )


def _ends_clause(rest: str) -> bool:
    """Return whether a clause ends before the rest of a text."""
    return not rest.strip() or not (rest[0].isspace() or rest[0].isalnum())


SENTENCE_ENDS: Final = re.compile(r"([.!?。！？;\n]+)")
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
    """An answer that is named, and whether a negation or a condition goes with it."""

    answer: str
    is_negated: bool
    is_exact: bool


def statements(text: str) -> Iterator[str]:
    """Yield the sentences of a text that ask nothing."""
    parts = SENTENCE_ENDS.split(text)
    for sentence, end in zip(parts[::2], [*parts[1::2], ""], strict=True):
        if "?" not in end and "？" not in end:
            yield sentence


def named(text: str, answers: Sequence[str], negations: Collection[str] = ()) -> list[Named]:
    """Return the answers named outside questions.

    Negations of other languages than English, in small letters, may also follow an answer in its
    clause, as in German or Japanese.
    """
    found: list[Named] = []
    for statement in statements(text):
        sentence = _NEEDED.sub("so", statement)
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
