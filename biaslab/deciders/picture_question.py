"""A question about a picture, with options by letter."""

from __future__ import annotations

import base64
import io
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from biaslab.cases import Question
from biaslab.errors import QueryError
from biaslab.subjects.pictures import Picture
from biaslab.subjects.vision_language_options import LETTERS, in_order, lettered

LARGEST: Final = 15_000_000
"""Bytes of an encoded picture: a little less than the least that providers take in a request."""


@dataclass(frozen=True)
class PictureQuestion(Question):
    """One question about one picture.

    Attributes
    ----------
    picture : str
        SHA-256 of the pixels, hexadecimal.
    data : str
        The picture as a ``data:`` address of a PNG file.
    concepts : tuple of str
        Text of each option, in the order of the letters.
    """

    picture: str = ""
    data: str = field(default="", repr=False)
    concepts: tuple[str, ...] = ()

    @property
    def key(self) -> tuple[str | tuple[str, ...], ...]:
        """See `Question.key`: the picture counts by its content."""
        return (*super().key, "picture", self.picture)


def data_of(picture: Picture) -> str:
    """Return a picture as a ``data:`` address of a PNG file.

    Raises
    ------
    QueryError
        If it is larger than a request may be.
    """
    image = picture.picture()
    file = io.BytesIO()
    image.save(file, "PNG")
    encoded = base64.b64encode(file.getvalue()).decode("ascii")
    if len(encoded) > LARGEST:
        width, height = image.size
        raise QueryError(
            f"A picture of {width:,} x {height:,} pixels takes {len(encoded) / 1e6:.0f} MB in a"
            f" request, and at most {LARGEST / 1e6:.0f} MB are sent. Give a smaller picture."
        )
    return f"data:image/png;base64,{encoded}"


def picture_question(
    picture: Picture, data: str, template: str, concepts: Sequence[str], order: str
) -> PictureQuestion:
    """Return a question about a picture, with concepts as options by letter.

    Parameters
    ----------
    picture : Picture
    data : str
        Of it, as of `data_of`.
    template : str
        The question.
    concepts : sequence of str
        Two to 26.
    order : str
        One of `biaslab.subjects.vision_language_options.ORDERS`.
    """
    options = in_order(concepts, order)
    return PictureQuestion(
        lettered(template, options), tuple(LETTERS[: len(options)]), picture=picture.hash,
        data=data, concepts=options,
    )  # fmt: skip
