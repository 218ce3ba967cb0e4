"""The sentence bench as a Panel component."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from biaslab.jobs import Job
from biaslab.probes.sentences.asked import Sentences
from biaslab.probes.sentences.pairs import PairSet
from biaslab.probes.sentences.stereotype_result import StereotypeScore
from biaslab_widgets.benches.sentences.bench import SentenceController
from biaslab_widgets.benches.sentences.desk import FIRST_SPEC
from biaslab_widgets.benches.sentences.fields import COMPONENT
from biaslab_widgets.benches.sentences.models import (
    GivenTested,
    Tested,
    model_sources,
    with_a_known_truth,
)
from biaslab_widgets.benches.sentences.run import SentenceRun
from biaslab_widgets.core.shared_sources import SharedSources
from biaslab_widgets.core.sources import Source
from biaslab_widgets.core.word_lists import Given as Lists
from biaslab_widgets.hosts.panel import bench_type


class SentenceBenchPanel(bench_type(COMPONENT)):  # type: ignore[misc]  # from fields
    """Which version of a sentence a model finds more probable; parameters as in the notebook.

    Parameters
    ----------
    models : LanguageModel, SimulatedScorer, str, several, or sources shared by sessions, optional
        What is tested; default all bundled language models, and a scorer whose truth is known.
    spec, sentences
        As in the notebook's class.
    **options
        Any other input of the component.
    """

    controller: SentenceController

    def __init__(
        self,
        models: GivenTested | Iterable[GivenTested] | dict[str, Source[Tested]] | None = None,
        *,
        spec: Lists = FIRST_SPEC,
        sentences: Sentences | None = None,
        **options: Any,
    ) -> None:
        super().__init__(sizing_mode="stretch_width")
        controller = SentenceController(model_sources(models), self._show, spec, sentences)
        self._begin(controller, options)

    @property
    def pairs(self) -> PairSet:
        """The pairs on the screen; settable."""
        return self.controller.pairs

    @pairs.setter
    def pairs(self, sentences: Sentences) -> None:
        self.controller.begin_with(sentences)

    def test(self) -> Job[SentenceRun]:
        """Score every pair with every chosen model, as the button does; returns at once."""
        return self.controller.test()

    @property
    def results(self) -> dict[str, StereotypeScore]:
        """Each model's result of what is on the screen, by name."""
        return self.controller.results

    @property
    def result(self) -> StereotypeScore:
        """The first model's result."""
        return self.controller.result


def page(shared: SharedSources) -> SentenceBenchPanel:
    """The app's page."""
    return SentenceBenchPanel(with_a_known_truth(dict(shared.language_models)))
