"""Format and sizes of an embedding file, from its content's beginning."""

from __future__ import annotations

import re
import time
import zipfile
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

import numpy as np

from biaslab.errors import EmbeddingFileError, PickleRefusedError
from biaslab.subjects.formats.npz import UNREADABLE_ARCHIVE, array_header
from biaslab.subjects.formats.reading import ReadOptions, Stream, compression
from biaslab.subjects.formats.safetensors_file import find_vectors, has_words, read_header
from biaslab.subjects.formats.text import layout_of

#: Enough for the first line of any embedding of up to some thousand dimensions.
HEAD_BYTES = 1 << 16

_HEADER = re.compile(rb"^[ \t]*(\d{1,18})[ \t]+(\d{1,18})[ \t]*\r?\n")
_NUMERIC = b"0123456789+-.eE \t\r"
_PICKLE = re.compile(rb"^(\x80[\x02-\x05]|c[A-Za-z_][\w.]*\n[A-Za-z_]\w*\n|\([dl]p\d+\n)")
_PICKLE_SUFFIXES = {".kv", ".model", ".pkl", ".pickle", ".pt", ".pth", ".w2v_model"}
_UNDERSTOOD = (
    "biaslab reads word2vec text and binary, GloVe text, fastText .vec (each plain, .gz, .bz2 or"
    " .xz), npz and safetensors."
)


class Format(Enum):
    """Formats of embedding files."""

    TEXT = "text"
    WORD2VEC_BINARY = "word2vec binary"
    NPZ = "npz"
    SAFETENSORS = "safetensors"
    PICKLE = "pickle"


def sniff(path: Path) -> Format:
    """Format of a file.

    Raises
    ------
    EmbeddingFileError
        When the file is empty or of no readable format; the message names the apparent
        format and the remedy.
    """
    with Stream(path) as stream:
        head = stream.read(HEAD_BYTES)
        broken = stream.broken
    if not head:
        raise _error(
            path,
            f"{path.name} is damaged near the beginning: {broken}. Download it again."
            if broken
            else f"{path.name} is empty. Download it again or choose another file.",
        )
    known = _by_magic(path, head)
    if known in (Format.NPZ, Format.SAFETENSORS) and compression(path) is not None:
        raise _error(
            path,
            f"{path.name} is {known.value} compressed twice, which cannot be read."
            " Unpack it and open the file inside.",
        )
    if known is not None:
        return known
    if (header := _HEADER.match(head)) is not None:
        return _text_or_binary(path, head[header.end() :])
    first_line = head.split(b"\n", 1)[0]
    if _has_numbers(first_line):
        return Format.TEXT
    _refuse_other_things(path, head)
    if path.suffix in _PICKLE_SUFFIXES:
        return Format.PICKLE
    raise _error(
        path,
        f"{path.name} has no word vectors in its first line"
        f"{' (binary data)' if _control_characters(head) else ''}. {_UNDERSTOOD}",
    )


def _by_magic(path: Path, head: bytes) -> Format | None:
    if head.startswith(b"PK\x03\x04"):
        return _kind_of_zip(path) if compression(path) is None else Format.NPZ
    if len(head) > 9 and head[8:9] == b"{" and int.from_bytes(head[:8], "little") < 1 << 30:
        return Format.SAFETENSORS
    if _PICKLE.match(head):
        return Format.PICKLE
    if head.startswith(b"\x93NUMPY"):
        raise _error(
            path,
            f"{path.name} is one array without words. Store both:"
            " np.savez(path, words=words, vectors=vectors).",
        )
    if head.startswith(b"\xba\x16\x4f\x2f"):
        raise _error(
            path,
            f"{path.name} is a fastText model in its own binary form. Open the .vec file that"
            " comes with it, or export one.",
        )
    return None


def _kind_of_zip(path: Path) -> Format:
    import zipfile

    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
    except (zipfile.BadZipFile, NotImplementedError, OSError, UnicodeDecodeError) as error:
        raise _error(
            path, f"{path.name} is a truncated or damaged npz file. Download it again."
        ) from error
    if any(name.endswith(".pkl") for name in names):
        return Format.PICKLE
    if any(name.endswith(".npy") for name in names):
        return Format.NPZ
    raise _error(
        path,
        f"{path.name} is a zip archive of {', '.join(names[:5]) or 'nothing'}. Unpack it and open"
        " the file inside.",
    )


def _text_or_binary(path: Path, body: bytes) -> Format:
    """Classify the rows after a header: digits mean text, control characters binary."""
    line = body.split(b"\n", 1)[0]
    if not body.strip() or _has_numbers(line):
        return Format.TEXT
    if _control_characters(body):
        return Format.WORD2VEC_BINARY
    return Format.WORD2VEC_BINARY if ".bin" in path.suffixes else Format.TEXT


def _has_numbers(line: bytes) -> bool:
    """Return whether a line ends in at least one number, after a word."""
    parts = line.split()
    if len(parts) < 2 or parts[-1].translate(None, _NUMERIC):
        # The last number may be truncated, or be NaN: then the one before it decides.
        if len(parts) < 3 or parts[-2].translate(None, _NUMERIC):
            return False
        parts.pop()
    try:
        float(parts[-1])
    except ValueError:
        return False
    return True


def _control_characters(data: bytes) -> bool:
    return len(data.translate(None, b"\x00\x01\x02\x03\x04\x05\x06\x07\x08\x0e\x0f")) < len(data)


def _refuse_other_things(path: Path, head: bytes) -> None:
    start = head[:200].lstrip().lower()
    if start.startswith((b"<!doctype html", b"<html", b"<?xml")):
        raise _error(
            path, f"{path.name} is a web page, not an embedding. The download failed: repeat it."
        )
    if start.startswith(b"version https://git-lfs"):
        raise _error(
            path, f"{path.name} is only a Git LFS pointer to the real file. Run git lfs pull."
        )
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise _error(path, f"{path.name} is UTF-16 text. Convert it to UTF-8 and open that.")


def _error(path: Path, message: str) -> EmbeddingFileError:
    return EmbeddingFileError(message, path=str(path))


#: Seconds for counting the lines of a file without a header.
PATIENCE = 0.4


@dataclass(frozen=True)
class EmbeddingHeader:
    """Sizes of an embedding file.

    - `words`: None where only reading the whole file would tell.
    - `counts_exactly`: whether the words were counted, and not estimated.
    """

    format: str
    words: int | None
    dimensions: int
    dtype: str = "float32"
    replicates: int = 1
    counts_exactly: bool = True


def read_embedding_header(path: Path, patience: float = PATIENCE) -> EmbeddingHeader:
    """Read the header of an embedding file, or its first lines.

    - `patience`: seconds for counting the words of a file that does not state them; then they are
      estimated.
    - Raises `EmbeddingFileError` when it is no embedding file, or damaged where it was read.
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
