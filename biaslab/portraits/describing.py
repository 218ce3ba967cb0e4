"""Describe a portrait for a person who does not see it.

The words name visible things, never a group: the apparent group is the question of a probe.
"""

from __future__ import annotations

from biaslab.portraits.head import greyness
from biaslab.portraits.occupations import OCCUPATIONS, PLAIN
from biaslab.portraits.person import BEARD_SHOWS, BUN_SHOWS, EARRINGS_SHOW, Person, excess
from biaslab.portraits.portrait import Dress, Portrait
from biaslab.portraits.shapes import Colour, ramp

_SKIN = ("very light", "light", "tan", "light brown", "brown", "dark brown")


def describe(portrait: Portrait) -> str:
    """Return alternative text of a portrait, in one sentence.

    Parameters
    ----------
    portrait : Portrait
        The portrait.

    Returns
    -------
    str
        Such as "Drawn portrait, nurse: long dark hair, brown skin, about 35 years old, green
        scrubs, stethoscope."
    """
    p = portrait.person
    parts = [_hair(p), f"{_step(p.skin, _SKIN)} skin", f"about {round(p.age / 5) * 5} years old"]
    parts += _face(p)
    names = [d.occupation for d, share in portrait.dresses if share >= 0.25]
    for dress, share in portrait.dresses:
        if share >= 0.25:
            parts += _clothes(dress)
    known = [name for name in names if name != PLAIN]
    title = f"Drawn portrait, {' fading to '.join(known)}" if known else "Drawn portrait"
    return f"{title}: {', '.join(parts)}."


def _step(value: float, names: tuple[str, ...]) -> str:
    return names[min(int(value * len(names)), len(names) - 1)]


def _hair(p: Person) -> str:
    length = _step(min(1.0, p.hair_length / 0.75), ("short", "chin-length", "long"))
    if excess(p.bun, BUN_SHOWS) > 0.3:
        length = "tied-up"
    if greyness(p) > 0.45:
        colour = "grey"
    elif p.hair_red > 0.35:
        colour = "red"
    else:
        colour = _step(p.hair_darkness, ("blond", "light brown", "brown", "dark"))
    curly = "curly " if p.curl > 0.45 else ""
    return f"{length} {curly}{colour} hair"


def _face(p: Person) -> list[str]:
    features = []
    if excess(p.beard, BEARD_SHOWS) > 0.25:
        features.append("beard")
    elif excess(p.moustache, BEARD_SHOWS) > 0.25:
        features.append("moustache")
    if p.glasses > 0.5:
        features.append("glasses")
    if excess(p.earrings, EARRINGS_SHOW) > 0.3:
        features.append("earrings")
    return features


def _clothes(dress: Dress) -> list[str]:
    kind = OCCUPATIONS[dress.occupation]
    colour = _colour_name(ramp(kind.colours, dress.shade))
    fixed = ("white", "dark", "blue", "fire", "uniform", "canvas")
    clothes = kind.clothes if kind.clothes.startswith(fixed) else f"{colour} {kind.clothes}"
    return [clothes, kind.tool] if kind.tool else [clothes]


def _colour_name(colour: Colour) -> str:
    """Return a basic colour term by hue, lightness and saturation."""
    r, g, b = colour
    high, low = max(colour), min(colour)
    if high - low < 0.09:
        return "black" if high < 0.25 else "grey" if high < 0.85 else "white"
    if high == r:
        hue = (g - b) / (high - low) % 6
    elif high == g:
        hue = (b - r) / (high - low) + 2
    else:
        hue = (r - g) / (high - low) + 4
    names = (
        (0.4, "red"),
        (0.95, "brown"),
        (1.3, "olive"),
        (3.15, "green"),
        (4.0, "blue"),
        (5.1, "purple"),
    )
    return next((name for top, name in names if hue < top), "red")
