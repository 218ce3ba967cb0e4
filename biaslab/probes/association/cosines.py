"""Cosines of protected and attribute words, the basis of association measures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from biaslab.errors import QueryError
from biaslab.probes.association.lists import AssociationLists
from biaslab.subjects.embedding.base import EmbeddingSubject

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]


def cosines(
    subject: EmbeddingSubject,
    words: Sequence[str],
    attributes: Sequence[str],
    replicates: int | None = None,
) -> Floats:
    """Compute the cosine of each word to each attribute word, in float64.

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
    word_vectors, attribute_vectors = subject.vectors(words)[:b], subject.vectors(attributes)[:b]
    out = np.empty((b, len(words), len(attributes)))
    for r in range(b):  # one at a time: long lists in double precision would fill the memory
        np.matmul(units(word_vectors[r]), units(attribute_vectors[r]).T, out=out[r])
    return np.clip(out, -1.0, 1.0, out=out)


def cosines_frame(values: Floats, lists: AssociationLists) -> pd.DataFrame:
    """Cosines as a tidy table, one row each.

    Columns: word, group, attribute, list, replicate, cosine.

    Parameters
    ----------
    values : ndarray, shape (B, n, m)
        Of the lists' words with their attribute words, followed by their control words or not.
    lists : AssociationLists
    """
    import pandas as pd

    compared = {**lists.attributes, **lists.controls}
    named = [(group, word) for group, words in lists.groups.items() for word in words]
    terms = [(name, term) for name, own in compared.items() for term in own][: values.shape[2]]
    b, n, m = values.shape
    return pd.DataFrame(
        {
            "word": np.tile(np.repeat([word for _, word in named], m), b),
            "group": np.tile(np.repeat([group for group, _ in named], m), b),
            "attribute": np.tile([term for _, term in terms], b * n),
            "list": np.tile([name for name, _ in terms], b * n),
            "replicate": np.repeat(np.arange(b), n * m),
            "cosine": values.ravel(),
        }
    )


def units(vectors: NDArray[np.floating]) -> Floats:
    """Return vectors of length 1 along the last axis, float64."""
    exact = np.asarray(vectors, dtype=np.float64)
    return np.asarray(exact / np.linalg.norm(exact, axis=-1, keepdims=True))


def n_replicates(subject: EmbeddingSubject, requested: int | None) -> int:
    """Return the number of replicates in use.

    Raises
    ------
    QueryError
        When the number is out of range.
    """
    if requested is None:
        return subject.n_replicates
    if not 1 <= requested <= subject.n_replicates:
        raise QueryError(
            f"replicates is {requested}; {subject.name!r} has {subject.n_replicates}: use 1 to "
            f"{subject.n_replicates}, or None for all."
        )
    return requested
