"""The word lists of a bench that asks a probe: what is odd in them, and their editor's commands."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, TypeVar

from biaslab.errors import BiaslabError
from biaslab.subjects.embedding.base import EmbeddingSubject
from biaslab_widgets.core.bench_fields import WordBenchState
from biaslab_widgets.core.commands import Act
from biaslab_widgets.core.word_list_records import WordList
from biaslab_widgets.core.word_lists import word_commands
from biaslab_widgets.core.word_marks import RememberedMarks

B = TypeVar("B", bound=WordBenchState)


class MarkedLists(Generic[B]):
    """Marks what is odd in the lists of a bench; the bench has an output ``marks``.

    Parameters
    ----------
    lists : callable
        Given a state, returns its lists in the order that a mark's ``list`` counts. Where it raises
        a `BiaslabError`, the last marks stay, and the answer says what is wrong.
    words : callable
        Given a state, returns where words are looked up; None where there is no such place.
    snapshot : callable
        Returns the newest state.
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
