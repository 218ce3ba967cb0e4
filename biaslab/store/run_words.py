"""Words of a run by which a search finds it."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from typing import Any

_LONGEST_WORD = 80
_LONGEST_TEXT = 20_000
_NUMBERS = {"NaN", "Infinity", "-Infinity"}
_SKIPPED_FIELDS = {"schema", "$packed", "dtype", "versions", "cpu", "time", "call"}


def folded(text: str) -> str:
    """Return text as a search compares it: without case, with one form for each character."""
    return text.lower() if text.isascii() else unicodedata.normalize("NFKC", text).casefold()


def run_words(document: dict[str, Any]) -> str:
    """Return the first distinct short texts of a result, folded, one a line.

    They are at most 20,000 characters.

    Parameters
    ----------
    document : dict
        What `biaslab.results.Result.to_dict` returns.
    """
    words: dict[str, None] = {}
    length = 0
    for text in _texts(document):
        word = folded(text)
        if word not in words:
            length += len(word) + 1
            if length > _LONGEST_TEXT:
                break
            words[word] = None
    return "\n".join(words)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        if 0 < len(value) <= _LONGEST_WORD and value not in _NUMBERS:
            yield value
    elif isinstance(value, list):
        for item in value:
            if not isinstance(item, int | float):
                yield from _texts(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            if key not in _SKIPPED_FIELDS:
                yield from _texts(item)
