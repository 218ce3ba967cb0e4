"""The occupations view as Python sees it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Self

from biaslab.probes.occupations import OccupationsResult
from biaslab.specs import Spec
from biaslab_widgets.benches.occupations.bench import Asked, OccupationsController
from biaslab_widgets.benches.occupations.fields import COMPONENT
from biaslab_widgets.benches.psychometric.widget import PsychometricBench
from biaslab_widgets.core.bench.widget import ProbeWidget, lists_of
from biaslab_widgets.core.frame import Frame
from biaslab_widgets.core.subjects.sources import Given, SharedSources, Source, sources


def _question(state: Any) -> str:
    groups = len(state.groups)
    which = f"which of {groups} groups" if groups > 2 else "which group"
    return f"Which occupations does the model tie to {which}?"


FRAME = Frame(name="Occupations", question=_question)


class OccupationsBench(ProbeWidget[OccupationsResult]):
    """Which words does the model tie to which group? PSE and JND of many words at once.

    Parameters
    ----------
    subject : EmbeddingSubject, str or several of them, optional
        What is probed: subjects, or names that `biaslab.load` takes; default all bundled ones.
    spec : Spec, name of one, words, or groups by name, optional
        Its words and groups replace the defaults, as far as it has them.
    words : sequence of str, Spec, or name of one, optional
        The words asked about; default the occupations of the catalogue.
    groups : mapping of str to sequence of str, Spec, or name of one, optional
        Two or more groups, each with its cues; default the eight gender pairs.
    psychometric : str
        In the app, address of the page on which a word is opened; empty when there is none.
    **options
        Any other input of the component, such as ``pairing="all"``: each is a trait that can be
        set, observed and linked later.

    Examples
    --------
    >>> bench = OccupationsBench(spec="love-hate")  # doctest: +SKIP
    >>> bench.result.to_frame()  # doctest: +SKIP
    """

    component = COMPONENT
    controller: OccupationsController

    def __init__(
        self,
        subject: Given | Iterable[Given] | dict[str, Source] | None = None,
        spec: Sequence[str] | Mapping[str, Sequence[str]] | Spec | str | None = None,
        *,
        words: Sequence[str] | Spec | str | None = None,
        groups: Mapping[str, Sequence[str]] | Spec | str | None = None,
        psychometric: str = "",
        **options: Any,
    ) -> None:
        super().__init__()
        self._offered = sources(subject)
        self._psychometric: PsychometricBench | None = None
        own_words, own_groups = lists_of(spec)
        words = own_words if words is None else words
        groups = own_groups if groups is None else groups
        controller = OccupationsController(self._offered, self._show, words, groups)
        controller.state["psychometric"] = psychometric
        if self.in_notebook:
            controller.open_word = self._open
        self._begin(controller, options)

    @classmethod
    def sources_of(cls, given: Any) -> Mapping[str, Source[Any]]:
        """See the base."""
        return sources(given)

    @classmethod
    def on_page(cls, shared: SharedSources) -> Self:
        """The app's page opens a word on the page of the psychometric bench."""
        return cls(dict(shared.embeddings), psychometric="psychometric")

    @property
    def psychometric_bench(self) -> PsychometricBench | None:
        """The psychometric bench in which a word was opened; None before."""
        return self._psychometric

    def _open(self, question: Asked) -> str:
        """Show a word in the psychometric bench below; returns the id of its widget."""
        if self._psychometric is None:
            self._psychometric = self._made(PsychometricBench)(self._offered)
        with self._psychometric.hold_trait_notifications():
            for name, value in question.items():
                setattr(self._psychometric, name, value)
        return f"IPY_MODEL_{self._psychometric.model_id}"
