"""Controller of the word-list editor on its own: lists beside a subject that may not know them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import quote

import biaslab as bl
from biaslab.errors import BiaslabError
from biaslab.specs.spec_files import Entry
from biaslab.store.sharing import sharers
from biaslab.subjects.embedding.base import EmbeddingSubject
from biaslab.subjects.opening.inspection import SubjectInfo
from biaslab_widgets.benches.word_lists.fields import (
    COMPONENT,
    LibraryEntry,
    WordListAnswer,
    WordListEditorState,
)
from biaslab_widgets.benches.word_lists.how import how_of
from biaslab_widgets.core.answers.cache import Latest
from biaslab_widgets.core.bench.controller import Controller, Emit
from biaslab_widgets.core.list_uses import ADDRESS, uses_of
from biaslab_widgets.core.state.commands import Arguments
from biaslab_widgets.core.state.fields import empty
from biaslab_widgets.core.state.records import How, Message, WordList, error_message
from biaslab_widgets.core.subjects.opening import Opening, State
from biaslab_widgets.core.subjects.sources import Source
from biaslab_widgets.core.word_lists import (
    catalogue_entry,
    checked_lists,
    delete_spec,
    lists_of,
    spec_of,
    word_commands,
)
from biaslab_widgets.core.word_marks import marks_of


def _row(entry: Entry, subject: EmbeddingSubject | None, *, pages: bool) -> LibraryEntry:
    lists = lists_of(entry.spec) if entry.spec else []
    terms = list(dict.fromkeys(term for words in lists for term in words["terms"]))
    name = quote(entry.name)
    return {
        **catalogue_entry(entry),
        "terms": len(terms),
        "known": None if subject is None else len(subject.resolve(terms, suggest=False).known),
        "uses": [
            {"title": slug.capitalize(), "page": f"{slug}?{ADDRESS}={name}"}
            for slug in (uses_of(entry.spec) if entry.spec and pages else [])
        ],
    }


class WordListController(Controller[WordListEditorState]):
    """Marks what is odd in the lists on the screen.

    - `sources`: subjects that can be chosen, by name; without any nothing is unknown.
    - `emit`: receives changed outputs.
    """

    component = COMPONENT

    def __init__(self, sources: Mapping[str, Source], emit: Emit) -> None:
        super().__init__(emit)
        self.opening = Opening(sources, self.jobs, self.answer_again)
        self._has_pages = False
        self._rows: Latest[list[LibraryEntry]] = Latest()
        self.state |= {"subject": self.opening.first, "subjects": self.opening.options}
        self.commands |= {
            **self.opening.commands,
            **word_commands(lambda: self.opening.subject(self.snapshot().subject)),
            "delete-spec": self._delete,
        }

    def _delete(self, args: Arguments) -> str:
        message = delete_spec(args)
        self.answer_again()  # the library is on the screen
        return message

    def know(self, infos: Iterable[SubjectInfo]) -> None:
        """See the base; whoever tells it has pages of the other benches."""
        super().know(infos)
        self._has_pages = True
        self.answer_again()

    @property
    def lists(self) -> list[WordList]:
        """The lists, checked.

        Raises `SpecFieldError` when they were set to something that is none.
        """
        return checked_lists(self.snapshot().lists)

    def spec(
        self,
        name: str = "my-words",
        *,
        title: str = "Word lists",
        source: str = "made in the word-list editor",
        notes: str = "",
    ) -> bl.specs.Spec:
        """The lists as a spec; see `spec_of`."""
        return spec_of(self.lists, name=name, title=title, source=source, notes=notes)

    def answer(self, snapshot: WordListEditorState) -> dict[str, Any]:
        """The marks, or what stands in the way, and what else has changed."""
        changed = self.opening.outputs([snapshot.subject], snapshot)
        answer = self._answer(replace(snapshot, **changed))
        return {**changed, "library": self._library(snapshot.subject), "answer": answer}

    def how(self, snapshot: WordListEditorState) -> How:
        """What is done with the lists."""
        answer = snapshot.answer
        return how_of(checked_lists(snapshot.lists), answer["marks"], snapshot.subject)

    def _library(self, chosen: str) -> list[LibraryEntry]:
        """The catalogue, with what the chosen subject knows of it and where it can be used."""
        subject, entries = self.opening.subject(chosen), bl.specs.entries()
        key = (chosen if subject else "", *((e.name, e.where, id(e.spec)) for e in entries))
        pages, shared = self._has_pages, tuple(sharers("word list"))
        return self._rows.of(
            (key, shared, pages), lambda: [_row(one, subject, pages=pages) for one in entries]
        )

    def _answer(self, snapshot: WordListEditorState) -> WordListAnswer:
        source = self.opening.sources.get(snapshot.subject)
        state: State = "ready"
        notice: Message | None = None
        if source is not None and not source.is_open:
            state, notice = self.opening.not_open(source)
        try:
            lists = checked_lists(snapshot.lists)
            marks = marks_of(self.opening.subject(snapshot.subject), lists)
        except BiaslabError as error:
            state, notice, marks = "error", error_message(error, "These are not word lists"), []
        return {
            **empty(WordListAnswer),
            "generation": snapshot.generation,
            "state": state,
            "message": notice,
            "marks": marks,
        }
