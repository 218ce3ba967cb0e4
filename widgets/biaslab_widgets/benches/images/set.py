"""The pictures on the screen: used or set aside, put back; nothing is ever lost."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from biaslab.errors import ImageError
from biaslab.images.drawn import drawable
from biaslab.images.image import Image, ImageSet, RejectedImage, term_key
from biaslab.records.wording import counted
from biaslab_widgets.benches.images.fields import ImageRow, Images, RejectedImageRow, TermImages
from biaslab_widgets.benches.images.words import ImageWords
from biaslab_widgets.core.bench.three_steps_view import Added

REMOVED = "You removed it."
MOST = 20_000
"""Pictures that a bench holds."""
_MOST_REJECTED = 500
"""Rejected pictures that are listed; of more there is the number."""
_versions = itertools.count(1)


@dataclass(frozen=True)
class KeptImage:
    """A picture at its place.

    - `id`: of its place: the same picture under two terms has two.
    - `aside`: why it is not used; empty where it is.
    """

    id: str
    image: Image
    aside: str = ""


def place_of(image: Image) -> str:
    """The id of a picture's place: of its pixels and its term."""
    term = hashlib.sha256(term_key(image.term).encode()).hexdigest()
    return f"{image.hash[:16]}-{term[:8]}"


def pictures(count: int) -> str:
    """So many pictures, in words."""
    return counted(count, "picture")


class PictureSet:
    """Pictures under terms, with what was set aside.

    Those of terms that are not on the screen wait until their term comes back.

    - `version`: counts up with every change; those of all sets together, so that another never has
      the same.
    - `images`: those that are used, in the order of the terms. Another thread may look at them.
    - `ids`: of their places, in the same order.
    - `terms`: the terms on the screen.
    - `notes`, `problems`: what a person should know of them, and what went wrong on the way.
    """

    def __init__(self) -> None:
        self.version = next(_versions)
        self.images: tuple[Image, ...] = ()
        self.ids: tuple[str, ...] = ()
        self.terms: tuple[str, ...] = ()
        self.notes: tuple[str, ...] = ()
        self.problems: list[str] = []
        self.n_unusable = 0
        self._kept: dict[str, KeptImage] = {}
        self._by_term: dict[str, list[str]] = {}
        self._unusable: list[RejectedImage] = []

    @property
    def unusable(self) -> tuple[RejectedImage, ...]:
        """What came and could not be used; the first of them."""
        return tuple(self._unusable)

    @property
    def aside(self) -> list[KeptImage]:
        """Those of the terms on the screen that are not used and can be put back."""
        return [k for k in self._of_terms() if k.aside]

    def of_term(self, term: str) -> list[KeptImage]:
        """The pictures of a term, used or not."""
        return [self._kept[n] for n in self._by_term.get(term_key(term), ())]

    def kept(self, number: str) -> KeptImage:
        """The picture of an id.

        Raises `ImageError` when there is none.
        """
        try:
            return self._kept[number]
        except KeyError:
            raise ImageError("This picture no longer exists.") from None

    def has(self, number: str) -> bool:
        """Whether there is a picture of this id."""
        return number in self._kept

    def as_image_set(self) -> ImageSet:
        """What is used, with what is not and why."""
        removed = [RejectedImage(_named(k.image), k.image.term, k.aside) for k in self.aside]
        return ImageSet(self.images, (*removed, *self._unusable), self.notes)

    def show(self, terms: Sequence[str]) -> None:
        """Use the pictures of these terms, in their order."""
        if tuple(terms) == self.terms:
            return
        self.terms = tuple(terms)
        self._changed()

    def add(self, made: ImageSet) -> Added:
        """Take pictures in; those that are already there stay as they are.

        Raises `ImageError` when there would be more than a bench holds; then none is taken.
        """
        new = back = there = 0
        fresh = [image for image in made if place_of(image) not in self._kept]
        if len(self._kept) + len(fresh) > MOST:
            raise ImageError(
                f"There would be {counted(len(self._kept) + len(fresh), 'picture')}; the bench"
                f" holds at most {MOST:,}. Use fewer, or test them in Python with"
                " biaslab.image_association."
            )
        for image in made:
            number = place_of(image)
            before = self._kept.get(number)
            if before is None:
                self._kept[number] = KeptImage(number, image)
                self._by_term.setdefault(term_key(image.term), []).append(number)
                new += 1
            elif before.aside:
                self._kept[number] = replace(before, aside="")
                back += 1
            else:
                there += 1
        known = set(self._unusable)
        refused = [one for one in made.rejected if one not in known]
        self.n_unusable += len(refused)
        self._unusable = [*self._unusable, *refused][:_MOST_REJECTED]
        self.notes = tuple(dict.fromkeys((*self.notes, *made.notes)))
        if new or back or refused:
            self._changed()
        reason = made.rejected[0].reason if made.rejected else ""
        return Added("picture", new, back, there, len(made.rejected), reason)

    def remove(self, numbers: Iterable[str]) -> int:
        """Set pictures aside; how many were used until now."""
        used = [n for n in numbers if n in self._kept and not self._kept[n].aside]
        for number in used:
            self._kept[number] = replace(self._kept[number], aside=REMOVED)
        if used:
            self._changed()
        return len(used)

    def remove_term(self, term: str) -> int:
        """Set all pictures of a term aside."""
        return self.remove(list(self._by_term.get(term_key(term), ())))

    def restore(self, numbers: Iterable[str]) -> int:
        """Use pictures again: how many."""
        removed = [n for n in numbers if n in self._kept and self._kept[n].aside]
        for number in removed:
            self._kept[number] = replace(self._kept[number], aside="")
        if removed:
            self._changed()
        return len(removed)

    def describe(self, number: str, text: str) -> None:
        """Give a picture a description.

        Raises `ImageError` when there is none of this id.
        """
        kept = self.kept(number)
        self._kept[number] = replace(kept, image=kept.image.described(text))
        self._changed()

    def forget_unusable(self) -> None:
        """Take what could not be used off the list."""
        if self._unusable:
            self._unusable, self.n_unusable = [], 0
            self._changed()

    def trouble(self, problems: Sequence[str]) -> None:
        """What went wrong on the way, in place of what did before."""
        if list(problems) != self.problems:
            self.problems = list(problems)
            self._changed()

    def _of_terms(self) -> list[KeptImage]:
        return [kept for term in self.terms for kept in self.of_term(term)]

    def _changed(self) -> None:
        # Under the terms as they are written on the screen, which is how the probe knows them.
        used = [
            (kept.id, kept.image if kept.image.term == term else kept.image.under(term))
            for term in self.terms
            for kept in self.of_term(term)
            if not kept.aside
        ]
        self.ids, self.images = tuple(n for n, _ in used), tuple(image for _, image in used)
        self.version = next(_versions)


def _named(image: Image) -> str:
    return str(image.record.provenance.get("file", image.hash[:12]))


class ImageRows:
    """Makes `Images` records; a picture that has not changed keeps its row."""

    def __init__(self) -> None:
        self._rows: dict[str, tuple[object, ImageRow]] = {}

    def of(self, held: PictureSet, words: ImageWords, saved: Mapping[str, int]) -> Images:
        """The record of a set under the terms of the lists.

        - `saved`: by `term_key`, how many kept pictures are not here yet.
        """
        places = {term_key(term): place for place, (term, _) in enumerate(words.terms)}
        sources: dict[str, int] = {}
        made: dict[str, tuple[object, ImageRow]] = {}
        rows = []
        for number, image in zip(held.ids, held.images, strict=True):
            term = places.get(term_key(image.term), -1)
            source = sources.setdefault(image.record.source, len(sources))
            key = (image.record, term, source)
            before = self._rows.get(number)
            if before is None or before[0] != key:
                before = (key, _row(number, image, term, source))
            made[number] = before
            rows.append(before[1])
        self._rows = made
        return {
            "version": held.version,
            "terms": _terms(held, words, saved),
            "sources": list(sources),
            "images": rows,
            "rejected": [
                *map(_aside, held.aside),
                *(
                    RejectedImageRow(id="", name=r.name, term=r.term, reason=r.reason)
                    for r in held.unusable
                ),
            ],
            "notes": list(held.notes),
            "problems": list(held.problems),
        }


def _row(number: str, image: Image, term: int, source: int) -> ImageRow:
    return {
        "id": number,
        "term": term,
        "source": source,
        "alt": image.alt,
        "remark": str(image.record.provenance.get("remarks", "")),
    }


def _terms(held: PictureSet, words: ImageWords, saved: Mapping[str, int]) -> list[TermImages]:
    used: dict[str, list[Image]] = {term_key(term): [] for term, _ in words.terms}
    for image in held.images:
        used.setdefault(term_key(image.term), []).append(image)
    remarks = remarks_of(words, used)
    return [
        {
            "name": term,
            "group": group,
            "count": len(used[term_key(term)]),
            "drawable": drawable(term) is not None,
            "saved": saved.get(term_key(term), 0),
            "remark": remarks.get(term, ""),
        }
        for term, group in words.terms
    ]


def remarks_of(words: ImageWords, used: Mapping[str, list[Image]]) -> dict[str, str]:
    """By term, what to look at before a test.

    - `used`: by `term_key`.
    """
    remarks: dict[str, list[str]] = {}
    hashes = {key: frozenset(i.hash for i in images) for key, images in used.items()}
    names = [term for term, _ in words.terms]
    for term in names:
        own = used[term_key(term)]
        if len(own) < 2:
            remarks[term] = list(ImageSet(tuple(own)).remarks([term]))
    by_picture: dict[str, list[str]] = {}
    for term in names:
        for one in hashes[term_key(term)]:
            by_picture.setdefault(one, []).append(term)
    pairs = {
        (a, b) for terms in by_picture.values() for i, a in enumerate(terms) for b in terms[i + 1 :]
    }
    for a, b in sorted(pairs, key=lambda p: (names.index(p[0]), names.index(p[1]))):
        both = ImageSet((*used[term_key(a)], *used[term_key(b)]))
        for remark in both.remarks([a, b]):
            for term in (a, b):
                if remark not in remarks.setdefault(term, []):
                    remarks[term].append(remark)
    return {term: " ".join(remark) for term, remark in remarks.items()}


def _aside(kept: KeptImage) -> RejectedImageRow:
    name = str(kept.image.record.provenance.get("file", "")) or kept.image.alt
    return {"id": kept.id, "name": name, "term": kept.image.term, "reason": kept.aside}
