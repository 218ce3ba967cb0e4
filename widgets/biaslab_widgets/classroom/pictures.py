"""Pictures in a row, each with its description."""

from __future__ import annotations

import base64
import io
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Final

from biaslab.reports.palette import INK_2
from biaslab.reports.theme import follow_theme

if TYPE_CHECKING:
    from PIL.Image import Image as PillowImage

    from biaslab.images import Image

_SHOWN: Final = 120
"""Pixels across; six fit into the width of a lesson."""


@dataclass(frozen=True)
class PictureSheet:
    """Pictures that a notebook shows, and what they are in words."""

    html: str
    words: str

    def _repr_html_(self) -> str:
        return follow_theme(self.html)

    def __repr__(self) -> str:
        return self.words


def picture_sheet(images: Sequence[Image], below: Sequence[str] | None = None) -> PictureSheet:
    """Show pictures beside each other, with a line below each.

    Parameters
    ----------
    images : sequence of Image
        Of `bl.images`; their ``alt`` is what people are told who do not see them.
    below : sequence of str, optional
        One for each; by default their terms.

    Raises
    ------
    ValueError
        When the lines are not as many as the pictures.
    """
    lines = [image.term for image in images] if below is None else list(below)
    if len(lines) != len(images):
        raise ValueError(f"{len(lines)} lines for {len(images)} pictures: give one for each.")
    shown = "".join(
        f'<figure style="margin:0;width:{_SHOWN}px">'
        f'<img src="{data_address(image.picture())}" alt="{escape(image.alt)}" '
        f'width="{_SHOWN}" style="border-radius:8px"/>'
        f'<figcaption style="font-size:13px;line-height:1.4;color:{INK_2}">'
        f"{escape(line)}</figcaption></figure>"
        for image, line in zip(images, lines, strict=True)
    )
    return PictureSheet(
        f'<div style="display:flex;flex-wrap:wrap;gap:16px">{shown}</div>',
        "\n".join(f"{line}: {image.alt}" for image, line in zip(images, lines, strict=True)),
    )


def data_address(picture: PillowImage) -> str:
    """A picture as an address that holds it."""
    out = io.BytesIO()
    picture.save(out, "PNG", compress_level=1)
    return "data:image/png;base64," + base64.b64encode(out.getvalue()).decode()
