"""How large an input may be: looked at before anything reads it.

What a stranger sends is parsed, compared and kept; each of these costs time and memory in
proportion to its size, or worse. A cap refuses what is larger than anybody needs, with a sentence.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from biaslab.errors import QueryError

_DEEPEST = 20
"""Lists within lists."""


class TooLargeError(QueryError, ValueError):
    """An input is larger than its cap."""


@dataclass(frozen=True)
class Cap:
    """The largest value of a field, or of the arguments of a command.

    Attributes
    ----------
    text : int
        Characters of one text, or bytes of one content.
    items : int
        Entries of all lists and records together.
    total : int
        Characters of all texts together.
    """

    text: int = 20_000
    items: int = 30_000
    total: int = 1_000_000

    def check(self, value: Any) -> None:
        """Look at a value, and at everything in it.

        Raises
        ------
        TooLargeError
            If it is too large: says how large it may be.
        """
        items, total = 0, 0
        rest: list[tuple[Any, int]] = [(value, 0)]
        while rest:
            one, depth = rest.pop()
            if isinstance(one, str | bytes | bytearray | memoryview):
                total += len(one)
                if len(one) > self.text:
                    raise _too_large("a text", len(one), self.text, "characters")
                if total > self.total:
                    raise _too_large("texts", total, self.total, "characters in all")
            elif isinstance(one, int) and abs(one) >= 2**64:
                raise TooLargeError("The number is too large. Enter a smaller one.")
            elif isinstance(one, Mapping | list | tuple):
                items += len(one)
                if items > self.items:
                    raise _too_large("lists", items, self.items, "entries")
                if depth >= _DEEPEST:
                    raise TooLargeError("The lists hold lists in lists too often. Use plain lists.")
                inner = [*one.keys(), *one.values()] if isinstance(one, Mapping) else one
                rest += [(entry, depth + 1) for entry in inner]


DEFAULT_CAP = Cap()
NO_CAP = Cap(*[2**62] * 3)


def _too_large(what: str, size: int, most: int, unit: str) -> TooLargeError:
    return TooLargeError(
        f"This holds {what} of {size:,} {unit}; at most {most:,} are allowed here. Use a part of"
        " it, or ask in Python, where there is no such limit."
    )
