"""TOML from a stranger: refused by its size before it is parsed."""

from __future__ import annotations

import re
import tomllib
from typing import Any

MOST_PARTS = 16
"""Names with dots between them in a key or a header; `tomllib` takes a time of their square."""

# An open text goes on to the end, so that no alternative is ever given up.
_TEXT_OR_COMMENT = re.compile(
    r'''"""(?:[^"\\]+|\\.|"{1,2}(?!"))*+(?:"{3,5})?|'''
    r"""'''(?:[^']+|'{1,2}(?!'))*+(?:'{3,5})?|"""
    r""""(?:[^"\\\n]+|\\.)*+"?|'[^'\n]*'?|#[^\n]*""",
    re.DOTALL,
)
_NO_KEY = re.compile(r"[^\w. \t-]")


class TomlSizeError(ValueError):
    """A text that is too long, or has a key of too many parts."""


def parse_toml(text: str, *, longest: int) -> dict[str, Any]:
    """Parse TOML, unless it is too long or its keys are too deep.

    Parameters
    ----------
    text : str
    longest : int
        Characters it may have.

    Raises
    ------
    TomlSizeError
        If it is larger.
    tomllib.TOMLDecodeError
        If it is not valid TOML.
    ValueError
        If a number in it has thousands of digits.
    RecursionError
        If its lists or tables are nested too deeply.
    """
    if len(text) > longest:
        raise TomlSizeError(f"it has more than {longest:,} characters")
    for piece in _NO_KEY.split(_TEXT_OR_COMMENT.sub(_kept, text)):
        if piece.count(".") >= MOST_PARTS:
            raise TomlSizeError(
                f"the key {piece.strip()[:20]}... has {piece.count('.') + 1:,} parts, and at most "
                f"{MOST_PARTS} are read"
            )
    return tomllib.loads(text)


def _kept(found: re.Match[str]) -> str:
    """What stands for a text, which may be part of a key."""
    return "" if found[0].startswith("#") else "_"
