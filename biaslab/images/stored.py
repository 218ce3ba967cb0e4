"""Pictures in the store, found again by their term."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from biaslab.calls import recorded
from biaslab.errors import ImageError, StoreError
from biaslab.images.image import Image, ImageRecord
from biaslab.images.image_set import ImageSet, RejectedImage, term_key
from biaslab.store import KeptImage, Store

if TYPE_CHECKING:
    from PIL.Image import Image as PillowImage

_LONGEST_TERM = 200


def keep_images(images: Iterable[Image], *, store: Store | None = None) -> int:
    """Store pictures without metadata; known ones are left unchanged.

    Parameters
    ----------
    images : iterable of Image
        Each with its term, by which it is found again.
    store : Store, optional
        By default the person's own.

    Returns
    -------
    int
        How many were not known before.

    Raises
    ------
    ImageError
        If a picture has no term, or a term of more than 200 characters; then none is stored.
    StoreError
        If the store cannot be written to.
    """
    listed = list(images)
    for image in listed:
        if not image.term.strip() or len(image.term) > _LONGEST_TERM:
            raise ImageError(
                f"A picture has the term {image.term[:40]!r}. Pictures are looked up by their"
                f" term. Use one of 1 to {_LONGEST_TERM} characters. Nothing was stored."
            )
    place = store or Store()
    known = {row.hash for row in place.kept_images({term_key(i.term) for i in listed})}
    rows = []
    for image in listed:
        name = _name(image)
        if name not in known:
            file = place.put_file(image.png(), "image/png")
            rows.append(KeptImage(name, term_key(image.term), file, _document(image.record)))
    return place.keep_images(rows)


@recorded
def kept_images(terms: Iterable[str] | None = None, *, store: Store | None = None) -> ImageSet:
    """Return stored pictures of some terms, ignoring case, or of all; oldest first.

    Unreadable pictures are among the rejected, with the reason.
    """
    place = store or Store()
    keys = None if terms is None else [term_key(term) for term in terms]
    images: list[Image] = []
    rejected: list[RejectedImage] = []
    for row in place.kept_images(keys):
        record = _record(row.document)
        if record is None:
            rejected.append(RejectedImage(row.hash[:12], row.term, "Its entry is damaged."))
        else:
            images.append(Image(record, _opener(place, row.file)))
    return ImageSet.of(images, rejected=rejected)


def forget_images(images: Iterable[Image], *, store: Store | None = None) -> int:
    """Delete pictures from the store permanently; return their number."""
    return (store or Store()).forget_images([_name(image) for image in images])


def _name(image: Image) -> str:
    return hashlib.sha256(json.dumps([image.hash, term_key(image.term)]).encode()).hexdigest()


def _document(record: ImageRecord) -> str:
    plain = {**vars(record), "provenance": dict(record.provenance)}
    return json.dumps(plain, ensure_ascii=False)


def _record(document: str) -> ImageRecord | None:
    try:
        plain: dict[str, Any] = json.loads(document)
        return ImageRecord(**plain)
    except (ValueError, TypeError):
        return None


class _opener:  # a partial function, which can be pickled
    """Gives the pixels of a stored picture."""

    def __init__(self, store: Store, file: str) -> None:
        self.store, self.file = store, file

    def __call__(self) -> PillowImage:
        from PIL import Image as images

        try:
            content = self.store.get_file(self.file).content
        except StoreError as error:
            raise ImageError(f"A stored picture cannot be read: {error}") from error
        # Written by ourselves, and its hash was checked.
        return images.open(io.BytesIO(content), formats=("PNG",)).convert("RGB")
