"""Shapes that a psychometric curve can have."""

from __future__ import annotations

from typing import Literal, cast, get_args

from biaslab.stats.curves.replicates import Family

Student = Literal["t3", "t4", "t5", "t7", "t10"]
"""Student's t with its degrees of freedom, for answers that are probabilities or trials."""
Shape = Family | Literal["empirical"] | Student
"""A family of curves, or the distribution of the switch points as it is."""
STUDENT: tuple[str, ...] = get_args(Student)
SHAPES: tuple[str, ...] = (*get_args(Family), "empirical", *STUDENT)


def family_of(curve: Shape) -> Family:
    """Return the family for answers that are probabilities, which have no switch points."""
    return cast("Family", "normal" if curve == "empirical" else curve)
