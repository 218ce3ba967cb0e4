"""Drawings of `bl.association`: those of its distance model."""

from __future__ import annotations

from typing import Any

from biaslab.probes.association.overview import AssociationResult


def figure(result: AssociationResult) -> Any:
    """Bokeh figure of the distance model."""
    return result.distance_model.figure()


def svg(result: AssociationResult) -> str:
    """Still picture of the distance model."""
    return result.distance_model.to_svg()
