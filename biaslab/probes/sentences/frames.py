"""Frame of a pair: the sentence without its attribute and its group term.

Pairs from one template share a frame for every attribute and group term, and a frame that
favours one group affects all of them. Therefore frames are resampled as clusters.
"""

from __future__ import annotations

import re
from collections.abc import Set
from difflib import SequenceMatcher
from functools import lru_cache

from biaslab.probes.sentences.pairs import SentencePair

_WORD = re.compile(r"\w+|[^\w\s]")
_WITH_TERMS = frozenset(
    {"the", "a", "an", "my", "your", "our", "student", "neighbour", "colleague", "visitor"}
)
"""Words that change with a group's term: he, my brother, the male student."""


def words_of(text: str) -> list[str]:
    """Return words and marks of a text, in lower case."""
    return _WORD.findall(text.casefold())


def frame(pair: SentencePair, terms: Set[str] = frozenset()) -> str:
    """Return the words shared by both versions, without attribute and terms.

    Parameters
    ----------
    pair : SentencePair
    terms : set of str
        Words of group terms, in lower case: both versions contain them when attributes are
        swapped.
    """
    if pair.frame:
        return pair.frame
    return _frame(pair.stereotyped, pair.against, pair.attribute, frozenset(terms))


@lru_cache(maxsize=20_000)
def _frame(first: str, second: str, attribute: str, terms: frozenset[str]) -> str:
    # An edit of one sentence recomputes the frames of all.
    first_words, second_words = words_of(first), words_of(second)
    matcher = SequenceMatcher(None, first_words, second_words, autojunk=False)
    excluded = _WITH_TERMS | terms | set(words_of(attribute))
    shared: list[str] = []
    for start, _, length in matcher.get_matching_blocks():
        # A placeholder for each difference, else "a _ b" and "a b _" would be one frame.
        shared += [word for word in first_words[start : start + length] if word not in excluded]
        shared.append("_")
    return " ".join(shared)
