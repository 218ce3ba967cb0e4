"""Plain words for how many texts a rating needs."""

from __future__ import annotations

from biaslab.probes.rating.power import PowerCurve


def summary(result: PowerCurve) -> str:
    """How many texts it needs."""
    if result.recommended is None:
        most = result.points[-1]
        return (
            f"Blocks of {most.texts} texts give {result.service} its true rating, {result.truth}, "
            f"in {100 * most.right:.0f} % of experiments: {100 * result.target:.0f} % need more."
        )
    point = next(p for p in result.points if p.texts == result.recommended)
    return (
        f"Blocks of {point.texts} texts ({point.calls} calls) give {result.service} its true "
        f"rating, {result.truth}, in {100 * point.right:.0f} % of experiments; the paper's rule "
        f"does in {100 * point.paper:.0f} %."
    )
