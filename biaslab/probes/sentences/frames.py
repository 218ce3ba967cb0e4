"""The frame of a pair: what is left of a sentence without its attribute and its swapped term.

Pairs from one template share a frame, whatever their attribute and group terms, and a frame that
pulls towards one group moves them all. So frames are drawn anew together.
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher

from biaslab.probes.sentences.pairs import SentencePair

_WORD = re.compile(r"\w+|[^\w\s]")


def frame(pair: SentencePair) -> str:
    """The words that both versions share, in order, without those of the attribute."""
    one, two = (_WORD.findall(text.casefold()) for text in pair.versions)
    matcher = SequenceMatcher(None, one, two, autojunk=False)
    own = set(_WORD.findall(pair.attribute.casefold()))
    kept: list[str] = []
    for start, _, length in matcher.get_matching_blocks():
        # A placeholder in place of what differs, else "a _ b" and "a b _" would be one frame.
        kept += [word for word in one[start : start + length] if word not in own]
        kept.append("_")
    return " ".join(kept)
