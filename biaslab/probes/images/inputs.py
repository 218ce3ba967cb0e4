"""Inputs of a test: pictures of two groups, and two lists of concepts tied to them."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from biaslab.arguments import listed
from biaslab.errors import QueryError
from biaslab.images import (
    Image,
    ImageSet,
    can_be_drawn,
    default_images,
    find_images,
    image_terms,
    read_images,
)
from biaslab.images.drawn import PER_TERM
from biaslab.records.result import Dropped
from biaslab.specs import Spec
from biaslab.store import Store

Images: TypeAlias = ImageSet | Sequence[Image] | str | os.PathLike[str]
_TOLD = 3


@dataclass(frozen=True)
class ResolvedImages:
    """Pictures in the order of groups and terms.

    Attributes
    ----------
    images : tuple of Image
        The n pictures.
    group_of : ndarray of int64, shape (n,)
        0 or 1.
    groups : (str, str)
        Names.
    dropped : tuple of Dropped
        Terms without a picture.
    notes : tuple of str
        Remarks on the pictures, for the user.
    """

    images: tuple[Image, ...]
    group_of: NDArray[np.int64]
    groups: tuple[str, str]
    dropped: tuple[Dropped, ...] = ()
    notes: tuple[str, ...] = ()

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 of the pictures, their terms and groups, in any order."""
        rows = sorted(
            f"{side}|{image.term}|{image.hash}"
            for side, image in zip(self.group_of.tolist(), self.images, strict=True)
        )
        return hashlib.sha256("\n".join(rows).encode()).hexdigest()


@dataclass(frozen=True)
class ResolvedConcepts:
    """Concepts of the list tied to the first group, then of the second's.

    Attributes
    ----------
    lists : (str, str)
        Names.
    concepts : tuple of str
    list_of : ndarray of int64
        List of each concept: 0 or 1.
    dropped : tuple of Dropped
        Concepts that the model cannot score, and duplicates.
    notes : tuple of str
    """

    lists: tuple[str, str]
    concepts: tuple[str, ...]
    list_of: NDArray[np.int64]
    dropped: tuple[Dropped, ...] = ()
    notes: tuple[str, ...] = field(default=())


def resolve_images(
    spec: Spec,
    images: Images | None = None,
    *,
    groups: Sequence[str] | None = None,
    per_term: int = PER_TERM,
    seed: int = 0,
    store: Store | None = None,
) -> ResolvedImages:
    """Return the pictures of a test.

    - `spec`: its groups are the lists of image terms.
    - `images`: see `biaslab.images.read_images`. By default drawn portraits; if terms cannot be
      drawn, those in the store.
    - `groups`: two of the spec's groups; by default the first two.
    - `per_term`, `seed`: portraits to draw of each term, and what fixes them.
    - `store`: store of pictures; by default the user's own.
    - Raises `QueryError` if a term is in both groups, or a group has no picture; `SpecError` if
      these are not groups of the spec; `ImageError` if a folder cannot be read.
    """
    terms = image_terms(spec, groups)
    cut = spec.two_groups(*(groups if groups is not None else tuple(spec.groups)[:2]))
    first, second = cut.groups
    if both := [term for term in cut.groups[first] if term in cut.groups[second]]:
        raise QueryError(
            f"{both[0]!r} is in both groups, {first!r} and {second!r}, which would then share its"
            " pictures. Remove it from one of them."
        )
    available = _images(images, spec, terms, groups, per_term, seed, store)
    matching = available.of_terms(terms)
    notes = [*available.notes]
    if left := len(available) - len(matching):
        others = [t for t in available.terms if not matching.of_term(t)]
        examples = ", ".join(repr(t) for t in others[:_TOLD]) + (
            ", ..." if len(others) > _TOLD else ""
        )
        notes.append(
            f"{left:,} picture{'s are' if left > 1 else ' is'} of terms outside the spec"
            f" ({examples}) and left out."
        )
    lost = _lost(available)
    notes += lost
    group_of, dropped = [], []
    selected: list[Image] = []
    for side, (group, group_terms) in enumerate(cut.groups.items()):
        for term in dict.fromkeys(group_terms):
            pictures = matching.of_term(term)
            if not pictures:
                dropped.append(Dropped(term, group, "There is no picture of it."))
            selected += pictures
            group_of += [side] * len(pictures)
    there = {term for term in terms if matching.of_term(term)}
    for side, (group, group_terms) in enumerate(cut.groups.items()):
        if side not in group_of:
            raise QueryError(
                f"There is no picture of {group!r} (of {', '.join(map(repr, group_terms[:_TOLD]))}"
                f"{', ...' if len(group_terms) > _TOLD else ''}): draw, generate or upload some, or"
                " read a folder with bl.images.read_folder(path), which has one folder for each"
                " term." + "".join(f" {one}" for one in lost),
                tuple(dropped),
            )
    notes += matching.remarks([term for term in terms if term in there])
    return ResolvedImages(
        tuple(selected),
        np.array(group_of, dtype=np.int64),
        (first, second),
        tuple(dropped),
        tuple(dict.fromkeys(notes)),
    )


def _lost(images: ImageSet) -> list[str]:
    """Describe the rejected pictures."""
    if not images.rejected:
        return []
    rejection, count = images.rejected[0], len(images.rejected)
    were = "pictures were" if count > 1 else "picture was"
    name = rejection.name or rejection.term
    return [f"{count:,} {were} rejected, the first, {name!r}, because: {rejection.reason}"]


def _images(
    images: Images | None,
    spec: Spec,
    terms: Sequence[str],
    groups: Sequence[str] | None,
    per_term: int,
    seed: int,
    store: Store | None,
) -> ImageSet:
    if images is None:
        if can_be_drawn(spec, groups):
            return default_images(spec, groups=groups, per_term=per_term, seed=seed)
        return find_images(terms, store=store, per_term=per_term, seed=seed)
    if isinstance(images, ImageSet):
        return images
    if isinstance(images, str | os.PathLike):
        return read_images(images)
    listed_images = listed(images, "images", "bl.images.default_images(spec)")
    if (
        wrong := next((item for item in listed_images if not isinstance(item, Image)), None)
    ) is not None:
        raise QueryError(
            f"A {type(wrong).__name__} has no term. Give pictures of bl.images, such as"
            " bl.images.open_image(path, term), or a folder."
        )
    return ImageSet.of(listed_images)


def resolve_concepts(
    vlm: Any, spec: Spec, *, groups: tuple[str, str], attributes: tuple[str, str] | None = None
) -> ResolvedConcepts:
    """Return the concepts of a test, without those that the model cannot score.

    - `spec`: its attribute lists are the lists of concepts.
    - `groups`: the groups to which the lists are tied.
    - `attributes`: names of the list tied to the first group and of the one tied to the second; by
      default from the spec.
    - Raises `QueryError` if the spec does not tie lists to groups, a concept is in both, or no
      concept of a list can be scored.
    """
    names, notes = _lists(spec, groups, attributes)
    lists = [spec.attributes[name] for name in names]
    keys = [{" ".join(c.split()).casefold(): c for c in concepts} for concepts in lists]
    if both := [c for key, c in keys[0].items() if key in keys[1]]:
        raise QueryError(
            f"The concept {both[0]!r} is in both lists, {names[0]!r} and {names[1]!r}. Remove it"
            " from one of them."
        )
    dropped: list[Dropped] = []
    concepts: list[str] = []
    list_of: list[int] = []
    for side, (name, listed_concepts) in enumerate(zip(names, lists, strict=True)):
        resolution = vlm.resolve(listed_concepts)
        group_dropped = [
            Dropped(problem.term, name, problem.reason, tuple(problem.suggestions))
            for problem in resolution.unknown
        ]
        group_dropped += [
            Dropped(term, name, "It is already in the list.") for term in resolution.duplicates
        ]
        if not resolution.known:
            reasons = "; ".join(
                f"{problem.term!r}: {problem.reason}" for problem in group_dropped[:_TOLD]
            )
            raise QueryError(
                f"{getattr(vlm, 'name', 'The model')} cannot be asked about any concept in the list"
                f" {name!r} ({reasons}). Put other words into it.",
                (*dropped, *group_dropped),
            )
        dropped += group_dropped
        concepts += resolution.known
        list_of += [side] * len(resolution.known)
    sizes = [list_of.count(side) for side in (0, 1)]
    if sizes[0] != sizes[1]:
        notes.append(
            f"The lists differ in length ({sizes[0]} and {sizes[1]} concepts): aggregate='sum'"
            " favours the longer one, 'mean' does not."
        )
    return ResolvedConcepts(
        names, tuple(concepts), np.array(list_of, dtype=np.int64), tuple(dropped), tuple(notes)
    )


def _lists(
    spec: Spec, groups: tuple[str, str], attributes: tuple[str, str] | None
) -> tuple[tuple[str, str], list[str]]:
    """Return names of the two lists, by the groups that they are tied to."""
    known = ", ".join(repr(name) for name in spec.attributes) or "none"
    if attributes is not None:
        if len(attributes) != 2:
            raise QueryError(f"attributes is {attributes!r}: give two lists, one for each group.")
        for name in attributes:
            if name not in spec.attributes:
                raise QueryError(f"The spec has no list {name!r}. It has: {known}.")
        if attributes[0] == attributes[1]:
            raise QueryError(f"Both lists are {attributes[0]!r}: give two different ones.")
        return (attributes[0], attributes[1]), []
    tied: list[str] = []
    for group in groups:
        other = groups[1 - groups.index(group)]
        matching = [
            name
            for name in spec.attributes
            if group in spec.attribute_groups.get(name, ())
            and other not in spec.attribute_groups.get(name, ())
        ]
        if len(matching) == 1:
            tied.append(matching[0])
        elif matching:
            raise QueryError(
                f"{len(matching)} lists are tied to {group!r} ({', '.join(map(repr, matching))})"
                ", but only one can be compared. Choose it: attributes=(list of the first group,"
                " list of the second)."
            )
    if len(tied) == 2:
        return (tied[0], tied[1]), []
    if not any(spec.attribute_groups.values()) and len(spec.attributes) == 2:
        list_1, list_2 = spec.attributes
        note = (
            f"The spec does not say which list belongs to which group: {list_1!r} is taken as the"
            f" list of {groups[0]!r}, and {list_2!r} as that of {groups[1]!r}."
        )
        return (list_1, list_2), [note]
    raise QueryError(
        f"Two lists of concepts are needed, one tied to {groups[0]!r} and one to {groups[1]!r}. The"
        f" spec has {known}. Tie them in attribute_groups, or name them: attributes=(list of the"
        " first group, list of the second)."
    )
