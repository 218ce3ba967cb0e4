"""The pictures of step 2 as the front end gets them."""

from __future__ import annotations

from collections.abc import Mapping

from biaslab.images.drawn import drawable
from biaslab.images.image import Image, ImageSet, term_key
from biaslab_widgets.benches.images.fields import (
    ImageRow,
    Images,
    RejectedImageRow,
    TermImages,
)
from biaslab_widgets.benches.images.set import KeptImage, PictureSet
from biaslab_widgets.benches.images.words import ImageWords


class ImageRows:
    """Makes `Images` records; a picture that has not changed keeps its row."""

    def __init__(self) -> None:
        self._rows: dict[str, tuple[object, ImageRow]] = {}

    def of(self, held: PictureSet, words: ImageWords, saved: Mapping[str, int]) -> Images:
        """The record of a set under the terms of the lists.

        Parameters
        ----------
        held : PictureSet
        words : ImageWords
        saved : mapping of str to int
            By `term_key`, how many kept pictures are not here yet.
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
    told = remarks_of(words, used)
    return [
        {
            "name": term,
            "group": group,
            "count": len(used[term_key(term)]),
            "drawable": drawable(term) is not None,
            "saved": saved.get(term_key(term), 0),
            "remark": told.get(term, ""),
        }
        for term, group in words.terms
    ]


def remarks_of(words: ImageWords, used: Mapping[str, list[Image]]) -> dict[str, str]:
    """By term, what to look at before a test.

    Parameters
    ----------
    words : ImageWords
    used : mapping of str to list of Image
        By `term_key`.
    """
    found: dict[str, list[str]] = {}
    hashes = {key: frozenset(i.hash for i in images) for key, images in used.items()}
    names = [term for term, _ in words.terms]
    for term in names:
        own = used[term_key(term)]
        if len(own) < 2:
            found[term] = list(ImageSet(tuple(own)).remarks([term]))
    by_picture: dict[str, list[str]] = {}
    for term in names:
        for one in hashes[term_key(term)]:
            by_picture.setdefault(one, []).append(term)
    pairs = {
        (a, b) for terms in by_picture.values() for i, a in enumerate(terms) for b in terms[i + 1 :]
    }
    for a, b in sorted(pairs, key=lambda p: (names.index(p[0]), names.index(p[1]))):
        both = ImageSet((*used[term_key(a)], *used[term_key(b)]))
        for told in both.remarks([a, b]):
            for term in (a, b):
                if told not in found.setdefault(term, []):
                    found[term].append(told)
    return {term: " ".join(told) for term, told in found.items()}


def _aside(kept: KeptImage) -> RejectedImageRow:
    name = str(kept.image.record.provenance.get("file", "")) or kept.image.alt
    return {"id": kept.id, "name": name, "term": kept.image.term, "reason": kept.aside}
