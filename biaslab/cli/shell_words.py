"""Messages of the library, which speak Python, in the words of the command line."""

from __future__ import annotations

import re
from typing import Final

_WORDS: Final = (
    (r"(?<![\w.])runs\(\) lists all runs", "`biaslab runs` lists all runs"),
    (r"(?<![\w.])restore\('([^']*)'\) brings", r"`biaslab runs restore \1` brings"),
    (r"bl\.specs\.catalog\(\) lists", "`biaslab specs` lists"),
    (r"bl\.subjects\.library\.own_subjects\(\) lists", "`biaslab subjects` lists"),
    (r"(Pass|Open one with) bl\.load\('([^']*)'\)", r"Give \2"),
    (r"bl\.load\('([^']*)'\)", r"\1"),
    (r",? or wrap a torch module in TorchClassifier", ""),
    (r"\bsee \.?dropped\b", "--json gives all"),
    (r"(?<!\w)\.dropped lists", "--json lists"),
)
"""Patterns of Python, and what stands in their place."""


def in_shell(text: str) -> str:
    """Return a message with commands in place of Python where there is one for it.

    Examples
    --------
    >>> in_shell("There is no run 'x'. runs() lists all runs.")
    "There is no run 'x'. `biaslab runs` lists all runs."
    """
    for pattern, words in _WORDS:
        text = re.sub(pattern, words, text)
    return text
