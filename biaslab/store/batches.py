"""Keys in batches that fit into one query."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

_KEYS_AT_ONCE = 500
"""Variables per query: older SQLite allows no more than 999."""


def batches(keys: Iterable[str]) -> Iterator[list[str]]:
    """Yield the keys, each once, in lists that fit into one query."""
    remaining = iter(dict.fromkeys(keys))
    while some := list(islice(remaining, _KEYS_AT_ONCE)):
        yield some
