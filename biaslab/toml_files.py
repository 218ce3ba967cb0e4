"""Read TOML files that a person wrote: an error names the file and the remedy."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from biaslab.errors import BiaslabError
from biaslab.given_files import read_given
from biaslab.toml_text import parse_toml

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
