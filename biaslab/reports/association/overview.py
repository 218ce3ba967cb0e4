"""Words and drawings of `AssociationResult`: those of its distance model."""

from __future__ import annotations

from biaslab.probes.association.overview_probe import AssociationResult
from biaslab.records.wording import Span
from biaslab.reports.association.distance import chart as distance_chart
from biaslab.reports.chart import Chart


def verdict(result: AssociationResult) -> tuple[Span, ...]:
    """The verdict of the distance model."""
    return result.distance_model.verdict_spans()


def caveat(result: AssociationResult) -> str:
    """The caveat of the distance model."""
    return result.distance_model.caveat()


def summary(result: AssociationResult) -> str:
    """The model's answer, and what the averages say."""
    parts = [result.distance_model.summary(), result.mac.summary()]
    parts.append(result.weat.summary() if result.weat else f"No WEAT: {result.weat_reason}")
    return "\n\n".join(parts)


def brief(result: AssociationResult) -> str:
    """How much closer stereotypes are than neutral words, or than others', for a card."""
    contrasts = {c.of: c for c in result.distance_model.contrasts if c.minus == "associated"}
    contrast = contrasts.get("none") or next(iter(contrasts.values()), None)
    if contrast is None:
        return "No contrast"
    low, high = contrast.interval.low, contrast.interval.high
    return f"{contrast.mean:.2f} closer ({low:.2f} to {high:.2f})"


def chart(result: AssociationResult) -> Chart:
    """Chart of the distance model."""
    return distance_chart(result.distance_model)
