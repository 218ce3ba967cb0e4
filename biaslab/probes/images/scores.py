"""A score of some pictures, with what is known about it."""

from __future__ import annotations

from dataclasses import dataclass

from biaslab.probes.leaning import lean
from biaslab.record import Record
from biaslab.results import Interval

WITHIN_TERMS = "images within terms"
"""Kind of an interval: had other images of the same terms been shown."""
WITHIN_GROUPS = "images within groups"
"""The same where a term has one image, which does not show how far others would differ."""
NEUTRAL = 0.5


@dataclass(frozen=True)
class ImageScore(Record):
    """How strongly pictures draw the list of concepts that is tied to their group.

    Attributes
    ----------
    name : str
        What the pictures have in common: a term, a group, a template.
    part_of : str
        Of a term the name of its group; else empty.
    n_images : int
        How many pictures.
    score : float
        Mean probability of the list tied to each picture's own group, in [0, 1]; 0.5 is neutral.
    interval : Interval
        Of it, had other images of the same terms been shown (of the same groups, where a term has
        one image only: see its kind); NaN where one image tells nothing.
    stereotyped : int
        Pictures for which that list is the more probable one.
    """

    name: str
    part_of: str
    n_images: int
    score: float
    interval: Interval
    stereotyped: int

    @property
    def lean(self) -> int:
        """1 if the interval lies above one half, -1 if below, 0 if it cannot be told."""
        return lean(self.interval)
