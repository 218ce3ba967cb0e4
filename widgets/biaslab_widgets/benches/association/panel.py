"""The association bench as a Panel component."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from biaslab.probes.association import AssociationResult
from biaslab_widgets.benches.association.bench import FIRST_LISTS, AssociationController
from biaslab_widgets.benches.association.fields import COMPONENT
from biaslab_widgets.core.shared_sources import SharedSources
from biaslab_widgets.core.sources import Given, Source, sources
from biaslab_widgets.core.word_lists import Given as Lists
from biaslab_widgets.hosts.panel import bench_type


class AssociationBenchPanel(bench_type(COMPONENT)):  # type: ignore[misc]  # from fields
    """Distances, their model, MAC and WEAT; parameters as in the notebook's class.

    Parameters
    ----------
    subject : EmbeddingSubject, str, several of them, or sources shared between sessions, optional
        What is probed; default all bundled subjects.
    lists
        As in the notebook's class.
    **options
        Any other input of the component.
    """

    controller: AssociationController

    def __init__(
        self,
        subject: Given | Iterable[Given] | dict[str, Source] | None = None,
        *,
        lists: Lists = FIRST_LISTS,
        **options: Any,
    ) -> None:
        super().__init__(sizing_mode="stretch_width")
        offered = subject if isinstance(subject, dict) else sources(subject)
        self._begin(AssociationController(offered, self._show, lists), options)

    @property
    def result(self) -> AssociationResult:
        """The result of what is on the screen."""
        return self.controller.result


def page(shared: SharedSources) -> AssociationBenchPanel:
    """The app's page: begins with one replicate, for all together take ten times as long."""
    return AssociationBenchPanel(dict(shared.embeddings), replicate=0)
