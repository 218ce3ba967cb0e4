"""The sentence bench as Python sees it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Self

from biaslab.arguments import renamed
from biaslab.probes.sentences.pairs import PairSet
from biaslab.probes.sentences.sources import Sentences
from biaslab.probes.sentences.stereotype_result import StereotypeScore
from biaslab.reports.sentences.chart import side_by_side
from biaslab_widgets.benches.sentences.bench import FIRST_SPEC, SentenceController
from biaslab_widgets.benches.sentences.fields import COMPONENT
from biaslab_widgets.benches.sentences.run import SentenceRun
from biaslab_widgets.benches.sentences.subjects import (
    GivenTested,
    Tested,
    model_sources,
    with_a_known_truth,
)
from biaslab_widgets.core.bench.widget import ThreeStepsWidget
from biaslab_widgets.core.frame import Frame, same
from biaslab_widgets.core.subjects.sources import SharedSources, Source
from biaslab_widgets.core.word_lists import Given as Lists

FRAME = Frame(
    name="Sentence bench",
    question=same("Which version of a sentence does the model find more probable?"),
)


class SentenceBench(ThreeStepsWidget[SentenceRun, StereotypeScore]):
    """Which version of a sentence a language model finds more probable, sentence by sentence.

    Parameters
    ----------
    subject : LanguageModel, SimulatedScorer, str or several of them, optional
        What is tested: models, or names that `biaslab.load` takes; default all bundled language
        models, and a scorer whose truth is known. Its older name is ``models``.
    spec : Spec, name of one, or word lists, optional
        Two groups, and the attribute lists tied to them; default BiasTestGPT's math and arts.
    sentences : PairSet, sequence of SentencePair or of str, or path, optional
        What to begin with; by default what the package has for the spec.
    **options
        Any other input of the component, such as ``step=3``: each is a trait that can be set,
        observed and linked later.

    Examples
    --------
    >>> import biaslab as bl
    >>> bench = SentenceBench(bl.observers.scorer(0.7), step=3)  # doctest: +SKIP
    >>> bench.test().wait()  # doctest: +SKIP
    >>> bench.result.share  # doctest: +SKIP
    """

    component = COMPONENT
    controller: SentenceController
    side_by_side = staticmethod(side_by_side)

    @renamed(models="subject")
    def __init__(
        self,
        subject: GivenTested | Iterable[GivenTested] | dict[str, Source[Tested]] | None = None,
        spec: Lists = FIRST_SPEC,
        sentences: Sentences | None = None,
        **options: Any,
    ) -> None:
        super().__init__()
        self._begin(
            SentenceController(model_sources(subject), self._show, spec, sentences), options
        )

    @classmethod
    def sources_of(cls, given: Any) -> Mapping[str, Source[Any]]:
        """See the base."""
        return model_sources(given)

    @classmethod
    def on_page(cls, shared: SharedSources) -> Self:
        """See the base."""
        return cls(with_a_known_truth({**shared.language_models, **shared.servers}))

    @property
    def pairs(self) -> PairSet:
        """The pairs on the screen, with what was rejected and why; settable."""
        return self.controller.pairs

    @pairs.setter
    def pairs(self, sentences: Sentences) -> None:
        self.controller.materials.begin_with(sentences)
