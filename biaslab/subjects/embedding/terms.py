"""Find terms in a vocabulary: case, several words, misspellings, unknown ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Literal, cast, get_args
from unicodedata import normalize

CasePolicy = Literal["exact", "lower", "smart"]
CASE_POLICIES: tuple[str, ...] = get_args(CasePolicy)

#: Spellings are compared with this many words, the first ones of the vocabulary: files list the
#: frequent words first, and a search through millions would be felt while typing.
SUGGESTED_FROM = 200_000
#: Similarity in [0, 1] below which a word is not suggested.
_CLOSE_ENOUGH = 0.55


SHARED_VECTOR = "has the same vector as"
"""In the reason of a term that is left out because another one stands for both."""


@dataclass(frozen=True)
class Unknown:
    """A term that a subject cannot place, why, and the nearest words that it can."""

    term: str
    reason: str
    suggestions: tuple[str, ...] = ()

    @property
    def has_vector(self) -> bool:
        """Whether it has one all the same, which stands for another term already."""
        return self.reason.startswith(SHARED_VECTOR)


@dataclass(frozen=True)
class Resolution:
    """Which terms a subject knows.

    Attributes
    ----------
    known : tuple of str
        Terms that `EmbeddingSubject.vectors` accepts, as typed and in the order given.
    unknown : tuple of Unknown
        The others.
    duplicates : tuple of str
        Terms left out because an earlier term stands for the same words.
    read_as : mapping of str to tuple of str
        For each known term, the vocabulary words whose mean vector represents it.
    """

    known: tuple[str, ...]
    unknown: tuple[Unknown, ...] = ()
    duplicates: tuple[str, ...] = ()
    read_as: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def index_words(words: Sequence[str]) -> dict[str, int]:
    """Return the row of each distinct word; the first of duplicates counts."""
    index = dict(zip(words, range(len(words)), strict=True))
    if len(index) < len(words):
        index = {}
        for row, word in enumerate(words):
            index.setdefault(word, row)
    return index


class TermFinder:
    """Finds terms in a vocabulary.

    - `index`: row of each word, in the order of the vocabulary.
    - `letter_case`, {"smart", "exact", "lower"}: "exact" looks a term up as typed; "lower" in lower
      case; "smart" as typed, else in lower case, else with capitals. Letters with accents count in
      either form of Unicode.
    """

    def __init__(self, index: Mapping[str, int], letter_case: CasePolicy = "smart") -> None:
        if letter_case not in CASE_POLICIES:
            raise ValueError(
                f"letter_case={letter_case!r}: choose one of {', '.join(CASE_POLICIES)}."
            )
        self._index = index
        self._letter_case = letter_case
        self.suggest = lru_cache(maxsize=4096)(self._suggest)

    def find(self, term: str) -> tuple[int, ...] | str:
        """Return the rows whose mean represents the term, or the part that is unknown.

        A term of several words is one row where the vocabulary joins them with ``_`` or ``-``,
        else one row per word (Liang and Acuna 2020, section 3.1).
        """
        row = self._index.get(term) if self._letter_case != "lower" else None
        if row is not None:
            return (row,)
        parts = term.replace("_", " ").split()
        if not parts:
            return term
        for joined in (term, *(mark.join(parts) for mark in "_-" if len(parts) > 1)):
            row = self._row(joined)
            if row is not None:
                return (row,)
        rows = [self._row(part) for part in parts]
        missing = [part for part, row in zip(parts, rows, strict=True) if row is None]
        return missing[0] if missing else tuple(row for row in rows if row is not None)

    def plain_rows(self, terms: Sequence[str]) -> list[int] | None:
        """Return the row of each term if all are spelled as stored, else None."""
        if self._letter_case == "lower":
            return None
        rows = list(map(self._index.get, terms))
        return None if None in rows else cast("list[int]", rows)

    def find_all(self, terms: Sequence[str]) -> list[tuple[int, ...] | str]:
        """Find many terms, as `find`."""
        plain = self.plain_rows(terms)
        return [(row,) for row in plain] if plain else [self.find(term) for term in terms]

    def _row(self, word: str) -> int | None:
        for form in self._forms(word):
            row = self._index.get(form)
            if row is not None:
                return row
        return None

    def _forms(self, word: str) -> Iterator[str]:
        lower = word.lower()
        forms = [lower] if self._letter_case == "lower" else [word]
        if self._letter_case == "smart":
            forms += [lower, _capitalised(word), _capitalised(lower)]
        yield from forms
        if not word.isascii():
            yield from (normalize(form, text) for form in ("NFC", "NFD") for text in forms)

    def _suggest(self, term: str, limit: int = 5) -> tuple[str, ...]:
        from rapidfuzz import process
        from rapidfuzz.distance import OSA

        rows = self.find(term)
        if not isinstance(rows, str) or not rows.strip():
            return ()
        names, lowered = self._candidates
        hits = process.extract(
            rows.lower(),
            lowered,
            scorer=OSA.normalized_similarity,
            score_cutoff=_CLOSE_ENOUGH,
            limit=limit,
        )
        # The whole term is offered again, so that taking a suggestion is one click.
        parts = [term] if rows == term else term.replace("_", " ").split()
        return tuple(
            " ".join(names[position] if part == rows else part for part in parts)
            for _, _, position in hits
        )

    @cached_property
    def _candidates(self) -> tuple[list[str], list[str]]:
        names = [w for w, _ in zip(self._index, range(SUGGESTED_FROM), strict=False)]
        return names, [name.lower() for name in names]


def _capitalised(word: str) -> str:
    """Capitalise each joined part, the rest unchanged: new_york -> New_York."""
    for mark in "_-":
        word = mark.join(part[:1].upper() + part[1:] for part in word.split(mark))
    return word
