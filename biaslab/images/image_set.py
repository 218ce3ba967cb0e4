"""Pictures under terms: what a test of images is made of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from biaslab.images.image import Image
from biaslab.record import Record


def term_key(term: str) -> str:
    """A term as it is compared: in any capitals, with single spaces."""
    return " ".join(term.split()).casefold()


@dataclass(frozen=True)
class RejectedImage(Record):
    """A picture that was not taken.

    Attributes
    ----------
    name : str
        The file, or what else it is known by.
    term : str
        Under which it would have stood; empty where that is not known.
    reason : str
        Why, in plain words.
    """

    name: str
    term: str
    reason: str


@dataclass(frozen=True)
class ImageSet:
    """Pictures under terms, and what was not taken.

    Attributes
    ----------
    images : tuple of Image
        In the order in which they came; under a term each picture once.
    rejected : tuple of RejectedImage
        What was not taken, and why.
    notes : tuple of str
        What a person should know.
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
        """A set; a picture that stands under its term already is among the rejected."""
        kept: dict[tuple[str, str], Image] = {}
        out = list(rejected)
        for image in images:
            place = (term_key(image.term), image.hash)
            if place in kept:
                name = str(image.record.provenance.get("file", image.hash[:12]))
                out.append(RejectedImage(name, image.term, "The same picture already exists."))
            else:
                kept[place] = image
        return cls(tuple(kept.values()), tuple(out), tuple(notes))

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
        """Pictures of a term, in any capitals."""
        wanted = term_key(term)
        return tuple(image for image in self.images if term_key(image.term) == wanted)

    def of_terms(self, terms: Sequence[str]) -> ImageSet:
        """The part with these terms, in their order, under them as they are written here."""
        found = [image.under(term) for term in terms for image in self.of_term(term)]
        return replace(self, images=tuple(found))

    def without(self, hashes: Iterable[str], term: str | None = None) -> ImageSet:
        """The set without some pictures, under one term or under all."""
        gone = set(hashes)
        left = tuple(
            image
            for image in self.images
            if image.hash not in gone
            or (term is not None and term_key(image.term) != term_key(term))
        )
        return replace(self, images=left)

    def joined(self, other: ImageSet) -> ImageSet:
        """Both sets in one; what stands in both is there once, which is no loss to be told."""
        there = {(term_key(image.term), image.hash) for image in self.images}
        new = [i for i in other.images if (term_key(i.term), i.hash) not in there]
        return ImageSet(
            (*self.images, *new),
            tuple(dict.fromkeys((*self.rejected, *other.rejected))),
            tuple(dict.fromkeys((*self.notes, *other.notes))),
        )

    def remarks(self, terms: Sequence[str] = ()) -> tuple[str, ...]:
        """What a person should look at before a test, in plain words.

        Parameters
        ----------
        terms : sequence of str
            Terms that are to be tested; by default those that have pictures.
        """
        asked = tuple(terms) or self.terms
        told = []
        for term in asked:
            count = len(self.of_term(term))
            if count == 0:
                told.append(f"There is no picture of {term!r}. Draw, generate or upload some.")
            elif count == 1:
                told.append(
                    f"There is one picture of {term!r}. One picture does not show how much others"
                    " would differ. Add some."
                )
        return (*told, *self._shared(asked))

    def _shared(self, terms: Sequence[str]) -> list[str]:
        """Terms with pictures in common."""
        pictures = {term: {image.hash for image in self.of_term(term)} for term in terms}
        shared: Counter[tuple[str, str]] = Counter()
        for i, one in enumerate(terms):
            for other in terms[i + 1 :]:
                if common := len(pictures[one] & pictures[other]):
                    shared[one, other] = common
        told = []
        for (one, other), common in shared.items():
            if pictures[one] == pictures[other]:
                told.append(
                    f"{one!r} and {other!r} have the same pictures, so there is no difference to"
                    " measure. Give one of them other pictures."
                )
            else:
                what = "picture stands" if common == 1 else "pictures stand"
                told.append(f"{common:,} {what} under both {one!r} and {other!r}.")
        return told
