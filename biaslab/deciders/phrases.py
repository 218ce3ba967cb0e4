"""Find phrases with gaps in a text, in time proportional to its length."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
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
    return [found for part in _SENTENCE_ENDS.split(text) if (found := tokens(part))]


@dataclass(frozen=True)
class Phrase:
    """Words in their order, with gaps between some of them.

    Attributes
    ----------
    items : tuple of (int, tuple of tuple of str)
        How many words may stand before an item, at most, and its alternatives; a word that ends
        in ``*`` stands for all that begin like it.
    """

    items: tuple[tuple[int, tuple[tuple[str, ...], ...]], ...]

    @classmethod
    def of(cls, text: str) -> Phrase:
        """Return the phrase that a text describes: ``cannot .. decide|choose``."""
        items, gap = [], 0
        for part in text.split():
            if part in _GAPS:
                gap = _GAPS[part]
                continue
            alternatives = tuple(_words(one) for one in part.split("|"))
            items.append((gap, alternatives))
            gap = 0
        return cls(tuple(items))

    def is_in(self, words: Sequence[str]) -> bool:
        """Return whether a sentence, as tokens, has the phrase."""
        ends: list[int] | None = None
        for gap, alternatives in self.items:
            found = set()
            for words_of_one in alternatives:
                for start in _places(words, words_of_one):
                    if ends is None or _reaches(ends, start, gap):
                        found.add(start + len(words_of_one))
            if not found:
                return False
            ends = sorted(found)
        return True


def _words(text: str) -> tuple[str, ...]:
    star = text.endswith("*")
    found = tuple(tokens(text.removesuffix("*")))
    return (*found[:-1], f"{found[-1]}*") if star else found


def _places(words: Sequence[str], wanted: Sequence[str]) -> list[int]:
    last = len(words) - len(wanted)
    return [
        start
        for start in range(last + 1)
        if all(_is(words[start + i], one) for i, one in enumerate(wanted))
    ]


def _is(word: str, wanted: str) -> bool:
    return word.startswith(wanted[:-1]) if wanted.endswith("*") else word == wanted


def _reaches(ends: Sequence[int], start: int, gap: int) -> bool:
    """Return whether some end lies at a start or up to a gap before it."""
    at = bisect_left(ends, start - gap)
    return at < len(ends) and ends[at] <= start
