"""Read and write npz archives of ``words`` and ``vectors``, memory-mapped if stored."""

from __future__ import annotations

import lzma
import math
import tokenize
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from biaslab.errors import EmbeddingFileError, PickleRefusedError, WriteError
from biaslab.subjects.formats.reading import (
    BLOCK_ROWS,
    RawEmbedding,
    ReadOptions,
    RowSink,
    check_expansion,
    listed,
)

UNREADABLE_ARCHIVE = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError, MemoryError,
    NotImplementedError, RuntimeError,
)  # fmt: skip
"""What `zipfile` raises for damage, a password, and packing or a version that it does not know."""
_LONGEST_ABOUT = 1 << 20
_UNPACKED = "Store it with np.savez, which does not compress,"


def read_npz(path: Path, options: ReadOptions, *, trust_pickle: bool = False) -> RawEmbedding:
    """Read an archive of ``words`` (V,) and ``vectors`` (V, d) or (B, V, d).

    ``np.savez`` stores, and its vectors are mapped; ``np.savez_compressed`` deflates, and they
    are read row by row.

    Raises `PickleRefusedError` when the words are Python objects, which only unpickling could read;
    `EmbeddingFileError` when the archive is damaged or lacks an array.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            members = {
                info.filename.removesuffix(".npy"): info
                for info in archive.infolist()
                if info.filename.endswith(".npy")
            }
            if missing := [key for key in ("words", "vectors") if key not in members]:
                raise _error(
                    path,
                    f"has no array {' and no array '.join(missing)}, but {listed(list(members))}."
                    " Store both: np.savez(path, words=words, vectors=vectors)",
                )
            for key in members.keys() & {"words", "vectors", "scale", "about"}:
                info = members[key]
                check_expansion(path, info.file_size, info.compress_size, _UNPACKED)
            words = _words(path, archive, members["words"], trust_pickle)
            vectors, scale = _vectors(path, archive, members, options)
            about = _about(path, archive, members)
    except (*UNREADABLE_ARCHIVE, UnicodeDecodeError) as error:
        raise _error(path, f"is cut off or damaged ({error}). Download it again") from error
    count = vectors.shape[-2]
    if len(words) != count:
        short = min(len(words), count)
        if options.limit is None or options.limit > short:
            raise EmbeddingFileError(
                f"{path.name} holds {len(words):,} words and {count:,} vectors. Use limit={short}"
                " if the first ones match.",
                path=str(path),
                usable=short,
            )
    if options.limit is not None:
        words, vectors = words[: options.limit], vectors[..., : options.limit, :]
        scale = None if scale is None else scale[..., : options.limit]
    options.report(len(words), len(words))
    if vectors.ndim == 3:
        scales = None if scale is None else list(scale)
        return RawEmbedding(words, list(vectors), scales, about=about)
    return RawEmbedding(words, vectors, scale, about=about)


def write_npz(
    path: Path,
    words: Sequence[str],
    replicates: Sequence[NDArray[np.generic]],
    scales: Sequence[NDArray[np.floating]] | None,
    about: str = "",
) -> Path:
    """Write an archive that `read_npz` maps: (V, d) for one replicate, else (B, V, d).

    Replicates are written one after another, slice by slice, so that rows that are computed on
    request never have to be in memory together. The file is written completely or not at all.

    Raises `WriteError` when it cannot be written.
    """
    replicate = replicates[0]
    shape = replicate.shape if len(replicates) == 1 else (len(replicates), *replicate.shape)
    header = {"descr": npy.dtype_to_descr(replicate.dtype), "fortran_order": False, "shape": shape}
    partial = path.with_name(path.name + ".partial")
    try:
        with zipfile.ZipFile(partial, "w", zipfile.ZIP_STORED) as archive:
            with archive.open("words.npy", "w", force_zip64=True) as file:
                npy.write_array(file, np.array(words, dtype=str), allow_pickle=False)
            if about:
                with archive.open("about.npy", "w") as file:
                    npy.write_array(file, np.array(about), allow_pickle=False)
            if scales is not None:
                stacked = np.stack(scales) if len(replicates) > 1 else np.asarray(scales[0])
                with archive.open("scale.npy", "w", force_zip64=True) as file:
                    npy.write_array(file, stacked, allow_pickle=False)
            with archive.open("vectors.npy", "w", force_zip64=True) as file:
                npy.write_array_header_1_0(file, header)
                for rows in replicates:
                    for start in range(0, len(rows), BLOCK_ROWS):
                        part = rows[start : start + BLOCK_ROWS]
                        file.write(np.ascontiguousarray(part).tobytes())
        partial.replace(path)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise WriteError(
            f"Could not write {path}: {error.strerror or error}. Nothing was changed there. Free"
            " some space, or choose another folder."
        ) from error
    return path


def _about(path: Path, archive: zipfile.ZipFile, members: dict[str, zipfile.ZipInfo]) -> str:
    """Return the description that `write_npz` stored."""
    # Another program's array of this name means something else.
    if "about" not in members or members["about"].file_size > _LONGEST_ABOUT:
        return ""
    try:
        array = _read_array(path, archive, members["about"])
    except ValueError:
        return ""
    return str(array) if array.ndim == 0 and array.dtype.kind == "U" else ""


def _words(
    path: Path, archive: zipfile.ZipFile, info: zipfile.ZipInfo, trust_pickle: bool
) -> list[str]:
    try:
        array = _read_array(path, archive, info, allow_pickle=trust_pickle)
    except ValueError as error:
        if "allow_pickle" not in str(error):
            raise _error(path, f"has damaged words ({error}). Download it again") from error
        raise PickleRefusedError(
            f"{path.name} holds its words as Python objects, which are read by unpickling, and"
            " that runs code from the file. Store them as text:"
            " np.savez(path, words=words.astype(str), vectors=vectors); or pass trust_pickle=True,"
            " but only if you made the file yourself.",
            path=str(path),
        ) from error
    if array.ndim != 1:
        raise _error(path, f"has words of shape {array.shape}. Store one word per row")
    if array.dtype.kind == "S":
        try:
            return [word.decode("utf-8") for word in array.tolist()]
        except UnicodeDecodeError as error:
            raise _error(path, "has words that are not UTF-8. Store them as text") from error
    return [str(word) for word in array.tolist()]


def _vectors(
    path: Path, archive: zipfile.ZipFile, members: dict[str, zipfile.ZipInfo], options: ReadOptions
) -> tuple[NDArray[np.generic], NDArray[np.floating] | None]:
    info = members["vectors"]
    scale: NDArray[np.floating] | None = None
    if "scale" in members:
        scale = _numbers(path, archive, members["scale"])
    with archive.open(info) as file:
        shape, fortran, dtype = array_header(path, file)
        _check_size(shape, dtype, info.file_size - file.tell())
        if dtype.kind not in "fi" or len(shape) not in (2, 3):
            raise _error(
                path,
                f"has vectors of type {dtype} and shape {shape}. Store numbers of shape (V, d)",
            )
        as_is = options.dtype in (None, dtype.name)
        if info.compress_type == zipfile.ZIP_STORED and as_is:
            return _map(path, info, shape, fortran, dtype), scale
        if fortran or len(shape) == 3 or scale is not None:
            # Rare: taken whole, in the type of the file.
            return _numbers(path, archive, info), scale
        target = options.dtype or (dtype.name if dtype.name != "float64" else "float32")
        rows = shape[0] if options.limit is None else min(shape[0], options.limit)
        if target not in ("float32", "float16", "int8") or (target == "int8" and as_is):
            return _numbers(path, archive, info), scale
        sink = RowSink(rows, shape[1], target)
        for start in range(0, rows, BLOCK_ROWS):
            count = min(BLOCK_ROWS, rows - start)
            data = file.read(count * shape[1] * dtype.itemsize)
            if len(data) < count * shape[1] * dtype.itemsize:
                raise EOFError("vectors end early")
            sink.add(np.frombuffer(data, dtype=dtype).reshape(count, shape[1]).astype(np.float32))
            options.report(start + count, rows)
    return sink.finish()


def _numbers(path: Path, archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> NDArray[Any]:
    try:
        return _read_array(path, archive, info)
    except ValueError as error:
        raise _error(path, f"has a damaged array ({error}). Download it again") from error


def _read_array(
    path: Path, archive: zipfile.ZipFile, info: zipfile.ZipInfo, *, allow_pickle: bool = False
) -> NDArray[Any]:
    """Read a whole array after checking that the file is as large as the header says."""
    with archive.open(info) as file:
        shape, _, dtype = array_header(path, file)
        _check_size(shape, dtype, info.file_size - file.tell())
    with archive.open(info) as file:
        return npy.read_array(file, allow_pickle=allow_pickle)


def _check_size(shape: tuple[int, ...], dtype: np.dtype[Any], size: int) -> None:
    if min(shape, default=0) < 0:
        raise EOFError(f"an array has the shape {shape}")
    if math.prod(shape) * dtype.itemsize > size and not dtype.hasobject:
        raise EOFError("an array ends early")


def array_header(path: Path, file: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Return shape, whether in Fortran's order, and type of a stored array."""
    try:
        first = npy.read_magic(file) == (1, 0)
        read = npy.read_array_header_1_0 if first else npy.read_array_header_2_0
        return read(file)
    except (ValueError, TypeError, SyntaxError, tokenize.TokenError) as error:
        raise _error(path, f"has a damaged array ({error}). Download it again") from error


def _map(
    path: Path, info: zipfile.ZipInfo, shape: tuple[int, ...], fortran: bool, dtype: np.dtype[Any]
) -> NDArray[np.generic]:
    with path.open("rb") as file:
        # The sizes in the local header may differ from those in the archive's directory.
        file.seek(info.header_offset + 26)
        name = int.from_bytes(file.read(2), "little")
        extra = int.from_bytes(file.read(2), "little")
        file.seek(name + extra, 1)
        array_header(path, file)
        offset = file.tell()
    try:
        return np.memmap(
            path, dtype, mode="r", offset=offset, shape=shape, order="F" if fortran else "C"
        )
    except ValueError as error:
        raise _error(path, "is cut off. Download it again") from error


def _error(path: Path, problem: str) -> EmbeddingFileError:
    return EmbeddingFileError(f"{path.name} {problem}.", path=str(path))
