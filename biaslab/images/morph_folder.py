"""Morphs from the user's pictures: sequences, or cross-fades of two pictures."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from biaslab.errors import ImageError
from biaslab.images.folder import folders_for, open_below, passed_over, pictures_in
from biaslab.images.image import Image, RejectedImage, term_key
from biaslab.images.morphs import checked_alpha
from biaslab.images.opening import LARGEST_SIDE
from biaslab.records.calls import recorded
from biaslab.subjects.embedding.terms import Resolution, Unknown

if TYPE_CHECKING:
    from PIL.Image import Image as PillowImage

CROSS_FADE, SEQUENCE = "cross-fade", "morph folder"
FADED = (
    "Between two photographs, each pixel fades from one to the other: the result is a double"
    " exposure, not a face, unless both show the same pose. A sequence of pictures made with a"
    " face-morphing tool is the better stimulus."
)
"""Note on every cross-fade."""
NUMBERED = "Pictures without shares in their names are ordered by name and evenly spaced."
_NUMBER = re.compile(r"(?<![\d.])\d+(?:\.\d+)?")
_OPEN_AT_ONCE = 16
"""Pictures that are held in memory: the ends of a cross-fade that is dragged are opened once."""


@dataclass(frozen=True)
class PhotographedMorph:
    """One morph from pictures.

    Attributes
    ----------
    images : tuple of Image
        In the order of their shares.
    alphas : tuple of float
        Their shares, from 0 to 1, increasing.
    """

    images: tuple[Image, ...]
    alphas: tuple[float, ...]

    @property
    def fades(self) -> bool:
        """Whether there are only two ends, with a cross-fade in between."""
        return len(self.images) == 2

    @property
    def identity(self) -> str:
        """SHA-256 of its pictures and shares, hexadecimal."""
        text = repr(([image.hash for image in self.images], self.alphas))
        return hashlib.sha256(f"photographs|{text}".encode()).hexdigest()


class PhotographedMorphs:
    """Morphs from pictures; `read_morphs` reads them from a folder.

    Parameters
    ----------
    morphs : mapping of (str, str) to PhotographedMorph
        By item and name of the portrait. The same name under two items is the same portrait there.
    rejected : sequence of RejectedImage
        Rejected pictures, with reasons.
    ends : (str, str), optional
        Content of the pictures at 0 and at 1, such as ``("woman", "man")``.
    notes : sequence of str
        Remarks for the user.

    Raises
    ------
    ImageError
        If there is none.
    """

    def __init__(
        self,
        morphs: Mapping[tuple[str, str], PhotographedMorph],
        *,
        rejected: Sequence[RejectedImage] = (),
        ends: tuple[str, str] | None = None,
        notes: Sequence[str] = (),
    ) -> None:
        if not morphs:
            reasons = "; ".join(f"{r.name}: {r.reason}" for r in list(rejected)[:3])
            raise ImageError(f"There is no morph to show.{' ' + reasons if reasons else ''}")
        self.items = tuple(dict.fromkeys(item for item, _ in morphs))
        self.observers = tuple(dict.fromkeys(name for _, name in morphs))
        self.rejected = tuple(rejected)
        self.ends = ends
        self._morphs = dict(morphs)
        self._by_key = {(term_key(item), name): morph for (item, name), morph in morphs.items()}
        self._opened = lru_cache(_OPEN_AT_ONCE)(lambda image: image.picture())
        some_fade = any(morph.fades for morph in morphs.values())
        all_fade = all(morph.fades for morph in morphs.values())
        names = [SEQUENCE] * (not all_fade) + [CROSS_FADE] * some_fade
        self.source = " and ".join(names)
        self.notes = tuple(dict.fromkeys((*((FADED,) if some_fade else ()), *notes)))
        steps = {morph.alphas for morph in morphs.values()}
        common = steps.pop()
        even = np.allclose(common, np.linspace(0, 1, len(common)))
        self.alphas: tuple[float, ...] | None = (
            tuple(np.linspace(0, 1, len(common)).tolist())
            if not steps and even and not some_fade
            else None
        )

    def __repr__(self) -> str:
        """One line: how many morphs of how many items."""
        return (
            f"<PhotographedMorphs: {len(self._morphs)} of {len(self.items)} items, {self.source},"
            f" {len(self.rejected)} rejected>"
        )

    def resolve(self, items: Sequence[str]) -> Resolution:
        """Sort items into those with pictures and those without."""
        there = {term_key(item): item for item in self.items}
        known: list[str] = []
        unknown: list[Unknown] = []
        duplicates: list[str] = []
        for item in items:
            key = term_key(item)
            if key not in there:
                near = tuple(there[n] for n in get_close_matches(key, list(there), 3, 0.6))
                reason = f"has no morph; choose from {', '.join(self.items[:20])}"
                unknown.append(Unknown(item, reason, near))
            elif any(term_key(k) == key for k in known):
                duplicates.append(item)
            else:
                known.append(item)
        return Resolution(
            tuple(known),
            tuple(unknown),
            tuple(duplicates),
            {item: (there[term_key(item)],) for item in known},
        )

    def has(self, item: str, observer: int) -> bool:
        """Return whether there is such a morph: see `Morphs.has`."""
        return self._lookup(item, observer) is not None

    def steps(self, item: str, observer: int) -> tuple[float, ...] | None:
        """Return a sequence's shares, None for a cross-fade: see `Morphs.steps`."""
        morph = self._morph(item, observer)
        return None if morph.fades else morph.alphas

    def picture(self, item: str, observer: int, alpha: float) -> PillowImage:
        """Return the stimulus, or the nearest picture: see `Morphs.picture`.

        Raises
        ------
        ImageError
            If there is no such morph, ``alpha`` is out of [0, 1], or a file is gone.
        """
        morph, alpha = self._morph(item, observer), checked_alpha(alpha)
        if not morph.fades:
            return self._picture(morph.images[_nearest(morph.alphas, alpha)])
        first, second = morph.images
        if alpha in (0, 1):
            return self._picture(second if alpha else first)
        from PIL import Image as images

        return images.blend(self._picture(first), self._picture(second), alpha)

    def describe(self, item: str, observer: int, alpha: float) -> str:
        """Describe the stimulus by number and description: see `Morphs.describe`."""
        morph, alpha = self._morph(item, observer), checked_alpha(alpha)
        name = self.observers[observer]
        if morph.fades and 0 < alpha < 1:
            return f"Cross-fade, {item}, {name}: {round(100 * alpha)} % of the way to its last end."
        at = _nearest(morph.alphas, alpha)
        image = morph.images[at]
        description = f": {image.record.description}" if image.record.description else "."
        return f"Picture {at + 1} of {len(morph.images)}, {item}, {name}{description}"

    def identity(self, item: str, observer: int) -> str:
        """Return the SHA-256 of the pictures and their shares: see `Morphs.identity`."""
        return self._morph(item, observer).identity

    def _lookup(self, item: str, observer: int) -> PhotographedMorph | None:
        if not 0 <= observer < len(self.observers):
            return None
        return self._by_key.get((term_key(item), self.observers[observer]))

    def _morph(self, item: str, observer: int) -> PhotographedMorph:
        morph = self._lookup(item, observer)
        if morph is None:
            raise ImageError(
                f"There is no morph of portrait {observer} for {item!r}. The items are"
                f" {', '.join(self.items[:20])}; has(item, observer) checks a pair."
            )
        return morph

    def _picture(self, image: Image) -> PillowImage:
        picture: PillowImage = self._opened(image)
        return picture


@recorded
def read_morphs(
    folder: str | os.PathLike[str],
    items: Sequence[str] | Mapping[str, str] | None = None,
    *,
    ends: tuple[str, str] | None = None,
    largest_side: int | None = LARGEST_SIDE,
) -> PhotographedMorphs:
    """Read morphs from a folder of items with a folder for each portrait.

    A portrait's folder holds a sequence of pictures from one end to the other, or two pictures,
    which cross-fade. The number in a file's name is its share if numbers run from 0 to 1, or
    from 0 to 100; otherwise pictures are taken in the order of their names, evenly spaced.

    Parameters
    ----------
    folder : path
    items : sequence of str, or mapping of str to str, optional
        Items to read, by default one for each folder; or item to the name of its folder.
    ends : (str, str), optional
        Content of the pictures at 0 and at 1, such as ``("woman", "man")``, for the words of a
        result.
    largest_side : int or None
        Longer side in pixels to which larger pictures are shrunk.

    Returns
    -------
    PhotographedMorphs
        With unusable pictures among the rejected.

    Raises
    ------
    ImageError
        If there is no such folder, or no morph in it: gives the reason.
    """
    root = Path(folder).expanduser()
    if not root.is_dir():
        raise ImageError(f"There is no folder {root}. Check the path.")
    morphs: dict[tuple[str, str], PhotographedMorph] = {}
    beside = passed_over(root, "item") if items is None else []
    rejected = [*beside]
    notes: list[str] = []
    for item, place in folders_for(root, items).items():
        if place is None:
            rejected.append(RejectedImage("", item, f"{root.name} has no folder of this name."))
            continue
        portraits = folders_for(place, None)
        rejected += [
            RejectedImage(f"{place.name}/{rejection.name}", item, rejection.reason)
            for rejection in passed_over(place, "portrait")
        ]
        for name, inner in portraits.items():
            if inner is None:
                continue
            label = f"{place.name}/{inner.name}"
            try:
                morph, numbered = _read(root, inner, item, largest_side)
            except ImageError as error:
                rejected.append(RejectedImage(label, item, str(error)))
                continue
            morphs[item, name] = morph
            if not numbered and not morph.fades:
                notes.append(NUMBERED)
    if not morphs and len(rejected) == len(beside):
        raise ImageError(
            f"{root} contains no morph. Make one folder per item in it, such as 'nurse', with one"
            " folder per portrait, and put the pictures there in order from one end to the other."
        )
    return PhotographedMorphs(morphs, rejected=rejected, ends=ends, notes=notes)


def _read(
    root: Path, folder: Path, item: str, largest_side: int | None
) -> tuple[PhotographedMorph, bool]:
    """Read one morph; return the source of its shares.

    Raises `ImageError` if it cannot be used.
    """
    files = [path for path in pictures_in(folder) if path.is_file()]
    if len(files) < 2:
        raise ImageError(
            f"It holds {len(files)} picture{'s' * (len(files) != 1)}. Put at least two there, one"
            " for each end."
        )
    order, alphas, source = _shares([path.stem for path in files])
    images = tuple(open_below(root, files[i], item, largest_side) for i in order)
    sizes = {(image.record.width, image.record.height) for image in images}
    if len(sizes) > 1:
        shown = " and ".join(f"{w:,} x {h:,}" for w, h in sorted(sizes)[:2])
        raise ImageError(
            f"Its pictures differ in size ({shown} pixels). Crop them to the same size, with the"
            " face in the same place."
        )
    if images[0].hash == images[-1].hash:
        raise ImageError("Both of its ends are the same picture. Replace one.")
    return PhotographedMorph(images, alphas), source


def _shares(names: Sequence[str]) -> tuple[list[int], tuple[float, ...], bool]:
    """Return the order of the pictures, their shares, and the source of these.

    Raises `ImageError` if the names say shares that do not run from 0 to 1.
    """
    matches = [_NUMBER.findall(name) for name in names]
    numbers = [float(each[-1]) for each in matches if each]
    count = len(names)
    if len(numbers) == count and len(set(numbers)) == count:
        order = sorted(range(count), key=lambda i: numbers[i])
        rising = [numbers[i] for i in order]
        for whole in (1.0, 100.0):
            if rising[0] == 0 and rising[-1] == whole:
                return order, tuple(x / whole for x in rising), True
        if rising[-1] <= 1:
            raise ImageError(
                f"Its names give shares from {rising[0]:g} to {rising[-1]:g}. Shares must run from"
                " 0 to 1, with one picture for each end."
            )
    else:
        order = sorted(range(count), key=lambda i: _natural(names[i]))
    return order, tuple(np.linspace(0, 1, count).tolist()), False


def _natural(name: str) -> list[tuple[int, float, str]]:
    """Return a key that sorts numbers by value: 2 before 10."""
    parts = re.split(r"(\d+)", name.casefold())
    return [(0, float(p), "") if p.isdigit() else (1, 0.0, p) for p in parts if p]


def _nearest(alphas: Sequence[float], alpha: float) -> int:
    return int(np.argmin(np.abs(np.asarray(alphas) - alpha)))
