"""State of the word-list editor, shared by its controller, both hosts and the front end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypedDict

from biaslab_widgets.core.state.bench_state import BenchAnswer, SubjectState
from biaslab_widgets.core.state.fields import Component, empty, field, output
from biaslab_widgets.core.state.records import CatalogueEntry, TermMark, WordList


class WordListAnswer(BenchAnswer):
    """The marks of the lists' odd terms; this bench has no picture."""

    marks: list[TermMark]
    picture: None


class ListUse(TypedDict):
    """A bench that can use the lists."""

    title: str
    page: str
    """Its address with these lists; a notebook shows no such link."""


class LibraryEntry(CatalogueEntry):
    """A row of the library."""

    terms: int
    """Different terms in all its lists."""
    known: int | None
    """Those that the chosen subject knows; None without a subject that is open."""
    uses: list[ListUse]


@dataclass(frozen=True, kw_only=True)
class WordListEditorState(SubjectState):
    """State of the word list editor."""

    lists: list[WordList] = field([], "The word lists, in order.")
    fixed: bool = field(False, "Lists can be neither added, renamed nor removed.")
    library: list[LibraryEntry] = output([], "The word lists that can be used.")
    answer: WordListAnswer = output(empty(WordListAnswer), "What is odd in the lists.")


COMPONENT = Component(name="WordListEditor", module="word-lists", state=WordListEditorState)
