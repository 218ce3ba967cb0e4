"""Cosines of protected words and attribute words: all that association measures follow from."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from biaslab.errors import QueryError
from biaslab.subjects.base import EmbeddingSubject

Floats = NDArray[np.float64]


def cosines(
    subject: EmbeddingSubject,
    words: Sequence[str],
    attributes: Sequence[str],
    replicates: int | None = None,
) -> Floats:
    """Cosine of each word to each attribute word in each replicate, computed in float64.

    Parameters
    ----------
    subject : EmbeddingSubject
        An embedding (one replicate) or an ensemble.
    words, attributes : sequence of str
        n and m terms that the subject knows.
    replicates : int, optional
        How many of the subject's replicates, from the first; by default all.

    Returns
    -------
    ndarray, shape (B, n, m)
        In [-1, 1].

    Raises
    ------
    UnknownTermError
        When a term is not known; `AssociationLists.known_to` sorts them out.
    QueryError
        When the number of replicates is out of range.
    """
    b = n_replicates(subject, replicates)
    one, two = subject.vectors(words)[:b], subject.vectors(attributes)[:b]
    out = np.empty((b, len(words), len(attributes)))
    for r in range(b):  # one at a time: long lists in double precision would fill the memory
        np.matmul(units(one[r]), units(two[r]).T, out=out[r])
    return np.clip(out, -1.0, 1.0, out=out)


def units(vectors: NDArray[np.floating]) -> Floats:
    """Vectors of length 1 along the last axis, float64."""
    exact = np.asarray(vectors, dtype=np.float64)
    return np.asarray(exact / np.linalg.norm(exact, axis=-1, keepdims=True))


def n_replicates(subject: EmbeddingSubject, asked: int | None) -> int:
    """How many replicates are used.

    Raises
    ------
    QueryError
        When the number is out of range.
    """
    if asked is None:
        return subject.n_replicates
    if not 1 <= asked <= subject.n_replicates:
        raise QueryError(
            f"replicates is {asked}; {subject.name!r} has {subject.n_replicates}: use 1 to "
            f"{subject.n_replicates}, or None for all."
        )
    return asked
