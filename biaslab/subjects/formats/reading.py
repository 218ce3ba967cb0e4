"""Read a file by block into one preallocated matrix, decompressed on the way."""

from __future__ import annotations

import bz2
import gzip
import lzma
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import IO, cast

import numpy as np
from numpy.typing import DTypeLike, NDArray

from biaslab.errors import EmbeddingFileError, SubjectError

#: Bytes read, and rows converted, at a time: the reader's memory besides the matrix.
BLOCK_BYTES = 1 << 22
BLOCK_ROWS = 4096

STORED_TYPES = ("float32", "float16", "int8")


@dataclass(frozen=True)
class ReadOptions:
    """How a file is to be read.

    Attributes
    ----------
    dtype : str or None
        "float32", "float16" or "int8" (one scale per row); None keeps the type of the file.
    limit : int or None
        Read only this many words.
    skip_bad : bool
        Skip unreadable lines and list them in the notes, instead of raising.
    on_progress : callable or None
        Called with (words read, words in all or None); an exception from it stops the reading.
    """

    dtype: str | None = None
    limit: int | None = None
    skip_bad: bool = False
    on_progress: Callable[[int, int | None], None] | None = None

    def report(self, done: int, total: int | None) -> None:
        """Report the progress of reading."""
        if self.on_progress is not None:
            self.on_progress(done, total)


@dataclass
class RawEmbedding:
    """Result of a reader: words, (V, d) or (B, V, d) vectors, scales, notes.

    ``about`` describes the embedding, if the file does.
    """

    words: list[str]
    vectors: NDArray[np.generic] | list[NDArray[np.generic]]
    scale: NDArray[np.floating] | list[NDArray[np.floating]] | None = None
    notes: list[str] = field(default_factory=list)
    about: str = ""


def stored_type(dtype: DTypeLike | None) -> str | None:
    """Name of a type that vectors can be held in.

    Raises `SubjectError` for any other type.
    """
    if dtype is None:
        return None
    try:
        name = np.dtype(dtype).name
    except TypeError:
        name = str(dtype)
    if name not in STORED_TYPES:
        raise SubjectError(f"dtype={name!r}: choose one of {', '.join(STORED_TYPES)}.")
    return name


class RowSink:
    """A matrix of at most ``rows`` rows that is filled block by block.

    Unfilled rows use no physical memory, so that a generous ``rows`` costs
    nothing.
    """

    def __init__(self, rows: int, dim: int, dtype: str | None) -> None:
        self.n = 0
        try:
            self._matrix = np.empty((rows, dim), dtype=dtype or "float32")
            self._scale = np.empty(rows, dtype=np.float32) if dtype == "int8" else None
        except (MemoryError, ValueError) as error:
            gigabytes = rows * dim * np.dtype(dtype or "float32").itemsize / 1e9
            raise SubjectError(
                f"{rows:,} words x {dim:,} numbers need {gigabytes:,.1f} GB of memory. "
                "Use dtype='int8' (a quarter) or limit=200_000 (the first words)."
            ) from error

    def add(self, block: NDArray[np.floating]) -> None:
        """Append a block of shape (k, d)."""
        end = self.n + len(block)
        if self._scale is None:
            with np.errstate(over="ignore"):
                self._matrix[self.n : end] = block
        else:
            self._matrix[self.n : end], self._scale[self.n : end] = quantise_rows(block)
        self.n = end

    def finish(self) -> tuple[NDArray[np.generic], NDArray[np.float32] | None]:
        """Return the filled rows, and their scales if they are int8."""
        return self._matrix[: self.n], None if self._scale is None else self._scale[: self.n]


def quantise_rows(block: NDArray[np.floating]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Quantise rows to int8 with a float32 scale: (k, d) -> (k, d) and (k,).

    The scale of a row with NaN or infinity is NaN, so that the row stays recognisable.
    """
    peak = np.abs(block).max(axis=1)
    scale = np.where(np.isfinite(peak), peak / 127, np.nan).astype(np.float32)
    safe = np.where(scale > 0, scale, 1).astype(np.float32)[:, None]
    rows = np.rint(np.nan_to_num(block / safe, nan=0, posinf=0, neginf=0))
    return np.clip(rows, -127, 127).astype(np.int8), scale


def convert(
    vectors: NDArray[np.generic], scale: NDArray[np.floating] | None, to: str
) -> tuple[NDArray[np.generic], NDArray[np.floating] | None]:
    """Bring an array, mapped or not, to another stored type block by block."""
    sink = RowSink(len(vectors), vectors.shape[1], to)
    for start in range(0, len(vectors), BLOCK_ROWS):
        block = vectors[start : start + BLOCK_ROWS].astype(np.float32)
        if scale is not None:
            block *= scale[start : start + BLOCK_ROWS].astype(np.float32)[:, None]
        sink.add(block)
    return sink.finish()


def listed(names: Sequence[str], most: int = 8) -> str:
    """Join names for a message, shortened."""
    shown = ", ".join(names[:most])
    return f"{shown}, ..." if len(names) > most else shown or "nothing"


MOST_TIMES = 200
"""Vectors shrink to a half or a third; words, padded to the longest, to a fiftieth. A file made to
fill memory shrinks a thousandfold or more."""
UNCHECKED_BYTES = 1 << 26
"""Up to this size anything may be compressed as far as it can be."""


def check_expansion(path: Path, expanded: int, compressed: int, how: str = "Unpack it") -> None:
    """Raise unless the bytes are few, or few for their compressed size.

    Raises `EmbeddingFileError`, which says how far it expands and `how` it can be opened all the
    same.
    """
    if expanded <= UNCHECKED_BYTES or expanded <= MOST_TIMES * compressed:
        return
    raise EmbeddingFileError(
        f"{path.name} expands to {expanded / 1e6:,.0f} MB or more, over {MOST_TIMES} times its"
        f" compressed size, as no embedding does. {how} if you trust it, and open that file.",
        path=str(path),
    )


_MAGIC = ((b"\x1f\x8b", "gzip"), (b"BZh", "bzip2"), (b"\xfd7zXZ\x00", "xz"))


def compression(path: Path) -> str | None:
    """Detect the compression of a file from its first bytes, or None."""
    with path.open("rb") as file:
        head = file.read(6)
    return next((name for magic, name in _MAGIC if head.startswith(magic)), None)


class Stream:
    """The (decompressed) bytes of a file, in blocks.

    - `broken`: set once the blocks have ended early because the compressed data are damaged: why.
    - `unfinished`: for readers of lines: the last line, if it has no line break.
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
