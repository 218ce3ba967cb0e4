"""The word-list editor as a Panel component."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import biaslab as bl
from biaslab_widgets.benches.word_lists.bench import WordListController
from biaslab_widgets.benches.word_lists.fields import COMPONENT
from biaslab_widgets.core import word_lists as given_lists
from biaslab_widgets.core.shared_sources import SharedSources
from biaslab_widgets.core.sources import Given, Source, sources
from biaslab_widgets.hosts.panel import bench_type


class WordListEditorPanel(bench_type(COMPONENT)):  # type: ignore[misc]  # from fields
    """Edit word lists as chips; parameters as in the notebook's class.

    Parameters
    ----------
    subject : EmbeddingSubject, str, several of them, or sources shared between sessions, optional
        Whose vocabulary is compared; default all bundled subjects.
    lists : Spec, str, mapping of str to terms, sequence of terms or of records, optional
        What to begin with.
    **options
        Any other input of the component.
    """

    controller: WordListController

    def __init__(
        self,
        subject: Given | Iterable[Given] | dict[str, Source] | None = None,
        lists: given_lists.Given = None,
        **options: Any,
    ) -> None:
        super().__init__(sizing_mode="stretch_width")
        offered = subject if isinstance(subject, dict) else sources(subject)
        options["lists"] = given_lists.word_lists(lists)
        self._begin(WordListController(offered, self._show), options)

    def spec(self, name: str = "my-words", **about: str) -> bl.specs.Spec:
        """The lists as a spec."""
        return self.controller.spec(name, **about)


def page(shared: SharedSources) -> WordListEditorPanel:
    """The app's page."""
    return WordListEditorPanel(dict(shared.embeddings))
