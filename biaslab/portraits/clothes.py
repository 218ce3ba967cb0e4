"""Clothes and hats that occupations share or wear."""

from __future__ import annotations

from biaslab.portraits.head import CENTRE, Frame
from biaslab.portraits.shapes import (
    Colour,
    Floats,
    Layer,
    Point,
    darker,
    ellipse,
    lighter,
    mirrored,
    polygon,
    rgb,
    smooth,
    stroke,
)

BASE = 0.735
"""Height at which the neck meets the shoulders."""


def torso_outline(f: Frame, collar: float = 0.035, depth: float = 0.0) -> Floats:
    """Return the outline of shoulders and chest, with a dip of ``depth`` in front."""
    s, n = f.shoulder, f.neck + collar
    dip = BASE + 0.02 + depth
    right: list[Point] = [
        (CENTRE + 0.5 * n, BASE - 0.012 + 0.55 * (0.02 + depth)),
        (CENTRE + n, BASE - 0.022),
        (CENTRE + n + 0.35 * (s - n), BASE + 0.020),
        (CENTRE + 0.90 * s, BASE + 0.075),
        (CENTRE + s + 0.012, BASE + 0.165),
        (CENTRE + s + 0.035, 1.02),
        (CENTRE + s + 0.04, 1.10),
    ]
    left = [(2 * CENTRE - x, y) for x, y in reversed(right)]
    return smooth([(CENTRE, dip), *right, *left])


def torso(f: Frame, colour: Colour, collar: float = 0.035, depth: float = 0.0) -> list[Layer]:
    """Draw a plain garment with a round neck, and the seams of its sleeves."""
    seam = stroke(
        [(CENTRE + 0.74 * f.shoulder, 0.89), (CENTRE + 0.72 * f.shoulder, 0.95),
         (CENTRE + 0.735 * f.shoulder, 1.02)],
        0.005,
    )  # fmt: skip
    dark = darker(colour, 0.22)
    return [
        Layer(torso_outline(f, collar, depth), colour),
        Layer(seam, dark, 0.8),
        Layer(mirrored(seam), dark, 0.8),
    ]


def v_neck(f: Frame, colour: Colour, depth: float = 0.115, trim: float = 0.016) -> list[Layer]:
    """Draw a bare V in a garment, with a trim of this colour."""
    n = f.neck + 0.030
    tip = BASE + depth
    v = polygon([(CENTRE - n, BASE - 0.035), (CENTRE + n, BASE - 0.035), (CENTRE, tip)])
    edge = stroke([(CENTRE + n + 0.002, BASE - 0.024), (CENTRE, tip)], trim)
    return [Layer(v, f.skin), Layer(edge, colour), Layer(mirrored(edge), colour)]


def shirt_front(f: Frame, colour: Colour, depth: float = 0.24) -> list[Layer]:
    """Draw a shirt that shows between lapels, with its collar and buttons."""
    n = f.neck + 0.034
    front = polygon([(CENTRE - n + 0.01, BASE - 0.01), (CENTRE + n - 0.01, BASE - 0.01),
                     (CENTRE + 0.035, BASE + depth), (CENTRE - 0.035, BASE + depth)])  # fmt: skip
    return [Layer(front, colour), *collar(f, colour)]


def collar(f: Frame, colour: Colour, open_: float = 0.055) -> list[Layer]:
    """Draw the open collar of a shirt."""
    n = f.neck + 0.014
    bare = polygon([(CENTRE - n, BASE - 0.045), (CENTRE + n, BASE - 0.045),
                    (CENTRE, BASE + open_)])  # fmt: skip
    wing = polygon([(CENTRE + n - 0.004, BASE - 0.062), (CENTRE + n + 0.028, BASE - 0.010),
                    (CENTRE + 0.55 * n + 0.020, BASE + open_ + 0.018),
                    (CENTRE, BASE + open_)])  # fmt: skip
    line = stroke(
        [
            (CENTRE + n + 0.026, BASE - 0.010),
            (CENTRE + 0.55 * n + 0.020, BASE + open_ + 0.018),
            (CENTRE + 0.002, BASE + open_),
        ],
        0.004,
    )
    edge = darker(colour, 0.22)
    out = [Layer(bare, f.skin)]
    wings = [Layer(shape, lighter(colour, 0.12)) for shape in (wing, mirrored(wing))]
    return [*out, *wings, Layer(line, edge, 0.6), Layer(mirrored(line), edge, 0.6)]


def buttons(colour: Colour, top: float, number: int = 3, x: float = CENTRE) -> list[Layer]:
    """Draw a row of buttons down the front, over a placket."""
    dark = darker(colour, 0.25)
    line = stroke([(x - 0.014, top - 0.02), (x - 0.014, 1.02)], 0.003)
    dots = [ellipse(x, top + 0.062 * k, 0.0065) for k in range(number)]
    return [Layer(line, dark, 0.5), *(Layer(dot, dark, 0.9) for dot in dots)]


def lapels(f: Frame, colour: Colour, depth: float = 0.235, wide: float = 0.085) -> list[Layer]:
    """Draw the lapels of a jacket or coat that meet at ``depth`` below the neck."""
    n = f.neck + 0.030
    lapel = polygon([
        (CENTRE + n - 0.006, BASE - 0.040), (CENTRE + n + 0.5 * wide, BASE + 0.040),
        (CENTRE + n + 0.62 * wide, BASE + 0.085), (CENTRE + n + 0.28 * wide, BASE + 0.090),
        (CENTRE + n + 0.44 * wide, BASE + 0.108), (CENTRE + 0.004, BASE + depth + 0.02),
        (CENTRE + 0.016, BASE + depth - 0.02),
    ])  # fmt: skip
    edge = stroke([(CENTRE + n + 0.44 * wide, BASE + 0.108), (CENTRE + 0.004, BASE + depth + 0.02)],
                  0.005)  # fmt: skip
    dark = darker(colour, 0.25)
    out = []
    for shape, seam in ((lapel, edge), (mirrored(lapel), mirrored(edge))):
        out += [Layer(shape, lighter(colour, 0.10)), Layer(seam, dark, 0.8)]
    return out


def jacket(f: Frame, colour: Colour, shirt: Colour, depth: float = 0.235) -> list[Layer]:
    """Draw a jacket or coat, open over a shirt."""
    line = stroke([(CENTRE + 0.006, BASE + depth), (CENTRE + 0.010, 1.04)], 0.005)
    return [
        *torso(f, colour, 0.030),
        *shirt_front(f, shirt, depth),
        *lapels(f, colour, depth),
        Layer(line, darker(colour, 0.30), 0.9),
    ]


def bib(f: Frame, colour: Colour, top: float = 0.865) -> list[Layer]:
    """Draw the bib of dungarees or an apron, with straps over the shoulders."""
    half = 0.52 * f.shoulder
    front = smooth(
        [
            (CENTRE - half, top + 0.004),
            (CENTRE - 0.6 * half, top),
            (CENTRE, top),
            (CENTRE + 0.6 * half, top),
            (CENTRE + half, top + 0.004),
            (CENTRE + 1.12 * half, 1.06),
            (CENTRE, 1.10),
            (CENTRE - 1.12 * half, 1.06),
        ]
    )
    n = f.neck + 0.055
    strap = stroke([(CENTRE + n, BASE - 0.004), (CENTRE + 0.84 * half, top + 0.020)], 0.034)
    hem = stroke(
        [(CENTRE - half + 0.006, top + 0.016), (CENTRE + half - 0.006, top + 0.016)], 0.004
    )
    dark = darker(colour, 0.28)
    button = ellipse(CENTRE + 0.82 * half, top + 0.022, 0.010)
    return [
        Layer(strap, colour), Layer(mirrored(strap), colour), Layer(front, colour),
        Layer(hem, dark, 0.6), Layer(button, lighter(colour, 0.55)),
        Layer(mirrored(button), lighter(colour, 0.55)),
    ]  # fmt: skip


def stripe(f: Frame, y: float, high: float, colour: Colour) -> Layer:
    """Draw a stripe across the chest, as wide as the garment, around ``y``."""
    half = f.shoulder + 0.020
    lower = half + 0.16 * high
    band = polygon([(CENTRE - half, y - high / 2), (CENTRE + half, y - high / 2),
                    (CENTRE + lower, y + high / 2), (CENTRE - lower, y + high / 2)])  # fmt: skip
    return Layer(band, colour)


def pocket(x: float, y: float, colour: Colour) -> list[Layer]:
    """Draw a breast pocket."""
    dark = darker(colour, 0.24)
    flap = stroke([(x - 0.038, y), (x + 0.038, y)], 0.006)
    sides = stroke([(x - 0.036, y), (x - 0.034, y + 0.058), (x, y + 0.066),
                    (x + 0.034, y + 0.058), (x + 0.036, y)], 0.003)  # fmt: skip
    return [Layer(flap, dark, 0.8), Layer(sides, dark, 0.5)]


def toque(f: Frame) -> list[Layer]:
    """Draw a cook's tall hat."""
    white, shade = rgb("FBFBF9"), rgb("DADDDF")
    w, y = f.half + 0.012, f.crown + 0.075
    band = smooth([(CENTRE - w, y), (CENTRE, y - 0.018), (CENTRE + w, y), (CENTRE + w, y - 0.085),
                   (CENTRE, y - 0.095), (CENTRE - w, y - 0.085)])  # fmt: skip
    puff = smooth(
        [
            (CENTRE - w, y - 0.070),
            (CENTRE - w - 0.045, y - 0.120),
            (CENTRE - w - 0.015, y - 0.175),
            (CENTRE - 0.07, y - 0.195),
            (CENTRE, y - 0.205),
            (CENTRE + 0.07, y - 0.195),
            (CENTRE + w + 0.015, y - 0.175),
            (CENTRE + w + 0.045, y - 0.120),
            (CENTRE + w, y - 0.070),
            (CENTRE, y - 0.080),
        ]
    )
    folds = [
        stroke([(CENTRE + d, y - 0.095), (CENTRE + 1.25 * d, y - 0.16)], 0.005)
        for d in (-0.10, -0.035, 0.035, 0.10)
    ]
    edge = stroke([(CENTRE - w, y - 0.082), (CENTRE, y - 0.094), (CENTRE + w, y - 0.082)], 0.006)
    return [
        Layer(puff, white),
        Layer(band, rgb("F2F3F2")),
        *(Layer(x, shade) for x in folds),
        Layer(edge, shade),
    ]


def helmet(f: Frame, colour: Colour) -> list[Layer]:
    """Draw a firefighter's helmet."""
    w, y = f.half + 0.030, f.crown + 0.075
    dome = smooth(
        [
            (CENTRE - w, y),
            (CENTRE - 0.93 * w, y - 0.095),
            (CENTRE - 0.5 * w, y - 0.165),
            (CENTRE, y - 0.182),
            (CENTRE + 0.5 * w, y - 0.165),
            (CENTRE + 0.93 * w, y - 0.095),
            (CENTRE + w, y),
            (CENTRE, y - 0.012),
        ]
    )
    brim = stroke(
        [
            (CENTRE - w - 0.045, y + 0.020),
            (CENTRE - 0.6 * w, y - 0.012),
            (CENTRE, y - 0.024),
            (CENTRE + 0.6 * w, y - 0.012),
            (CENTRE + w + 0.045, y + 0.020),
        ],
        0.030,
    )
    ridge = stroke([(CENTRE, y - 0.180), (CENTRE, y - 0.10)], 0.026, 0.018)
    shield = smooth(
        [
            (CENTRE - 0.036, y - 0.115),
            (CENTRE, y - 0.135),
            (CENTRE + 0.036, y - 0.115),
            (CENTRE + 0.030, y - 0.060),
            (CENTRE, y - 0.040),
            (CENTRE - 0.030, y - 0.060),
        ]
    )
    return [
        Layer(dome, colour),
        Layer(ridge, darker(colour, 0.2)),
        Layer(brim, darker(colour, 0.14)),
        Layer(shield, rgb("E9C75A")),
        Layer(ellipse(CENTRE, y - 0.088, 0.014), colour),
    ]


def straw_hat(f: Frame) -> list[Layer]:
    """Draw a straw hat with a wide brim and a ribbon."""
    straw, band = rgb("E2BE74"), rgb("8A5A34")
    w, y = f.half + 0.012, f.crown + 0.060
    dome = smooth(
        [
            (CENTRE - w, y),
            (CENTRE - 0.92 * w, y - 0.110),
            (CENTRE - 0.5 * w, y - 0.150),
            (CENTRE, y - 0.145),
            (CENTRE + 0.5 * w, y - 0.150),
            (CENTRE + 0.92 * w, y - 0.110),
            (CENTRE + w, y),
            (CENTRE, y + 0.010),
        ]
    )
    ribbon = smooth(
        [
            (CENTRE - w, y + 0.002),
            (CENTRE, y - 0.012),
            (CENTRE + w, y + 0.002),
            (CENTRE + 0.985 * w, y - 0.034),
            (CENTRE, y - 0.046),
            (CENTRE - 0.985 * w, y - 0.034),
        ]
    )
    brim = smooth(
        [
            (CENTRE - w - 0.105, y + 0.022),
            (CENTRE - 0.6 * w, y - 0.010),
            (CENTRE, y - 0.018),
            (CENTRE + 0.6 * w, y - 0.010),
            (CENTRE + w + 0.105, y + 0.022),
            (CENTRE + 0.6 * w, y + 0.026),
            (CENTRE, y + 0.014),
            (CENTRE - 0.6 * w, y + 0.026),
        ]
    )
    weave = stroke(
        [(CENTRE - w - 0.06, y + 0.016), (CENTRE, y - 0.002), (CENTRE + w + 0.06, y + 0.016)], 0.004
    )
    return [
        Layer(dome, straw),
        Layer(ribbon, band),
        Layer(brim, lighter(straw, 0.15)),
        Layer(weave, darker(straw, 0.25), 0.8),
    ]


def peaked_cap(f: Frame, colour: Colour) -> list[Layer]:
    """Draw a pilot's cap."""
    w, y = f.half + 0.016, f.crown + 0.085
    top = smooth(
        [
            (CENTRE - w - 0.030, y - 0.085),
            (CENTRE - 0.6 * w, y - 0.150),
            (CENTRE, y - 0.170),
            (CENTRE + 0.6 * w, y - 0.150),
            (CENTRE + w + 0.030, y - 0.085),
            (CENTRE + w, y - 0.040),
            (CENTRE, y - 0.060),
            (CENTRE - w, y - 0.040),
        ]
    )
    band = smooth(
        [
            (CENTRE - w, y - 0.055),
            (CENTRE, y - 0.075),
            (CENTRE + w, y - 0.055),
            (CENTRE + w, y - 0.004),
            (CENTRE, y - 0.022),
            (CENTRE - w, y - 0.004),
        ]
    )
    peak = smooth(
        [
            (CENTRE - w, y - 0.010),
            (CENTRE, y - 0.028),
            (CENTRE + w, y - 0.010),
            (CENTRE + 0.72 * w, y + 0.022),
            (CENTRE, y + 0.032),
            (CENTRE - 0.72 * w, y + 0.022),
        ]
    )
    wing = stroke([(CENTRE + 0.012, y - 0.090), (CENTRE + 0.062, y - 0.100)], 0.016, 0.005)
    gold = rgb("E3B94F")
    braid = stroke(
        [(CENTRE - w + 0.01, y - 0.014), (CENTRE, y - 0.032), (CENTRE + w - 0.01, y - 0.014)], 0.008
    )
    return [
        Layer(top, colour),
        Layer(band, darker(colour, 0.35)),
        Layer(peak, rgb("1D2027")),
        Layer(braid, gold),
        Layer(wing, gold),
        Layer(mirrored(wing), gold),
        Layer(ellipse(CENTRE, y - 0.090, 0.017), gold),
    ]


def flat_hat(f: Frame, colour: Colour) -> list[Layer]:
    """Draw a baker's low cap."""
    w, y = f.half + 0.012, f.crown + 0.066
    dome = smooth(
        [
            (CENTRE - w, y - 0.02),
            (CENTRE - w - 0.016, y - 0.085),
            (CENTRE - 0.6 * w, y - 0.128),
            (CENTRE, y - 0.138),
            (CENTRE + 0.6 * w, y - 0.128),
            (CENTRE + w + 0.016, y - 0.085),
            (CENTRE + w, y - 0.02),
            (CENTRE, y - 0.04),
        ]
    )
    band = smooth(
        [
            (CENTRE - w, y - 0.040),
            (CENTRE, y - 0.058),
            (CENTRE + w, y - 0.040),
            (CENTRE + w, y + 0.006),
            (CENTRE, y - 0.012),
            (CENTRE - w, y + 0.006),
        ]
    )
    return [Layer(dome, colour), Layer(band, darker(colour, 0.12))]
