"""The figure of a posterior overview: of the plane, or of the chains where there is none."""

from __future__ import annotations

from typing import Any

from biaslab.probes.posterior.overview_result import PosteriorOverview


def figure(result: PosteriorOverview) -> Any:
    """Bokeh figure of the plane; of the traces where there is none."""
    if result.reading.plane is not None:
        return result.reading.plane.figure()
    return next(iter(result.posteriors.values())).figure()
