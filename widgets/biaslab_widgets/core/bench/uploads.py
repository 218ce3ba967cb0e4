"""Files that the front end sends in pieces: one message of a websocket must not be too large."""

from __future__ import annotations

import base64
import binascii
import threading
import time
from collections.abc import Mapping
from typing import Any
from weakref import WeakSet

from biaslab.errors import ImageError, MemoryBudgetError
from biaslab.jobs.memory import MEMORY, MemoryBudget
from biaslab_widgets.core.state.fields import Cap

STALE_S = 120.0
"""An upload to which nothing was added for so long gives way where memory is needed."""
_ALL: WeakSet[Uploads] = WeakSet()


PIECE_MB = 1
"""Size of a piece that the front end sends. A served app needs 20 ms for one, and answers
nobody else meanwhile; a whole message may have 10 MB in Jupyter."""
PIECE_CAP = Cap(text=PIECE_MB * 1_500_000, total=2 * PIECE_MB * 1_500_000)
"""Of commands with pieces, in base64, or with files that are smaller."""
_OF_PICTURES = "Use a part of it, or pass the pictures to ImageBench(images=...) in Python."
_MOST_OPEN = 8
"""Files that are under way at once; the oldest goes first."""


class Uploads:
    """Pieces of files that are on their way.

    - `largest_mb`: of a whole file.
    - `budget`: memory that they share with all else that requests hold.
    - `remedy`: what to do with a file that is too large.
    """

    def __init__(
        self, largest_mb: float, budget: MemoryBudget = MEMORY, remedy: str = _OF_PICTURES
    ) -> None:
        self._largest, self._held, self._remedy = largest_mb, budget.hold(), remedy
        _ALL.add(self)
        self._lock = threading.RLock()
        self._open: dict[str, list[bytes]] = {}
        self._touched: dict[str, float] = {}
        self._closed = False

    @property
    def size(self) -> int:
        """Bytes of unfinished uploads."""
        return self._held.size

    def drop_stale(self, before: float) -> None:
        """Let go of uploads to which nothing was added since a time of `time.monotonic`."""
        with self._lock:
            for name in [name for name, at in self._touched.items() if at < before]:
                self._drop(name)

    def close(self) -> None:
        """Let go of everything: nobody sends the rest."""
        with self._lock:
            self._closed = True
            for name in list(self._open):
                self._drop(name)

    def take(self, args: Mapping[str, Any], content: Any) -> str:
        """Take a piece.

        - `args`: ``parcel`` names the file, ``part`` counts its pieces from 0.
        - `content`: in base64, or bytes.
        - Raises `ImageError` when a piece is missing before it, or the file is too large;
          `MemoryBudgetError` when all unfinished uploads are. It begins anew then.
        """
        name, part = str(args.get("parcel", "")), int(args.get("part", 0))
        if part == 0:
            self._begin(name)
        try:
            # Counted before it is decoded, which takes memory.
            self._hold(_decoded_size(content))
            with self._lock:
                return self._append(name, part, content)
        except (ImageError, MemoryBudgetError):
            with self._lock:
                self._drop(name)
            raise

    def _hold(self, size: int) -> None:
        """Hold so many bytes more, if need be in place of uploads that were left."""
        try:
            self._held.grow(size)
        except MemoryBudgetError:
            for one in set(_ALL) - {self}:
                one.drop_stale(time.monotonic() - STALE_S)
            self._held.grow(size)

    def _begin(self, name: str) -> None:
        with self._lock:
            self._drop(name)
            if not self._closed:
                self._open[name], self._touched[name] = [], time.monotonic()
            while len(self._open) > _MOST_OPEN:
                self._drop(next(iter(self._open)))

    def _append(self, name: str, part: int, content: Any) -> str:
        pieces = self._open.get(name)
        if pieces is None or len(pieces) != part:
            raise ImageError("A part of the file was lost during the upload. Choose it again.")
        size = sum(map(len, pieces)) + _decoded_size(content)
        if size > self._largest * 1_000_000:
            raise too_large("The file", size, self._largest, self._remedy)
        pieces.append(decoded(content, "The file"))
        self._touched[name] = time.monotonic()
        self._settle()
        return f"{sum(map(len, pieces)):,} bytes have arrived."

    def _drop(self, name: str) -> list[bytes] | None:
        self._touched.pop(name, None)
        pieces = self._open.pop(name, None)
        self._settle()
        return pieces

    def _settle(self) -> None:
        """Count the bytes of the pieces held; one that was announced may not have come."""
        self._held.resize(sum(len(piece) for pieces in self._open.values() for piece in pieces))

    def whole(self, file: Mapping[str, Any]) -> bytes:
        """A file: its ``content``, or what came as its ``parcel``.

        Raises `ImageError` when it did not come whole, or is too large.
        """
        name = str(file.get("name") or "The file")
        if "parcel" in file:
            with self._lock:
                pieces = self._drop(str(file["parcel"]))
            if not pieces:
                raise ImageError(f"{name} did not arrive. Choose it again.")
            return b"".join(pieces)
        content = file.get("content", b"")
        if (size := _decoded_size(content)) > self._largest * 1_000_000:
            raise too_large(name, size, self._largest, self._remedy)
        return decoded(content, name)


def decoded(content: Any, name: str) -> bytes:
    """Bytes of base64 text; bytes as they are.

    Raises `ImageError` when the text is no base64.
    """
    if isinstance(content, bytes | bytearray | memoryview):
        return bytes(content)
    try:
        return base64.b64decode(str(content), validate=True)
    except binascii.Error as error:
        raise ImageError(f"{name} arrived damaged. Choose it again.") from error


def _decoded_size(content: Any) -> int:
    """Return the size of a content in bytes, from that of its base64 text at most."""
    if isinstance(content, bytes | bytearray | memoryview):
        return len(content)
    return len(str(content)) * 3 // 4 - str(content)[-2:].count("=")


def too_large(name: str, size: float, largest: float, remedy: str = _OF_PICTURES) -> ImageError:
    """Return the error for a file that is too large."""
    return ImageError(
        f"{name} has {size / 1e6:,.0f} MB; at most {largest:,.0f} MB can be uploaded. {remedy}"
    )
