"""Draw a portrait: layers of paint, with exact areas of pixels under outlines.

Pillow fills a polygon in whole pixels: move its edge by a thousandth, and a pixel changes in full
or not at all, also in a picture that is drawn larger and shrunk. A morph is a stimulus, so here
each pixel's share is the exact area, which changes as smoothly as the outline does.

Each edge is cut at pixel borders. A piece of height h in a pixel covers the area
to its right: part of its own pixel, and h of all pixels further right in its row, which a running
sum along the row gives.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from biaslab.errors import PortraitError
from biaslab.portraits import hair, head
from biaslab.portraits.occupations import outfit
from biaslab.portraits.portrait import Dress, Portrait
from biaslab.portraits.shapes import BACKGROUND, Colour, Floats, Layer, darker, lighter, ramp

if TYPE_CHECKING:
    from PIL.Image import Image


Indices = npt.NDArray[np.intp]


class Cover(NamedTuple):
    """Covered shares of the pixels of a rectangle.

    - `left`, `top`: the rectangle's first column and row.
    - `share`, array (rows, columns): in [0, 1].
    """

    left: int
    top: int
    share: Floats


def covers(
    outlines: Sequence[Floats], scale: float = 1.0, shift: Floats | float = 0.0
) -> Iterator[Cover]:
    """Return the pixels' shares covered by closed polygons.

    - `outlines`, sequence of arrays (n, 2): corners x, y; parts may lie outside the picture. Where
      an outline winds round a place more than once, the place counts as covered.
    - `scale`, `shift`, float, array (2,): a corner lies at ``scale * corner + shift``, in pixels.
    - Yields: one for each outline.
    """
    sizes = np.array([len(outline) for outline in outlines])
    ends = np.cumsum(sizes)
    starts = ends - sizes
    points = np.concatenate(outlines) * scale + shift
    corner = np.floor(np.minimum.reduceat(points, starts, axis=0))
    extent = np.ceil(np.maximum.reduceat(points, starts, axis=0)) - corner
    columns = extent[:, 0].astype(np.intp) + 2
    rows = extent[:, 1].astype(np.intp) + 1
    offsets = np.concatenate([[0], np.cumsum(rows * columns)])
    owner = np.repeat(np.arange(len(sizes)), sizes)
    begin = points - corner[owner]
    after = np.arange(1, len(points) + 1)
    after[ends - 1] = starts
    total = _areas(begin, begin[after], offsets[owner], columns[owner], int(offsets[-1]))
    for i, (x, y) in enumerate(corner.astype(int)):
        area = total[offsets[i] : offsets[i + 1]].reshape(rows[i], columns[i])
        share = np.abs(np.cumsum(area, axis=1))
        yield Cover(int(x), int(y), np.minimum(share, 1.0, out=share))


def _areas(begin: Floats, end: Floats, offset: Indices, width: Indices, size: int) -> Floats:
    """Return the contribution of each edge to the pixels, before the running sum."""
    down = end[:, 1] > begin[:, 1]
    upper, lower = np.where(down[:, None], begin, end), np.where(down[:, None], end, begin)
    height = lower[:, 1] - upper[:, 1]
    slanted = height > 0  # a horizontal edge bounds nothing to its right
    upper, lower, height = upper[slanted], lower[slanted], height[slanted]
    sign = np.where(down, 1.0, -1.0)[slanted]
    slope = (lower[:, 0] - upper[:, 0]) / height
    least = np.minimum(upper[:, 0], lower[:, 0])
    most = np.maximum(upper[:, 0], lower[:, 0])

    edge, row = _crossed(upper[:, 1], lower[:, 1])
    top = np.maximum(upper[edge, 1], row)
    bottom = np.minimum(lower[edge, 1], row + 1)
    x_top = upper[edge, 0] + (top - upper[edge, 1]) * slope[edge]
    x_bottom = upper[edge, 0] + (bottom - upper[edge, 1]) * slope[edge]
    # Rounding must not carry a nearly level edge out of its own rectangle.
    x_top = np.clip(x_top, least[edge], most[edge])
    x_bottom = np.clip(x_bottom, least[edge], most[edge])
    left, right = np.minimum(x_top, x_bottom), np.maximum(x_top, x_bottom)

    piece, column = _crossed(left, right)
    a = np.maximum(left[piece], column)
    b = np.minimum(right[piece], column + 1)
    span = (right - left)[piece]
    part = np.where(span > 0, (b - a) / np.where(span > 0, span, 1.0), 1.0)
    edge = edge[piece]
    signed = (sign[edge] * (bottom - top)[piece]) * part
    beyond = signed * ((a + b) / 2 - column)
    place = (
        offset[slanted][edge]
        + row[piece].astype(np.intp) * width[slanted][edge]
        + column.astype(np.intp)
    )
    total = np.zeros(size)  # without any piece, bincount would give whole numbers
    total += np.bincount(place, signed - beyond, minlength=size)
    total += np.bincount(place + 1, beyond, minlength=size)
    return total


def _crossed(low: Floats, high: Floats) -> tuple[Indices, Floats]:
    """Return the unit cells in each interval from low to high: interval, and cell."""
    first = np.floor(low)
    number = np.maximum(np.ceil(high) - first, 1).astype(np.intp)
    which = np.repeat(np.arange(len(low)), number)
    start = np.cumsum(number) - number
    return which, first[which] + (np.arange(len(which)) - start[which])


SMALLEST, LARGEST = 16, 2048
_LARGER = 1.07
"""The figure is drawn a little larger than its parts are laid out, about its foot."""
_FOOT = np.array([0.5, 1.0])


def draw(portrait: Portrait, size: int = 224) -> Image:
    """Draw a portrait.

    Parameters
    ----------
    portrait : Portrait
        The portrait.
    size : int
        Width and height in pixels, 16 to 2,048.

    Returns
    -------
    PIL.Image.Image
        In RGB. The same portrait gives the same pixels each time; no random number is used.

    Raises
    ------
    PortraitError
        If the size is out of its range.
    """
    from PIL import Image as images

    return images.fromarray(pixels(portrait, size))


def pixels(portrait: Portrait, size: int = 224) -> npt.NDArray[np.uint8]:
    """Return the drawing of `draw` as an array (size, size, 3)."""
    if not SMALLEST <= operator.index(size) <= LARGEST:
        raise PortraitError(
            f"A size of {size:,} pixels is not possible. Use {SMALLEST} to {LARGEST:,}."
        )
    picture = np.zeros((size, size, 3), dtype=np.float32)
    for dress, share in portrait.dresses:
        part = _painted(layers(portrait, dress), _backdrop(portrait), size)
        picture += np.float32(share) * part
    out = np.clip(picture * np.float32(255) + np.float32(0.5), 0, 255)
    return out.astype(np.uint8)  # type: ignore[no-any-return]


def draw_many(portraits: Sequence[Portrait], size: int = 64) -> npt.NDArray[np.uint8]:
    """Draw portraits into one array (portraits, size, size, 3)."""
    out = np.empty((len(portraits), size, size, 3), dtype=np.uint8)
    for i, portrait in enumerate(portraits):
        out[i] = pixels(portrait, size)
    return out


def layers(portrait: Portrait, dress: Dress) -> list[Layer]:
    """Return the layers of a portrait in a dress, from back to front."""
    p = portrait.person
    f = head.frame(p)
    worn = outfit(dress.occupation, dress.shade, f)
    if not worn.bareheaded:
        p = p.with_(bun=0.0, hair_volume=0.5 * p.hair_volume)
    figure = [
        *hair.hair_behind(f, p),
        *head.neck(f),
        *worn.garment,
        *head.ears(f, p),
        *head.face(f, p),
        *hair.hair_in_front(f, p),
        *head.glasses(f, p),
        *worn.hat,
        *worn.front,
    ]
    return [*(layer._replace(outline=_farther(layer.outline)) for layer in worn.behind), *figure]


def _farther(outline: Floats) -> Floats:
    """Scale a layer of the background, which keeps its size in a larger drawing."""
    farther: Floats = (outline - _FOOT) / _LARGER + _FOOT
    return farther


def _backdrop(portrait: Portrait) -> Colour:
    b = portrait.background
    colour = ramp(BACKGROUND, b.tint)
    return darker(lighter(colour, 0.25), 0.22 * b.depth)


def _painted(layers_: Sequence[Layer], backdrop: Colour, size: int) -> npt.NDArray[np.float32]:
    canvas = np.empty((size, size, 3), dtype=np.float32)
    canvas[:] = backdrop
    visible = [layer for layer in layers_ if layer.opacity > 0]
    colours = np.array([layer.colour for layer in visible], dtype=np.float32)
    shapes = covers([x.outline for x in visible], _LARGER * size, (1 - _LARGER) * size * _FOOT)
    for layer, colour, cover in zip(visible, colours, shapes, strict=True):
        rows, columns = cover.share.shape
        top, left = max(0, cover.top), max(0, cover.left)
        bottom, right = min(size, cover.top + rows), min(size, cover.left + columns)
        if top >= bottom or left >= right:
            continue
        share = cover.share[
            top - cover.top : bottom - cover.top, left - cover.left : right - cover.left
        ].astype(np.float32)
        share *= np.float32(layer.opacity)
        under = canvas[top:bottom, left:right]
        under += (colour - under) * share[:, :, None]
    return canvas
