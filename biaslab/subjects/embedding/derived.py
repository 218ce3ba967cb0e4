"""Subjects derived from another by a change of its vectors, computed on demand."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from biaslab.errors import SubjectError
from biaslab.records.calls import recorded_method
from biaslab.records.record import Record
from biaslab.subjects.embedding.base import EmbeddingSubject
from biaslab.subjects.embedding.ensemble import EmbeddingEnsemble
from biaslab.subjects.embedding.word_embedding import WordEmbedding

Floats = NDArray[np.float32]
Change = Callable[[NDArray[np.int64], Floats], Floats]
"""From row numbers (n,) and their vectors (n, d), which it may overwrite, to the new vectors."""

_SLICE = 8192
"""Rows changed at once when all are requested: bounds memory."""


class DerivedRows:
    """A float32 matrix (V, d) whose rows are computed from a parent's; it stores none.

    Offers the part of ndarray that `biaslab.subjects.embedding.base.EmbeddingSubject` needs:
    shape, slices, ``take`` and conversion.

    - `stored`, ndarray, shape (V, d): the parent's rows as stored.
    - `scale`, ndarray, shape (V,), or None: the parent's scales.
    - `change`: change of the rows.
    """

    ndim = 2
    dtype = np.dtype(np.float32)

    def __init__(
        self, stored: NDArray[np.generic], scale: NDArray[np.floating] | None, change: Change
    ) -> None:
        self._stored, self._scale, self._change = stored, scale, change
        self.shape = stored.shape

    def __len__(self) -> int:
        return len(self._stored)

    def __getitem__(self, rows: slice | NDArray[np.integer]) -> Floats:
        if not isinstance(rows, slice):
            return self.take(rows)
        count = range(*rows.indices(len(self)))
        out = np.empty((len(count), self.shape[1]), dtype=np.float32)
        for start in range(0, len(count), _SLICE):
            part = np.array(count[start : start + _SLICE], dtype=np.int64)
            self.take(part, out=out[start : start + _SLICE])
        return out

    def take(
        self,
        rows: NDArray[np.integer],
        axis: int = 0,  # noqa: ARG002  # np.take passes both on
        out: Floats | None = None,
        mode: str = "raise",  # noqa: ARG002
    ) -> Floats:
        """Return selected rows, as ``ndarray.take`` along the first axis."""
        requested = np.asarray(rows, dtype=np.int64)
        vectors = np.asarray(self._stored[requested]).astype(np.float32, copy=False)
        if self._scale is not None:
            vectors *= self._scale[requested].astype(np.float32)[:, None]
        changed = self._change(requested, vectors)
        if out is None:
            return changed
        out[...] = changed
        return out

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        if copy is False:
            raise ValueError("These rows are computed, so they cannot be returned without a copy.")
        return self[:].astype(np.float32 if dtype is None else dtype, copy=False)


class _Derived(EmbeddingSubject):
    """Shared part of derived embeddings and ensembles.

    - `parent`: the subject that it was made from; its rows are read through it.
    - `derivation`: description of the change: for `bl.debias` a `biaslab.probes.debias.Debiasing`.
    """

    parent: EmbeddingSubject
    derivation: Any

    def _derive(
        self,
        parent: EmbeddingSubject,
        changes: Sequence[Change],
        *,
        recipe: str,
        derivation: Record,
        name: str,
        about: str,
        notes: Iterable[str],
    ) -> None:
        if len(changes) != parent.n_replicates:
            raise SubjectError(
                f"{len(changes)} changes for {parent.n_replicates} replicates. Pass one per"
                " replicate."
            )
        scales = parent._scales or (None,) * parent.n_replicates
        rows = [
            DerivedRows(stored, scale, change)
            for stored, scale, change in zip(parent._replicates, scales, changes, strict=True)
        ]
        EmbeddingSubject.__init__(
            self,
            parent._words_by_row,
            cast("list[NDArray[np.generic]]", rows),  # they implement the part of ndarray used here
            None,
            name=name,
            letter_case=parent.letter_case,
            about=about,
            notes=notes,
        )
        self.parent = parent
        self.derivation = derivation
        self._recipe = recipe
        self._changes = tuple(changes)

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 of the parent's content and of the change, hexadecimal.

        Computed without computing the vectors. A saved copy, opened again, has the hash of its
        own words and vectors instead.
        """
        text = f"derived/1|{self.parent.content_hash}|{self._recipe}"
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class DerivedEmbedding(_Derived, WordEmbedding):
    """A word embedding made from another; see `derive`."""

    def __init__(self, parent: EmbeddingSubject, changes: Sequence[Change], **options: Any) -> None:
        self._derive(parent, changes, **options)


class DerivedEnsemble(_Derived, EmbeddingEnsemble):
    """An ensemble made from another, replicate by replicate; see `derive`."""

    def __init__(self, parent: EmbeddingSubject, changes: Sequence[Change], **options: Any) -> None:
        self._derive(parent, changes, **options)
        self.kind = parent.kind

    @recorded_method
    def replicate(self, b: int) -> DerivedEmbedding:
        """Return replicate ``b`` (from 0), derived from the parent's replicate ``b``."""
        parent = self.parent.replicate(b)
        return DerivedEmbedding(
            parent,
            [self._changes[b]],
            recipe=f"{self._recipe}|replicate {b} of {self.n_replicates}",
            derivation=self.derivation,
            name=f"{self.name}, replicate {b}",
            about=self.about,
            notes=self.notes,
        )


def derive(
    parent: EmbeddingSubject,
    changes: Sequence[Change],
    *,
    recipe: str,
    derivation: Record,
    name: str,
    about: str,
    notes: Iterable[str] = (),
) -> DerivedEmbedding | DerivedEnsemble:
    """Return a subject over the same words whose vectors are a change of the parent's.

    - `parent`: an embedding or an ensemble of B replicates. It is referenced and must not change.
    - `changes`: change of the rows of each replicate.
    - `recipe`: text that determines the change; with the parent's hash it gives the content hash.
    - `derivation`: description of the change, for people and programs.
    - `name`, `about`, `notes`: as of `WordEmbedding`.
    """
    kind = DerivedEmbedding if isinstance(parent, WordEmbedding) else DerivedEnsemble
    return kind(
        parent, changes, recipe=recipe, derivation=derivation, name=name, about=about, notes=notes
    )
