"""State of the word-list editor, shared by its controller, both hosts and the front end."""

from __future__ import annotations

from dataclasses import dataclass

from biaslab_widgets.core.state.bench_state import BenchAnswer, SubjectState
from biaslab_widgets.core.state.fields import Component, empty, field, output
from biaslab_widgets.core.state.records import TermMark, WordList


class WordListAnswer(BenchAnswer):
    """The marks of the lists' odd terms; this bench has no picture."""

    marks: list[TermMark]
    picture: None


@dataclass(frozen=True, kw_only=True)
class WordListEditorState(SubjectState):
    """State of the word list editor."""

    lists: list[WordList] = field([], "The word lists, in order.")
    fixed: bool = field(False, "Lists can be neither added, renamed nor removed.")
    answer: WordListAnswer = output(empty(WordListAnswer), "What is odd in the lists.")


COMPONENT = Component(name="WordListEditor", module="word-lists", state=WordListEditorState)
