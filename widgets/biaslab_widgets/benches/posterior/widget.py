"""The posterior bench as Python sees it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any, Self

from biaslab.arguments import renamed
from biaslab.jobs.job import Job
from biaslab.probes.posterior import Lexicon, PosteriorOverview
from biaslab.probes.posterior.group_distances import PERSONS
from biaslab.records.result import Result
from biaslab.subjects.classifier.base import Classifier
from biaslab.subjects.opening.inspection import inspect
from biaslab.subjects.opening.load import bundled_names
from biaslab.subjects.opening.needs import sees_pictures
from biaslab_widgets.benches.posterior.fields import COMPONENT
from biaslab_widgets.benches.posterior.spaces import FIRST_WORD, PORTRAITS, SpacesController
from biaslab_widgets.core.bench.widget import ProbeWidget
from biaslab_widgets.core.frame import Frame
from biaslab_widgets.core.subjects.sources import (
    GivenClassifier,
    SharedSources,
    Source,
    checked_sources,
    classifier_sources,
    holds_sources,
    named_sources,
    vision_language_sources,
)
from biaslab_widgets.core.word_lists import Given as Lists


def _question(state: Any) -> str:
    if state.space == PORTRAITS:
        return f"What face does the model imagine when it hears “{state.word or FIRST_WORD}”?"
    return f"What does the classifier imagine when it says “{state.label or 'positive'}”?"


def _sources_for(entry: Any) -> Mapping[str, Source[Any]]:
    """The source of a vision-language model, or else of a classifier."""
    if isinstance(entry, str | Path):
        sees = entry in bundled_names("vlm") or inspect(entry).kind == "vlm"
    else:
        sees = sees_pictures(entry)
    return vision_language_sources([entry]) if sees else classifier_sources([entry])


FRAME = Frame(name="Posterior bench", question=_question)


class PosteriorBench(ProbeWidget[PosteriorOverview]):
    """What a classifier imagines when it says a label.

    Parameters
    ----------
    subject : Classifier, str or several of them, optional
        What is probed, by its older name ``classifier``: classifiers, or names that `biaslab.load`
        takes; default all bundled ones.
    spec : Spec, name of one, or word lists, optional
        The two groups that are compared, by the older name ``lists``; default the persons of the
        Equity Evaluation Corpus.
    prior_of_own : Prior or Pyro distribution, optional
        Offered beside the others, and chosen.
    lexicon : Lexicon or path, optional
        Words with their polarity, such as a folder with Hu and Liu's files; default those of
        vaderSentiment.
    reviews : path, optional
        Your own copy of the reviews: those nearest to the posterior are shown.
    **options
        Any other input of the component, such as ``engine="exact"``: each is a trait that can be
        set, observed and linked later.

    Examples
    --------
    >>> bench = PosteriorBench(draws=500)  # doctest: +SKIP
    >>> bench.run().wait()  # doctest: +SKIP
    >>> bench.result.of("positive").trust  # doctest: +SKIP
    """

    component = COMPONENT
    controller: SpacesController

    @renamed(classifier="subject", lists="spec")
    def __init__(
        self,
        subject: GivenClassifier
        | Iterable[GivenClassifier]
        | dict[str, Source[Classifier]]
        | None = None,
        spec: Lists = PERSONS,
        *,
        prior_of_own: Any = None,
        lexicon: Lexicon | str | PathLike[str] | None = None,
        reviews: str | PathLike[str] | None = None,
        **options: Any,
    ) -> None:
        super().__init__()
        controller = SpacesController(
            self.sources_of(subject), self._show, spec, prior_of_own, lexicon, reviews
        )
        if prior_of_own is not None:
            options.setdefault("prior", "own")
        self._begin(controller, options)

    @classmethod
    def sources_of(cls, given: Any) -> Mapping[str, Source[Any]]:
        """See the base."""
        if given is None:
            both: dict[str, Source[Any]] = {**classifier_sources()}
            return both | vision_language_sources()
        if holds_sources(given):
            return checked_sources(given)
        one = isinstance(given, str | Path) or not isinstance(given, Iterable)
        listed = [given] if one else list(given)
        return named_sources([s for entry in listed for s in _sources_for(entry).values()])

    @classmethod
    def on_page(cls, shared: SharedSources) -> Self:
        """See the base."""
        offered: dict[str, Source[Any]] = {**shared.classifiers, **shared.vision_models}
        return cls(offered)

    def run(self) -> Job[PosteriorOverview]:
        """Begin a run with what is on the screen, as the button does; returns at once."""
        return self.controller.start()

    def _to_save(self) -> Iterable[Result]:
        return [self.controller.to_take()[0]]
