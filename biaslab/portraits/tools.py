"""Tools of occupations: held, worn, or standing before or behind the person."""

from __future__ import annotations

import numpy as np

from biaslab.portraits.clothes import BASE
from biaslab.portraits.head import CENTRE, Frame
from biaslab.portraits.shapes import (
    Layer,
    Point,
    darker,
    ellipse,
    lighter,
    mirrored,
    polygon,
    rectangle,
    rgb,
    rounded,
    smooth,
    stroke,
    turned,
)

WOOD, STEEL, INK = rgb("A97142"), rgb("AEB6BE"), rgb("2A2D33")
HAND = (0.790, 0.905)
"""Grip of a held tool."""


def with_hand(layers: list[Layer], f: Frame) -> list[Layer]:
    """Draw a tool with the hand that holds it, fingers in front."""
    x, y = HAND
    palm = rounded(x - 0.046, y - 0.018, x + 0.046, y + 0.066, 0.034)
    fingers = [
        stroke([(x - 0.040, y - 0.006 + 0.021 * k), (x + 0.036, y - 0.006 + 0.021 * k)], 0.023)
        for k in range(4)
    ]
    gaps = [
        stroke([(x - 0.036, y + 0.0045 + 0.021 * k), (x + 0.038, y + 0.0045 + 0.021 * k)], 0.0035)
        for k in range(3)
    ]
    return [
        Layer(palm, f.shade),
        *layers,
        *(Layer(finger, f.skin) for finger in fingers),
        *(Layer(gap, f.shade, 0.9) for gap in gaps),
    ]


def _tilted(layers: list[Layer], right: Point) -> list[Layer]:
    return [Layer(turned(x.outline, HAND, right), x.colour, x.opacity) for x in layers]


def flask(f: Frame) -> list[Layer]:
    """Draw a flask, half full of a green liquid."""
    x, y = HAND
    top = y - 0.17
    glass = smooth(
        [
            (x - 0.022, top),
            (x + 0.022, top),
            (x + 0.020, y - 0.085),
            (x + 0.068, y + 0.010),
            (x + 0.060, y + 0.040),
            (x, y + 0.046),
            (x - 0.060, y + 0.040),
            (x - 0.068, y + 0.010),
            (x - 0.020, y - 0.085),
        ]
    )
    liquid = smooth(
        [
            (x - 0.048, y - 0.030),
            (x, y - 0.026),
            (x + 0.048, y - 0.030),
            (x + 0.064, y + 0.012),
            (x + 0.056, y + 0.036),
            (x, y + 0.042),
            (x - 0.056, y + 0.036),
            (x - 0.064, y + 0.012),
        ]
    )
    green = rgb("5CB8A6")
    raised = [
        Layer(glass, rgb("E9F4F6"), 0.92),
        Layer(liquid, green, 0.95),
        Layer(rounded(x - 0.030, top - 0.008, x + 0.030, top + 0.008, 0.006), rgb("C4D5DA")),
        Layer(ellipse(x - 0.015, y - 0.004, 0.008), lighter(green, 0.6), 0.9),
        Layer(ellipse(x + 0.020, y + 0.014, 0.006), lighter(green, 0.6), 0.9),
        Layer(
            stroke([(x - 0.010, top + 0.02), (x - 0.012, y - 0.09)], 0.006), (1.0, 1.0, 1.0), 0.9
        ),
    ]
    lifted = [
        Layer(part.outline - np.array([0.0, 0.035]), part.colour, part.opacity) for part in raised
    ]
    return with_hand(lifted, f)


def multimeter(f: Frame) -> list[Layer]:
    """Draw a voltage meter with a probe on a red lead."""
    x, y = HAND
    body = rounded(x - 0.058, y - 0.170, x + 0.058, y + 0.055, 0.020)
    lead: list[Point] = [
        (x - 0.03, y + 0.04),
        (x - 0.10, y + 0.09),
        (x - 0.17, y + 0.02),
        (x - 0.20, y - 0.03),
    ]
    tip = stroke([(x - 0.200, y - 0.030), (x - 0.222, y - 0.088)], 0.016, 0.007)
    yellow = rgb("F2B927")
    return [
        Layer(stroke(lead, 0.009), rgb("C23B31")),
        Layer(tip, rgb("C23B31")),
        *with_hand([
            Layer(body, yellow),
            Layer(rounded(x - 0.048, y - 0.160, x + 0.048, y + 0.045, 0.014), rgb("3B3F46")),
            Layer(rounded(x - 0.038, y - 0.148, x + 0.038, y - 0.092, 0.006), rgb("CFE3CB")),
            Layer(stroke([(x - 0.022, y - 0.120), (x - 0.006, y - 0.120)], 0.010), INK, 0.8),
            Layer(stroke([(x + 0.006, y - 0.120), (x + 0.022, y - 0.120)], 0.010), INK, 0.8),
            Layer(ellipse(x, y - 0.052, 0.026), yellow),
            Layer(stroke([(x, y - 0.052), (x + 0.012, y - 0.070)], 0.008), INK),
        ], f),
    ]  # fmt: skip


def phone(f: Frame) -> list[Layer]:
    """Draw a phone with a rising curve on its screen."""
    x, y = HAND
    return with_hand([
        Layer(rounded(x - 0.044, y - 0.125, x + 0.044, y + 0.060, 0.016), INK),
        Layer(rounded(x - 0.037, y - 0.113, x + 0.037, y + 0.048, 0.008), rgb("7FB2D9")),
        Layer(polygon([(x - 0.030, y - 0.040), (x - 0.030, y - 0.062), (x - 0.008, y - 0.074),
                       (x + 0.008, y - 0.068), (x + 0.030, y - 0.098), (x + 0.030, y - 0.040)]),
              (1.0, 1.0, 1.0), 0.9),
    ], f)  # fmt: skip


def books(f: Frame) -> list[Layer]:
    """Draw three books in the arm."""
    x, y = HAND
    out = []
    for k, code in enumerate(("3E6C8F", "C48A2C", "6B8E4E")):
        top = y - 0.055 - 0.052 * (2 - k)
        colour = rgb(code)
        left = x - 0.105 + 0.012 * (k % 2)
        out += [
            Layer(rounded(left, top, left + 0.195, top + 0.048, 0.008), colour),
            Layer(rectangle(left + 0.012, top + 0.010, left + 0.188, top + 0.038), rgb("F3EAD8")),
            Layer(rounded(left, top, left + 0.030, top + 0.048, 0.008), darker(colour, 0.15)),
        ]
    return with_hand(out, f)


def pointer(f: Frame) -> list[Layer]:
    """Draw a pointer."""
    x, y = HAND
    return with_hand([Layer(stroke([(x, y + 0.03), (x + 0.045, y - 0.200)], 0.012, 0.008), WOOD),
                 Layer(ellipse(x + 0.045, y - 0.200, 0.010), rgb("C0392B"))], f)  # fmt: skip


def hammer(f: Frame) -> list[Layer]:
    """Draw a hammer with a wooden handle."""
    x, y = HAND
    return with_hand(_tilted([
        Layer(rounded(x - 0.013, y - 0.150, x + 0.013, y + 0.080, 0.010), WOOD),
        Layer(rounded(x - 0.030, y - 0.185, x + 0.068, y - 0.132, 0.010), rgb("6E7780")),
        Layer(polygon([(x - 0.030, y - 0.180), (x - 0.030, y - 0.140), (x - 0.080, y - 0.128),
                       (x - 0.060, y - 0.158)]), rgb("6E7780")),
        Layer(rectangle(x + 0.056, y - 0.189, x + 0.070, y - 0.128), rgb("59626B")),
    ], (1.0, 0.18)), f)  # fmt: skip


def wrench(f: Frame) -> list[Layer]:
    """Draw an open wrench of steel."""
    x, y = HAND
    return with_hand(_tilted([
        Layer(rounded(x - 0.015, y - 0.140, x + 0.015, y + 0.080, 0.012), STEEL),
        Layer(ellipse(x, y - 0.150, 0.046), STEEL),
        Layer(polygon([(x - 0.017, y - 0.205), (x + 0.017, y - 0.205), (x + 0.019, y - 0.158),
                       (x, y - 0.145), (x - 0.019, y - 0.158)]), rgb("4C5864")),
        Layer(stroke([(x, y - 0.09), (x, y - 0.03)], 0.006), darker(STEEL, 0.25), 0.8),
    ], (1.0, 0.22)), f)  # fmt: skip


def scissors(f: Frame) -> list[Layer]:
    """Draw scissors with a comb."""
    x, y = HAND
    blades = [
        stroke([(x - 0.004, y - 0.045), (x + 0.024, y - 0.185)], 0.020, 0.006),
        stroke([(x + 0.004, y - 0.045), (x - 0.024, y - 0.185)], 0.020, 0.006),
    ]
    out = [Layer(b, STEEL if i else lighter(STEEL, 0.3)) for i, b in enumerate(blades)]
    out.append(Layer(ellipse(x, y - 0.062, 0.007), INK))
    comb = [rounded(x - 0.120, y - 0.150, x - 0.098, y + 0.02, 0.008)]
    comb += [
        rectangle(x - 0.100, y - 0.142 + 0.016 * k, x - 0.076, y - 0.134 + 0.016 * k)
        for k in range(9)
    ]
    return [*with_hand(out, f), *(Layer(c, rgb("3A4A63")) for c in comb)]


def palette(f: Frame) -> list[Layer]:
    """Draw a palette with five colours and a brush."""
    x, y = HAND
    blobs = [("D64545", -0.070, -0.040), ("E8B93A", -0.045, -0.082), ("4C8C5B", 0.000, -0.100),
             ("3D74B5", 0.046, -0.082), ("FAF7F0", 0.072, -0.040)]  # fmt: skip
    brush = stroke([(x + 0.030, y + 0.03), (x + 0.080, y - 0.185)], 0.013)
    hair = stroke([(x + 0.080, y - 0.185), (x + 0.092, y - 0.232)], 0.022, 0.006)
    return with_hand([
        Layer(brush, WOOD), Layer(hair, rgb("3D74B5")),
        Layer(ellipse(x, y - 0.045, 0.110, 0.080), rgb("CFA069")),
        *(Layer(ellipse(x + dx, y + dy + 0.004, 0.017), rgb(c)) for c, dx, dy in blobs),
    ], f)  # fmt: skip


def ladle(f: Frame) -> list[Layer]:
    """Draw a ladle of steel."""
    x, y = HAND
    bowl = smooth(
        [
            (x - 0.052, y - 0.170),
            (x + 0.052, y - 0.170),
            (x + 0.040, y - 0.120),
            (x, y - 0.104),
            (x - 0.040, y - 0.120),
        ]
    )
    return with_hand(_tilted([
        Layer(rounded(x - 0.010, y - 0.130, x + 0.010, y + 0.080, 0.008), STEEL),
        Layer(bowl, STEEL), Layer(ellipse(x, y - 0.168, 0.050, 0.012), darker(STEEL, 0.25)),
    ], (1.0, 0.15)), f)  # fmt: skip


def loaf(f: Frame) -> list[Layer]:
    """Draw a long loaf of bread."""
    x, y = HAND
    crust = rgb("C9863F")
    cuts = [
        stroke([(x - 0.020, y - 0.145 + 0.05 * k), (x + 0.022, y - 0.168 + 0.05 * k)], 0.010)
        for k in range(4)
    ]
    return with_hand(_tilted([
        Layer(rounded(x - 0.036, y - 0.200, x + 0.036, y + 0.085, 0.036), crust),
        *(Layer(c, lighter(crust, 0.5)) for c in cuts),
    ], (1.0, 0.20)), f)  # fmt: skip


def gavel(f: Frame) -> list[Layer]:
    """Draw a gavel with golden bands."""
    x, y = HAND
    dark = rgb("7A4A2B")
    return with_hand(_tilted([
        Layer(rounded(x - 0.010, y - 0.130, x + 0.010, y + 0.070, 0.008), dark),
        Layer(rounded(x - 0.062, y - 0.185, x + 0.062, y - 0.118, 0.012), dark),
        Layer(rectangle(x - 0.044, y - 0.187, x - 0.034, y - 0.116), rgb("D9B25F")),
        Layer(rectangle(x + 0.034, y - 0.187, x + 0.044, y - 0.116), rgb("D9B25F")),
    ], (1.0, 0.14)), f)  # fmt: skip


def clipboard(f: Frame) -> list[Layer]:
    """Draw a clipboard with a written sheet."""
    x, y = HAND
    lines = [
        stroke(
            [
                (x - 0.052, y - 0.105 + 0.028 * k),
                (x + 0.050 - 0.02 * (k % 2), y - 0.105 + 0.028 * k),
            ],
            0.006,
        )
        for k in range(4)
    ]
    return with_hand([
        Layer(rounded(x - 0.080, y - 0.155, x + 0.078, y + 0.070, 0.010), rgb("A97142")),
        Layer(rectangle(x - 0.068, y - 0.138, x + 0.066, y + 0.058), rgb("FBFAF5")),
        Layer(rounded(x - 0.030, y - 0.168, x + 0.028, y - 0.140, 0.008), STEEL),
        *(Layer(line, rgb("8D99A6"), 0.9) for line in lines),
    ], f)  # fmt: skip


def pitchfork(f: Frame) -> list[Layer]:
    """Draw a pitchfork with three tines."""
    x, y = HAND
    tines = [
        stroke([(x + d, y - 0.19), (x + d, y - 0.30)], 0.010, 0.006) for d in (-0.045, 0.0, 0.045)
    ]
    return with_hand(
        [
            Layer(rounded(x - 0.012, y - 0.20, x + 0.012, 1.06, 0.008), WOOD),
            Layer(
                stroke([(x - 0.045, y - 0.19), (x, y - 0.175), (x + 0.045, y - 0.19)], 0.012),
                rgb("7C858E"),
            ),
            *(Layer(t, rgb("7C858E")) for t in tines),
        ],
        f,
    )


def hose(f: Frame) -> list[Layer]:
    """Draw a hose with a brass nozzle."""
    x, y = HAND
    return [
        Layer(
            stroke([(x, y + 0.02), (x + 0.05, y + 0.08), (x + 0.02, 1.06)], 0.040), rgb("B8322A")
        ),
        *with_hand(
            [
                Layer(rounded(x - 0.018, y - 0.090, x + 0.018, y + 0.070, 0.008), rgb("C9A14A")),
                Layer(
                    polygon(
                        [
                            (x - 0.018, y - 0.088),
                            (x + 0.018, y - 0.088),
                            (x + 0.028, y - 0.150),
                            (x - 0.028, y - 0.150),
                        ]
                    ),
                    rgb("D9B25F"),
                ),
            ],
            f,
        ),
    ]


def stethoscope(f: Frame) -> list[Layer]:
    """Round the neck, its end on the chest."""
    n = f.neck + 0.030
    tube = rgb("2E3440")
    arc: list[Point] = [
        (CENTRE - n, BASE - 0.010), (CENTRE - n - 0.012, BASE + 0.060),
        (CENTRE - 0.6 * n, BASE + 0.135), (CENTRE + 0.004, BASE + 0.165),
    ]  # fmt: skip
    down: list[Point] = [
        (CENTRE + n, BASE - 0.010), (CENTRE + n + 0.014, BASE + 0.060),
        (CENTRE + 0.75 * n, BASE + 0.120), (CENTRE + 0.004, BASE + 0.165),
    ]  # fmt: skip
    tail: list[Point] = [
        (CENTRE + 0.004, BASE + 0.160),
        (CENTRE + 0.02, BASE + 0.200),
        (CENTRE + 0.070, BASE + 0.208),
    ]
    x, y = CENTRE + 0.080, BASE + 0.208
    return [
        *(Layer(stroke(c, 0.013), tube) for c in (arc, down, tail)),
        Layer(ellipse(x, y, 0.027), tube),
        Layer(ellipse(x, y, 0.018), STEEL),
        Layer(ellipse(x - 0.004, y - 0.005, 0.007), (1.0, 1.0, 1.0), 0.7),
    ]


def camera(f: Frame) -> list[Layer]:
    """Draw a camera on the chest."""
    n, y = f.neck + 0.05, 0.905
    strap = stroke([(CENTRE + n, BASE), (CENTRE + 0.105, y - 0.03)], 0.016)
    black = rgb("30343B")
    return [
        Layer(strap, black), Layer(mirrored(strap), black),
        Layer(rounded(CENTRE - 0.035, y - 0.075, CENTRE + 0.035, y - 0.030, 0.010), black),
        Layer(rounded(CENTRE - 0.115, y - 0.050, CENTRE + 0.115, y + 0.075, 0.018), black),
        Layer(rectangle(CENTRE - 0.115, y - 0.020, CENTRE + 0.115, y + 0.000), rgb("565C66")),
        Layer(ellipse(CENTRE, y + 0.012, 0.056), rgb("9AA3AD")),
        Layer(ellipse(CENTRE, y + 0.012, 0.047), rgb("1F2228")),
        Layer(ellipse(CENTRE, y + 0.012, 0.028), rgb("47628A")),
        Layer(ellipse(CENTRE - 0.012, y + 0.000, 0.009), (1.0, 1.0, 1.0), 0.85),
        Layer(ellipse(CENTRE + 0.090, y - 0.034, 0.009), rgb("D64545")),
    ]  # fmt: skip


def headset(f: Frame) -> list[Layer]:
    """Draw a headset with a microphone at the mouth."""
    black = rgb("343A44")
    x, top = CENTRE + f.half + 0.022, f.crown - 0.045
    band = stroke([(2 * CENTRE - x, f.eye), (2 * CENTRE - x + 0.02, f.crown + 0.06), (CENTRE, top),
                   (x - 0.02, f.crown + 0.06), (x, f.eye)], 0.015)  # fmt: skip
    boom = stroke(
        [(x - 0.004, f.eye + 0.05), (x - 0.015, f.mouth - 0.02), (CENTRE + 0.085, f.mouth + 0.022)],
        0.008,
    )
    pad = rounded(x - 0.022, f.eye - 0.020, x + 0.022, f.eye + 0.075, 0.022)
    return [
        Layer(band, black), Layer(boom, black), Layer(pad, black), Layer(mirrored(pad), black),
        Layer(ellipse(CENTRE + 0.085, f.mouth + 0.022, 0.013), rgb("20242B")),
    ]  # fmt: skip


def pencil(f: Frame) -> list[Layer]:
    """Draw a pencil behind the ear."""
    x, y = CENTRE + f.half + 0.006, f.eye - 0.010
    return [
        Layer(stroke([(x - 0.035, y - 0.030), (x + 0.030, y + 0.022)], 0.014), rgb("E0A52E")),
        Layer(stroke([(x - 0.035, y - 0.030), (x - 0.048, y - 0.041)], 0.012, 0.003), INK),
    ]


def laptop() -> list[Layer]:
    """Draw a laptop from behind, in front of the chest."""
    grey = rgb("B9C0C8")
    return [
        Layer(rounded(0.315, 0.840, 0.685, 1.08, 0.016), darker(grey, 0.12)),
        Layer(rounded(0.322, 0.847, 0.678, 1.08, 0.012), grey),
        Layer(stroke([(0.484, 0.905), (0.462, 0.930), (0.484, 0.955)], 0.010), rgb("F4F6F8")),
        Layer(stroke([(0.516, 0.905), (0.538, 0.930), (0.516, 0.955)], 0.010), rgb("F4F6F8")),
    ]


def blackboard() -> list[Layer]:
    """Draw a blackboard with a little chalk on it, behind the person."""
    chalk = rgb("E6EFE8")
    marks = [
        stroke([(0.09, 0.20), (0.13, 0.155), (0.17, 0.20)], 0.007),
        stroke([(0.105, 0.185), (0.155, 0.185)], 0.006),
        stroke([(0.08, 0.30), (0.18, 0.30)], 0.007), stroke([(0.08, 0.34), (0.15, 0.34)], 0.007),
        stroke([(0.82, 0.17), (0.92, 0.17)], 0.007), stroke([(0.82, 0.21), (0.90, 0.21)], 0.007),
    ]  # fmt: skip
    return [
        Layer(rounded(0.03, 0.07, 0.97, 0.60, 0.015), rgb("B98B5A")),
        Layer(rectangle(0.05, 0.09, 0.95, 0.58), rgb("4E7465")),
        *(Layer(mark, chalk, 0.75) for mark in marks),
    ]
