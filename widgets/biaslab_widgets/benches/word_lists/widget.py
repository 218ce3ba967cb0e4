"""The word-list editor as Python sees it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Self

import biaslab as bl
from biaslab.arguments import renamed
from biaslab.errors import BiaslabError
from biaslab_widgets.benches.word_lists.bench import WordListController
from biaslab_widgets.benches.word_lists.fields import COMPONENT
from biaslab_widgets.core import word_lists as given_lists
from biaslab_widgets.core.bench.widget import Widget, lists_picture
from biaslab_widgets.core.frame import Frame, same
from biaslab_widgets.core.subjects.sources import Given, SharedSources, Source, sources

FRAME = Frame(name="Word lists", question=same("Which words describe each group?"))


class WordListEditor(Widget):
    """Edit word lists as chips; terms that a subject does not know are marked where they stand.

    Parameters
    ----------
    subject : EmbeddingSubject, str or several of them, optional
        Whose vocabulary is compared; default all bundled ones; ``[]`` for none.
    spec : Spec, str, mapping of str to terms, sequence of terms or of records, optional
        What to begin with: a spec, its name, lists by name, or one list of terms. Its older name
        ``lists`` is taken, too.
    **options
        Any other input of the component: ``fixed=True`` keeps number and names of the lists.

    Examples
    --------
    >>> editor = WordListEditor(bl.load("wiki-bootstraps"), "weat-6")  # doctest: +SKIP
    >>> editor.observe(lambda change: print(change["new"]), names="lists")  # doctest: +SKIP
    >>> editor.spec("my-weat", title="Mine", source="seminar")  # doctest: +SKIP
    """

    component = COMPONENT
    controller: WordListController

    @renamed(lists="spec")
    def __init__(
        self,
        subject: Given | Iterable[Given] | dict[str, Source] | None = None,
        spec: given_lists.Given = None,
        **options: Any,
    ) -> None:
        super().__init__()
        options["lists"] = given_lists.word_lists(spec)
        self._begin(WordListController(sources(subject), self._show), options)

    @classmethod
    def sources_of(cls, given: Any) -> Mapping[str, Source[Any]]:
        """See the base."""
        return sources(given)

    @classmethod
    def on_page(cls, shared: SharedSources) -> Self:
        """See the base."""
        return cls(dict(shared.embeddings))

    def static_picture(self) -> str | None:
        """SVG text of the lists with all their terms."""
        try:
            lists = self.controller.lists
        except BiaslabError:  # they were set to something else; the message says to what
            return None
        return lists_picture([(one["name"], one["terms"]) for one in lists])

    def spec(self, name: str = "my-words", **about: str) -> bl.specs.Spec:
        """The lists as a spec: ``title``, ``source`` and ``notes`` may be given.

        Raises
        ------
        SpecError
            When they make none, such as cue lists of different lengths; names the fix.
        """
        return self.controller.spec(name, **about)
