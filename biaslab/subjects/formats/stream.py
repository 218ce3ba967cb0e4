"""Decompress a file as it is read, and report where it is truncated."""

from __future__ import annotations

import bz2
import gzip
import lzma
import zlib
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import IO, cast

from biaslab.errors import EmbeddingFileError
from biaslab.subjects.formats.expansion import check_expansion
from biaslab.subjects.formats.rows import BLOCK_BYTES

_MAGIC = ((b"\x1f\x8b", "gzip"), (b"BZh", "bzip2"), (b"\xfd7zXZ\x00", "xz"))


def compression(path: Path) -> str | None:
    """Detect the compression of a file from its first bytes, or None."""
    with path.open("rb") as file:
        head = file.read(6)
    return next((name for magic, name in _MAGIC if head.startswith(magic)), None)


class Stream:
    """The (decompressed) bytes of a file, in blocks.

    Attributes
    ----------
    broken : str or None
        Set once the blocks have ended early because the compressed data are damaged: why.
    unfinished : bytes
        For readers of lines: the last line, if it has no line break.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.broken: str | None = None
        self.unfinished = b""
        self._kind = compression(path)
        self.compressed = self._kind is not None
        self._size = path.stat().st_size
        self._given = 0
        self._file = _open(path, self._kind)

    def __enter__(self) -> Stream:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()

    def read(self, size: int = BLOCK_BYTES) -> bytes:
        """Return the next ``size`` bytes; fewer at the end and at damage."""
        parts: list[bytes] = []
        while size > 0 and (part := self._step(size)):
            parts.append(part)
            size -= len(part)
        return b"".join(parts)

    def blocks(self, size: int = BLOCK_BYTES) -> Iterator[bytes]:
        """Yield all remaining bytes."""
        while block := self.read(size):
            yield block

    def _step(self, size: int) -> bytes:
        if self.broken:
            return b""
        try:
            # One step of the decompressor: a longer read would lose the data before the damage.
            part = cast("bytes", self._file.read1(size))  # type: ignore[attr-defined]
        except (EOFError, zlib.error, lzma.LZMAError, OSError) as error:
            if self._kind is None:
                raise EmbeddingFileError(
                    f"{self.path.name} cannot be read: {error}. Check the disk or copy the file"
                    " again.",
                    path=str(self.path),
                ) from error
            self.broken = f"the {self._kind} data are cut off there"
            if not isinstance(error, EOFError):
                # A decompressor may hand out wrong bytes for a while before it notices.
                self.broken = f"the {self._kind} data are damaged, and earlier data may be too"
            return b""
        self._given += len(part)
        if self.compressed:
            check_expansion(self.path, self._given, self._size)
        return part


def _open(path: Path, kind: str | None) -> IO[bytes]:
    if kind == "gzip":
        return cast("IO[bytes]", gzip.open(path, "rb"))
    if kind == "bzip2":
        return cast("IO[bytes]", bz2.open(path, "rb"))
    if kind == "xz":
        return cast("IO[bytes]", lzma.open(path, "rb"))
    return path.open("rb")
