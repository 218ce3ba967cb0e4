"""The occupations view as a Panel component."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from biaslab.probes.occupations import OccupationsResult
from biaslab.specs import Spec
from biaslab_widgets.benches.occupations.bench import OccupationsController
from biaslab_widgets.benches.occupations.fields import COMPONENT
from biaslab_widgets.core.shared_sources import SharedSources
from biaslab_widgets.core.sources import Given, Source, sources
from biaslab_widgets.hosts.panel import bench_type


class OccupationsBenchPanel(bench_type(COMPONENT)):  # type: ignore[misc]  # from fields
    """PSE and JND of many words at once; parameters as in the notebook's class.

    Parameters
    ----------
    subject : EmbeddingSubject, str, several of them, or sources shared between sessions, optional
        What is probed; default all bundled subjects.
    words, groups
        As in the notebook's class.
    psychometric : str
        Address of the page on which a word is opened; empty when there is none.
    **options
        Any other input of the component.
    """

    controller: OccupationsController

    def __init__(
        self,
        subject: Given | Iterable[Given] | dict[str, Source] | None = None,
        *,
        words: Sequence[str] | Spec | str | None = None,
        groups: Mapping[str, Sequence[str]] | Spec | str | None = None,
        psychometric: str = "",
        **options: Any,
    ) -> None:
        super().__init__(sizing_mode="stretch_width")
        offered = subject if isinstance(subject, dict) else sources(subject)
        controller = OccupationsController(offered, self._show, words, groups)
        controller.state["psychometric"] = psychometric
        self._begin(controller, options)

    @property
    def result(self) -> OccupationsResult:
        """The result of what is on the screen."""
        return self.controller.result


def page(shared: SharedSources) -> OccupationsBenchPanel:
    """The app's page: a word opens on the page of the psychometric bench."""
    return OccupationsBenchPanel(dict(shared.embeddings), psychometric="psychometric")
