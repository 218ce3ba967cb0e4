"""The psychometric explorer as a Panel component."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from biaslab.probes.psychometrics import TwoAFCResult
from biaslab_widgets.controllers.psychometric import PsychometricController
from biaslab_widgets.controllers.psychometric_fields import PSYCHOMETRIC_BENCH
from biaslab_widgets.controllers.psychometric_sources import (
    Given,
    psychometric_sources,
)
from biaslab_widgets.controllers.sources import Source
from biaslab_widgets.panel.host import bench_type


class PsychometricBenchPanel(bench_type(PSYCHOMETRIC_BENCH)):  # type: ignore[misc]  # from fields
    """Drag a stimulus, watch the psychometric curve refit; parameters as in the notebook's class.

    Parameters
    ----------
    subject : EmbeddingSubject, LanguageModel, str, several of them, or sources, optional
        What is probed; default all bundled subjects. Sources are shared between sessions.
    words : sequence of str, optional
        Words that the up and down keys step through; default occupations.
    **options
        Any other input of the component.
    """

    controller: PsychometricController

    def __init__(
        self,
        subject: Given | Iterable[Given] | dict[str, Source[Any]] | None = None,
        *,
        words: Sequence[str] | None = None,
        **options: Any,
    ) -> None:
        super().__init__(sizing_mode="stretch_width")
        self._begin(
            PsychometricController(psychometric_sources(subject), self._show, words), options
        )

    @property
    def result(self) -> TwoAFCResult:
        """The result of what is on the screen."""
        return self.controller.result
