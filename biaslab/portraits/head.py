"""The head: neck, ears, face, eyes, brows, nose, mouth, beard and glasses."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from biaslab.portraits.person import BEARD_SHOWS, EARRINGS_SHOW, OLDEST, Person, excess
from biaslab.portraits.shapes import (
    HAIR,
    IRIS,
    SKIN,
    Colour,
    Floats,
    Layer,
    Point,
    darker,
    ellipse,
    lighter,
    mirrored,
    mix,
    ramp,
    rgb,
    rounded,
    smooth,
    stroke,
)


def greyness(p: Person) -> float:
    """Return how grey the hair is, in [0, 1]: 0 before age 42, at most ``grey``."""
    ripe = min(1.0, max(0.0, (p.age - 42) / (0.8 * (OLDEST - 42))))
    return ripe * p.grey


def hair_colour(p: Person) -> Colour:
    """Return the colour of hair, brows and beard."""
    pigment = mix(ramp(HAIR, p.hair_darkness), rgb("9C4420"), 0.8 * p.hair_red)
    return mix(pigment, rgb("C9C9CB"), 0.92 * greyness(p))


CENTRE = 0.5


@dataclass(frozen=True)
class Frame:
    """Positions in the picture, and the skin's colours, shared by all parts.

    - `half`, `jaw_half`: half the width of the face at the cheekbones and at the jaw.
    - `crown`, `brow`, `eye`, `nose`, `mouth`, `chin`: heights in the picture, from the top of the
      skull to the tip of the chin.
    - `neck`, `shoulder`: half widths.
    - `skin`, `shade`, `flush`: the skin in light, in shadow, and where it is red.
    - `wrinkles`: in [0, 1].
    """

    half: float
    jaw_half: float
    crown: float
    brow: float
    eye: float
    nose: float
    mouth: float
    chin: float
    neck: float
    shoulder: float
    skin: Colour
    shade: Colour
    flush: Colour
    wrinkles: float


def frame(p: Person) -> Frame:
    """Return the frame of a person's portrait."""
    long = 0.03 * (p.face_length - 0.5)
    chin = 0.635 + 1.1 * long + 0.03 * (p.chin - 0.5)
    eye = 0.432 + 0.1 * long
    skin = mix(ramp(SKIN, p.skin), (0.93, 0.62, 0.40), 0.10 * p.skin_warmth)
    return Frame(
        half=0.148 + 0.036 * p.face_width,
        jaw_half=(0.094 + 0.05 * p.jaw) * (0.9 + 0.2 * p.face_width),
        crown=0.212 - 0.5 * long,
        brow=eye - 0.040 - 0.018 * p.brow_height,
        eye=eye,
        nose=eye + 0.082 + 0.034 * p.nose_length + 0.4 * long,
        mouth=chin - 0.076 - 0.018 * p.chin + 0.006 * (p.lips - 0.5),
        chin=chin,
        neck=0.056 + 0.034 * p.neck,
        shoulder=0.265 + 0.095 * p.shoulders,
        skin=skin,
        shade=mix(darker(skin, 0.14), (0.55, 0.20, 0.12), 0.10),
        flush=mix(skin, (0.80, 0.26, 0.22), 0.42),
        wrinkles=max(0.0, (p.age - 38) / (OLDEST - 38)),
    )


def neck(f: Frame) -> list[Layer]:
    """Draw the neck and the skin in an open collar, with the shadow of the chin."""
    n, base = f.neck, 0.735
    outline = [
        (CENTRE - n, f.chin - 0.12), (CENTRE + n, f.chin - 0.12), (CENTRE + n, f.chin),
        (CENTRE + n * 1.04, base - 0.03), (CENTRE + n + 0.07, base + 0.03),
        (CENTRE + n + 0.05, base + 0.16), (CENTRE, base + 0.26),
        (CENTRE - n - 0.05, base + 0.16), (CENTRE - n - 0.07, base + 0.03),
        (CENTRE - n * 1.04, base - 0.03), (CENTRE - n, f.chin),
    ]  # fmt: skip
    shadow = [
        (CENTRE - n, f.chin - 0.10), (CENTRE + n, f.chin - 0.10), (CENTRE + n, f.chin + 0.030),
        (CENTRE + 0.5 * n, f.chin + 0.052), (CENTRE, f.chin + 0.058),
        (CENTRE - 0.5 * n, f.chin + 0.052), (CENTRE - n, f.chin + 0.030),
    ]  # fmt: skip
    return [Layer(smooth(outline), f.skin), Layer(smooth(shadow), f.shade)]


def face_outline(f: Frame, p: Person) -> Floats:
    """Return the outline of the face from the skull to the chin."""
    cheek = 0.006 * (p.cheeks - 0.5) * 2
    jaw_y = f.chin - 0.075 + 0.012 * p.jaw
    tip = 0.034 + 0.034 * p.jaw
    right: list[Point] = [
        (CENTRE, f.crown),
        (CENTRE + 0.62 * f.half, f.crown + 0.030),
        (CENTRE + 0.95 * f.half, f.crown + 0.115),
        (CENTRE + f.half, f.eye - 0.01),
        (CENTRE + 0.975 * f.half + cheek, f.eye + 0.075),
        (CENTRE + 0.5 * (f.half + f.jaw_half) + 0.010 + cheek, f.eye + 0.6 * (jaw_y - f.eye)),
        (CENTRE + f.jaw_half, jaw_y),
        (CENTRE + tip, f.chin - 0.010),
        (CENTRE, f.chin),
    ]
    left = [(2 * CENTRE - x, y) for x, y in right[-2:0:-1]]
    return smooth(right + left)


def ears(f: Frame, p: Person) -> list[Layer]:
    """Draw ears, with earrings."""
    x, y = CENTRE + f.half + 0.004, f.eye + 0.030
    rx, ry = 0.017 + 0.010 * p.ears, 0.032 + 0.014 * p.ears
    outer, inner = ellipse(x, y, rx, ry), ellipse(x + 0.002, y, 0.5 * rx, 0.58 * ry)
    ring = 0.012 * excess(p.earrings, EARRINGS_SHOW)
    out = [
        Layer(outer, f.skin), Layer(mirrored(outer), f.skin),
        Layer(inner, f.shade, 0.7), Layer(mirrored(inner), f.shade, 0.7),
    ]  # fmt: skip
    pendant = ellipse(x + 0.002, y + ry + 0.4 * ring, ring, 1.25 * ring)
    gold = rgb("D9A441")
    return [*out, Layer(pendant, gold), Layer(mirrored(pendant), gold)]


def face(f: Frame, p: Person) -> list[Layer]:
    """Draw the face without hair and glasses."""
    return [
        Layer(face_outline(f, p), f.skin),
        *_cheeks(f, p),
        *_lines_of_age(f, p),
        *_beard(f, p),
        *_nose(f, p),
        *_mouth(f, p),
        *_moustache(f, p),
        *_eyes(f, p),
        *_brows(f, p),
        *_arms(f, p),
    ]


def _both(outline: Floats, colour: Colour, opacity: float = 1.0) -> list[Layer]:
    return [Layer(outline, colour, opacity), Layer(mirrored(outline), colour, opacity)]


def _cheeks(f: Frame, p: Person) -> list[Layer]:
    x, y = CENTRE + 0.60 * f.half, f.eye + 0.083
    strength = 0.10 + 0.10 * p.lip_colour
    out = []
    for size in (1.0, 0.72, 0.45):  # three pale discs make a soft one
        out += _both(ellipse(x, y, 0.040 * size, 0.030 * size), f.flush, strength * 0.6)
    spots = [
        (0.30, 0.060),
        (0.45, 0.072),
        (0.38, 0.084),
        (0.56, 0.064),
        (0.62, 0.080),
        (0.50, 0.09),
    ]
    spot = darker(f.shade, 0.15)
    for dx, dy in spots:
        dot = ellipse(CENTRE + dx * f.half, f.eye + dy, 0.0042)
        out += _both(dot, spot, 0.55 * p.freckles)
    return out


def _lines_of_age(f: Frame, p: Person) -> list[Layer]:
    strong = 0.75 * f.wrinkles
    line = darker(f.shade, 0.10)
    fold = stroke(
        [
            (CENTRE + 0.030 + 0.016 * p.nose_width, f.nose - 0.006),
            (CENTRE + 0.052 + 0.010 * p.mouth_width, 0.5 * (f.nose + f.mouth) + 0.004),
            (CENTRE + 0.056 + 0.014 * p.mouth_width, f.mouth + 0.006),
        ],
        0.004, 0.007,
    )  # fmt: skip
    x = CENTRE + 0.022 + 0.058
    pouch = stroke(
        [(x - 0.026, f.eye + 0.027), (x - 0.002, f.eye + 0.034), (x + 0.024, f.eye + 0.026)], 0.005
    )
    feet = stroke([(x + 0.036, f.eye + 0.004), (x + 0.052, f.eye - 0.006)], 0.005, 0.003)
    feet_2 = stroke([(x + 0.036, f.eye + 0.010), (x + 0.053, f.eye + 0.014)], 0.005, 0.003)
    brow = f.brow - 0.036
    out = [layer for shape in (fold, pouch, feet, feet_2) for layer in _both(shape, line, strong)]
    for k, width in enumerate((0.060, 0.048)):
        y = brow - 0.020 * k
        furrow = stroke([(CENTRE - width, y), (CENTRE, y - 0.005), (CENTRE + width, y)], 0.005)
        out.append(Layer(furrow, line, 0.7 * strong))
    return out


def _beard(f: Frame, p: Person) -> list[Layer]:
    colour = hair_colour(p)
    amount = excess(p.beard, BEARD_SHOWS)
    jaw_y = f.chin - 0.075 + 0.012 * p.jaw
    side = f.eye + 0.055
    inner = CENTRE + f.half * 0.88 - 0.018
    drop = 0.004 + 0.030 * amount
    right: list[Point] = [
        (CENTRE, f.mouth - 0.030),
        (CENTRE + 0.046 + 0.012 * p.mouth_width, f.mouth - 0.026),
        (CENTRE + 0.070 + 0.012 * p.mouth_width, f.mouth - 0.010),
        (inner, side + 0.03),
        (CENTRE + f.half * 0.985, side),
        (CENTRE + 0.5 * (f.half + f.jaw_half) + 0.014, f.eye + 0.6 * (jaw_y - f.eye)),
        (CENTRE + f.jaw_half + 0.006, jaw_y + 0.5 * drop),
        (CENTRE + 0.040 + 0.034 * p.jaw, f.chin + drop * 0.8),
        (CENTRE, f.chin + drop),
    ]
    left = [(2 * CENTRE - x, y) for x, y in right[-2:0:-1]]
    # Stubble first, then hair: the more, the denser.
    return [Layer(smooth(right + left), mix(f.shade, colour, 0.75), min(1.0, 1.6 * amount))]


def _moustache(f: Frame, p: Person) -> list[Layer]:
    amount = excess(p.moustache, BEARD_SHOWS)
    y = f.mouth - 0.021
    half = 0.030 + 0.014 * p.mouth_width + 0.014 * amount
    thick = 0.006 + 0.011 * amount
    outline: list[Point] = [
        (CENTRE, y - 0.7 * thick), (CENTRE + 0.5 * half, y - thick), (CENTRE + half, y + 0.010),
        (CENTRE + 0.5 * half, y + 0.6 * thick), (CENTRE, y + 0.3 * thick),
        (CENTRE - 0.5 * half, y + 0.6 * thick), (CENTRE - half, y + 0.010),
        (CENTRE - 0.5 * half, y - thick),
    ]  # fmt: skip
    return [Layer(smooth(outline), darker(hair_colour(p), 0.10), min(1.0, 1.8 * amount))]


def _nose(f: Frame, p: Person) -> list[Layer]:
    wide = 0.018 + 0.016 * p.nose_width
    line = darker(f.shade, 0.06)
    bridge = stroke(
        [
            (CENTRE + 0.006, f.eye + 0.012),
            (CENTRE + 0.007, 0.5 * (f.eye + f.nose) + 0.010),
            (CENTRE + 0.6 * wide, f.nose - 0.008),
        ],
        0.004, 0.006,
    )  # fmt: skip
    base = stroke(
        [
            (CENTRE - wide, f.nose - 0.004), (CENTRE - 0.45 * wide, f.nose + 0.005),
            (CENTRE, f.nose + 0.003), (CENTRE + 0.45 * wide, f.nose + 0.005),
            (CENTRE + wide, f.nose - 0.004),
        ],
        0.0065,
    )  # fmt: skip
    light = ellipse(CENTRE - 0.003, f.nose - 0.020, 0.007, 0.020)
    return [
        Layer(light, lighter(f.skin, 0.35), 0.45),
        Layer(bridge, line, 0.75),
        Layer(base, line, 0.95),
    ]


def _mouth(f: Frame, p: Person) -> list[Layer]:
    half = 0.034 + 0.024 * p.mouth_width + 0.005 * p.smile
    full = 0.0065 + 0.0135 * p.lips
    rise = 0.027 * (p.smile - 0.10)
    red = mix(mix(f.skin, (0.52, 0.20, 0.18), 0.55), (0.72, 0.16, 0.20), 0.75 * p.lip_colour)
    y = f.mouth
    corner = (CENTRE + half, y - rise)
    upper = [
        (2 * CENTRE - corner[0], corner[1]),
        (CENTRE - 0.48 * half, y - 0.80 * full - 0.4 * rise),
        (CENTRE - 0.16 * half, y - 1.02 * full), (CENTRE, y - 0.80 * full),
        (CENTRE + 0.16 * half, y - 1.02 * full),
        (CENTRE + 0.48 * half, y - 0.80 * full - 0.4 * rise),
        corner,
        (CENTRE + 0.5 * half, y + 0.0015 - 0.3 * rise), (CENTRE, y + 0.003),
        (CENTRE - 0.5 * half, y + 0.0015 - 0.3 * rise),
    ]  # fmt: skip
    lower = [
        (2 * CENTRE - corner[0], corner[1]),
        (CENTRE - 0.5 * half, y - 0.0005 - 0.3 * rise), (CENTRE, y + 0.001),
        (CENTRE + 0.5 * half, y - 0.0005 - 0.3 * rise),
        corner,
        (CENTRE + 0.55 * half, y + 0.95 * full - 0.15 * rise), (CENTRE, y + 1.35 * full),
        (CENTRE - 0.55 * half, y + 0.95 * full - 0.15 * rise),
    ]  # fmt: skip
    between = stroke(
        [
            (CENTRE - half - 0.002, corner[1]), (CENTRE - 0.5 * half, y - 0.3 * rise),
            (CENTRE, y + 0.002), (CENTRE + 0.5 * half, y - 0.3 * rise),
            (CENTRE + half + 0.002, corner[1]),
        ],
        0.0055,
    )  # fmt: skip
    under = stroke(
        [(CENTRE - 0.020, y + 1.35 * full + 0.014), (CENTRE, y + 1.35 * full + 0.017),
         (CENTRE + 0.020, y + 1.35 * full + 0.014)],
        0.005,
    )  # fmt: skip
    return [
        Layer(smooth(lower), lighter(red, 0.10)),
        Layer(smooth(upper), darker(red, 0.10)),
        Layer(between, darker(red, 0.45)),
        Layer(under, f.shade, 0.5),
    ]


def _eyes(f: Frame, p: Person) -> list[Layer]:
    x = CENTRE + 0.058 + 0.016 * p.eye_spacing
    half, open_ = 0.025 + 0.007 * p.eye_size, 0.0120 + 0.0065 * p.eye_size
    tilt = 0.012 * (p.eye_tilt - 0.4)
    y = f.eye
    inner, outer = (x - half, y + 0.3 * tilt + 0.001), (x + half, y - tilt)
    almond = smooth([
        inner, (x - 0.50 * half, y - 0.92 * open_), (x + 0.1 * half, y - 1.08 * open_),
        (x + 0.65 * half, y - 0.70 * open_ - 0.6 * tilt), outer,
        (x + 0.45 * half, y + 0.78 * open_ - 0.4 * tilt), (x - 0.2 * half, y + 0.92 * open_),
    ])  # fmt: skip
    lid = stroke(
        [
            (inner[0], inner[1] - 0.001), (x - 0.50 * half, y - 0.97 * open_),
            (x + 0.1 * half, y - 1.13 * open_), (x + 0.65 * half, y - 0.75 * open_ - 0.6 * tilt),
            (outer[0] + 0.003 + 0.007 * p.lashes, outer[1] - 0.001 - 0.007 * p.lashes),
        ],
        0.0045, 0.007 + 0.005 * p.lashes,
    )  # fmt: skip
    crease = stroke(
        [(x - 0.7 * half, y - 1.0 * open_ - 0.006), (x + 0.1 * half, y - 1.2 * open_ - 0.010),
         (x + 0.85 * half, y - 0.9 * open_ - 0.006 - 0.5 * tilt)],
        0.004,
    )  # fmt: skip
    r = 0.0128 + 0.0024 * p.eye_size
    iris = ramp(IRIS, p.iris)
    dark = rgb("231815")
    out = []
    for axis in (0, 1):

        def place(outline: Floats, axis: int = axis) -> Floats:
            return mirrored(outline) if axis else outline

        out += [
            Layer(place(almond), rgb("F6EFE9")),
            Layer(place(ellipse(x, y - 0.001, r, min(r, 1.02 * open_))), iris),
            Layer(place(ellipse(x, y - 0.001, 0.52 * r)), dark),
            Layer(place(lid), mix(dark, hair_colour(p), 0.15)),
            Layer(place(crease), f.shade, 0.8),
        ]
        # The light comes from one side: this highlight is not mirrored.
        centre = 2 * CENTRE - x if axis else x
        out.append(Layer(ellipse(centre - 0.0040, y - 0.0050, 0.0032), (1.0, 1.0, 1.0), 0.9))
    return out


def _brows(f: Frame, p: Person) -> list[Layer]:
    x = CENTRE + 0.058 + 0.016 * p.eye_spacing
    arch = 0.003 + 0.012 * p.brow_arch
    thick = 0.007 + 0.0125 * p.brow_thickness
    brow = stroke(
        [(x - 0.034, f.brow - 0.001), (x - 0.006, f.brow - 0.002 - 0.55 * arch),
         (x + 0.018, f.brow - 0.001 - 0.8 * arch), (x + 0.044, f.brow + 0.008)],
        thick, 0.40 * thick,
    )  # fmt: skip
    colour = mix(darker(hair_colour(p), 0.22), f.shade, 0.10)
    return _both(brow, colour)


def _arms(f: Frame, p: Person) -> list[Layer]:
    """Draw the sides of the glasses, which hair covers."""
    x = CENTRE + 0.058 + 0.016 * p.eye_spacing + 0.045
    arm = stroke([(x, f.eye - 0.004), (CENTRE + f.half + 0.004, f.eye + 0.002)], 0.008)
    return _both(arm, rgb("2B2D33"), 0.95 * p.glasses)


def glasses(f: Frame, p: Person) -> list[Layer]:
    """Draw glasses that fade in."""
    x = CENTRE + 0.058 + 0.016 * p.eye_spacing
    y = f.eye + 0.006
    lens = rounded(x - 0.047, y - 0.033, x + 0.047, y + 0.036, 0.028)
    inside = rounded(x - 0.040, y - 0.026, x + 0.040, y + 0.029, 0.022)
    ring = _ring(lens, inside)
    bridge = stroke([(2 * CENTRE - x + 0.045, y - 0.006), (CENTRE, y - 0.013),
                     (x - 0.045, y - 0.006)], 0.008)  # fmt: skip
    colour = rgb("2B2D33")
    return [
        *_both(inside, (1.0, 1.0, 1.0), 0.10 * p.glasses),
        *_both(ring, colour, 0.95 * p.glasses),
        Layer(bridge, colour, 0.95 * p.glasses),
    ]


def _ring(outer: Floats, inner: Floats) -> Floats:
    """Return the area between two outlines: once round, and back inside."""
    return np.concatenate([outer, outer[:1], inner[:1], inner[::-1]])
