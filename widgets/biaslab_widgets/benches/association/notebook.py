"""The association bench in a notebook."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from biaslab.probes.association import AssociationResult
from biaslab_widgets.benches.association.bench import FIRST_LISTS, AssociationController
from biaslab_widgets.benches.association.fields import COMPONENT
from biaslab_widgets.core.sources import Given, sources
from biaslab_widgets.core.word_lists import Given as Lists
from biaslab_widgets.hosts.jupyter import ProbeBench, bench_type


class AssociationBench(bench_type(COMPONENT, ProbeBench)):  # type: ignore[misc]
    """Whether each word stands closer to its group's stereotypes than to anything else.

    Parameters
    ----------
    subject : EmbeddingSubject, str or several of them, optional
        What is probed: subjects, or names that `biaslab.load` takes; default all bundled ones.
    lists : Spec, name of one, or word lists, optional
        Groups, attribute lists and controls; default the religion lists of Manzini et al.
    **options
        Any other input of the component, such as ``model="pooled"``: each is a trait that can be
        set, observed and linked later.

    Examples
    --------
    >>> bench = AssociationBench(lists="weat-6", ddof=0)  # doctest: +SKIP
    >>> bench.result.weat.p  # doctest: +SKIP
    """

    controller: AssociationController

    def __init__(
        self,
        subject: Given | Iterable[Given] | None = None,
        *,
        lists: Lists = FIRST_LISTS,
        **options: Any,
    ) -> None:
        super().__init__()
        self._begin(AssociationController(sources(subject), self._show, lists), options)

    @property
    def result(self) -> AssociationResult:
        """The result of what is on the screen.

        Raises
        ------
        QueryError
            When the screen shows none; the message says why.
        """
        return self.controller.result
