"""What a page's address asks for: a link of one bench opens a word in another."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

LONGEST = 200
"""Characters of a word or cue; its own fields take as many."""


def inputs_of_address(arguments: Mapping[str, Sequence[bytes]]) -> dict[str, Any]:
    """Inputs of the bench from the arguments of its address; what makes no sense is left out.

    ``word`` and ``subject`` are text, ``pairs`` a JSON list of pairs of cues.
    """
    texts = {name: values[-1].decode("utf-8", "replace") for name, values in arguments.items()}
    inputs: dict[str, Any] = {
        name: texts[name] for name in ("word", "subject") if 0 < len(texts.get(name, "")) <= LONGEST
    }
    if pairs := _pairs(texts.get("pairs", "")):
        inputs |= {"pairs": pairs, "selected_pairs": list(range(len(pairs)))}
    return inputs


def _pairs(text: str) -> list[list[str]]:
    try:
        given = json.loads(text)
    except ValueError:
        return []
    if not isinstance(given, list):
        return []
    return [pair for pair in given if _is_pair(pair)]


def _is_pair(pair: Any) -> bool:
    return (
        isinstance(pair, list)
        and len(pair) == 2
        and all(isinstance(cue, str) and 0 < len(cue) <= LONGEST for cue in pair)
    )
