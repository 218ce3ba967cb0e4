"""The posterior bench as a Panel component."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from typing import Any

from biaslab.jobs import Job
from biaslab.probes.posterior import Lexicon, PosteriorOverview
from biaslab.probes.posterior.groups import PERSONS
from biaslab.subjects.classifier import Classifier
from biaslab_widgets.benches.posterior.bench import PosteriorController
from biaslab_widgets.benches.posterior.fields import COMPONENT
from biaslab_widgets.core.shared_sources import SharedSources
from biaslab_widgets.core.sources import GivenClassifier, Source, classifier_sources
from biaslab_widgets.core.word_lists import Given as Lists
from biaslab_widgets.hosts.panel import bench_type


class PosteriorBenchPanel(bench_type(COMPONENT)):  # type: ignore[misc]  # from fields
    """Draws of what a classifier imagines; parameters as in the notebook's class.

    Parameters
    ----------
    classifier : Classifier, str, several of them, or sources shared between sessions, optional
        What is probed; default all bundled classifiers.
    lists, prior_of_own, lexicon, reviews
        As in the notebook's class.
    **options
        Any other input of the component.
    """

    controller: PosteriorController

    def __init__(
        self,
        classifier: GivenClassifier
        | Iterable[GivenClassifier]
        | dict[str, Source[Classifier]]
        | None = None,
        *,
        lists: Lists = PERSONS,
        prior_of_own: Any = None,
        lexicon: Lexicon | str | PathLike[str] | None = None,
        reviews: str | PathLike[str] | None = None,
        **options: Any,
    ) -> None:
        super().__init__(sizing_mode="stretch_width")
        offered = classifier if isinstance(classifier, dict) else classifier_sources(classifier)
        controller = PosteriorController(offered, self._show, lists, prior_of_own, lexicon, reviews)
        if prior_of_own is not None:
            options.setdefault("prior", "own")
        self._begin(controller, options)

    def run(self) -> Job[PosteriorOverview]:
        """Begin a run with what is on the screen, as the button does; returns at once."""
        return self.controller.start()

    @property
    def result(self) -> PosteriorOverview:
        """The result of what is on the screen."""
        return self.controller.result


def page(shared: SharedSources) -> PosteriorBenchPanel:
    """The app's page."""
    return PosteriorBenchPanel(dict(shared.classifiers))
