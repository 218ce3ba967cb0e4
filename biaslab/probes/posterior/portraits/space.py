"""Space of portraits: everything that chance decides about one, as independent normal numbers.

The prior is the distribution of `biaslab.portraits.sample_portrait`. In these coordinates it is
N(0, I), whatever limits and point masses the attributes have, so that a step which keeps N(0, I)
keeps the prior. The group is no coordinate: given ``appearance`` it says nothing about the picture,
and is drawn from P(woman | appearance).
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from biaslab.errors import PosteriorError
from biaslab.portraits import ATTRIBUTES, OCCUPATIONS, PLAIN, Background, Dress, Person, Portrait
from biaslab.portraits.person import limits
from biaslab.portraits.sampling import (
    AGES,
    CHANCES,
    DEEPEST,
    INDEPENDENT,
    TRAITS,
    appearance_at,
    attributes_of,
    woman_given_appearance,
)

if TYPE_CHECKING:
    from PIL.Image import Image as PillowImage

Floats = NDArray[np.float64]
SHADE, TINT, DEPTH = "pullover_colour", "background_tint", "background_depth"
COLUMNS: Final = (*ATTRIBUTES, SHADE, TINT, DEPTH)
"""Attributes of a portrait: 40 of the person, the colour of the clothes, and the background."""
TIED: Final = tuple(name for name in ATTRIBUTES if name not in INDEPENDENT)
"""Attributes that differ between women and men in the drawings; all others are a control."""
COORDINATES: Final = ("appearance", "age", "skin", *TRAITS, *CHANCES, SHADE, TINT, DEPTH)
LARGEST_GRID: Final = 5_000
_PULLOVER: Final = OCCUPATIONS[PLAIN].clothes


@dataclass(frozen=True)
class People:
    """Portraits as numbers.

    - `attributes`: shape (n, 43), in the order of `COLUMNS`.
    - `appearance`: shape (n,); 0 is a stereotypical woman, 1 a stereotypical man.
    """

    attributes: Floats
    appearance: Floats

    @cached_property
    def womanly(self) -> Floats:
        """P(woman | appearance), shape (n,)."""
        return np.array([woman_given_appearance(a) for a in self.appearance])


@dataclass(frozen=True)
class DrawnPortrait:
    """A portrait as a picture that is drawn when a model first looks at it.

    - `portrait`: its content.
    - `size`: width and height in pixels.
    - `appearance`: of the person, which a simulated model may read.
    """

    portrait: Portrait
    size: int
    appearance: float

    @cached_property
    def hash(self) -> str:
        """SHA-256 of the content, so that a known portrait need not be drawn again."""
        p = self.portrait
        content = [getattr(p.person, name) for name in ATTRIBUTES]
        content += [p.dress.occupation, p.dress.shade, p.background.tint, p.background.depth]
        return hashlib.sha256(repr(("portrait", self.size, *content)).encode()).hexdigest()

    def picture(self) -> PillowImage:
        """Return the drawing."""
        from biaslab.portraits import draw

        return draw(self.portrait, self.size)


@dataclass(frozen=True)
class Space:
    """Portraits in the same clothes.

    - `clothes`: "pullover", or one of `biaslab.portraits.OCCUPATIONS`.
    - `vary`: coordinates that move; the others stay at their median. All, if empty.
    - `levels`: equally probable values of each coordinate that moves; 0 if it is continuous.
    - Raises `PosteriorError` if a name is unknown, or the levels make too many portraits.
    """

    clothes: str = _PULLOVER
    vary: tuple[str, ...] = ()
    levels: int = 0

    def __post_init__(self) -> None:
        known = (_PULLOVER, *(name for name in OCCUPATIONS if name != PLAIN))
        if self.clothes not in known:
            raise PosteriorError(
                f"clothes={self.clothes!r}: nobody can be drawn in these. Choose one of"
                f" {', '.join(known)}."
            )
        if unknown := [name for name in self.vary if name not in COORDINATES]:
            raise PosteriorError(
                f"vary has {unknown[0]!r}, which no portrait has. Choose from"
                f" {', '.join(COORDINATES)}."
            )

        most = int(LARGEST_GRID ** (1 / max(len(self.vary), 1)))
        if self.levels and not (self.vary and 2 <= self.levels <= most):
            raise PosteriorError(
                f"levels={self.levels} of {len(self.vary) or len(COORDINATES)} attributes: a grid"
                f" has at least 2 levels, and at most {LARGEST_GRID:,} portraits. Name one to three"
                " attributes, such as vary=('appearance', 'age', 'skin'), with fewer levels."
            )

    @cached_property
    def moving(self) -> NDArray[np.intp]:
        """Numbers of the coordinates that move."""
        chosen = self.vary or COORDINATES
        return np.array([i for i, name in enumerate(COORDINATES) if name in chosen])

    def drawn(self, count: int, rng: np.random.Generator) -> Floats:
        """Draw points from the prior, shape (count, 46); what does not move is 0."""
        z = np.zeros((count, len(COORDINATES)))
        z[:, self.moving] = rng.standard_normal((count, len(self.moving)))
        return z

    def grid(self) -> Floats:
        """Return a point in each cell of the grid, shape (levels ** moving, 46)."""
        middles = ndtri((np.arange(self.levels) + 0.5) / self.levels)
        cells = np.meshgrid(*[middles] * len(self.moving), indexing="ij")
        z = np.zeros((cells[0].size, len(COORDINATES)))
        z[:, self.moving] = np.stack([cell.ravel() for cell in cells], axis=1)
        return z

    def people(self, z: Floats) -> People:
        """Return the portraits at points, shape (n, 46)."""
        share, noise = ndtr(z), z
        if self.levels:
            cut = np.minimum(np.floor(share[:, self.moving] * self.levels), self.levels - 1)
            share[:, self.moving] = (cut + 0.5) / self.levels
            noise = ndtri(share)
        at = {name: i for i, name in enumerate(COORDINATES)}
        appearance = appearance_at(share[:, at["appearance"]])
        young, old = AGES
        values = attributes_of(
            appearance,
            young + (old - young) * share[:, at["age"]],
            share[:, at["skin"]],
            {name: noise[:, at[name]] for name in TRAITS},
            {name: share[:, at[name]] for name in CHANCES},
        )
        around = [np.round(share[:, at[name]], 4) for name in (SHADE, TINT)]
        around.append(np.round(DEEPEST * share[:, at[DEPTH]], 4))
        rows = [*(values[name] for name in ATTRIBUTES), *around]
        return People(np.stack(rows, axis=1), appearance)

    def portraits(self, people: People, size: int) -> list[DrawnPortrait]:
        """Return people as pictures of a width and height in pixels."""
        rows = zip(people.attributes, people.appearance, strict=True)
        return [DrawnPortrait(composed(row, self.clothes), size, float(a)) for row, a in rows]


def composed(row: Sequence[float] | NDArray[np.floating], clothes: str) -> Portrait:
    """Return the portrait with these attributes, in the order of `COLUMNS`.

    Values that storage in single precision carried past a limit are put back.
    """
    values = {}
    for name, value in zip(COLUMNS, row, strict=True):
        low, high = limits(name) if name in ATTRIBUTES else (0.0, 1.0)
        values[name] = min(high, max(low, round(float(value), 4)))
    shade, tint, depth = (values.pop(name) for name in (SHADE, TINT, DEPTH))
    occupation = PLAIN if clothes == _PULLOVER else clothes
    return Portrait(Person(**values), Dress(occupation, shade), Background(tint, depth))
