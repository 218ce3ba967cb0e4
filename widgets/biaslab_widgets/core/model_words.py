"""What words are to a language model: for the marks of a word list, as those of an embedding."""

from __future__ import annotations

from collections.abc import Iterable

from biaslab.errors import QueryError
from biaslab.subjects.embedding.terms import Resolution, Unknown
from biaslab.subjects.language_model.model import LanguageModel


class ModelWords:
    """The words of a language model, looked up as `EmbeddingSubject` does.

    Parameters
    ----------
    lm : LanguageModel
    """

    def __init__(self, lm: LanguageModel) -> None:
        self.lm = lm

    def __contains__(self, term: str) -> bool:
        """Whether it can be read."""
        return not isinstance(self._pieces(term), str)

    def resolve(self, terms: Iterable[str], *, suggest: bool = True) -> Resolution:  # noqa: ARG002
        """Which terms the model has tokens for; two of the same tokens are one word to it."""
        known: list[str] = []
        unknown: list[Unknown] = []
        duplicates: list[str] = []
        read: dict[str, tuple[str, ...]] = {}
        for term in dict.fromkeys(terms):
            pieces = self._pieces(term)
            if isinstance(pieces, str):
                unknown.append(Unknown(term, pieces))
            elif pieces in read.values():
                duplicates.append(term)
            else:
                known.append(term)
                read[term] = pieces
        return Resolution(tuple(known), tuple(unknown), tuple(duplicates), read)

    def suggest(self, term: str) -> tuple[str, ...]:  # noqa: ARG002
        """None: tokens are no list of words."""
        return ()

    def pieces(self, term: str) -> tuple[str, ...]:
        """The tokens that a term is read as; none where it cannot be read."""
        found = self._pieces(term)
        return () if isinstance(found, str) else found

    def _pieces(self, term: str) -> tuple[str, ...] | str:
        """Its tokens within a sentence, or why it cannot be read."""
        before = "the "
        try:
            tokens = self.lm.tokenize(f"{before}{term}")
        except QueryError as error:
            return f"cannot be read: {error}"
        own = tokens.within(len(before), len(before) + len(term))
        if not len(own):
            return "is not a token of the model"
        if tokens.unknown[own].any():
            return "has a part that the model has no token for"
        return tuple(tokens.tokens[i] for i in own)
