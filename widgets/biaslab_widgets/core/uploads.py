"""Files that the front end sends in pieces: one message of a websocket must not be too large."""

from __future__ import annotations

import base64
import binascii
import threading
from collections.abc import Mapping
from typing import Any

from biaslab.errors import ImageError

PIECE_MB = 4
"""Size of a piece that the front end sends; a whole message may have 10 MB in Jupyter."""
_MOST_OPEN = 8
"""Files that are under way at once; the oldest goes first."""


class Uploads:
    """Pieces of files that are on their way.

    Parameters
    ----------
    largest_mb : float
        Of a whole file.
    """

    def __init__(self, largest_mb: float) -> None:
        self._largest = largest_mb
        self._lock = threading.Lock()
        self._open: dict[str, list[bytes]] = {}

    def take(self, args: Mapping[str, Any], content: Any) -> str:
        """Take a piece.

        Parameters
        ----------
        args : mapping
            ``parcel`` names the file, ``part`` counts its pieces from 0.
        content
            In base64, or bytes.

        Raises
        ------
        ImageError
            When a piece is missing before it, or the file is too large; it begins anew then.
        """
        name, part = str(args.get("parcel", "")), int(args.get("part", 0))
        piece = decoded(content, "The file")
        with self._lock:
            if part == 0:
                self._open.pop(name, None)
                self._open[name] = []
                while len(self._open) > _MOST_OPEN:
                    self._open.pop(next(iter(self._open)))
            pieces = self._open.get(name)
            if pieces is None or len(pieces) != part:
                self._open.pop(name, None)
                raise ImageError("A part of the file was lost during the upload. Choose it again.")
            pieces.append(piece)
            size = sum(map(len, pieces))
            if size > self._largest * 1_000_000:
                self._open.pop(name, None)
                raise too_large("The file", size, self._largest)
        return f"{size:,} bytes have arrived."

    def whole(self, file: Mapping[str, Any]) -> bytes:
        """A file: its ``content``, or what came as its ``parcel``.

        Raises
        ------
        ImageError
            When it did not come whole, or is too large.
        """
        name = str(file.get("name") or "The file")
        if "parcel" in file:
            with self._lock:
                pieces = self._open.pop(str(file["parcel"]), None)
            if not pieces:
                raise ImageError(f"{name} did not arrive. Choose it again.")
            return b"".join(pieces)
        content = decoded(file.get("content", b""), name)
        if len(content) > self._largest * 1_000_000:
            raise too_large(name, len(content), self._largest)
        return content


def decoded(content: Any, name: str) -> bytes:
    """Bytes of base64 text; bytes as they are.

    Raises
    ------
    ImageError
        When the text is no base64.
    """
    if isinstance(content, bytes | bytearray | memoryview):
        return bytes(content)
    try:
        return base64.b64decode(str(content), validate=True)
    except binascii.Error as error:
        raise ImageError(f"{name} arrived damaged. Choose it again.") from error


def too_large(name: str, size: float, largest: float) -> ImageError:
    """Return the error for a file that is too large."""
    return ImageError(
        f"{name} has {size / 1e6:,.0f} MB; at most {largest:,.0f} MB can be uploaded. Use a part"
        " of it, or pass the pictures to ImageBench(images=...) in Python."
    )
