"""Readers of embedding files, one per format."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from biaslab.subjects.formats.detect import Format, sniff
from biaslab.subjects.formats.reading import RawEmbedding, ReadOptions, convert

__all__ = ["Format", "RawEmbedding", "ReadOptions", "read", "sniff"]


def read(path: Path, options: ReadOptions, *, trust_pickle: bool = False) -> RawEmbedding:
    """Read an embedding file of any format that biaslab knows.

    Parameters
    ----------
    path : Path
        The file.
    options : ReadOptions
        Type, limit and handling of bad lines.
    trust_pickle : bool
        Open pickles, which run code from the file.

    Raises
    ------
    EmbeddingFileError
        Names the file, the line if there is one, and the remedy.
    """
    match sniff(path):
        case Format.TEXT:
            from biaslab.subjects.formats.text import read_text

            return read_text(path, options)
        case Format.WORD2VEC_BINARY:
            from biaslab.subjects.formats.binary import read_word2vec_binary

            return read_word2vec_binary(path, options)
        case Format.NPZ:
            from biaslab.subjects.formats.npz import read_npz

            raw = read_npz(path, options, trust_pickle=trust_pickle)
        case Format.SAFETENSORS:
            from biaslab.subjects.formats.safetensors_file import read_safetensors

            raw = read_safetensors(path, options)
        case Format.PICKLE:
            from biaslab.subjects.formats.binary import read_pickled

            raw = read_pickled(path, options, trust_pickle=trust_pickle)
    return _converted(raw, options.dtype)


def _converted(raw: RawEmbedding, dtype: str | None) -> RawEmbedding:
    """Convert mapped vectors if another type was requested."""
    matrix = raw.vectors
    if dtype is None or isinstance(matrix, list) or matrix.dtype == np.dtype(dtype):
        return raw
    scale = None if isinstance(raw.scale, list) else raw.scale
    vectors, scales = convert(matrix, scale, dtype)
    return RawEmbedding(raw.words, vectors, scales, raw.notes, raw.about)
