"""Pictures that a person gives a bench in Python."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from biaslab.errors import ImageError
from biaslab.images.folder import read_folder
from biaslab.images.image import Image, ImageSet

GivenImages = ImageSet | Iterable[Image] | str | Path | None
"""What `given_images` takes."""


def given_images(given: GivenImages) -> ImageSet | None:
    """A set of what is given; None for nothing.

    Parameters
    ----------
    given : ImageSet, sequence of Image, or path of a folder with a folder for each term

    Raises
    ------
    ImageError
        When it is none of these, or cannot be read.
    """
    if given is None or isinstance(given, ImageSet):
        return given
    if isinstance(given, str | Path):
        return read_folder(given)
    images = list(given)
    for one in images:
        if not isinstance(one, Image):
            raise ImageError(
                f"A {type(one).__name__} is not a picture with a term. Open it with"
                " biaslab.images.open_image(path, term), or pass a folder."
            )
    return ImageSet.of(images)
