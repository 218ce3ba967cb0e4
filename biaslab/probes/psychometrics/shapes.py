"""Shapes that a psychometric curve can have."""

from __future__ import annotations

from typing import Literal, get_args

from biaslab.stats.replicates import Family

Shape = Family | Literal["empirical"]
"""A family of curves, or the distribution of the switch points as it is."""
SHAPES: tuple[str, ...] = (*get_args(Family), "empirical")


def family_of(curve: Shape) -> Family:
    """Return the family for answers that are probabilities, which have no switch points."""
    return "normal" if curve == "empirical" else curve
