"""Pictures for terms without a generator: stored, in a folder, or drawn portraits."""

from __future__ import annotations

import hashlib
import io
import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biaslab.arguments import names
from biaslab.errors import ImageError, StoreError
from biaslab.images.dataset import holds_dataset, read_dataset
from biaslab.images.drawn import PER_TERM, SIZE, drawable, drawn_images
from biaslab.images.folder import read_folder
from biaslab.images.image import Image, ImageRecord, ImageSet, RejectedImage, term_key
from biaslab.images.opening import LARGEST_SIDE
from biaslab.records.calls import recorded
from biaslab.specs.spec import Spec
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
    store = store or Store()
    known = {row.hash for row in store.kept_images({term_key(i.term) for i in listed})}
    rows = []
    for image in listed:
        name = _name(image)
        if name not in known:
            file = store.put_file(image.png(), "image/png")
            rows.append(KeptImage(name, term_key(image.term), file, _document(image.record)))
    return store.keep_images(rows)


@recorded
def kept_images(terms: Iterable[str] | None = None, *, store: Store | None = None) -> ImageSet:
    """Return stored pictures of some terms, ignoring case, or of all; oldest first.

    Unreadable pictures are among the rejected, with the reason.
    """
    store = store or Store()
    keys = None if terms is None else [term_key(term) for term in terms]
    images: list[Image] = []
    rejected: list[RejectedImage] = []
    for row in store.kept_images(keys):
        record = _record(row.document)
        if record is None:
            rejected.append(RejectedImage(row.hash[:12], row.term, "Its entry is damaged."))
        else:
            images.append(Image(record, _opener(store, row.file)))
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


@recorded
def read_images(
    folder: str | os.PathLike[str], *, largest_side: int | None = LARGEST_SIDE
) -> ImageSet:
    """Read pictures from a folder: a data set, or one folder for each term.

    Parameters
    ----------
    folder : path
        See `biaslab.images.read_dataset` and `biaslab.images.read_folder`.
    largest_side : int or None
        Longer side in pixels to which larger pictures are shrunk.

    Raises
    ------
    ImageError
        If there is no such folder, or nothing in it can be read.
    MissingExtraError
        If it takes ``datasets`` to read it, which is not installed.
    """
    root = Path(folder).expanduser()
    if holds_dataset(root):
        return read_dataset(root, largest_side=largest_side)
    return read_folder(root, largest_side=largest_side)


def image_terms(spec: Spec, groups: Sequence[str] | None = None) -> tuple[str, ...]:
    """Return the terms of a spec's two groups, each once.

    Parameters
    ----------
    spec : Spec
        With two groups or more.
    groups : (str, str), optional
        Two of them; by default the first two.

    Raises
    ------
    SpecError
        If these are not groups of the spec.
    """
    chosen = names(groups, "groups") or tuple(spec.groups)[:2]
    cut = spec.two_groups(*chosen)
    return tuple(dict.fromkeys(term for terms in cut.groups.values() for term in terms))


def can_be_drawn(spec: Spec, groups: Sequence[str] | None = None) -> bool:
    """Return whether portraits can be drawn for every term of a spec's two groups.

    Parameters
    ----------
    spec, groups
        See `image_terms`.
    """
    return len(spec.groups) > 1 and all(drawable(term) for term in image_terms(spec, groups))


@recorded
def default_images(
    spec: Spec,
    *,
    groups: Sequence[str] | None = None,
    per_term: int = PER_TERM,
    seed: int = 0,
    size: int = SIZE,
) -> ImageSet:
    """Draw portraits for a spec, the same for the same seed.

    Parameters
    ----------
    spec, groups
        See `image_terms`.
    per_term, seed, size
        See `biaslab.images.drawn.drawn_images`.

    Raises
    ------
    SpecError
        If these are not groups of the spec.
    ImageError
        If a term cannot be drawn: names the remedy.
    """
    return drawn_images(image_terms(spec, groups), per_term=per_term, seed=seed, size=size)


@recorded
def find_images(
    terms: Sequence[str],
    *,
    store: Store | None = None,
    per_term: int = PER_TERM,
    seed: int = 0,
    draw: bool = True,
) -> ImageSet:
    """Return pictures of terms: stored ones, and drawn portraits if there are too few.

    Parameters
    ----------
    terms : sequence of str
        Terms of the pictures.
    store : Store, optional
        By default the person's own.
    per_term : int
        Number of pictures up to which portraits are drawn for a term; all stored ones are included.
    seed : int
        Of the portraits.
    draw : bool
        Whether to draw at all.

    Returns
    -------
    ImageSet
        Terms without any picture are among the notes.
    """
    stored = kept_images(terms, store=store).of_terms(terms)
    images = stored
    for term in terms if draw else ():
        there = stored.of_term(term)
        if drawable(term) and (left := per_term - len(there)) > 0:
            # Stored pictures may include drawn ones, which would be drawn again.
            again = sum(image.record.source == "drawn" for image in there)
            drawn = drawn_images([term], per_term=left + again, seed=seed)
            new = drawn.without(image.hash for image in there)
            images = images.joined(replace(new, images=new.images[:left]))
    images = images.of_terms(terms)
    none = [term for term in terms if not images.of_term(term)]
    notes = tuple(f"There is no picture of {t!r}: upload or generate some." for t in none)
    return replace(images, notes=(*images.notes, *notes))
