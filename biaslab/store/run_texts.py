"""Texts that a person or a bench gives a run, checked before they are stored."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from biaslab.arguments import described, strings
from biaslab.errors import ArgumentError

_LONGEST_TAG = 100


def one_text(value: Any, what: str) -> str:
    """Return the value if it is text.

    Raises
    ------
    ArgumentError
        If it is not.
    """
    if not isinstance(value, str):
        raise ArgumentError(f"{what} is {described(value)}, which is not text: pass a str.")
    return storable(value)


def storable(text: str) -> str:
    """Return text that every database can hold: PostgreSQL refuses the character NUL."""
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}")


def checked_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """Return the tags without spaces around them, each once.

    Raises
    ------
    ArgumentError
        If one is empty, longer than 100 characters, or contains a comma or a line break.
    """
    texts = [storable(tag.strip()) for tag in strings(tags, "tags", "['pilot']")]
    for tag in texts:
        if not tag or len(tag) > _LONGEST_TAG or "," in tag or not tag.isprintable():
            raise ArgumentError(
                f"{tag!r} cannot be a tag: a tag has 1 to {_LONGEST_TAG} characters, and no comma"
                " or line break. Pass tags like ['pilot', 'thesis']."
            )
    return tuple(dict.fromkeys(texts))


def json_text(inputs: Mapping[str, Any]) -> str:
    """Return the inputs of a bench as JSON.

    Raises
    ------
    ArgumentError
        If JSON cannot hold them.
    """
    if not isinstance(inputs, Mapping):
        raise ArgumentError(f"inputs is {described(inputs)}: pass a dict of settings.")
    try:
        return json.dumps(dict(inputs), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ArgumentError(
            f"inputs cannot be stored as JSON ({error}): use numbers, text, None, lists and dicts."
        ) from error
