"""Vectors of tokens as an embedding of words: a word is the mean of its tokens.

Static token embeddings (model2vec, WordLlama) are tables of vectors with a tokenizer, and so are
the input embeddings of a language model. Any text has a vector there.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from biaslab.errors import SubjectError
from biaslab.records.calls import recorded_method
from biaslab.records.provenance import note_reading
from biaslab.records.wording import count
from biaslab.subjects.embedding.rows import DerivedRows
from biaslab.subjects.embedding.terms import CasePolicy, Resolution, TermFinder
from biaslab.subjects.embedding.word_embedding import WordEmbedding

_BEGINS_WORD = ("Ġ", "▁")
"""Marks of tokens that begin a word, in byte-level and in SentencePiece tokenizers."""
_UNIT = 1e-32
"""What model2vec adds to a length before it divides by it."""


class TokenEmbedding(WordEmbedding):
    """An embedding of V tokens, in which a word has the mean of its tokens' vectors.

    Its words, among which `nearest` looks, are those that are one token by themselves. Any other
    text that the tokenizer can read has a vector, too: ``resolve([term]).read_as`` names its
    tokens.

    Parameters
    ----------
    tokenizer : tokenizers.Tokenizer
        It is changed: nothing is cut off or padded.
    vectors : ndarray, shape (R, d)
        A row for each token, by its number; rows without a token are left out.
    in_text : bool
        Whether a word is read as it stands within a text, after a space, which tokenizers of
        language models distinguish; else as it stands alone.
    is_normalised : bool
        Whether a mean is brought to length 1.
    scale, name, letter_case, about, notes
        As of `biaslab.subjects.embedding.word_embedding.WordEmbedding`.

    Raises
    ------
    SubjectError
        When the tokenizer has more tokens than there are vectors.
    """

    def __init__(
        self,
        tokenizer: Any,
        vectors: NDArray[np.generic] | DerivedRows,
        *,
        in_text: bool = False,
        is_normalised: bool = False,
        scale: NDArray[np.floating] | None = None,
        name: str = "tokens",
        letter_case: CasePolicy = "smart",
        about: str = "",
        notes: Iterable[str] = (),
    ) -> None:
        tokenizer.no_truncation()
        tokenizer.no_padding()
        tokens, rows = tokenizer.get_vocab_size(with_added_tokens=False), vectors.shape[0]
        if tokens > rows:
            raise SubjectError(
                f"{name} has {count(rows)} vectors, and its tokenizer {count(tokens)} tokens: they"
                " are not of one model. Put the files of one model together."
            )
        self._tokenizer = tokenizer
        self._is_normalised = is_normalised
        self._before = _space_before(tokenizer) if in_text else ""
        self._unknown = tokenizer.token_to_id(_unknown_token(tokenizer))
        spelt = [tokenizer.id_to_token(row) for row in range(rows)]
        rows = max((row for row, token in enumerate(spelt) if token is not None), default=-1) + 1
        self._rows = rows
        self._whole = self._whole_words(rows)
        named = {row: word for word, row in self._whole.items()}
        super().__init__(
            [named.get(row, token or "") for row, token in enumerate(spelt[:rows])],
            vectors if rows == vectors.shape[0] else vectors[:rows],
            scale=None if scale is None else scale[:rows],
            name=name, letter_case=letter_case, notes=notes,
            about=f"{about}; {count(len(named))} of {count(rows)} tokens are whole words",
        )  # fmt: skip

    def _begin(self) -> None:
        super()._begin()
        self._index = self._whole
        self._finder = _Tokens(self._whole, self.letter_case, self._encode)

    def _without_word(self, rows: int) -> tuple[str, ...]:  # noqa: ARG002
        return ()  # parts of words, which `about` counts

    def resolve(self, terms: Sequence[str], *, suggest: bool = True) -> Resolution:
        """Sort terms into known and unknown, as `EmbeddingSubject.resolve`."""
        resolution = super().resolve(terms, suggest=suggest)
        for term, tokens in resolution.read_as.items():
            if len(tokens) > 1:
                note_reading(term, tokens)
        return resolution

    @recorded_method
    def replicate(self, b: int) -> TokenEmbedding:
        """Return the embedding itself (``b`` is 0), as a replicate."""
        if b:
            raise SubjectError(f"{self.name} has replicates 0 to 0, not {b}.")
        return self

    def save(self, path: str | Path) -> Path:
        """Write the words that are one token, as `WordEmbedding.save`; no tokenizer is written."""
        return WordEmbedding(
            list(self._whole), self.vectors(list(self._whole))[0], about=self.about
        ).save(path)

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 of tokenizer, vectors and the way in which they are pooled, hexadecimal."""
        way = f"{self._tokenizer.to_str()}|{self._before}|{self._is_normalised}|"
        table = WordEmbedding.content_hash.__get__(self)
        return hashlib.sha256((way + table).encode("utf-8", "surrogatepass")).hexdigest()

    def _read(self, terms: Sequence[str]) -> NDArray[np.float32]:
        pooled = super()._read(terms)
        if not self._is_normalised:
            return pooled
        lengths = np.linalg.norm(pooled, axis=2, keepdims=True)
        return cast("NDArray[np.float32]", pooled / (lengths + _UNIT).astype(np.float32))

    def _encode(self, texts: Sequence[str]) -> list[tuple[int, ...]]:
        """Return the tokens of each text; none of one that the tokenizer does not know."""
        written = [self._before + text for text in texts]
        encoded = self._tokenizer.encode_batch(written, add_special_tokens=False)
        return [
            tuple(token for token in one.ids if token < self._rows and token != self._unknown)
            for one in encoded
        ]

    def _whole_words(self, rows: int) -> dict[str, int]:
        texts = self._tokenizer.decode_batch([[row] for row in range(rows)])
        spelt = [(text.strip(), row) for row, text in enumerate(texts)]
        spelt = [
            (text, row) for text, row in spelt if text[:1].isalpha() and len(text.split()) == 1
        ]
        encoded = self._encode([text for text, _ in spelt])
        return {
            text: row
            for (text, row), tokens in zip(spelt, encoded, strict=True)
            if tokens == (row,)
        }


class _Tokens(TermFinder):
    """Finds the tokens of a term."""

    def __init__(
        self,
        index: dict[str, int],
        letter_case: CasePolicy,
        encode: Callable[[Sequence[str]], list[tuple[int, ...]]],
    ) -> None:
        super().__init__(index, letter_case)
        self._encode = encode

    def find(self, term: str) -> tuple[int, ...] | str:
        return self.find_all([term])[0]

    def find_all(self, terms: Sequence[str]) -> list[tuple[int, ...] | str]:
        texts = [" ".join(term.replace("_", " ").split()) for term in terms]
        if self._letter_case == "lower":
            texts = [text.lower() for text in texts]
        return [rows or term for term, rows in zip(terms, self._encode(texts), strict=True)]


def _space_before(tokenizer: Any) -> str:
    """Return the space that makes a tokenizer read a word as within a text, if it needs one."""
    alone, within = (
        tokenizer.encode(text, add_special_tokens=False).tokens[:1] for text in ("the", " the")
    )
    begins = [bool(tokens) and tokens[0].startswith(_BEGINS_WORD) for tokens in (alone, within)]
    return " " if begins == [False, True] else ""


def _unknown_token(tokenizer: Any) -> str:
    model = json.loads(tokenizer.to_str())["model"]
    if model.get("unk_id") is not None:  # of a unigram model, its number
        return str(tokenizer.id_to_token(model["unk_id"]))
    return str(model.get("unk_token") or "")
