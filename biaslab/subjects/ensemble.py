"""Ensembles of B bootstrapped embeddings over one vocabulary."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from biaslab.calls import recorded_method
from biaslab.errors import SubjectError
from biaslab.subjects.base import EmbeddingSubject
from biaslab.subjects.embedding import WordEmbedding, replicate_of
from biaslab.subjects.terms import CasePolicy


class EmbeddingEnsemble(EmbeddingSubject):
    """B word embeddings of V words in d dimensions over one vocabulary.

    Parameters
    ----------
    words : sequence of str
        V words, the same for all replicates.
    vectors : ndarray, or sequence of ndarray
        Shape (B, V, d), or B arrays of shape (V, d) (one memory-mapped file each). Float or int8.
    scale : ndarray or sequence of ndarray, optional
        Shape (B, V): row i of replicate b is ``vectors[b, i] * scale[b, i]``. A scale of 0 says
        that the replicate never saw the word.
    name, case, about, notes
        As of `biaslab.subjects.embedding.WordEmbedding`.
    kind : {"ensemble", "observer"}
        "observer" for simulated subjects.

    Raises
    ------
    SubjectError
        When the shapes do not fit each other.

    Notes
    -----
    A word that any replicate lacks is unknown, with the reason "missing from k of B replicates":
    its spread over replicates would not be that of the others.
    """

    kind = "ensemble"

    def __init__(
        self,
        words: Sequence[str],
        vectors: NDArray[np.generic] | Sequence[NDArray[np.generic]],
        *,
        scale: NDArray[np.floating] | Sequence[NDArray[np.floating]] | None = None,
        name: str = "ensemble",
        case: CasePolicy = "smart",
        about: str = "",
        notes: Iterable[str] = (),
        kind: str = "ensemble",
    ) -> None:
        super().__init__(
            words,
            [np.asanyarray(matrix) for matrix in vectors],
            None if scale is None else [np.asarray(row) for row in scale],
            name=name,
            case=case,
            about=about,
            notes=notes,
        )
        self.kind = kind

    @recorded_method
    def replicate(self, b: int) -> WordEmbedding:
        """Return replicate ``b`` (from 0) as an embedding; it shares memory with this one."""
        return replicate_of(self, b)

    def save(self, path: str | Path) -> Path:
        """Write all replicates into one npz file, memory-mapped by `biaslab.load`.

        Raises
        ------
        SubjectError
            When the name ends otherwise.
        WriteError
            When it cannot be written.
        """
        from biaslab.subjects.formats.npz import write_npz

        if Path(path).suffix != ".npz":
            raise SubjectError(
                f"An ensemble is saved as one npz file: name it {Path(path).stem}.npz."
            )
        return write_npz(Path(path), self._words_by_row, self._replicates, self._scales, self.about)
