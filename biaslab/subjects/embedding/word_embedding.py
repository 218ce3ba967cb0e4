"""One word embedding: a matrix of vectors with a word per row, also from a table in memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from biaslab.arguments import described, renamed, strings
from biaslab.errors import SubjectError
from biaslab.records.calls import recorded_method
from biaslab.subjects.embedding.base import EmbeddingSubject
from biaslab.subjects.embedding.rows import DerivedRows
from biaslab.subjects.embedding.terms import CasePolicy
from biaslab.subjects.formats.reading import convert


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
    letter_case : {"smart", "exact", "lower"}
        How terms are looked up: see `biaslab.subjects.embedding.terms.TermFinder`.
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

    @renamed(case="letter_case")
    def __init__(
        self,
        words: Sequence[str],
        vectors: NDArray[np.generic] | DerivedRows,
        *,
        name: str = "embedding",
        letter_case: CasePolicy = "smart",
        scale: NDArray[np.floating] | None = None,
        about: str = "",
        notes: Iterable[str] = (),
    ) -> None:
        rows: Any = vectors if isinstance(vectors, DerivedRows) else np.asanyarray(vectors)
        super().__init__(
            words,
            [rows],
            None if scale is None else [np.asarray(scale)],
            name=name,
            letter_case=letter_case,
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

    Raises `SubjectError` when it has fewer replicates.
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
        letter_case=subject.letter_case,
        about=subject.about,
    )


def is_table(source: object) -> bool:
    """Return whether it is a mapping, a DataFrame of any library, or of gensim; imports none."""
    vectors = getattr(source, "wv", source)
    return (
        isinstance(source, Mapping)
        or hasattr(source, "__dataframe__")
        or all(hasattr(vectors, part) for part in ("key_to_index", "vectors"))
    )


def embedding_of(
    source: Any,
    words: Sequence[str] | None = None,
    *,
    name: str = "",
    letter_case: CasePolicy = "smart",
    dtype: str | None = None,
    limit: int | None = None,
) -> WordEmbedding:
    """Return the embedding of a table of vectors.

    - `source`: word to vector, all of one length d; or a row per word, with the words as index and
      a column per dimension; or a model of gensim; or with `words` a matrix with their vectors: an
      array, a tensor, or a layer of torch that has them as its weight.
    - `name`, `letter_case`, `dtype`, `limit`: as of `biaslab.load`.
    - Raises `SubjectError` when it is empty, a word is not text, or the vectors are no numbers of
      one length.
    """
    listed: list[Any]
    source = getattr(source, "wv", source)
    if words is not None:
        listed = [*strings(words, "words")]
        vectors = _numbers(getattr(source, "weight", source), "The matrix")
        if vectors.shape[:1] != (len(listed),) or vectors.ndim != 2:
            raise SubjectError(
                f"{len(listed):,} words and a matrix of shape {vectors.shape}. Pass one row per"
                " word, in the order of the words."
            )
    elif hasattr(source, "key_to_index"):
        listed, vectors = list(source.key_to_index), _numbers(source.vectors, "The vectors")
    elif isinstance(source, Mapping):
        listed, vectors = list(source), _stacked(source)
    else:
        frame = source if hasattr(source, "index") else _with_words_as_index(source)
        listed, vectors = list(frame.index), _numbers(frame.to_numpy(), "The table")
    if wrong := [word for word in listed if not isinstance(word, str)]:
        raise SubjectError(
            f"{described(wrong[0])} is not a word. Pass the words as text: the keys of"
            " a dict, or the index of a table, as by frame.set_index('word')."
        )
    if limit is not None:
        listed, vectors = listed[:limit], vectors[:limit]
    if not (is_sound := np.isfinite(vectors).all(axis=1)).all():
        faulty = [word for word, sound in zip(listed, is_sound, strict=True) if not sound]
        which = ", ".join(map(repr, faulty[:3])) + (" and others" if len(faulty) > 3 else "")
        raise SubjectError(
            f"NaN or infinity stands in the vector of {which}. Leave such words out, or give them"
            " a vector."
        )
    rows: NDArray[np.generic] = vectors.astype(np.float32)
    scale: NDArray[np.floating] | None = None
    if dtype not in (None, "float32"):
        rows, scale = convert(rows, None, str(dtype))
    return WordEmbedding(
        listed,
        rows,
        scale=scale,
        name=name or "my vectors",
        letter_case=letter_case,
        about=f"{len(listed):,} vectors in memory",
    )


def _with_words_as_index(table: Any) -> Any:
    """Return a table of another library, such as polars, with its column of text as index."""
    import pandas as pd

    frame = pd.api.interchange.from_dataframe(table)
    texts = [name for name in frame.columns if not pd.api.types.is_numeric_dtype(frame[name])]
    if len(texts) != 1:
        raise SubjectError(
            f"The table has {len(texts)} columns of text. Pass one with the words in one column,"
            " and a number for each dimension in the others."
        )
    return frame.set_index(texts[0])


def _stacked(vectors: Mapping[Any, Any]) -> NDArray[np.floating]:
    rows = [_numbers(vector, f"The vector of {word!r}") for word, vector in vectors.items()]
    if not rows:
        raise SubjectError("The dict is empty. Pass a vector for at least one word.")
    shape = rows[0].shape
    for word, row in zip(vectors, rows, strict=True):
        if row.ndim != 1 or row.shape != shape:
            raise SubjectError(
                f"The vector of {word!r} has the shape {row.shape}, and the first {shape}. Pass"
                " one vector per word, all of the same length."
            )
    return np.stack(rows)


def _numbers(values: Any, what: str) -> NDArray[np.floating]:
    if hasattr(values, "detach"):  # a tensor, which may have a gradient, or a type of torch's own
        values = values.detach().cpu().double().numpy()
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise SubjectError(
            f"{what} holds something that is not a number. Pass numbers, one per dimension."
        ) from None
