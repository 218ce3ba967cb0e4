"""Subjects made from another by a change of its vectors, computed when rows are asked for."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from biaslab.errors import SubjectError
from biaslab.record import Record
from biaslab.subjects.base import EmbeddingSubject
from biaslab.subjects.embedding import WordEmbedding
from biaslab.subjects.ensemble import EmbeddingEnsemble

Floats = NDArray[np.float32]
Change = Callable[[NDArray[np.int64], Floats], Floats]
"""From row numbers (n,) and their vectors (n, d), which it may overwrite, to the new vectors."""

_SLICE = 8192
"""Rows changed at once where all are asked for: bounds the memory in between."""


class DerivedRows:
    """A float32 matrix (V, d) whose rows are computed from a parent's; it holds none of its own.

    Offers what `biaslab.subjects.base.EmbeddingSubject` needs of an array: shape, slices,
    ``take`` and conversion.

    Parameters
    ----------
    stored : ndarray, shape (V, d)
        The parent's rows as stored.
    scale : ndarray, shape (V,), or None
        The parent's scales.
    change : callable
        What is done to rows.
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
        """Chosen rows, as ``ndarray.take`` along the first axis."""
        asked = np.asarray(rows, dtype=np.int64)
        vectors = np.asarray(self._stored[asked]).astype(np.float32, copy=False)
        if self._scale is not None:
            vectors *= self._scale[asked].astype(np.float32)[:, None]
        changed = self._change(asked, vectors)
        if out is None:
            return changed
        out[...] = changed
        return out

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        if copy is False:
            raise ValueError("These rows are computed, so they cannot be returned without a copy.")
        return self[:].astype(np.float32 if dtype is None else dtype, copy=False)


class _Derived(EmbeddingSubject):
    """What derived embeddings and ensembles share.

    Attributes
    ----------
    parent : EmbeddingSubject
        The subject that it was made from; its rows are read through it.
    derivation : Record
        What was done: for `bl.debias` a `biaslab.probes.debias.Debiasing`.
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
            cast("list[NDArray[np.generic]]", rows),  # they offer what is asked of an array here
            None,
            name=name,
            case=parent.case,
            about=about,
            notes=notes,
        )
        self.parent = parent
        self.derivation = derivation
        self._recipe = recipe
        self._changes = tuple(changes)

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 of the parent's content and of what was done, hexadecimal.

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

    def replicate(self, b: int) -> DerivedEmbedding:
        """Replicate ``b`` (from 0), derived from the parent's replicate ``b``."""
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
    """A subject over the same words whose vectors are a change of the parent's.

    Parameters
    ----------
    parent : EmbeddingSubject
        An embedding or an ensemble of B replicates. It is kept, and must not change.
    changes : sequence of callable
        What is done to the rows of each replicate.
    recipe : str
        Text that determines the change; with the parent's hash it gives the content hash.
    derivation : Record
        What was done, for people and programs.
    name, about, notes
        As of `WordEmbedding`.
    """
    kind = DerivedEmbedding if isinstance(parent, WordEmbedding) else DerivedEnsemble
    return kind(
        parent, changes, recipe=recipe, derivation=derivation, name=name, about=about, notes=notes
    )
