"""Plain words for the real texts nearest to points."""

from __future__ import annotations

from biaslab.probes.posterior.mean_distances import FORMULAS
from biaslab.probes.posterior.reviews import NearestReviews
from biaslab.wording import count, number


def summary(result: NearestReviews) -> str:
    """The nearest texts of each point."""
    found = []
    for name, near, middle in zip(result.points, result.nearest, result.middle, strict=True):
        first = near[0]
        found.append(
            f"Of {count(result.n)} texts of {result.source}, {first.id} lies nearest to {name}: "
            f"{number(first.distance, 4)}, where half of all lie within {number(middle, 4)}."
        )
        for one in near:
            stars = "" if one.stars is None else f", {one.stars} stars"
            says = ", ".join(
                f"p({k}) = {number(p)}" for k, p in zip(result.labels, one.probability, strict=True)
            )
            found.append(
                f"{number(one.distance, 4)} {one.id} ({one.label or 'no label'}{stars}; {says}"
                f"): {one.excerpt}"
            )
    found.append(f"Distance: {result.distance}, {FORMULAS[result.distance]}.")
    if result.dropped:
        found.append(
            f"{count(len(result.dropped))} texts dropped, as no word of them is known: see "
            ".dropped."
        )
    return "\n".join(found)
