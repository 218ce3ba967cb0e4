"""What is odd in word lists: unknown terms, terms that stand twice, terms in several lists."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Generic, TypeVar

from biaslab.errors import BiaslabError, QueryError
from biaslab.subjects.embedding.base import EmbeddingSubject
from biaslab.subjects.embedding.terms import Resolution, Unknown
from biaslab.subjects.language_model.model import LanguageModel
from biaslab_widgets.core.state.bench_state import WordBenchState
from biaslab_widgets.core.state.commands import Act
from biaslab_widgets.core.state.records import TermMark, WordList
from biaslab_widgets.core.word_lists import word_commands

SUGGESTED = 4
"""Unknown terms whose nearest known words are looked for at once; the others' when asked for."""

_Key = tuple[str, ...]


def marks_of(
    subject: EmbeddingSubject | None, lists: Sequence[WordList], *, suggested: int = SUGGESTED
) -> list[TermMark]:
    """Marks of all terms that are odd; a term without oddity has none.

    - ``unknown``: the subject cannot place it. Every place where it stands is marked.
    - ``duplicate``: it stands earlier in the list, or the subject reads an earlier term as the same
      words. Every later one is marked.
    - ``overlap``: it stands in other lists as well. Its first place in each list is marked.

    Terms are compared as the subject reads them; those that it does not know, as they are spelled.
    Without a subject nothing is unknown, and terms are compared without case and encoding.

    - `subject`: what is probed.
    - `lists`: the lists, in the order that ``mark["list"]`` counts.
    - `suggested`: for so many different unknown terms the nearest known words are looked for, which
      takes some milliseconds each.
    - Returns: in the order of lists and positions; an unknown term that is also a duplicate has
      two.
    """
    reading = _read(subject, lists)
    homes: dict[_Key, dict[int, None]] = {}
    for number, words in enumerate(lists):
        for term in words["terms"]:
            homes.setdefault(reading.keys[term], {})[number] = None
    near: dict[str, list[str]] = {}
    marks: list[TermMark] = []
    for number, words in enumerate(lists):
        first: dict[_Key, str] = {}
        for position, term in enumerate(words["terms"]):
            key = reading.keys[term]
            if (reason := reading.unknown.get(term)) is not None:
                mark = _mark(number, position, term, "unknown", reason)
                if subject is not None and (term in near or len(near) < suggested):
                    if term not in near:
                        near[term] = subject.suggest(term)
                    mark["suggestions"] = near[term]
                marks.append(mark)
            if key in first:
                reason = _twice(term, first[key], subject)
                marks.append(_mark(number, position, term, "duplicate", reason))
                continue
            first[key] = term
            if len(homes[key]) > 1:
                others = [lists[home]["name"] for home in homes[key] if home != number]
                reason = f"also in {_enumerated(others)}"
                marks.append(_mark(number, position, term, "overlap", reason))
    return marks


class RememberedMarks:
    """The marks of the lists as they are now: looked for anew only when something has changed."""

    def __init__(self) -> None:
        self._of: object = None
        self.newest: list[TermMark] = []

    def of(self, subject: EmbeddingSubject | None, lists: Sequence[WordList]) -> list[TermMark]:
        """See `marks_of`."""
        key = (subject, [[words["name"], *words["terms"]] for words in lists])
        if key != self._of:
            self._of, self.newest = key, marks_of(subject, lists)
        return self.newest


@dataclass(frozen=True)
class _Reading:
    """How a subject reads terms: equal keys are the same words to it."""

    keys: Mapping[str, _Key]
    unknown: Mapping[str, str]


def _read(subject: EmbeddingSubject | None, lists: Sequence[WordList]) -> _Reading:
    terms = list(dict.fromkeys(chain.from_iterable(words["terms"] for words in lists)))
    if subject is None:
        return _Reading({term: ("", _alike(term)) for term in terms}, {})
    keys: dict[str, _Key] = {}
    unknown: dict[str, str] = {}
    left = terms
    while left:
        # Terms that are read as an earlier one come back as duplicates: what they are read as is
        # told when they are asked without it.
        resolution = subject.resolve(left, suggest=False)
        keys |= resolution.read_as
        unknown |= {u.term: u.reason for u in resolution.unknown}
        left = list(resolution.duplicates)
    # Two parts, of which the first is no word: not equal to any reading.
    return _Reading(keys | {term: ("", term) for term in unknown}, unknown)


def _alike(term: str) -> str:
    return term.lower() if term.isascii() else unicodedata.normalize("NFKC", term).casefold()


def _twice(term: str, first: str, subject: EmbeddingSubject | None) -> str:
    if term == first:
        return "is already in this list"
    if subject is None:
        return f"differs from {_quoted(first)} in this list by case or encoding only"
    return f"is read the same as {_quoted(first)} in this list"


def _quoted(term: str, longest: int = 60) -> str:
    # Not repr: it would spell out what joins emoji and turns Arabic letters.
    return f"“{term if len(term) <= longest else term[: longest - 1] + '…'}”"


def _enumerated(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]


def _mark(number: int, position: int, term: str, kind: str, reason: str) -> TermMark:
    return {
        "list": number,
        "position": position,
        "term": term,
        "kind": kind,  # type: ignore[typeddict-item]  # one of the three above
        "reason": reason,
    }


class ModelWords:
    """The words of a language model, looked up as `EmbeddingSubject` does."""

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
        pieces = self._pieces(term)
        return () if isinstance(pieces, str) else pieces

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


B = TypeVar("B", bound=WordBenchState)


class MarkedLists(Generic[B]):
    """Marks what is odd in the lists of a bench; the bench has an output ``marks``.

    - `lists`: given a state, returns its lists in the order that a mark's ``list`` counts. Where it
      raises a `BiaslabError`, the last marks stay, and the answer says what is wrong.
    - `words`: given a state, returns where words are looked up; None where there is no such place.
    - `snapshot`: returns the newest state.
    """

    def __init__(
        self,
        lists: Callable[[B], Sequence[WordList]],
        words: Callable[[B], EmbeddingSubject | None],
        snapshot: Callable[[], B],
    ) -> None:
        self.lists, self._words = lists, words
        self._marked = RememberedMarks()
        self.commands: Mapping[str, Act] = word_commands(lambda: words(snapshot()))

    def outputs(self, snapshot: B) -> dict[str, Any]:
        """The marks, where they have changed."""
        try:
            marks = self._marked.of(self._words(snapshot), self.lists(snapshot))
        except BiaslabError:
            marks = self._marked.newest
        return {} if marks == snapshot.marks else {"marks": marks}
