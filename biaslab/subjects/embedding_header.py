"""Sizes of an embedding file from its header or its first lines, without its vectors."""

from __future__ import annotations

import time
import zipfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from biaslab.errors import EmbeddingFileError, PickleRefusedError
from biaslab.subjects.formats.npz import UNREADABLE_ARCHIVE, array_header
from biaslab.subjects.formats.rows import ReadOptions
from biaslab.subjects.formats.safetensors_file import find_vectors, has_words, read_header
from biaslab.subjects.formats.sniff import HEAD_BYTES, Format, sniff
from biaslab.subjects.formats.stream import Stream, compression
from biaslab.subjects.formats.text import layout_of

#: Seconds for counting the lines of a file without a header.
PATIENCE = 0.4


@dataclass(frozen=True)
class EmbeddingHeader:
    """Sizes of an embedding file.

    Attributes
    ----------
    format : str
    words : int or None
        None where only reading the whole file would tell.
    dimensions : int
    dtype : str
    replicates : int
    counts_exactly : bool
        Whether the words were counted, and not estimated.
    """

    format: str
    words: int | None
    dimensions: int
    dtype: str = "float32"
    replicates: int = 1
    counts_exactly: bool = True


def read_embedding_header(path: Path, patience: float = PATIENCE) -> EmbeddingHeader:
    """Read the header of an embedding file, or its first lines.

    Parameters
    ----------
    path : Path
    patience : float
        Seconds for counting the words of a file that does not state them; then they are
        estimated.

    Raises
    ------
    EmbeddingFileError
        When it is no embedding file, or damaged where it was read.
    """
    match sniff(path):
        case Format.TEXT:
            return _text(path, patience)
        case Format.WORD2VEC_BINARY:
            return _binary(path)
        case Format.NPZ:
            return _npz(path)
        case Format.SAFETENSORS:
            return _safetensors(path)
        case Format.PICKLE:
            raise PickleRefusedError(
                f"{path.name} is a pickle, which runs code when it is opened. Open it in Python"
                " with bl.load(path, trust_pickle=True) if it is your own, save() it as .npz, and"
                " add that.",
                path=str(path),
            )


def _packed(path: Path, name: str) -> str:
    kind = compression(path)
    return f"{name}, {kind}" if kind else name


def _text(path: Path, patience: float) -> EmbeddingHeader:
    layout = layout_of(path, ReadOptions())
    if layout.header is not None:
        return EmbeddingHeader(_packed(path, "word2vec text"), layout.header[0], layout.dim)
    words, exact = _count_lines(path, patience)
    return EmbeddingHeader(_packed(path, "GloVe text"), words, layout.dim, counts_exactly=exact)


def _count_lines(path: Path, patience: float) -> tuple[int | None, bool]:
    end = time.perf_counter() + patience
    lines = read = 0
    last = b"\n"
    with Stream(path) as stream:
        for block in stream.blocks(1 << 20):
            lines += block.count(b"\n")
            read += len(block)
            last = block
            if time.perf_counter() > end:
                size = path.stat().st_size
                known = compression(path) is None and read < size
                return (round(lines * size / read) if known else None), False
    return lines + (not last.endswith(b"\n")), True


def _binary(path: Path) -> EmbeddingHeader:
    with Stream(path) as stream:
        line = stream.read(HEAD_BYTES).partition(b"\n")[0]
    words, dim = (int(part) for part in line.split())
    width = 4 * dim
    if not dim or (compression(path) is None and path.stat().st_size < words * width):
        raise EmbeddingFileError(
            f"{path.name} promises {words:,} words of {dim:,} numbers and is too small for them."
            " Download it again.",
            path=str(path),
        )
    return EmbeddingHeader(_packed(path, "word2vec binary"), words, dim)


def _npz(path: Path) -> EmbeddingHeader:
    try:
        with zipfile.ZipFile(path) as archive:
            names = set(archive.namelist())
            if missing := [n for n in ("words", "vectors") if f"{n}.npy" not in names]:
                raise EmbeddingFileError(
                    f"{path.name} has no array {' and no array '.join(missing)}. Store both:"
                    " np.savez(path, words=words, vectors=vectors).",
                    path=str(path),
                )
            with archive.open("vectors.npy") as file:
                shape, _, dtype = array_header(path, file)
            with archive.open("words.npy") as file:
                known, _, kind = array_header(path, file)
    except (*UNREADABLE_ARCHIVE, UnicodeDecodeError) as error:
        raise EmbeddingFileError(
            f"{path.name} is cut off or damaged ({error}). Download it again.", path=str(path)
        ) from error
    if len(shape) not in (2, 3) or len(known) != 1 or known[0] != shape[-2]:
        raise EmbeddingFileError(
            f"{path.name} has words of shape {known} and vectors of shape {shape}. Store one row"
            " per word.",
            path=str(path),
        )
    if kind.hasobject:
        raise PickleRefusedError(
            f"{path.name} holds its words as Python objects, which run code when they are read."
            " Store them as text: np.savez(path, words=words.astype(str), vectors=vectors).",
            path=str(path),
        )
    replicates = shape[0] if len(shape) == 3 else 1
    return EmbeddingHeader("npz", shape[-2], shape[-1], np.dtype(dtype).name, replicates)


def _safetensors(path: Path) -> EmbeddingHeader:
    tensors, metadata = read_header(path)
    vectors = find_vectors(path, tensors)
    has_words(path, metadata)
    names = {"F64": "float64", "F32": "float32", "F16": "float16", "BF16": "bfloat16", "I8": "int8"}
    dtype = names.get(vectors.dtype, vectors.dtype)
    return EmbeddingHeader("safetensors", vectors.shape[0], vectors.shape[1], dtype)
