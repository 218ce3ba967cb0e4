"""One word embedding: a matrix of vectors with a word per row."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from biaslab.calls import recorded_method
from biaslab.errors import SubjectError
from biaslab.subjects.base import EmbeddingSubject
from biaslab.subjects.terms import CasePolicy


class WordEmbedding(EmbeddingSubject):
    """A word embedding of V words in d dimensions: an ensemble of one.

    Parameters
    ----------
    words : sequence of str
        V words; of duplicates the first counts.
    vectors : ndarray
        Float or int8, shape (V, d). Kept as it is, memory-mapped arrays included: rows are
        converted to float32 on demand, never the whole matrix.
    name : str
        Name shown to the person.
    case : {"smart", "exact", "lower"}
        How terms are looked up: see `biaslab.subjects.terms.TermFinder`.
    scale : ndarray, optional
        Shape (V,): the vector of row i is ``vectors[i] * scale[i]``. For int8 rows.
    about : str
        One-line description of the embedding.
    notes : iterable of str
        Remarks for the user.

    Raises
    ------
    SubjectError
        When the shapes do not fit each other.

    Notes
    -----
    A row that holds NaN or infinity, or zeros only, has no direction: its word is unknown, with
    that reason.
    """

    kind = "embedding"

    def __init__(
        self,
        words: Sequence[str],
        vectors: NDArray[np.generic],
        *,
        name: str = "embedding",
        case: CasePolicy = "smart",
        scale: NDArray[np.floating] | None = None,
        about: str = "",
        notes: Iterable[str] = (),
    ) -> None:
        super().__init__(
            words,
            [np.asanyarray(vectors)],
            None if scale is None else [np.asarray(scale)],
            name=name,
            case=case,
            about=about,
            notes=notes,
        )

    @recorded_method
    def replicate(self, b: int) -> WordEmbedding:
        """Return the embedding itself (``b`` is 0), as a replicate; it shares memory."""
        return replicate_of(self, b)

    def save(self, path: str | Path) -> Path:
        """Write the embedding as safetensors, or as npz if the name ends so.

        `biaslab.load` opens both memory-mapped. Worth it for a text file that is opened often:
        parsing gigabytes of text takes minutes, mapping them takes seconds and little memory.

        Raises
        ------
        WriteError
            When an npz file cannot be written.
        """
        scale = None if self._scales is None else self._scales[0]
        if Path(path).suffix == ".npz":
            from biaslab.subjects.formats.npz import write_npz

            scales = None if scale is None else [scale]
            return write_npz(Path(path), self._words_by_row, self._replicates, scales, self.about)
        from biaslab.subjects.formats.safetensors_file import write

        return write(Path(path), self._words_by_row, self._replicates[0], scale, self.about)


def replicate_of(subject: EmbeddingSubject, b: int) -> WordEmbedding:
    """Return replicate ``b`` (from 0) of a subject as an embedding; it shares memory.

    Raises
    ------
    SubjectError
        When it has fewer replicates.
    """
    if not 0 <= b < subject.n_replicates:
        raise SubjectError(
            f"{subject.name} has replicates 0 to {subject.n_replicates - 1}, not {b}."
        )
    return WordEmbedding(
        subject._words_by_row,
        subject._replicates[b],
        scale=None if subject._scales is None else subject._scales[b],
        name=subject.name if subject.n_replicates == 1 else f"{subject.name}, replicate {b}",
        case=subject.case,
        about=subject.about,
    )
