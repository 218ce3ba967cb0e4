"""TOML that a person wrote: checked before it is parsed; an error names the file and the remedy."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from biaslab.errors import BiaslabError
from biaslab.files.given import read_given

MOST_PARTS = 16
"""Most names in a dotted key or header; `tomllib` takes quadratic time in them."""

# An unclosed string extends to the end, so that the pattern never backtracks.
_TEXT_OR_COMMENT = re.compile(
    r'''"""(?:[^"\\]+|\\.|"{1,2}(?!"))*+(?:"{3,5})?|'''
    r"""'''(?:[^']+|'{1,2}(?!'))*+(?:'{3,5})?|"""
    r""""(?:[^"\\\n]+|\\.)*+"?|'[^'\n]*'?|#[^\n]*""",
    re.DOTALL,
)
_NO_KEY = re.compile(r"[^\w. \t-]")


class TomlSizeError(ValueError):
    """The text is too long, or a key has too many parts."""


def parse_toml(text: str, *, longest: int) -> dict[str, Any]:
    """Parse TOML, unless it is too long or its keys are too deep.

    - `longest`: most characters allowed.
    - Raises `TomlSizeError` if it is larger; `tomllib.TOMLDecodeError` if it is not valid TOML;
      `ValueError` if a number in it has thousands of digits; `RecursionError` if its lists or
      tables are nested too deeply.
    """
    if len(text) > longest:
        raise TomlSizeError(f"it has more than {longest:,} characters")
    for piece in _NO_KEY.split(_TEXT_OR_COMMENT.sub(_placeholder, text)):
        if piece.count(".") >= MOST_PARTS:
            raise TomlSizeError(
                f"the key {piece.strip()[:20]}... has {piece.count('.') + 1:,} parts, and at most "
                f"{MOST_PARTS} are read"
            )
    return tomllib.loads(text)


def _placeholder(match: re.Match[str]) -> str:
    """Return a placeholder for a string, which may be part of a key."""
    return "" if match[0].startswith("#") else "_"


ENDING = ".toml"


def read_text(file: Path, *, longest: int, error: type[BiaslabError]) -> str:
    """Return the text of a file of at most `longest` characters, or raise an `error`."""
    try:
        return read_given(file, 4 * longest).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as caught:
        why = getattr(caught, "strerror", None) or caught
        raise error(
            f"{file}: cannot be read ({why}). Check the name, the permissions, and that it is"
            " UTF-8."
        ) from caught


def parse_table(
    text: str, where: str, *, longest: int, error: type[BiaslabError]
) -> dict[str, Any]:
    """Parse a TOML text that `where` names, or raise an `error`."""
    try:
        return parse_toml(text, longest=longest)
    except tomllib.TOMLDecodeError as caught:
        raise error(
            f"{where}: is not valid TOML: {caught}. Look there for a missing quote, comma or"
            " bracket, or a repeated name."
        ) from caught
    except (ValueError, RecursionError) as caught:
        raise error(f"{where}: cannot be read: {caught}. Correct it.") from caught


def texts_in(folder: Traversable) -> Iterator[tuple[str, str]]:
    """Yield name and text of each TOML file of the package, by name."""
    for file in sorted(folder.iterdir(), key=lambda file: file.name):
        if file.name.endswith(ENDING):
            yield file.name, file.read_text(encoding="utf-8")
