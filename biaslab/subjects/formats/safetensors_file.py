"""Read and write safetensors files of word vectors, memory-mapped."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from biaslab.errors import EmbeddingFileError
from biaslab.subjects.formats.reading import (
    BLOCK_ROWS,
    RawEmbedding,
    ReadOptions,
    RowSink,
    convert,
    listed,
)

_TYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2", "I8": "i1"}
#: Words go into the metadata up to this many; a header of many megabytes would be read each time.
_WORDS_IN_METADATA = 50_000


@dataclass(frozen=True)
class _Tensor:
    name: str
    dtype: str
    shape: tuple[int, ...]
    offset: int


def read_safetensors(path: Path, options: ReadOptions) -> RawEmbedding:
    """Map ``vectors`` (V, d), ``scale`` (V,) optional, and read the words.

    A single two-dimensional tensor of another name is taken for the vectors. The words are in
    the metadata under ``words`` (a JSON list), else in ``<name>.vocabulary.txt`` or
    ``vocabulary.txt`` in the same folder, one a line.

    Raises `EmbeddingFileError` when the file is cut off, or vectors or words are missing.
    """
    tensors, metadata = read_header(path)
    tensor = find_vectors(path, tensors)
    words = _words(path, metadata)
    if len(words) != tensor.shape[0]:
        short = min(len(words), tensor.shape[0])
        if options.limit is None or options.limit > short:
            raise EmbeddingFileError(
                f"{path.name} holds {tensor.shape[0]:,} vectors, and its vocabulary {len(words):,}"
                f" words. Use limit={short} if the first ones match.",
                path=str(path),
                usable=short,
            )
    mapped = map_tensor(path, tensor)
    about = str(metadata.get("about", ""))
    scale: NDArray[np.floating] | None = None
    if "scale" in tensors:
        scale = np.asarray(map_tensor(path, tensors["scale"])).astype(np.float32)
    if options.limit is not None:
        words, mapped = words[: options.limit], mapped[: options.limit]
        scale = None if scale is None else scale[: options.limit]
    if tensor.dtype == "BF16":
        return RawEmbedding(words, *_from_bfloat16(mapped, options), about=about)
    options.report(len(words), len(words))
    return RawEmbedding(words, mapped, scale, about=about)


def read_header(
    path: Path, largest: int | None = None
) -> tuple[dict[str, _Tensor], dict[str, str]]:
    """Return tensors and metadata of a file, checked against its size.

    - `largest`: bytes of the header; by default as many as the file has.
    """
    size = path.stat().st_size
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        if largest is not None and length > largest:
            raise _error(path, f"has a header of {length:,} bytes; at most {largest:,} are read")
        text = file.read(length) if length <= size - 8 else b""
    if len(text) < length or not length:
        raise _error(path, "is cut off in its header. Download it again")
    try:
        header: dict[str, Any] = json.loads(text)
        metadata = _metadata(header.pop("__metadata__", {}))
        tensors = {name: _tensor(name, entry, 8 + length) for name, entry in header.items()}
        ends = [8 + length + entry["data_offsets"][1] for entry in header.values()]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise _error(path, "has a damaged header. Download it again") from error
    if ends and max(ends) > size:
        raise _error(path, f"is cut off: {size:,} of {max(ends):,} bytes. Download it again")
    return tensors, metadata


def _metadata(entries: Any) -> dict[str, str]:
    if not all(isinstance(value, str) for value in entries.values()):
        raise ValueError("metadata that is not text")
    return dict(entries)


def _tensor(name: str, entry: dict[str, Any], start: int) -> _Tensor:
    """Return a tensor's header; its data must match the position and size it states."""
    dtype, shape, (begin, end) = entry["dtype"], entry["shape"], entry["data_offsets"]
    if not all(type(number) is int and number >= 0 for number in (*shape, begin, end)):
        raise ValueError(f"no shape and offsets: {shape}, {begin} and {end}")
    if dtype in _TYPES and math.prod(shape) * np.dtype(_TYPES[dtype]).itemsize != end - begin:
        raise ValueError(f"{end - begin} bytes for a shape of {shape}")
    return _Tensor(name, dtype, tuple(shape), start + begin)


def map_tensor(path: Path, tensor: _Tensor) -> NDArray[np.generic]:
    """Return the tensor as a read-only memory map."""
    if tensor.dtype not in _TYPES:
        raise _error(
            path,
            f"holds {tensor.name} as {tensor.dtype}. Convert it to F32, F16 or I8 with a scale",
        )
    return np.memmap(path, _TYPES[tensor.dtype], mode="r", offset=tensor.offset, shape=tensor.shape)


def read_tensor(
    path: Path, tensor: _Tensor, options: ReadOptions
) -> tuple[NDArray[np.generic], NDArray[np.floating] | None]:
    """Return a matrix, mapped where its type allows that, and its scales if it becomes int8."""
    mapped = map_tensor(path, tensor)
    if tensor.dtype == "BF16":
        return _from_bfloat16(mapped, options)
    if options.dtype in (None, mapped.dtype.name):
        return mapped, None
    return convert(mapped, None, str(options.dtype))


def write(
    path: Path,
    words: Sequence[str],
    vectors: NDArray[np.generic],
    scale: NDArray[np.floating] | None,
    about: str = "",
) -> Path:
    """Write an embedding that `read_safetensors` maps; large vocabularies get a file.

    Raises `EmbeddingFileError` when a word contains a line break and the words do not fit into the
    metadata.
    """
    from safetensors.numpy import save_file

    metadata = {"about": about} if about else {}
    beside = len(words) > _WORDS_IN_METADATA
    if not beside:
        metadata["words"] = json.dumps(list(words), ensure_ascii=False)
    elif any("\n" in word for word in words):
        raise _error(path, "cannot hold words with line breaks. Remove these words")
    tensors: dict[str, NDArray[Any]] = {"vectors": np.ascontiguousarray(vectors)}
    if scale is not None:
        tensors["scale"] = np.ascontiguousarray(scale)
    partial = path.with_name(path.name + ".partial")
    save_file(tensors, partial, metadata=metadata or None)
    if beside:
        vocabulary = path.with_suffix(".vocabulary.txt")
        vocabulary.write_text("\n".join(words) + "\n", encoding="utf-8", newline="\n")
    partial.replace(path)
    return path


def read_vocabulary(path: Path) -> list[str]:
    """Return the words of a vocabulary file, one a line.

    Raises `EmbeddingFileError` when a line is not UTF-8; names it.
    """
    data = path.read_bytes().removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n")
    try:
        # Not splitlines(): a word may contain a character that Unicode calls a line separator.
        return data.decode("utf-8").removesuffix("\n").split("\n")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise EmbeddingFileError(
            f"{path.name}: line {line:,} is not UTF-8. Convert the file to UTF-8.",
            path=str(path),
            line=line,
        ) from error


def find_vectors(path: Path, tensors: dict[str, _Tensor]) -> _Tensor:
    """Return the tensor that holds the vectors."""
    matrices = [t for t in tensors.values() if len(t.shape) == 2]
    tensor = tensors.get("vectors") or (matrices[0] if len(matrices) == 1 else None)
    if tensor is None or len(tensor.shape) != 2:
        raise _error(
            path,
            f"holds {listed(list(tensors))}, and no two-dimensional tensor named vectors. Is it a"
            " language model? Word vectors are stored as vectors (V, d) with words in the metadata",
        )
    return tensor


def has_words(path: Path, metadata: dict[str, str]) -> None:
    """Check that a file has words, without reading them.

    Raises `EmbeddingFileError` when neither its metadata nor a file beside it holds words.
    """
    if "words" not in metadata and vocabulary_beside(path) is None:
        raise _without_words(path)


def _words(path: Path, metadata: dict[str, str]) -> list[str]:
    if "words" in metadata:
        text = metadata["words"]
        try:
            words = json.loads(text)
        except (ValueError, RecursionError):
            words = None
        return list(map(str, words)) if isinstance(words, list) else text.split("\n")
    if (beside := vocabulary_beside(path)) is not None:
        return read_vocabulary(beside)
    raise _without_words(path)


def vocabulary_beside(path: Path) -> Path | None:
    """Return the file of words, one a line, that belongs to a file of vectors."""
    places = (path.with_suffix(".vocabulary.txt"), path.with_name("vocabulary.txt"))
    return next((place for place in places if place.exists()), None)


def _without_words(path: Path) -> EmbeddingFileError:
    return _error(
        path,
        f"has no words. Put {path.with_suffix('.vocabulary.txt').name} beside it, one word per"
        " line in the order of the vectors",
    )


def _from_bfloat16(
    mapped: NDArray[np.generic], options: ReadOptions
) -> tuple[NDArray[np.generic], NDArray[np.float32] | None]:
    sink = RowSink(mapped.shape[0], mapped.shape[1], options.dtype)
    for start in range(0, len(mapped), BLOCK_ROWS):
        # bfloat16 is the upper half of float32.
        bits = mapped[start : start + BLOCK_ROWS].astype(np.uint32) << 16
        sink.add(bits.view(np.float32))
        options.report(start + len(bits), len(mapped))
    return sink.finish()


def _error(path: Path, problem: str) -> EmbeddingFileError:
    return EmbeddingFileError(f"{path.name} {problem}.", path=str(path))
