"""Scores of pictures: the probability of a list, by term and group, with its interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from biaslab.images import ImageRecord
from biaslab.probes.leaning import lean
from biaslab.records.record import Record
from biaslab.records.result import Interval
from biaslab.stats.curves.sigmoids import Floats
from biaslab.stats.reproducibility import snapped

Aggregate: TypeAlias = Literal["sum", "mean", "any"]
AGGREGATES: tuple[str, ...] = get_args(Aggregate)
RULES = {
    "sum": "the probabilities of a list's concepts are added",
    "mean": "a list counts with the mean probability of its concepts",
    "any": "the list of the most probable concept counts 1, the other 0",
}
"""Definition of a list's probability, for the screen."""


def first_list(probabilities: ArrayLike, list_of: ArrayLike, aggregate: str = "sum") -> Floats:
    """Return P(the first list) of each picture in each template.

    - `probabilities`, array_like, shape (n, K, C): of concepts, which add up to 1 over the last
      axis.
    - `list_of`, array_like of int, shape (C,): to which list each concept belongs: 0 for the first,
      1 for the second.
    - `aggregate`, {"sum", "mean", "any"}: ``"sum"``: the probability that the concept is one of the
      list. ``"mean"``: the lists' mean probabilities, made to add up to 1, so that a longer list
      has no advantage. ``"any"``: 1 if the most probable of all concepts is of the first list, 0 if
      it is of the second, and one half if concepts of both are equally probable, within
      single-precision rounding.
    - Returns ndarray, shape (n, K): in [0, 1]. That of the second list is 1 less this.
    - Raises `ValueError` if there is no such rule, or a list has no concept.
    """
    if aggregate not in AGGREGATES:
        raise ValueError(f"aggregate is {aggregate!r}: choose one of {', '.join(AGGREGATES)}.")
    p = np.asarray(probabilities, dtype=np.float64)
    first = np.asarray(list_of) == 0
    if first.all() or not first.any():
        raise ValueError("Each list needs at least one concept; one of them has none.")
    # Counted from both sides, so that swapping the lists gives exactly the rest to 1.
    list_1, list_2 = p[..., first], p[..., ~first]
    if aggregate == "any":
        best, other = list_1.max(axis=-1), list_2.max(axis=-1)
        return np.asarray((1.0 + np.sign(snapped(best - other))) / 2)
    if aggregate == "mean":
        a, b = list_1.mean(axis=-1), list_2.mean(axis=-1)
    else:
        a, b = list_1.sum(axis=-1), list_2.sum(axis=-1)
    return np.asarray(a / (a + b))


Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class ImageDesign:
    """Images by term and group.

    Attributes
    ----------
    groups : (str, str)
        Names.
    group_of : ndarray of int64, shape (n,)
        0 or 1.
    terms : tuple of str
        In the order of their groups, then of their first image.
    term_of : ndarray of int64, shape (n,)
        Index into ``terms``.
    group_of_term : tuple of int
    strata : ndarray of int64, shape (n,)
        Strata for resampling images: terms, or the whole group if a term of it has one
        image only, which does not show how far others would differ.
    labels : tuple of str
        Of the strata.
    group_of_stratum : ndarray of int64
    order : ndarray of int64, shape (n,)
        Images sorted by term and content, so that their input order does not matter.
    """

    groups: tuple[str, str]
    group_of: Numbers
    terms: tuple[str, ...]
    term_of: Numbers
    group_of_term: tuple[int, ...]
    strata: Numbers
    labels: tuple[str, ...]
    group_of_stratum: Numbers
    order: Numbers

    @classmethod
    def of(
        cls, images: Sequence[ImageRecord], group_of: ArrayLike, groups: tuple[str, str]
    ) -> ImageDesign:
        """Return the design of some images.

        - `images`: their terms and hashes count.
        - `group_of`, array_like of int, shape (n,): 0 or 1.
        - `groups`: names.
        - Raises `ValueError` if a group has no image, or a number is no group.
        """
        group_numbers = np.asarray(group_of, dtype=np.int64)
        if group_numbers.shape != (len(images),) or not np.isin(group_numbers, (0, 1)).all():
            raise ValueError(f"group_of needs one number for each of {len(images)} images: 0 or 1.")
        if len(np.unique(group_numbers)) < 2:
            raise ValueError("Each group needs at least one image; one of them has none.")
        sides = group_numbers.tolist()
        pairs = [(side, image.term) for side, image in zip(sides, images, strict=True)]
        known = sorted(dict.fromkeys(pairs), key=lambda pair: pair[0])
        number = {pair: i for i, pair in enumerate(known)}
        term_of = np.array([number[pair] for pair in pairs], dtype=np.int64)
        sizes = np.bincount(term_of)
        alone = {side for (side, _), size in zip(known, sizes, strict=True) if size == 1}
        # A stratum is called by its term: swapping the groups draws the same images.
        names = ["\0".join(sorted(t for s, t in known if s == side)) for side in (0, 1)]
        called = [names[side] if side in alone else term for side, term in known]
        strata = list(dict.fromkeys(zip((side for side, _ in known), called, strict=True)))
        place = {stratum: i for i, stratum in enumerate(strata)}
        of_term = [place[side, name] for (side, _), name in zip(known, called, strict=True)]
        order = sorted(range(len(images)), key=lambda i: (images[i].term, images[i].hash))
        return cls(
            groups,
            group_numbers,
            tuple(term for _, term in known),
            term_of,
            tuple(side for side, _ in known),
            np.array(of_term, dtype=np.int64)[term_of],
            tuple(name for _, name in strata),
            np.array([side for side, _ in strata], dtype=np.int64),
            np.array(order, dtype=np.int64),
        )

    @property
    def strata_are_terms(self) -> bool:
        """Whether images are drawn within terms everywhere."""
        return self.labels == self.terms


WITHIN_TERMS = "images within terms"
"""Kind of an interval: had other images of the same terms been shown."""
WITHIN_GROUPS = "images within groups"
"""The same if a term has one image, which shows no variation between images."""
NEUTRAL = 0.5


@dataclass(frozen=True)
class ImageScore(Record):
    """How strongly pictures draw the list of concepts that is tied to their group.

    Attributes
    ----------
    name : str
        Common property of the pictures: a term, a group, a template.
    part_of : str
        Of a term the name of its group; else empty.
    n_images : int
        How many pictures.
    score : float
        Mean probability of the list tied to each picture's own group, in [0, 1]; 0.5 is neutral.
    interval : Interval
        Of the score, over other images of the same terms (of the same groups, if a term has
        only one image: see its kind); NaN with a single image.
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
        """1 if the interval is above one half, -1 if below, 0 if it includes it."""
        return lean(self.interval)
