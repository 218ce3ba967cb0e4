"""The rating bench as a Panel component."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from biaslab.jobs import Job
from biaslab.probes.rating import RatingDesign, RatingResult
from biaslab_widgets.controllers.rating import RatingController
from biaslab_widgets.controllers.rating_fields import RATING_BENCH
from biaslab_widgets.controllers.rating_services import (
    GivenService,
    ServiceSource,
    service_sources,
)
from biaslab_widgets.panel.host import bench_type


class RatingBenchPanel(bench_type(RATING_BENCH)):  # type: ignore[misc]  # from fields
    """Whether a service adds bias, follows it, or removes it; parameters as in the notebook.

    Descriptions of services cannot use environment variables of the machine that serves the page.

    Parameters
    ----------
    services : service, several, or sources shared by sessions, optional
        What can be rated; default as in the notebook.
    design : RatingDesign, optional
        What to begin with; by default the paper's.
    **options
        Any other input of the component.
    """

    controller: RatingController

    def __init__(
        self,
        services: GivenService | Mapping[str, ServiceSource] | None = None,
        *,
        design: RatingDesign | None = None,
        **options: Any,
    ) -> None:
        super().__init__(sizing_mode="stretch_width")
        controller = RatingController(
            service_sources(services), self._show, design, environment=False
        )
        self._begin(controller, options)

    def run(self) -> Job[RatingResult | None]:
        """Ask the chosen service everything on the screen, as the button does; returns at once."""
        return self.controller.run()

    @property
    def result(self) -> RatingResult:
        """The result on the screen, rated by its rules and shares."""
        return self.controller.result

    @property
    def results(self) -> dict[str, RatingResult]:
        """Each service's last result, by name, as it was run."""
        return self.controller.results
