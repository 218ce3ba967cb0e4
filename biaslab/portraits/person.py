"""Person in a drawing: a point in a box of continuous attributes."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Self

from biaslab.errors import PortraitError
from biaslab.records.record import Record

YOUNGEST, OLDEST = 18.0, 80.0


@dataclass(frozen=True)
class Person(Record):
    """Appearance of a person. Every attribute is in [0, 1], except ``age``.

    Attributes
    ----------
    age : float
        In years, 18 to 80: wrinkles, and hair that greys as far as ``grey`` lets it.
    skin, skin_warmth : float
        Light to dark; cool to warm.
    face_width, face_length, jaw, chin, cheeks : float
        Narrow to wide; short to long; pointed to square; short to long; hollow to full.
    ears, neck, shoulders : float
        Small to large; thin to thick; narrow to wide.
    brow_thickness, brow_height, brow_arch : float
        Thin to thick; low to high; straight to arched.
    eye_size, eye_spacing, eye_tilt, iris, lashes : float
        Small to large; close to wide apart; outer corner low to high; dark brown over green to
        blue; none to long.
    nose_length, nose_width : float
        Short to long; narrow to wide.
    lips, mouth_width, lip_colour, smile : float
        Thin to full; narrow to wide; as the skin to red; none to wide.
    hair_length, hair_volume, curl : float
        Cropped to below the shoulders; flat to full; straight to tightly curled.
    hairline, fringe, parting, bun : float
        Low to far back; none to over the brows; left to right; none (up to `BUN_SHOWS`) to large.
    hair_darkness, hair_red, grey : float
        Blond to black; none to red; how far the hair has greyed, as age allows.
    beard, moustache : float
        None to full; up to `BEARD_SHOWS` none is seen.
    glasses, earrings, freckles : float
        None to plain to see; none to large; none to many.

    Raises
    ------
    PortraitError
        If an attribute is out of its range.
    """

    age: float = 35.0
    skin: float = 0.3
    skin_warmth: float = 0.5
    face_width: float = 0.5
    face_length: float = 0.5
    jaw: float = 0.5
    chin: float = 0.5
    cheeks: float = 0.5
    ears: float = 0.5
    neck: float = 0.5
    shoulders: float = 0.5
    brow_thickness: float = 0.5
    brow_height: float = 0.5
    brow_arch: float = 0.5
    eye_size: float = 0.5
    eye_spacing: float = 0.5
    eye_tilt: float = 0.5
    iris: float = 0.1
    lashes: float = 0.3
    nose_length: float = 0.5
    nose_width: float = 0.5
    lips: float = 0.5
    mouth_width: float = 0.5
    lip_colour: float = 0.4
    smile: float = 0.4
    hair_length: float = 0.3
    hair_volume: float = 0.5
    curl: float = 0.2
    hairline: float = 0.3
    fringe: float = 0.1
    parting: float = 0.4
    bun: float = 0.0
    hair_darkness: float = 0.6
    hair_red: float = 0.1
    grey: float = 0.0
    beard: float = 0.0
    moustache: float = 0.0
    glasses: float = 0.0
    earrings: float = 0.0
    freckles: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        for field in fields(self):
            low, high = limits(field.name)
            value = getattr(self, field.name)
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise PortraitError(f"{field.name} is {value!r}. Give a number.")
            if not low <= value <= high:
                unit = " years" if field.name == "age" else ""
                raise PortraitError(f"{field.name} is {value:g}. Use {low:g} to {high:g}{unit}.")

    def with_(self, **changes: float) -> Self:
        """Return the same person with other attributes."""
        return replace(self, **changes)


BEARD_SHOWS, BUN_SHOWS, EARRINGS_SHOW = 0.45, 0.35, 0.30
"""Values above which these are visible.

They lie in the drawing, so that attributes can be straight lines in how a person is sampled: then
a person between two others in a morph could have been sampled.
"""


def excess(value: float, start: float) -> float:
    """Return how far a value is past a start, from 0 to 1."""
    return max(0.0, (value - start) / (1 - start))


def limits(attribute: str) -> tuple[float, float]:
    """Return the range of an attribute."""
    return (YOUNGEST, OLDEST) if attribute == "age" else (0.0, 1.0)


ATTRIBUTES: tuple[str, ...] = tuple(field.name for field in fields(Person))
"""Names of the attributes of a `Person`."""


def between(a: Person, b: Person, share: float) -> Person:
    """Interpolate every attribute from a to b; a itself at 0 and b itself at 1."""
    if share == 0:
        return a
    if share == 1:
        return b
    values = {}
    for name in ATTRIBUTES:
        low, high = limits(name)
        x, y = getattr(a, name), getattr(b, name)
        # Rounding must not carry an attribute out of its range.
        values[name] = min(high, max(low, x + (y - x) * share))
    return Person(**values)
