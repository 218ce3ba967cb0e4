"""The association bench as Python sees it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Self

from biaslab.arguments import renamed
from biaslab.probes.association import AssociationResult
from biaslab_widgets.benches.association.bench import FIRST_LISTS, AssociationController
from biaslab_widgets.benches.association.fields import COMPONENT
from biaslab_widgets.core.bench.widget import ProbeWidget
from biaslab_widgets.core.frame import Frame, same
from biaslab_widgets.core.subjects.sources import Given, SharedSources, Source, sources
from biaslab_widgets.core.word_lists import Given as Lists

FRAME = Frame(
    name="Association bench",
    question=same("Does each word stand closer to its group’s stereotypes than to anything else?"),
)


class AssociationBench(ProbeWidget[AssociationResult]):
    """Whether each word stands closer to its group's stereotypes than to anything else.

    Parameters
    ----------
    subject : EmbeddingSubject, str or several of them, optional
        What is probed: subjects, or names that `biaslab.load` takes; default all bundled ones.
    spec : Spec, name of one, or word lists, optional
        Groups, attribute lists and controls; default the religion lists of Manzini et al. Its older
        name ``lists`` is taken, too.
    **options
        Any other input of the component, such as ``model="pooled"``: each is a trait that can be
        set, observed and linked later.

    Examples
    --------
    >>> bench = AssociationBench(spec="weat-6", ddof=0)  # doctest: +SKIP
    >>> bench.result.weat.p  # doctest: +SKIP
    """

    component = COMPONENT
    controller: AssociationController

    @renamed(lists="spec")
    def __init__(
        self,
        subject: Given | Iterable[Given] | dict[str, Source] | None = None,
        spec: Lists = FIRST_LISTS,
        **options: Any,
    ) -> None:
        super().__init__()
        self._begin(AssociationController(sources(subject), self._show, spec), options)

    @classmethod
    def sources_of(cls, given: Any) -> Mapping[str, Source[Any]]:
        """See the base."""
        return sources(given)

    @classmethod
    def on_page(cls, shared: SharedSources) -> Self:
        """See the base."""
        return cls(dict(shared.embeddings))
