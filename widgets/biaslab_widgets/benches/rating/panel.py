"""The rating bench as a Panel component."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from biaslab.jobs import Job
from biaslab.probes.rating import RatingDesign, RatingResult
from biaslab_widgets.benches.rating.bench import RatingController
from biaslab_widgets.benches.rating.fields import COMPONENT
from biaslab_widgets.benches.rating.services import (
    GivenService,
    ServiceSource,
    service_sources,
)
from biaslab_widgets.core.shared_sources import SharedSources
from biaslab_widgets.hosts.panel import bench_type


class RatingBenchPanel(bench_type(COMPONENT)):  # type: ignore[misc]  # from fields
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


def page(shared: SharedSources) -> RatingBenchPanel:
    """The app's page."""
    return RatingBenchPanel(shared.services)
