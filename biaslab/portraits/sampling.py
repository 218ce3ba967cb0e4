"""People, portraits and morphable pairs from a seed.

The groups differ in one number, ``appearance``: 0 is a stereotypical woman, 1 a stereotypical man.
Each group has a normal distribution of it, and the two overlap. Given ``appearance``, everything
else is independent of the group; so the information of a portrait about its group is known exactly
(`woman_given_appearance`). Age, skin, clothes and background do not depend on the group.

Every attribute is linear in appearance, up to its limits. So a morph between two people with equal
other traits passes through people of intermediate appearance: each could have been sampled, and the
answer of the best observer is known.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr

from biaslab.errors import PortraitError
from biaslab.portraits.occupations import PLAIN
from biaslab.portraits.person import Person, limits
from biaslab.portraits.portrait import Background, Dress, Portrait
from biaslab.portraits.shapes import Floats

WOMAN, MAN = "woman", "man"
GROUPS = (WOMAN, MAN)
CENTRES = {WOMAN: 0.28, MAN: 0.72}
"""Mean appearance of each group."""
SPREAD = 0.12
"""Standard deviation of appearance within a group."""
AGES: Final = (20.0, 70.0)
"""Range of ages, in years."""
DEEPEST: Final = 0.6
"""Largest depth of a background."""
TYPICAL = {WOMAN: 0.20, MAN: 0.80}
"""Appearance of the ends of a morph."""


@dataclass(frozen=True)
class _Trait:
    """Dependence of an attribute on appearance: its mean at both ends, and its spread."""

    at_0: float
    at_1: float
    spread: float


_TRAITS: Final = {
    "face_width": _Trait(0.36, 0.62, 0.16),
    "face_length": _Trait(0.42, 0.58, 0.18),
    "jaw": _Trait(0.14, 0.86, 0.12),
    "chin": _Trait(0.34, 0.68, 0.16),
    "cheeks": _Trait(0.60, 0.38, 0.18),
    "ears": _Trait(0.36, 0.62, 0.14),
    "neck": _Trait(0.16, 0.86, 0.10),
    "shoulders": _Trait(0.16, 0.86, 0.12),
    "brow_thickness": _Trait(0.18, 0.82, 0.13),
    "brow_height": _Trait(0.72, 0.26, 0.15),
    "brow_arch": _Trait(0.80, 0.26, 0.15),
    "eye_size": _Trait(0.74, 0.34, 0.15),
    "eye_spacing": _Trait(0.50, 0.50, 0.20),
    "eye_tilt": _Trait(0.62, 0.42, 0.18),
    "lashes": _Trait(0.88, 0.08, 0.10),
    "nose_length": _Trait(0.40, 0.62, 0.18),
    "nose_width": _Trait(0.34, 0.60, 0.18),
    "lips": _Trait(0.70, 0.36, 0.17),
    "mouth_width": _Trait(0.42, 0.56, 0.17),
    "lip_colour": _Trait(0.82, 0.14, 0.12),
    "smile": _Trait(0.50, 0.44, 0.18),
    "hair_volume": _Trait(0.62, 0.40, 0.20),
    "hairline": _Trait(0.20, 0.46, 0.16),
}


TRAITS: Final = tuple(_TRAITS)
"""Attributes with a normal part of their own."""


def woman_given_appearance(appearance: float, share: float = 0.5) -> float:
    """Return P(woman | appearance) if ``share`` of all people are women."""
    if not 0 < share < 1:
        return float(share)
    centre = (CENTRES[WOMAN] + CENTRES[MAN]) / 2
    towards = (centre - appearance) * (CENTRES[MAN] - CENTRES[WOMAN]) / SPREAD**2
    odds = np.exp(np.clip(towards + np.log(share / (1 - share)), -700, 700))
    return float(odds / (1 + odds))


def appearance_at(share: ArrayLike) -> Floats:
    """Return quantiles of appearance among people of whom half are women.

    - `share`: of people with a lower appearance, in (0, 1), any shape.
    """
    wanted = np.asarray(share, dtype=np.float64)
    low, high = np.full(wanted.shape, -2.0), np.full(wanted.shape, 3.0)
    for _ in range(55):  # halves the interval down to the last digits
        middle = (low + high) / 2
        below = sum(ndtr((middle - centre) / SPREAD) for centre in CENTRES.values()) / 2
        low, high = np.where(below < wanted, middle, low), np.where(below < wanted, high, middle)
    return np.asarray((low + high) / 2)


def sample_appearance(group: str, rng: np.random.Generator) -> float:
    """Sample the appearance of a member of a group: normal around the group's centre."""
    _check_group(group)
    return float(CENTRES[group] + SPREAD * rng.standard_normal())


def sample_person(
    group: str,
    rng: np.random.Generator | int,
    *,
    age: float | tuple[float, float] = AGES,
    skin: float | tuple[float, float] = (0.0, 1.0),
) -> Person:
    """Sample a person with a group's stereotypical appearance, more or less.

    Parameters
    ----------
    group : {"woman", "man"}
        Which appearance to sample from.
    rng : numpy.random.Generator or int
        Source of chance, or a seed.
    age, skin : float or (low, high)
        A value, or a range to draw from uniformly; neither depends on the group. Age in years.

    Returns
    -------
    Person
        Attributes have four decimals, so that they read and store exactly.
    """
    rng = np.random.default_rng(rng)
    return person_of(sample_appearance(group, rng), rng, age=age, skin=skin)


def person_of(
    appearance: float,
    rng: np.random.Generator,
    *,
    age: float | tuple[float, float] = AGES,
    skin: float | tuple[float, float] = (0.0, 1.0),
) -> Person:
    """Return a person of this appearance; the generator determines the other traits."""
    years, tone = _within(rng, "age", age), _within(rng, "skin", skin)
    noise = {name: rng.standard_normal() for name in TRAITS}
    chance = {name: rng.random() for name in CHANCES}
    values = attributes_of(appearance, years, tone, noise, chance)
    return Person(**{name: float(value) for name, value in values.items()})


def attributes_of(
    appearance: ArrayLike,
    age: ArrayLike,
    skin: ArrayLike,
    noise: Mapping[str, ArrayLike],
    chance: Mapping[str, ArrayLike],
) -> dict[str, Floats]:
    """Return the attributes of people, from everything that chance decides about them.

    Parameters
    ----------
    appearance, age, skin : array_like, shape (n,)
        Age in years.
    noise : mapping of str to array_like, shape (n,)
        A standard normal number for each of `TRAITS`.
    chance : mapping of str to array_like, shape (n,)
        A number in [0, 1) for each of `CHANCES`.

    Returns
    -------
    dict of str to ndarray, shape (n,)
        Attributes of `Person`, with four decimals; age with one.
    """
    a = np.clip(np.asarray(appearance, dtype=np.float64), 0.0, 1.0)
    years, tone = np.asarray(age, dtype=np.float64), np.asarray(skin, dtype=np.float64)
    u = {name: np.asarray(chance[name], dtype=np.float64) for name in CHANCES}
    values: dict[str, Any] = {
        name: t.at_0 + (t.at_1 - t.at_0) * a + t.spread * np.asarray(noise[name])
        for name, t in _TRAITS.items()
    }
    # Straight lines in appearance, all of them: see `biaslab.portraits.person.past`.
    tied = u["tied"] < 0.25
    length = (0.25 + 0.75 * u["length"]) * (1.25 - 1.45 * a)
    values["hair_length"] = length * np.where(tied, 0.35, 1.0)
    values["bun"] = np.where(tied, (0.65 + 0.35 * u["bun"]) * (1.20 - 1.30 * a), 0.0)
    values["hairline"] += 0.40 * a * np.maximum(0.0, (years - 35) / 35) * u["bald"]
    values["fringe"] = np.maximum(0.0, u["fringe"] - 0.55) * 2.0 * (1 - 0.6 * a)
    values["parting"] = u["parting"]
    full = np.clip(1.6 * u["beard"] - 0.5, 0.0, 1.0)
    upper = np.minimum(1.0, np.maximum(0.85 * full, 1.6 * u["moustache"] - 0.7))
    values["beard"] = full * (a - 0.1) / 0.7
    values["moustache"] = upper * (a - 0.1) / 0.7
    values["earrings"] = np.maximum(0.0, 1.4 * u["earrings"] - 0.4) * (1.15 - 1.25 * a)
    values["glasses"] = np.where(u["glasses"] < 0.14 + 0.004 * (years - 20), 1.0, 0.0)
    values["freckles"] = (
        np.maximum(0.0, u["freckles"] - 0.75) / 0.25 * np.maximum(0.0, 1 - 2 * tone)
    )
    values["skin_warmth"] = u["warmth"]
    # Hair and eyes are darker, and hair more often curled, if the skin is darker.
    values["hair_darkness"] = u["dark"] ** (1 / (1 + 4 * tone)) * 0.95 + 0.05
    values["hair_red"] = np.maximum(0.0, u["red"] - 0.70) / 0.30 * np.maximum(0.0, 1 - 1.8 * tone)
    values["iris"] = u["iris"] * np.maximum(0.05, 1 - 1.6 * tone)
    values["curl"] = np.maximum(0.0, u["curl"] * (0.55 + 0.9 * tone) - 0.20 * (1 - tone))
    values["grey"] = 1.4 * u["grey"] - 0.15
    # Zero is added, as a rounded minus zero would read otherwise than zero.
    limited = {name: np.round(np.clip(value, 0.0, 1.0), 4) + 0.0 for name, value in values.items()}
    return {"age": np.round(years, 1), "skin": np.round(tone, 4), **limited}


CHANCES = (
    "length", "tied", "bun", "bald", "fringe", "parting", "beard", "moustache", "earrings",
    "glasses", "freckles", "warmth", "dark", "red", "iris", "curl", "grey",
)  # fmt: skip
"""What a number in [0, 1) decides."""

INDEPENDENT: Final = (
    "age", "skin", "skin_warmth", "eye_spacing", "iris", "curl", "parting", "hair_darkness",
    "hair_red", "grey", "glasses", "freckles",
)  # fmt: skip
"""Attributes whose distribution does not depend on appearance, and so not on the group."""


def sample_portrait(
    occupation: str = PLAIN,
    group: str | None = None,
    seed: int = 0,
    *,
    age: float | tuple[float, float] = AGES,
    skin: float | tuple[float, float] = (0.0, 1.0),
) -> Portrait:
    """Return a portrait from a seed.

    Parameters
    ----------
    occupation : str
        One of `OCCUPATIONS`.
    group : {"woman", "man"}, optional
        Left out, each with probability one half.
    seed : int
        Fixes everything.
    age, skin : float or (low, high)
        See `sample_person`.

    Raises
    ------
    PortraitError
        If the occupation or the group is unknown.
    """
    rng = np.random.default_rng(seed)
    which = GROUPS[int(rng.random() < 0.5)]
    person = sample_person(group or which, rng, age=age, skin=skin)
    return Portrait(person, _dress(occupation, rng), _background(rng), seed)


def sample_pair(
    occupation: str = PLAIN,
    seed: int = 0,
    *,
    appearance: tuple[float, float] = (TYPICAL[WOMAN], TYPICAL[MAN]),
    age: float | tuple[float, float] = AGES,
    skin: float | tuple[float, float] = (0.0, 1.0),
) -> tuple[Portrait, Portrait]:
    """Return the two ends of a morph from a woman to a man.

    They share all attributes that do not depend on the group: age, skin, colour of hair, clothes,
    background, and the chance part of every other trait.

    Parameters
    ----------
    occupation, seed, age, skin
        See `sample_portrait`.
    appearance : tuple of float
        Of both ends, in [0, 1].
    """
    if not all(0 <= a <= 1 for a in appearance):
        raise PortraitError(f"appearance is {appearance!r}. Use two numbers from 0 to 1.")
    portraits = []
    for a in appearance:
        rng = np.random.default_rng(seed)
        person = person_of(a, rng, age=age, skin=skin)
        portraits.append(Portrait(person, _dress(occupation, rng), _background(rng), seed))
    return portraits[0], portraits[1]


def _dress(occupation: str, rng: np.random.Generator) -> Dress:
    return Dress(occupation, round(float(rng.random()), 4))


def _background(rng: np.random.Generator) -> Background:
    return Background(round(float(rng.random()), 4), round(float(rng.random()) * DEEPEST, 4))


def _within(rng: np.random.Generator, name: str, requested: float | tuple[float, float]) -> float:
    low, high = requested if isinstance(requested, tuple) else (requested, requested)
    least, most = limits(name)
    if not least <= low <= high <= most:
        raise PortraitError(
            f"{name} is {requested!r}. Use a number or a pair (low, high), from {least:g} to"
            f" {most:g}."
        )
    return float(low + (high - low) * rng.random())


def _check_group(group: str) -> None:
    if group not in GROUPS:
        raise PortraitError(f"There is no group {group!r}. Use {' or '.join(map(repr, GROUPS))}.")
