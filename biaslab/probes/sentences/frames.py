"""The frame of a pair: what is left of a sentence without its attribute and its group term.

Pairs from one template share a frame, whatever their attribute and group term, and a frame that
pulls towards one group moves them all. So frames are drawn anew together.
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
"""What comes and goes with a group's term: he, my brother, the male student."""


def words_of(text: str) -> list[str]:
    """Words and marks of a text, without regard to capitals."""
    return _WORD.findall(text.casefold())


def frame(pair: SentencePair, terms: Set[str] = frozenset()) -> str:
    """The words that both versions share, in order, without attribute and group terms.

    Parameters
    ----------
    pair : SentencePair
    terms : set of str
        Words of group terms, in lower case: they stand in both versions where attributes are
        swapped.
    """
    return _frame(pair.stereotyped, pair.against, pair.attribute, frozenset(terms))


@lru_cache(maxsize=20_000)
def _frame(first: str, second: str, attribute: str, terms: frozenset[str]) -> str:
    # An edit of one sentence asks for the frames of all.
    one, two = words_of(first), words_of(second)
    matcher = SequenceMatcher(None, one, two, autojunk=False)
    own = _WITH_TERMS | terms | set(words_of(attribute))
    kept: list[str] = []
    for start, _, length in matcher.get_matching_blocks():
        # A placeholder in place of what differs, else "a _ b" and "a b _" would be one frame.
        kept += [word for word in one[start : start + length] if word not in own]
        kept.append("_")
    return " ".join(kept)
