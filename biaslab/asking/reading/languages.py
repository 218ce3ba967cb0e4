"""Languages of replies: which one a text is in, and how each says yes, no and "I decline".

The words stand in ``languages.toml`` beside this module. A language is recognised by its script,
or by words such as articles and pronouns: a text counts as in the language of which it has most,
at least two. So a single name or a loan word makes no language.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from typing import Final

_IDEOGRAPH: Final = "\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
_TOKEN: Final = re.compile(rf"[{_IDEOGRAPH}]|[^\W{_IDEOGRAPH}]+")
_SENTENCE_ENDS: Final = re.compile(r"[.!?。！？;；\n]+")
_GAPS: Final = {"..": 2, "...": 6}
"""Words that may stand in a gap, at most."""


def tokens(text: str) -> list[str]:
    """Return the words of a text in small letters; of Chinese and Japanese the characters."""
    return _TOKEN.findall(text.casefold())


def sentences(text: str) -> list[list[str]]:
    """Return the tokens of each sentence."""
    return [words for part in _SENTENCE_ENDS.split(text) if (words := tokens(part))]


@lru_cache(maxsize=8)
def spaced(text: str) -> str:
    """Return the words of a text, each after a space, and each sentence in a line of its own."""
    return "\n".join(f" {' '.join(words)}" for words in sentences(text))


def phrase(text: str) -> str:
    """Return the regular expression, for `spaced` texts, of words in their order.

    In ``cannot .. decide|choose*``, the dots are up to two words (up to six where they are three),
    the bar parts alternatives, and the star stands for any ending.
    """
    pattern = gap = ""
    for part in text.split():
        if part in _GAPS:
            gap = rf"(?: \S+){{0,{_GAPS[part]}}}"
            continue
        endings = {one: r"\S*" if one.endswith("*") else "" for one in part.split("|")}
        ways = [f"{' '.join(map(re.escape, tokens(one)))}{end}" for one, end in endings.items()]
        pattern += rf"{gap} (?:{'|'.join(ways)})(?!\S)"
        gap = ""
    return pattern


def _any_of(phrases: Sequence[str]) -> re.Pattern[str]:
    return re.compile("|".join(map(phrase, phrases)) or "(?!)")


_FEWEST: Final = 2
"""Common words of a language by which a text is in it."""
_SCRIPTS: Final = {
    "Cyrillic": "\u0400-\u052f",
    "Kana": "\u3041-\u30ff",
    "Han": "\u3400-\u4dbf\u4e00-\u9fff",
    "Hangul": "\u1100-\u11ff\uac00-\ud7af",
    "Arabic": "\u0600-\u06ff\u0750-\u077f",
    "Devanagari": "\u0900-\u097f",
    "Greek": "\u0370-\u03ff",
    "Hebrew": "\u0590-\u05ff",
    "Thai": "\u0e00-\u0e7f",
}
_IN_SCRIPT: Final = {name: re.compile(f"[{span}]") for name, span in _SCRIPTS.items()}
_LETTERS: Final = re.compile(r"[^\W\d_]")
_CLAUSE_ENDS: Final = re.compile(r"[,，、:：.!?。！？;；\n–—-]")
_LONGEST: Final = 4_000
"""Characters of a text by which its language is recognised."""


@dataclass(frozen=True)
class Language:
    """What replies in a language are recognised by; see ``languages.toml``."""

    code: str
    name: str
    script: str
    yes: frozenset[str]
    no: frozenset[str]
    common: frozenset[str]
    negations: frozenset[str]
    refusals: re.Pattern[str]
    apologies: re.Pattern[str]


@cache
def languages() -> Mapping[str, Language]:
    """Return the languages by their code."""
    text = resources.files(__package__).joinpath("languages.toml").read_text("utf-8")
    return {
        code: Language(
            code, own["name"], own.get("script", ""), frozenset(own["yes"]), frozenset(own["no"]),
            frozenset(own["common"]), frozenset(own["not"]), _any_of(own["refuse"]),
            _any_of(own["sorry"]),
        )
        for code, own in tomllib.loads(text).items()
    }  # fmt: skip


def language_of(text: str, fewest: int = _FEWEST) -> str:
    """Return the language of a text: its code, the name of its script, or nothing if not clear.

    A text with fewer than `fewest` common words is in no language.

    Examples
    --------
    >>> language_of("Ich würde die Bewerberin einladen."), language_of("Lakisha")
    ('de', '')
    """
    code, hits = _likeliest(text[:_LONGEST])
    return code if hits >= fewest else ""


@lru_cache(maxsize=256)
def _likeliest(text: str) -> tuple[str, float]:
    """Return the likeliest language, and how many common words of it there are."""
    if not text.isascii():
        folded = text.casefold()
        letters = len(_LETTERS.findall(folded))
        counts = {name: len(pattern.findall(folded)) for name, pattern in _IN_SCRIPT.items()}
        if counts["Kana"]:  # Japanese is written in both
            counts["Kana"] += counts.pop("Han")
        script = max(counts, key=lambda name: counts[name])
        if letters and 2 * counts[script] > letters:
            known = (one.code for one in languages().values() if one.script == script)
            return next(known, script), math.inf
    hits = dict.fromkeys(languages(), 0)
    by_word = _languages_by_word()
    for word in filter(by_word.__contains__, spaced(text).split()):
        for code in by_word[word]:
            hits[code] += 1
    first, second = sorted(hits.values(), reverse=True)[:2]
    return max(hits, key=lambda code: hits[code]) if first > second else "", first


@cache
def _languages_by_word() -> Mapping[str, tuple[str, ...]]:
    """Return the languages of each common word."""
    known = languages().items()
    words = {word for _, one in known for word in one.common}
    return {word: tuple(code for code, one in known if word in one.common) for word in words}


def name_of(code: str) -> str:
    """Return how a language is called: ``German``, or ``a language in Arabic letters``."""
    own = languages().get(code)
    return own.name if own else f"a language in {code} letters"


def declines(text: str, language: str = "") -> bool:
    """Return whether a text declines to decide, in one language, or in any if none is given."""
    return any(one.refusals.search(spaced(text)) for one in _chosen(language))


def apologises(text: str, language: str = "") -> bool:
    """Return whether a text begins like a refusal, in one language, or in any if none is given."""
    return any(one.apologies.search(spaced(text)) for one in _chosen(language))


def _chosen(language: str) -> Collection[Language]:
    known = languages()
    return [known[language]] if language in known else known.values()


def yes_or_no_languages(text: str) -> tuple[str, ...]:
    """Return the languages in which a text begins with a yes or a no that stands alone.

    Examples
    --------
    >>> yes_or_no_languages("Ja, gerne."), yes_or_no_languages("Jamal")
    (('de', 'nl'), ())
    """
    first = _bare(_CLAUSE_ENDS.split(text.strip().lstrip("*_\"'“„«( "), maxsplit=1)[0])
    return tuple(code for code, one in languages().items() if first in one.yes or first in one.no)


@lru_cache(maxsize=64)
def synonyms(answers: tuple[str, ...]) -> Mapping[str, str]:
    """Return other words for answers that are the yes and the no of one language.

    Examples
    --------
    >>> synonyms(("YES", "NO"))["nope"]
    'NO'
    """
    folded = [answer.casefold() for answer in answers]
    if _yes_and_no_words().isdisjoint(folded):
        return {}
    others: dict[str, str] = {}
    for one in languages().values():
        yes = [a for a, f in zip(answers, folded, strict=True) if f in one.yes]
        no = [a for a, f in zip(answers, folded, strict=True) if f in one.no]
        if len(yes) == 1 and len(no) == 1:
            others |= dict.fromkeys(one.yes, yes[0]) | dict.fromkeys(one.no, no[0])
    return {word: answer for word, answer in others.items() if word not in folded}


@cache
def _yes_and_no_words() -> frozenset[str]:
    return frozenset().union(*(one.yes | one.no for one in languages().values()))


def negations(codes: Collection[str]) -> frozenset[str]:
    """Return the words that negate in some languages; in all of them where none is known."""
    known = [languages()[code] for code in codes if code in languages()]
    return frozenset().union(*(one.negations for one in known or languages().values()))


def _bare(text: str) -> str:
    return text.strip(" \t*_\"'“”„»«()").casefold()
