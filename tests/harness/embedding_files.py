"""Writers of small embedding files, independent of the readers under test."""

from __future__ import annotations

import bz2
import gzip
import lzma
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.floating]

COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    "": lambda data: data,
    ".gz": lambda data: gzip.compress(data, 1),
    ".bz2": lambda data: bz2.compress(data, 1),
    ".xz": lambda data: lzma.compress(data, preset=0),
}


def rows_as_text(words: Sequence[str], vectors: Matrix, end: str = "\n") -> str:
    rows = (
        f"{word} {' '.join(repr(float(x)) for x in row)}"
        for word, row in zip(words, vectors, strict=True)
    )
    return "".join(row + end for row in rows)


def glove_text(words: Sequence[str], vectors: Matrix) -> bytes:
    return rows_as_text(words, vectors).encode()


def word2vec_text(words: Sequence[str], vectors: Matrix) -> bytes:
    return f"{len(words)} {vectors.shape[1]}\n".encode() + glove_text(words, vectors)


def fasttext_vec(words: Sequence[str], vectors: Matrix) -> bytes:
    """fastText ends its rows with a space."""
    header = f"{len(words)} {vectors.shape[1]}\n"
    return (header + rows_as_text(words, vectors, end=" \n")).encode()


def word2vec_binary(words: Sequence[str], vectors: Matrix, end: bytes = b"\n") -> bytes:
    rows = (
        word.encode() + b" " + np.asarray(row, dtype="<f4").tobytes() + end
        for word, row in zip(words, vectors, strict=True)
    )
    return f"{len(words)} {vectors.shape[1]}\n".encode() + b"".join(rows)


def write(path: Path, data: bytes) -> Path:
    """Write bytes, compressed as the suffix says."""
    path.write_bytes(COMPRESS.get(path.suffix, COMPRESS[""])(data))
    return path
