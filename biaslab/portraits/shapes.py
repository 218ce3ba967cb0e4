"""Outlines in the unit square, and layers of paint in them; y points down."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Point = tuple[float, float]
Colour = tuple[float, float, float]
"""Red, green and blue in [0, 1]."""


class Layer(NamedTuple):
    """One outline, filled.

    - `outline`, array (n, 2): corners x, y of a closed polygon; 0 and 1 are the picture's edges.
    - `colour`: red, green and blue in [0, 1].
    - `opacity`: in [0, 1].
    """

    outline: Floats
    colour: Colour
    opacity: float = 1.0


def _basis(steps: int) -> Floats:
    """Return weights (steps, 4) of four neighbouring points in a Catmull-Rom curve."""
    t = np.arange(steps) / steps
    return np.stack(
        [
            0.5 * (-t + 2 * t * t - t * t * t),
            0.5 * (2 - 5 * t * t + 3 * t * t * t),
            0.5 * (t + 4 * t * t - 3 * t * t * t),
            0.5 * (-t * t + t * t * t),
        ],
        axis=1,
    )


_STEPS = 6
_BASIS = _basis(_STEPS)
_TURN = np.arange(24) * (2 * np.pi / 24)
_CIRCLE: Floats = np.stack([np.cos(_TURN), np.sin(_TURN)], axis=1)


def _curve(before: Floats, start: Floats, end: Floats, after: Floats) -> Floats:
    """Return points of the curve from each start to its end."""
    # The sum is written out, so that no library's order of summing changes a bit.
    w = _BASIS[None, :, :, None]
    points = (
        w[:, :, 0] * before[:, None]
        + w[:, :, 1] * start[:, None]
        + w[:, :, 2] * end[:, None]
        + w[:, :, 3] * after[:, None]
    )
    out: Floats = points.reshape(-1, 2)
    return out


def smooth(points: Sequence[Point]) -> Floats:
    """Return a closed smooth curve through points (Catmull-Rom)."""
    p = np.array(points, dtype=float)
    return _curve(np.roll(p, 1, 0), p, np.roll(p, -1, 0), np.roll(p, -2, 0))


def line(points: Sequence[Point]) -> Floats:
    """Return an open smooth curve through points."""
    p = np.array(points, dtype=float)
    if len(p) == 2:
        return p
    padded = np.concatenate([2 * p[:1] - p[1:2], p, 2 * p[-1:] - p[-2:-1]])
    curve = _curve(padded[:-3], padded[1:-2], padded[2:-1], padded[3:])
    return np.concatenate([curve, p[-1:]])


def polygon(points: Sequence[Point]) -> Floats:
    """Return straight edges between points."""
    return np.array(points, dtype=float)


def ellipse(x: float, y: float, rx: float, ry: float | None = None) -> Floats:
    """Return an ellipse by its centre and radii; a circle without ``ry``."""
    out: Floats = _CIRCLE * np.array([rx, rx if ry is None else ry]) + np.array([x, y])
    return out


def rectangle(left: float, top: float, right: float, bottom: float) -> Floats:
    """Return an upright rectangle."""
    return polygon([(left, top), (right, top), (right, bottom), (left, bottom)])


def rounded(left: float, top: float, right: float, bottom: float, radius: float) -> Floats:
    """Return an upright rectangle with round corners."""
    r = min(radius, (right - left) / 2, (bottom - top) / 2)
    centres = [(right - r, bottom - r), (left + r, bottom - r), (left + r, top + r)]
    centres.append((right - r, top + r))
    quarters = [
        _CIRCLE[np.arange(6 * q, 6 * q + 7) % 24] * r + np.array(c) for q, c in enumerate(centres)
    ]
    return np.concatenate(quarters)


def stroke(points: Sequence[Point], width: float, end_width: float | None = None) -> Floats:
    """Return a smooth line of some width, with round ends.

    - `points`, sequence of (x, y): points of the line.
    - `width`, `end_width`: thickness at its start and its end; constant without the second.
    """
    p = line(points)
    ahead = np.concatenate([p[1:], p[-1:]])
    along = ahead - np.concatenate([p[:1], p[:-1]])
    length = np.sqrt(along[:, 0] ** 2 + along[:, 1] ** 2)
    # A line of no length has no direction: any will do, for it has no width to show either.
    along = along / np.where(length > 0, length, 1.0)[:, None]
    across = np.stack([-along[:, 1], along[:, 0]], axis=1)
    half = np.linspace(width, width if end_width is None else end_width, len(p))[:, None] / 2
    left, right = p + across * half, (p - across * half)[::-1]
    turn = _CIRCLE[1:12]  # a half turn, from across to its opposite
    first, last = slice(0, 1), slice(-1, None)
    nose = p[last] + half[last] * (across[last] * turn[:, :1] + along[last] * turn[:, 1:])
    tail = p[first] - half[first] * (across[first] * turn[:, :1] + along[first] * turn[:, 1:])
    return np.concatenate([left, nose, right, tail])


def mirrored(outline: Floats, axis: float = 0.5) -> Floats:
    """Return the outline's mirror image about a vertical axis."""
    return np.stack([2 * axis - outline[:, 0], outline[:, 1]], axis=1)


def turned(outline: Floats, about: Point, right: Point) -> Floats:
    """Rotate the outline about a point, so that its right side points along ``right``."""
    length = float(np.sqrt(right[0] ** 2 + right[1] ** 2))
    c, s = right[0] / length, right[1] / length
    x, y = outline[:, 0] - about[0], outline[:, 1] - about[1]
    return np.stack([about[0] + c * x - s * y, about[1] + s * x + c * y], axis=1)


def rgb(code: str) -> Colour:
    """Return a colour from ``RRGGBB``."""
    r, g, b = (int(code[i : i + 2], 16) / 255 for i in (0, 2, 4))
    return (r, g, b)


def mix(a: Colour, b: Colour, share: float) -> Colour:
    """Mix ``a`` at 0 with ``b`` at 1."""
    r, g, b_ = (x + (y - x) * share for x, y in zip(a, b, strict=True))
    return (r, g, b_)


def darker(colour: Colour, by: float) -> Colour:
    """Mix with black."""
    return mix(colour, (0.06, 0.05, 0.07), by)


def lighter(colour: Colour, by: float) -> Colour:
    """Mix with white."""
    return mix(colour, (1.0, 1.0, 1.0), by)


def ramp(codes: str, at: float) -> Colour:
    """Interpolate between equally spaced colours.

    - `codes`: ``RRGGBB`` with spaces between.
    - `at`: in [0, 1], from the first to the last.
    """
    stops = [rgb(code) for code in codes.split()]
    position = at * (len(stops) - 1)
    i = min(int(position), len(stops) - 2)
    return mix(stops[i], stops[i + 1], position - i)


SKIN = "F8DCC6 EFC6A4 DDA67C C48860 A0683F 7A4A2D 573420"
HAIR = "DDBB76 B4854B 7E5430 553620 38251A 231C1B"
IRIS = "3A2618 5B3B20 6E6A3C 4F7A72 4C7394"
BACKGROUND = "DFE9E4 E1E8F0 ECE5EE F1E6E0 EFEADB"
