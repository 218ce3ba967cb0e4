"""Subjects derived from another by a change of its vectors, computed on demand."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from biaslab.errors import SubjectError
from biaslab.records.calls import recorded_method
from biaslab.records.record import Record
from biaslab.subjects.embedding.base import EmbeddingSubject
from biaslab.subjects.embedding.ensemble import EmbeddingEnsemble
from biaslab.subjects.embedding.rows import Change, DerivedRows
from biaslab.subjects.embedding.word_embedding import WordEmbedding


class _Derived(EmbeddingSubject):
    """Shared part of derived embeddings and ensembles.

    - `parent`: the subject that it was made from; its rows are read through it.
    - `derivation`: description of the change: for `bl.debias` a `biaslab.probes.debias.Debiasing`.
    - `treatment`: of `bl.treat`, how to make it again; None of others.
    """

    parent: EmbeddingSubject
    derivation: Any
    treatment: Any = None

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
