"""Refuse a compressed file that expands out of all proportion to its size."""

from __future__ import annotations

from pathlib import Path

from biaslab.errors import EmbeddingFileError

MOST_TIMES = 200
"""Vectors shrink to a half or a third; words, padded to the longest, to a fiftieth. A file made to
fill memory shrinks a thousandfold or more."""
UNCHECKED_BYTES = 1 << 26
"""Up to this size anything may be compressed as far as it can be."""


def check_expansion(path: Path, expanded: int, compressed: int, how: str = "Unpack it") -> None:
    """Raise unless the bytes are few, or few for their compressed size.

    Raises
    ------
    EmbeddingFileError
        Says how far it expands and `how` it can be opened all the same.
    """
    if expanded <= UNCHECKED_BYTES or expanded <= MOST_TIMES * compressed:
        return
    raise EmbeddingFileError(
        f"{path.name} expands to {expanded / 1e6:,.0f} MB or more, over {MOST_TIMES} times its"
        f" compressed size, as no embedding does. {how} if you trust it, and open that file.",
        path=str(path),
    )
