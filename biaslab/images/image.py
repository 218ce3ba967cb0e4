"""Pictures with their term, source and description: one, and sets of them by term."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from biaslab.errors import ImageError
from biaslab.images.opening import LARGEST_SIDE, open_pixels, png
from biaslab.records.calls import recorded
from biaslab.records.record import FrozenDict, Record
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


def term_key(term: str) -> str:
    """Return a term for comparison: without case, with single spaces."""
    return " ".join(term.split()).casefold()


@dataclass(frozen=True)
class RejectedImage(Record):
    """A picture that was not taken.

    Attributes
    ----------
    name : str
        Its file, or another name.
    term : str
        Its term; empty if unknown.
    reason : str
        Why, in plain words.
    """

    name: str
    term: str
    reason: str


@dataclass(frozen=True)
class ImageSet:
    """Pictures by term, and rejected ones.

    Attributes
    ----------
    images : tuple of Image
        In input order; each picture once per term.
    rejected : tuple of RejectedImage
        Rejected pictures, with reasons.
    notes : tuple of str
        Remarks for the user.
    """

    images: tuple[Image, ...] = ()
    rejected: tuple[RejectedImage, ...] = ()
    notes: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        images: Iterable[Image],
        *,
        rejected: Iterable[RejectedImage] = (),
        notes: Iterable[str] = (),
    ) -> ImageSet:
        """Return a set; a duplicate of a term's picture is rejected."""
        unique: dict[tuple[str, str], Image] = {}
        out = list(rejected)
        for image in images:
            key = (term_key(image.term), image.hash)
            if key in unique:
                name = str(image.record.provenance.get("file", image.hash[:12]))
                out.append(RejectedImage(name, image.term, "The same picture already exists."))
            else:
                unique[key] = image
        return cls(tuple(unique.values()), tuple(out), tuple(notes))

    def __len__(self) -> int:
        """Number of pictures."""
        return len(self.images)

    def __iter__(self) -> Iterator[Image]:
        return iter(self.images)

    def __repr__(self) -> str:
        return (
            f"<ImageSet: {len(self.images):,} pictures under {len(self.terms):,} terms,"
            f" {len(self.rejected):,} rejected>"
        )

    @property
    def terms(self) -> tuple[str, ...]:
        """Terms that have pictures, as first written."""
        first: dict[str, str] = {}
        for image in self.images:
            first.setdefault(term_key(image.term), image.term)
        return tuple(first.values())

    def of_term(self, term: str) -> tuple[Image, ...]:
        """Return pictures of a term, ignoring case."""
        key = term_key(term)
        return tuple(image for image in self.images if term_key(image.term) == key)

    def of_terms(self, terms: Sequence[str]) -> ImageSet:
        """Return the part with these terms, in their order and spelling."""
        images = [image.under(term) for term in terms for image in self.of_term(term)]
        return replace(self, images=tuple(images))

    def without(self, hashes: Iterable[str], term: str | None = None) -> ImageSet:
        """Return the set without some pictures, under one term or under all."""
        gone = set(hashes)
        left = tuple(
            image
            for image in self.images
            if image.hash not in gone
            or (term is not None and term_key(image.term) != term_key(term))
        )
        return replace(self, images=left)

    def joined(self, other: ImageSet) -> ImageSet:
        """Join both sets; duplicates are kept once, without a remark."""
        there = {(term_key(image.term), image.hash) for image in self.images}
        new = [i for i in other.images if (term_key(i.term), i.hash) not in there]
        return ImageSet(
            (*self.images, *new),
            tuple(dict.fromkeys((*self.rejected, *other.rejected))),
            tuple(dict.fromkeys((*self.notes, *other.notes))),
        )

    def remarks(self, terms: Sequence[str] = ()) -> tuple[str, ...]:
        """Return points to check before a test, in plain words.

        Parameters
        ----------
        terms : sequence of str
            Terms to test; by default those that have pictures.
        """
        requested = tuple(terms) or self.terms
        remarks = []
        for term in requested:
            count = len(self.of_term(term))
            if count == 0:
                remarks.append(f"There is no picture of {term!r}. Draw, generate or upload some.")
            elif count == 1:
                remarks.append(
                    f"There is one picture of {term!r}. One picture does not show how much others"
                    " would differ. Add some."
                )
        return (*remarks, *self._shared(requested))

    def _shared(self, terms: Sequence[str]) -> list[str]:
        """Return remarks on terms with pictures in common."""
        pictures = {term: {image.hash for image in self.of_term(term)} for term in terms}
        shared: Counter[tuple[str, str]] = Counter()
        for i, term_1 in enumerate(terms):
            for term_2 in terms[i + 1 :]:
                if common := len(pictures[term_1] & pictures[term_2]):
                    shared[term_1, term_2] = common
        remarks = []
        for (term_1, term_2), common in shared.items():
            if pictures[term_1] == pictures[term_2]:
                remarks.append(
                    f"{term_1!r} and {term_2!r} have the same pictures, so there is no difference"
                    " to measure. Give one of them other pictures."
                )
            else:
                what = "picture stands" if common == 1 else "pictures stand"
                remarks.append(f"{common:,} {what} under both {term_1!r} and {term_2!r}.")
        return remarks
