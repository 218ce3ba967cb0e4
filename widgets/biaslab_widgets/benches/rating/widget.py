"""The rating bench as Python sees it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from biaslab.arguments import renamed
from biaslab.errors import ArgumentError
from biaslab.jobs.job import Job
from biaslab.probes.rating import RatingDesign, RatingResult
from biaslab_widgets.benches.rating.bench import RatingController
from biaslab_widgets.benches.rating.fields import COMPONENT
from biaslab_widgets.benches.rating.services import (
    GivenService,
    ServiceSource,
    check_service,
    service_sources,
)
from biaslab_widgets.core.bench.widget import Widget
from biaslab_widgets.core.frame import Frame, same
from biaslab_widgets.core.subjects.sources import SharedSources, Source

FRAME = Frame(
    name="Rating bench", question=same("Does the translator add bias, follow it, or remove it?")
)


class RatingBench(Widget):
    """Whether a service that can only be called adds bias, follows it, or removes it.

    Parameters
    ----------
    subject : service, translator, function, or several of them, optional
        What can be rated, by its older name ``services``: anything that `biaslab.rate` takes;
        default simulated services whose rating is known, and Apertium where it is installed.
    spec : RatingDesign, optional
        What to begin with, by its older name ``design``, also with an attribute of one's own; by
        default the paper's.
    **options
        Any other input of the component, such as ``texts=40``: each is a trait that can be set,
        observed and linked later.

    Examples
    --------
    >>> bench = RatingBench(service="always he")  # doctest: +SKIP
    >>> bench.run().wait()  # doctest: +SKIP
    >>> print(bench.result.summary())  # doctest: +SKIP
    """

    component = COMPONENT
    controller: RatingController

    @renamed(services="subject", design="spec")
    def __init__(
        self,
        subject: GivenService | Mapping[str, ServiceSource] | None = None,
        spec: RatingDesign | None = None,
        **options: Any,
    ) -> None:
        super().__init__()
        if spec is not None and not isinstance(spec, RatingDesign):
            raise ArgumentError(
                f"spec is a {type(spec).__name__}. This bench needs a RatingDesign, as "
                "bl.RatingDesign(...) makes one."
            )
        offered = service_sources(subject)
        if "service" in options:
            check_service(options["service"], offered)
        # A page uses no environment variable of the machine that serves it.
        controller = RatingController(offered, self._show, spec, environment=self.in_notebook)
        self._begin(controller, options)

    @classmethod
    def sources_of(cls, given: Any) -> Mapping[str, Source[Any]]:
        """See the base."""
        return service_sources(given)

    @classmethod
    def on_page(cls, shared: SharedSources) -> Self:
        """See the base."""
        return cls(shared.services)

    def run(self) -> Job[RatingResult | None]:
        """Ask the chosen service everything on the screen, as the button does; returns at once.

        Raises
        ------
        BiaslabError
            When the design cannot be run, or a run goes on already.
        """
        return self.controller.run()

    @property
    def result(self) -> RatingResult:
        """The result on the screen, rated by its rules and shares.

        Raises
        ------
        QueryError
            While a run goes on, or when there was none; the message says what to do.
        """
        return self.controller.result

    @property
    def results(self) -> dict[str, RatingResult]:
        """Each service's last result, by name, as it was run.

        Raises
        ------
        QueryError
            While a run goes on.
        """
        return self.controller.results
