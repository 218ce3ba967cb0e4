"""The psychometric bench as a Panel component."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import panel as pn

from biaslab.probes.psychometrics import TwoAFCResult
from biaslab_widgets.benches.psychometric.address import inputs_of_address
from biaslab_widgets.benches.psychometric.bench import PsychometricController
from biaslab_widgets.benches.psychometric.fields import COMPONENT, GENDER_PAIRS
from biaslab_widgets.benches.psychometric.sources import (
    Given,
    psychometric_sources,
)
from biaslab_widgets.core.shared_sources import SharedSources
from biaslab_widgets.core.sources import Source
from biaslab_widgets.hosts.panel import bench_type


class PsychometricBenchPanel(bench_type(COMPONENT)):  # type: ignore[misc]  # from fields
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


def page(shared: SharedSources) -> PsychometricBenchPanel:
    """The app's page: begins with nurse between woman and man, or with what its address asks."""
    # An encyclopedia uses "female" and "male" of animals and sports; woman and man say more.
    first = {"word": "nurse", "selected_pairs": [GENDER_PAIRS.index(["woman", "man"])]}
    asked = inputs_of_address(pn.state.session_args)
    subject = asked.pop("subject", None)
    offered: dict[str, Source[Any]] = {**shared.embeddings, **shared.language_models}
    bench = PsychometricBenchPanel(offered, **first | asked)
    if subject in offered:
        bench.subject = subject
    return bench
