"""Controller of the word-list editor on its own: lists beside a subject that may not know them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import biaslab as bl
from biaslab.errors import BiaslabError
from biaslab_widgets.benches.word_lists.fields import (
    COMPONENT,
    NO_ANSWER,
    WordListAnswer,
    WordListEditorState,
)
from biaslab_widgets.core.controller import Emit
from biaslab_widgets.core.messages import error_message
from biaslab_widgets.core.opening import OpeningController, State
from biaslab_widgets.core.records import Command, Message, Reply
from biaslab_widgets.core.sources import Source
from biaslab_widgets.core.word_list_records import WordList
from biaslab_widgets.core.word_lists import checked_lists, obey_words, spec_of
from biaslab_widgets.core.word_marks import marks_of


class WordListController(OpeningController[WordListEditorState, Any]):
    """Marks what is odd in the lists on the screen.

    Parameters
    ----------
    sources : mapping of str to Source
        Subjects that can be chosen, by name; without any nothing is unknown.
    emit : callable
        Receives changed outputs.
    """

    component = COMPONENT

    def __init__(self, sources: Mapping[str, Source], emit: Emit) -> None:
        super().__init__(sources, emit)

    def first_choice(self) -> dict[str, Any]:
        """The first subject."""
        return {"subject": next(iter(self._sources), "")}

    def wanted(self, snapshot: WordListEditorState) -> list[str]:
        """The chosen subject."""
        return [snapshot.subject]

    @property
    def lists(self) -> list[WordList]:
        """The lists, checked.

        Raises
        ------
        SpecFieldError
            When they were set to something that is none.
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
        changed = self._opened_meanwhile(snapshot)
        if (progress := self._progress) != snapshot.progress:
            changed["progress"] = progress
        return {**changed, "answer": self._answer(replace(snapshot, **changed))}

    def _answer(self, snapshot: WordListEditorState) -> WordListAnswer:
        source = self._sources.get(snapshot.subject)
        state: State = "ready"
        told: Message | None = None
        if source is not None and not source.is_open:
            state, told = self.not_open(source)
        try:
            lists = checked_lists(snapshot.lists)
            marks = marks_of(self._subject(snapshot), lists)
        except BiaslabError as error:
            state, told, marks = "error", error_message(error, "These are not word lists"), []
        return {
            **NO_ANSWER,
            "generation": snapshot.generation,
            "state": state,
            "message": told,
            "marks": marks,
        }

    def _subject(self, snapshot: WordListEditorState) -> Any:
        source = self._sources.get(snapshot.subject)
        return source.open() if source is not None and source.is_open else None

    def obey(self, command: Command) -> Reply:
        """Carry out a command of `obey_words`, ``stop`` or ``retry``."""
        reply = obey_words(command, self._subject(self.snapshot()))
        return super().obey(command) if reply is None else reply
