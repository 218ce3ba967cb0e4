"""A picture with its term, source and description."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from biaslab.calls import recorded
from biaslab.errors import ImageError
from biaslab.images.opening import LARGEST_SIDE, open_pixels, png
from biaslab.record import FrozenDict, Record
from biaslab.subjects.vision_language.pictures import pixel_hash

if TYPE_CHECKING:
    from PIL.Image import Image as PillowImage

Origin = Mapping[str, str | int | float]
NO_DESCRIPTION = "Picture without a description"


@dataclass(frozen=True)
class ImageRecord(Record):
    """Metadata of a picture, without its pixels: for results and for the store.

    Attributes
    ----------
    hash : str
        SHA-256 of size and pixels, hexadecimal: the same picture has the same one.
    term : str
        Its term, as in a spec.
    width, height : int
        In pixels.
    source : str
        Source, in a few words: ``"drawn"``, ``"file"``, a model's name.
    description : str
        Description for people who do not see it; empty if there is none.
    provenance : mapping of str to str or number
        Data to identify, or reproduce, it: file, seed, prompt, model, remarks.
    """

    hash: str
    term: str
    width: int
    height: int
    source: str = ""
    description: str = ""
    provenance: Origin = field(default_factory=FrozenDict)


@dataclass(frozen=True)
class Image:
    """A picture under a term.

    Attributes
    ----------
    record : ImageRecord
        Its metadata.
    opener : callable
        Gives its pixels: they are not held in memory.
    """

    record: ImageRecord
    opener: Callable[[], PillowImage] = field(repr=False, compare=False)

    @property
    def hash(self) -> str:
        """SHA-256 of size and pixels, hexadecimal."""
        return self.record.hash

    @property
    def term(self) -> str:
        """Its term."""
        return self.record.term

    @property
    def alt(self) -> str:
        """Text for people who do not see it."""
        return self.record.description or f"{NO_DESCRIPTION}, {self.term}"

    def picture(self) -> PillowImage:
        """Return the picture, in RGB.

        Raises
        ------
        ImageError
            If its file is gone or has changed.
        """
        return self.opener()

    def png(self) -> bytes:
        """Return the picture as a PNG file without metadata."""
        return png(self.picture())

    def thumbnail(self, side: int = 96) -> bytes:
        """Return a small copy as a PNG file, its longer side at most this many pixels."""
        from PIL import Image as images

        small = self.picture().copy()
        small.thumbnail((side, side), images.Resampling.LANCZOS)
        return png(small)

    def under(self, term: str) -> Image:
        """Return the same picture under another term."""
        return replace(self, record=replace(self.record, term=term))

    def described(self, text: str) -> Image:
        """Return the same picture with a description."""
        return replace(self, record=replace(self.record, description=" ".join(text.split())))


@recorded
def open_image(
    source: bytes | str | os.PathLike[str],
    term: str = "",
    *,
    name: str = "",
    description: str = "",
    largest_side: int | None = LARGEST_SIDE,
) -> Image:
    """Open an untrusted picture.

    Parameters
    ----------
    source : bytes or path
        See `biaslab.images.opening.open_pixels` for changes and refusals. Bytes are
        kept as long as the image; of a file only its path.
    term : str
        Its term.
    name : str
        Of an upload: the file's name.
    description : str
        Description of the picture.
    largest_side : int or None
        Longer side in pixels to which a larger one is shrunk.

    Raises
    ------
    ImageError
        If it is unusable: gives reason and remedy.
    """
    opened = open_pixels(source, largest_side=largest_side)
    digest = pixel_hash(opened.image)
    of_file = not isinstance(source, bytes | bytearray | memoryview)
    called = name or (Path(str(source)).name if of_file else "")

    def opener() -> PillowImage:
        again = open_pixels(source, largest_side=largest_side).image
        if pixel_hash(again) != digest:
            raise ImageError(f"{called} has changed since it was opened. Open it again.")
        return again

    origin: dict[str, str | int | float] = {}
    if called:
        origin["file"] = Path(called).name
    if opened.remarks:
        origin["remarks"] = "; ".join(opened.remarks)
    width, height = opened.image.size
    record = ImageRecord(
        digest, " ".join(term.split()), width, height, "file" if of_file else "upload",
        " ".join(description.split()), origin,
    )  # fmt: skip
    return Image(record, opener)
