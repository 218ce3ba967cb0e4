"""Encoders in contexts: each context is an observer, as a replicate of an ensemble is."""

from __future__ import annotations

import threading
from abc import abstractmethod
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from biaslab.errors import SubjectError, UnknownTermError
from biaslab.records.calls import recorded_method
from biaslab.subjects.embedding.base import EmbeddingSubject
from biaslab.subjects.embedding.rows import Neighbour
from biaslab.subjects.embedding.terms import Resolution, Unknown
from biaslab.subjects.pretrained.memory import in_halves

Spans = Sequence[tuple[int, int]]
_REMEMBERED = 65_536
"""Size of the cache of vectors, 200 MB at 768 dimensions; least recently used ones go first."""
_BATCH = 64


class ContextualEncoder(EmbeddingSubject):
    """A model that turns texts into vectors, under C contexts.

    Wherever a probe needs vectors of terms it can be given an encoder: ``vectors(terms)`` has one
    vector per context and term.

    Parameters
    ----------
    contexts : sequence of str
        Texts with ``{}`` where the term goes; ``{}`` alone is the term and nothing else.
    name, about
        As of `biaslab.subjects.embedding.word_embedding.WordEmbedding`.

    Raises
    ------
    SubjectError
        When a context does not have exactly one ``{}``.
    """

    kind = "encoder"
    tokenizer: Any
    """The model's own, of transformers."""
    pooling: str
    """How a text becomes a vector."""

    def __init__(self, contexts: Sequence[str], *, name: str, about: str) -> None:
        # No vocabulary and no matrix: parts of the base that need them do not apply.
        if isinstance(contexts, str) or not contexts:
            raise SubjectError("contexts must be a list of texts with {} in place of the term.")
        for context in contexts:
            if context.count("{}") != 1:
                raise SubjectError(f"The context {context!r} needs one {{}} in place of the term.")
        self.contexts = tuple(contexts)
        self.name = name
        self.about = about
        self.notes = ()
        self.letter_case = "exact"
        self.words = ()
        self._memory: OrderedDict[tuple[str, int, int], NDArray[np.float32]] = OrderedDict()
        self._lock = threading.Lock()

    @property
    @abstractmethod
    def device(self) -> str:
        """Device of the model, such as ``cpu`` or ``cuda:0``."""

    @abstractmethod
    def under(self, contexts: Sequence[str] | None = None) -> Self:
        """Return the same model with other contexts."""

    @abstractmethod
    def _run(self, keys: Sequence[tuple[str, int, int]]) -> NDArray[np.float32]:
        """Return vectors of texts, each with its term's place, (n, d)."""

    @property
    def n_replicates(self) -> int:
        """Number C of contexts."""
        return len(self.contexts)

    @property
    def dtype(self) -> np.dtype[np.generic]:
        """Type in which vectors are returned."""
        return np.dtype(np.float32)

    def __len__(self) -> int:
        """Number of the tokenizer's tokens; they can spell any word."""
        return len(self.tokenizer)

    def __repr__(self) -> str:
        """One line: name, sizes and where it runs."""
        contexts = f"{len(self.contexts)} context{'s' if len(self.contexts) > 1 else ''}"
        return f"<Encoder {self.name!r}: {self.dim} dimensions, {contexts}, on {self.device}>"

    @recorded_method
    def replicate(self, b: int) -> Self:
        """Return the encoder under context ``b`` (from 0) alone."""
        if not 0 <= b < len(self.contexts):
            raise SubjectError(f"{self.name} has contexts 0 to {len(self.contexts) - 1}, not {b}.")
        return self.under([self.contexts[b]])

    def resolve(
        self,
        terms: Sequence[str],
        *,
        suggest: bool = True,  # noqa: ARG002  # there is no vocabulary to suggest from
    ) -> Resolution:
        """Sort terms: empty and unreadable ones are unknown."""
        if isinstance(terms, str):
            raise TypeError(f"Pass a list of terms: [{terms!r}], not {terms!r}.")
        known: dict[str, tuple[str, ...]] = {}
        unknown: dict[str, Unknown] = {}
        duplicates: list[str] = []
        for term in terms:
            if term in known or term in unknown:
                duplicates.append(term)
                continue
            ids = self.tokenizer(term, add_special_tokens=False)["input_ids"]
            if not term.strip() or not ids:
                unknown[term] = Unknown(term, "empty")
            elif set(ids) <= {self.tokenizer.unk_token_id}:
                unknown[term] = Unknown(term, "made of characters that the tokenizer does not know")
            else:
                known[term] = tuple(self.tokenizer.convert_ids_to_tokens(ids))
        return Resolution(tuple(known), tuple(unknown.values()), tuple(duplicates), known)

    def suggest(self, term: str, limit: int = 5) -> list[str]:  # noqa: ARG002
        """Return nothing: any word can be encoded."""
        return []

    def nearest(self, term: str, n: int = 10) -> list[Neighbour]:  # noqa: ARG002
        """Raise an error: an encoder computes vectors and has no vocabulary to search.

        Raises
        ------
        SubjectError
            Always.
        """
        raise SubjectError(
            f"{self.name!r} is an encoder: it has no vocabulary to search for the words nearest to"
            f" {term!r}. Compare the term with words of your choice: vectors([...])."
        )

    def vectors(self, terms: Sequence[str]) -> NDArray[np.float32]:
        """Return vectors of terms in every context, float32 of shape (C, n, d).

        Raises
        ------
        UnknownTermError
            Names the terms that cannot be encoded.
        """
        if unknown := self.resolve(terms).unknown:
            listed = "; ".join(f"{u.term!r}: {u.reason}" for u in unknown[:5])
            raise UnknownTermError(
                f"{self.name} cannot encode {listed}. Correct these terms or leave them out.",
                unknown,
            )
        texts: list[str] = []
        spans: list[tuple[int, int]] = []
        for context in self.contexts:
            start = context.index("{}")
            texts += [context.replace("{}", term) for term in terms]
            spans += [(start, start + len(term)) for term in terms]
        vectors = self.encode(texts, spans)
        return vectors.reshape(len(self.contexts), len(terms), self.dim)

    def project(self, terms: Sequence[str], onto: NDArray[np.floating]) -> NDArray[np.float32]:
        """Return dot products of the terms' unit vectors with given vectors, (C', n, K)."""
        vectors = self.vectors(terms)[: len(onto)]
        units = vectors / np.linalg.norm(vectors, axis=2, keepdims=True)
        return np.asarray(units @ onto, dtype=np.float32)

    def sentences(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return vectors of whole texts, (n, d); pooled over all tokens."""
        return self.encode(texts, [(0, len(text)) for text in texts])

    def encode(self, texts: Sequence[str], spans: Spans) -> NDArray[np.float32]:
        """Return vectors of n texts, or of a part of each, float32 of shape (n, d).

        Parameters
        ----------
        texts : sequence of str
        spans : sequence of (int, int)
            Position of the term in each text: its first character and the one after its last.
            Only the pooling "term" uses it.

        Raises
        ------
        QueryError
            When a text is longer than the model reads, or a span contains no token.
        """
        keys = [(text, *self._span(span)) for text, span in zip(texts, spans, strict=True)]
        with self._lock:
            cached = {key: self._memory[key] for key in keys if key in self._memory}
        missing = [key for key in dict.fromkeys(keys) if key not in cached]
        # Texts of like length share a batch, so that little of it is padding.
        missing.sort(key=lambda key: len(key[0]))
        for begin in range(0, len(missing), _BATCH):
            part = missing[begin : begin + _BATCH]
            vectors = in_halves(part, self._listed, self.device, self.name, "one text")
            cached.update(zip(part, vectors, strict=True))
            self._remember({key: cached[key] for key in part})  # also if a later batch fails
        self._remember(cached)
        out = np.empty((len(keys), self.dim), dtype=np.float32)
        for i, key in enumerate(keys):
            out[i] = cached[key]
        return out

    def _remember(self, vectors: Mapping[tuple[str, int, int], NDArray[np.float32]]) -> None:
        with self._lock:
            for key, vector in vectors.items():
                self._memory[key] = vector
                self._memory.move_to_end(key)
            while len(self._memory) > _REMEMBERED:
                self._memory.popitem(last=False)

    def _listed(self, keys: Sequence[tuple[str, int, int]]) -> list[NDArray[np.float32]]:
        return list(self._run(keys))

    def _span(self, span: tuple[int, int]) -> tuple[int, int]:  # noqa: ARG002
        """Return the part of a text that its vector depends on; (0, 0) for all of it."""
        return 0, 0
