"""Hair: behind the head and shoulders, and in front of the forehead."""

from __future__ import annotations

from biaslab.portraits.head import CENTRE, Frame, hair_colour
from biaslab.portraits.person import BEARD_SHOWS, BUN_SHOWS, Person, excess
from biaslab.portraits.shapes import (
    Layer,
    Point,
    darker,
    ellipse,
    lighter,
    mirrored,
    smooth,
    stroke,
)

_SUNK = 0.014
"""How far inside the outline curls have their centre: small ones do not show."""
_ARC = (
    (0.0, 0.000), (0.20, 0.004), (0.40, 0.013), (0.58, 0.028), (0.73, 0.048), (0.85, 0.074),
    (0.93, 0.104), (0.98, 0.136), (1.01, 0.170), (1.02, 0.205),
)  # fmt: skip
"""Places of curls from the top of the head to the ear: share of the width, and height below."""


def _curl_size(p: Person) -> float:
    return 0.042 * p.curl * (0.5 + 0.5 * p.hair_volume)


def _crown(f: Frame, p: Person) -> tuple[float, float]:
    """Return half the width at the temples and the top of the hair."""
    thick = 0.006 + 0.034 * p.hair_volume + 0.026 * p.curl * p.hair_volume
    return f.half + 0.35 * thick + 0.010 + 0.010 * p.hair_volume, f.crown - thick


def hair_behind(f: Frame, p: Person) -> list[Layer]:
    """Draw hair behind neck and shoulders, and the bun."""
    colour = hair_colour(p)
    shade = darker(colour, 0.22)
    width, top = _crown(f, p)
    long = p.hair_length
    wide = width + long * (0.012 + 0.030 * p.hair_volume + 0.025 * p.curl)
    bottom = f.eye + 0.065 + 0.44 * long
    tuck = 0.050 * (1 - min(1.0, 2.4 * long))  # cropped hair hides behind the head
    right: list[Point] = [
        (CENTRE, top + 0.012),
        (CENTRE + 0.66 * width, top + 0.045),
        (CENTRE + width - tuck, f.eye - 0.07),
        (CENTRE + wide - tuck, f.eye + 0.45 * (bottom - f.eye)),
        (CENTRE + wide - tuck + 0.010 * long, bottom - 0.045),
        (CENTRE + wide - tuck - 0.028, bottom),
        (CENTRE + 0.45 * wide, bottom - 0.006),
    ]
    left = [(2 * CENTRE - x, y) for x, y in right[:0:-1]]
    bun = 0.085 * excess(p.bun, BUN_SHOWS)
    centre = (CENTRE, top - 0.35 * bun)
    out = [
        Layer(ellipse(*centre, bun, 0.88 * bun), colour),
        Layer(
            ellipse(centre[0] + 0.1 * bun, centre[1] + 0.12 * bun, 0.6 * bun, 0.5 * bun),
            shade,
            0.35,
        ),
        Layer(smooth([*right, (CENTRE, bottom - 0.010), *left]), shade),
    ]
    size = _curl_size(p) * min(1.0, 2.0 * long)
    for k in range(7):
        y = f.eye - 0.02 + (bottom - 0.035 - f.eye) * k / 6
        x = width + (wide - width) * min(1.0, k / 3) - tuck - _SUNK
        curl = ellipse(CENTRE + x, y, size)
        out += [Layer(curl, shade), Layer(mirrored(curl), shade)]
    return out


def hair_in_front(f: Frame, p: Person) -> list[Layer]:
    """Draw the crown of the hair, its edge on the forehead, and locks beside the face."""
    colour = hair_colour(p)
    width, top = _crown(f, p)
    edge = f.crown + 0.050 - 0.034 * p.hairline + (f.brow - f.crown - 0.040) * 0.85 * p.fringe
    part = CENTRE + 0.11 * (p.parting - 0.5)
    notch = edge - 0.030 * (1 - 0.75 * p.fringe)
    temple = f.eye - 0.055 - 0.030 * p.hairline
    # Locks: from sideburns in front of the ear to strands down the face's side.
    long = min(1.0, p.hair_length / 0.6)
    tip = f.eye + 0.012 + 0.175 * long + 0.02 * excess(p.beard, BEARD_SHOWS)
    strand = 0.012 + 0.024 * long
    outer = width + 0.012 * long
    inside = f.half - 0.004 - 0.010 * long
    corner = inside - 0.006 - 0.012 * (1 - p.hairline)
    right: list[Point] = [
        (CENTRE, top),
        (CENTRE + 0.42 * width, top + 0.010),
        (CENTRE + 0.78 * width, top + 0.055),
        (CENTRE + 0.97 * width, f.eye - 0.105),
        (CENTRE + outer, f.eye - 0.03),
        (CENTRE + outer - 0.002, 0.5 * (f.eye + tip)),
        (CENTRE + inside + 0.2 * strand, tip),
        (CENTRE + inside, 0.5 * (f.eye + tip) - 0.01),
        (CENTRE + inside - 0.002, temple + 0.018),
        (CENTRE + corner, temple - 0.006),
        (CENTRE + 0.55 * f.half, edge + 0.006),
    ]
    left = [(2 * CENTRE - x, y) for x, y in right[:0:-1]]
    hair = smooth([*right, (part, notch), *left])
    sheen = lighter(colour, 0.16)
    strands = [
        stroke(
            [(part + side * 0.010, notch - 0.012), (part + side * 0.35 * width, top + 0.035),
             (CENTRE + side * 0.82 * width, f.eye - 0.125)],
            0.006, 0.003,
        )
        for side in (-1, 1)
    ]  # fmt: skip
    out = []
    size = _curl_size(p)
    for x, y in _ARC:
        curl = ellipse(CENTRE + x * (width - _SUNK), top + y + _SUNK, size)
        out += [Layer(curl, colour), Layer(mirrored(curl), colour)]
    out.append(Layer(hair, colour))
    tone = darker(colour, 0.25)
    for x, y in _ARC[1:7:2]:
        curl = ellipse(CENTRE + 0.80 * x * width, top + y + 0.034, 0.5 * size)
        out += [Layer(curl, tone, 0.5 * p.curl), Layer(mirrored(curl), tone, 0.5 * p.curl)]
    out += [Layer(s, sheen, 0.45 * (1 - p.curl)) for s in strands]
    return out
