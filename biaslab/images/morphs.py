"""Morphs: pictures that run from one appearance to another while the rest stays.

A morph is the stimulus of a two-alternative task put to a vision-language model: the picture of an
item (an occupation) of an observer (a portrait) at a share alpha of the way.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Protocol

from biaslab.errors import ImageError
from biaslab.images.drawn import SIZE, STEREOTYPES, drawable
from biaslab.images.image import RejectedImage
from biaslab.portraits import MAN, OCCUPATIONS, WOMAN, Portrait, describe, draw, morph, sample_pair
from biaslab.records.calls import recorded_class
from biaslab.subjects.embedding.terms import Resolution, Unknown
from biaslab.subjects.vision_language.pictures import pixel_hash

if TYPE_CHECKING:
    from PIL.Image import Image as PillowImage

OBSERVERS = 30
"""Default number of portraits of each item."""


_KEPT = 8
"""Size of the cache of drawn pictures."""


class Morphs(Protocol):
    """Source of the pictures of a two-alternative task.

    An item is such as an occupation, an observer the number of a portrait, from 0, and alpha a
    share of the way, in [0, 1].
    """

    @property
    def items(self) -> tuple[str, ...]:
        """Items with pictures, such as occupations."""

    @property
    def observers(self) -> tuple[str, ...]:
        """Names of the portraits: the observers of one item and share."""

    @property
    def alphas(self) -> tuple[float, ...] | None:
        """Steps common to all, evenly spaced from 0 to 1; None if any share can be shown."""

    @property
    def ends(self) -> tuple[str, str] | None:
        """Content of the pictures at 0 and at 1; None if unknown."""

    @property
    def source(self) -> str:
        """Source, in a few words: ``"drawn"``."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Remarks for the user."""

    @property
    def rejected(self) -> tuple[RejectedImage, ...]:
        """Portraits that were not taken, and why."""

    def resolve(self, items: Sequence[str]) -> Resolution:
        """Sort items into those with pictures and those without."""

    def has(self, item: str, observer: int) -> bool:
        """Return whether there is a morph of this portrait for this item."""

    def steps(self, item: str, observer: int) -> tuple[float, ...] | None:
        """Return the shares of one morph's pictures; None if any can be shown."""

    def picture(self, item: str, observer: int, alpha: float) -> PillowImage:
        """Return the stimulus, in RGB.

        Raises
        ------
        ImageError
            If there is no such portrait of this item, or ``alpha`` is out of [0, 1].
        """

    def describe(self, item: str, observer: int, alpha: float) -> str:
        """Describe the stimulus for people who do not see it."""

    def identity(self, item: str, observer: int) -> str:
        """Return the SHA-256 of all data behind the pictures of one morph, hexadecimal."""


def stimulus(morphs: Morphs, item: str, observer: int, alpha: float) -> MorphPicture:
    """Return the stimulus at a share, or, with discrete steps, at the nearest step.

    - `item`, `observer`, `alpha`: as of `Morphs`.
    - Raises `ImageError` if there is no such portrait of this item, or ``alpha`` is out of [0, 1].
    """
    share, steps = checked_alpha(alpha), morphs.steps(item, observer)
    if steps is not None:
        share = min(steps, key=lambda step: abs(step - share))
    return MorphPicture(morphs, item, observer, share)


@dataclass(frozen=True)
class MorphPicture:
    """One stimulus for a vision-language model, drawn on demand.

    Attributes
    ----------
    morphs : Morphs
    item : str
    observer : int
    alpha : float
        As of `Morphs`.
    """

    morphs: Morphs
    item: str
    observer: int
    alpha: float

    @cached_property
    def hash(self) -> str:
        """SHA-256 of the data behind the pixels, so that a cached answer needs no drawing."""
        text = f"morph|{self.morphs.identity(self.item, self.observer)}|{self.alpha!r}"
        return hashlib.sha256(text.encode()).hexdigest()

    @property
    def alt(self) -> str:
        """Text for people who do not see it."""
        return self.morphs.describe(self.item, self.observer, self.alpha)

    def picture(self) -> PillowImage:
        """Return the picture, in RGB."""
        return self.morphs.picture(self.item, self.observer, self.alpha)


@recorded_class
class DrawnMorphs:
    """Portraits drawn from a woman to a man; clothes and tool of the occupation stay.

    Portrait number b shows the same two people in every occupation.

    Parameters
    ----------
    items : sequence of str, optional
        Occupations that can be drawn; by default all of them.
    observers : int
        How many portraits.
    seed : int
        Fixes everything.
    size : int
        Width and height in pixels.

    Raises
    ------
    ImageError
        If an item cannot be drawn, with the nearest that can, or there is no portrait.
    """

    source = "drawn"
    alphas: tuple[float, ...] | None = None
    ends: tuple[str, str] | None = (WOMAN, MAN)
    notes: tuple[str, ...] = (STEREOTYPES,)
    rejected: tuple[RejectedImage, ...] = ()

    def __init__(
        self,
        items: Sequence[str] | str | None = None,
        observers: int = OBSERVERS,
        seed: int = 0,
        size: int = SIZE,
    ) -> None:
        if observers < 1:
            raise ImageError(f"observers={observers}: draw at least one portrait.")
        self.seed, self.size = seed, size
        self.observers = tuple(f"portrait {number + 1}" for number in range(observers))
        requested = (
            list(OCCUPATIONS) if items is None else [items] if isinstance(items, str) else items
        )
        resolution = self.resolve(requested)
        if resolution.unknown:
            reasons = "; ".join(f"{u.term!r} {u.reason}" for u in resolution.unknown[:3])
            raise ImageError(f"Portraits of some items cannot be drawn: {reasons}.")
        self.items = resolution.known
        self._cached_draw = lru_cache(_KEPT)(self._draw)

    def __repr__(self) -> str:
        """One line: how many portraits, of what seed."""
        return f"<DrawnMorphs: {len(self.observers)} portraits from {WOMAN} to {MAN}>"

    def resolve(self, items: Sequence[str]) -> Resolution:
        """Sort items into those that can be drawn and those that cannot.

        Returns
        -------
        Resolution
            With a reason, and the nearest occupations, for each unknown one.
        """
        known: list[str] = []
        unknown: list[Unknown] = []
        duplicates: list[str] = []
        resolved: set[str] = set()
        for item in items:
            what = drawable(item)
            if what is None:
                near = tuple(get_close_matches(item.casefold(), list(OCCUPATIONS), 3, 0.6))
                reason = f"cannot be drawn; known are {', '.join(OCCUPATIONS)}"
                unknown.append(Unknown(item, reason, near))
            elif what.group is not None:
                unknown.append(
                    Unknown(
                        item,
                        f"names a group, but the morph runs from {WOMAN} to {MAN}: give only the"
                        " occupation",
                        (what.occupation,),
                    )
                )
            elif what.occupation in resolved:
                duplicates.append(item)
            else:
                resolved.add(what.occupation)
                known.append(item)
        return Resolution(
            tuple(known), tuple(unknown), tuple(duplicates), {i: (_occupation(i),) for i in known}
        )

    def has(self, item: str, observer: int) -> bool:
        """Return whether there is such a portrait: see `Morphs.has`."""
        del item
        return 0 <= observer < len(self.observers)

    def steps(self, item: str, observer: int) -> None:
        """Return None, as any share can be drawn: see `Morphs.steps`."""
        del item, observer

    def portrait(self, item: str, observer: int, alpha: float) -> Portrait:
        """Return the portrait of a stimulus.

        Raises
        ------
        ImageError
            If there is no such item or portrait.
        PortraitError
            If ``alpha`` is out of [0, 1].
        """
        if not self.has(item, observer):
            raise ImageError(
                f"There is no portrait {observer}: they are numbered from 0 to"
                f" {len(self.observers) - 1}."
            )
        return morph(*_pair(_occupation(item), self.seed, observer), alpha)

    def picture(self, item: str, observer: int, alpha: float) -> PillowImage:
        """Return the stimulus, in RGB: see `Morphs.picture` and `portrait`."""
        return self._cached_draw(item, observer, alpha).copy()

    def _draw(self, item: str, observer: int, alpha: float) -> PillowImage:
        return draw(self.portrait(item, observer, alpha), self.size)

    def describe(self, item: str, observer: int, alpha: float) -> str:
        """Describe the stimulus in words that name no group: see `Morphs.describe`."""
        return describe(self.portrait(item, observer, alpha))

    def identity(self, item: str, observer: int) -> str:
        """Return a hash of all that a drawing depends on: see `Morphs.identity`."""
        occupation = _occupation(item)
        text = f"drawn|{occupation}|{self.seed}|{observer}|{self.size}|{_hand(occupation)}"
        return hashlib.sha256(text.encode()).hexdigest()


def _occupation(item: str) -> str:
    what = drawable(item)
    if what is None:
        raise ImageError(f"{item!r} cannot be drawn. Known are {', '.join(OCCUPATIONS)}.")
    return what.occupation


@lru_cache(maxsize=1024)
def _pair(occupation: str, seed: int, number: int) -> tuple[Portrait, Portrait]:
    """Return both ends; only the people's clothes depend on the occupation."""
    key = f"morph|{seed}|{number}"
    seed_of_pair = int.from_bytes(hashlib.sha256(key.encode()).digest()[:6], "big")
    return sample_pair(occupation, seed_of_pair)


@lru_cache(maxsize=64)
def _hand(occupation: str) -> str:
    """Return a hash of an occupation's drawing, which changes with the code."""
    ends = sample_pair(occupation, 1)
    return "".join(pixel_hash(draw(morph(*ends, alpha), 64)) for alpha in (0.0, 0.5, 1.0))


def checked_alpha(alpha: float) -> float:
    """Return a share in [0, 1], checked.

    Raises `ImageError` if it is not in [0, 1].
    """
    if not (math.isfinite(alpha) and 0 <= alpha <= 1):
        raise ImageError(f"alpha is {alpha!r}. Use a number from 0 to 1.")
    return float(alpha)
