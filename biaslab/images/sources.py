"""Pictures for terms without a generator: saved ones, and drawn portraits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from biaslab.arguments import names
from biaslab.calls import recorded
from biaslab.images.drawn import PER_TERM, SIZE, drawable, drawn_images
from biaslab.images.image_set import ImageSet
from biaslab.images.stored import kept_images
from biaslab.specs.spec import Spec
from biaslab.store import Store


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
