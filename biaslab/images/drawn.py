"""Portraits drawn for terms such as "nurse", "woman" or "female scientist"."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Final

import numpy as np

from biaslab.asking.providers.chat import Painted
from biaslab.errors import EndpointAnswerError, ImageError
from biaslab.images.image import Image, ImageRecord, ImageSet, term_key
from biaslab.images.opening import png
from biaslab.jobs.context import JobContext
from biaslab.portraits import (
    GROUPS,
    MAN,
    OCCUPATIONS,
    PLAIN,
    WOMAN,
    describe,
    draw,
    sample_portrait,
)
from biaslab.records.calls import call_of, recorded, recorded_class, remember
from biaslab.subjects.vision_language.pictures import pixel_hash

if TYPE_CHECKING:
    from PIL.Image import Image as PillowImage

SIZE = 224
"""Default width and height in pixels."""
PER_TERM = 30
STEREOTYPES = (
    "The portraits are drawn and deliberately stereotyped: a score on them shows how a model reads"
    " drawn clichés, and says nothing about people."
)
"""Note on every set of drawn portraits."""
_GROUP_WORDS = {
    WOMAN: {"woman", "women", "female", "lady"},
    MAN: {"man", "men", "male", "gentleman"},
}
_FILLERS = {"a", "an", "the", "who", "is", "portrait", "portraits", "of", "drawn", "at", "work"}


@dataclass(frozen=True)
class Drawable:
    """Content of a term's portraits.

    Attributes
    ----------
    occupation : str
        One of `biaslab.portraits.OCCUPATIONS`.
    group : str or None
        ``"woman"`` or ``"man"``; None draws half of each.
    """

    occupation: str
    group: str | None


def drawable(term: str) -> Drawable | None:
    """Return how a term is drawn; None if it is unknown.

    Parameters
    ----------
    term : str
        An occupation that can be drawn, a group, or both, such as ``"female nurse"``.
    """
    occupation: str | None = None
    group: str | None = None
    for word in term_key(term).split():
        if word in _FILLERS:
            continue
        named = next((g for g, words in _GROUP_WORDS.items() if word in words), None)
        if named is not None and group is None:
            group = named
        elif word in OCCUPATIONS and occupation is None:
            occupation = word
        else:
            return None
    if occupation is None and group is None:
        return None
    return Drawable(occupation or PLAIN, group)


@recorded
def drawn_images(
    terms: Sequence[str], *, per_term: int = PER_TERM, seed: int = 0, size: int = SIZE
) -> ImageSet:
    """Draw portraits of terms, the same for the same seed.

    Parameters
    ----------
    terms : sequence of str
        See `drawable`.
    per_term : int
        Portraits of each.
    seed : int
        Fixes everything. A term's portraits do not depend on the other terms.
    size : int
        Width and height in pixels.

    Raises
    ------
    ImageError
        If a term cannot be drawn: names those that can.
    """
    if per_term < 1:
        raise ImageError(f"per_term={per_term}: draw at least one portrait of each term.")
    images = []
    for term in terms:
        what = _known(term)
        images += [_draw(term, what, number, seed, size)[0] for number in range(per_term)]
    return ImageSet.of(images, notes=(STEREOTYPES,) if images else ())


@recorded
def drawn_image(
    term: str, number: int, *, seed: int = 0, size: int = SIZE
) -> tuple[Image, PillowImage]:
    """Return one of the portraits that `drawn_images` draws of a term, and its pixels.

    Parameters
    ----------
    term : str
        See `drawable`.
    number : int
        Which of them, from 0.
    seed, size : int
        See `drawn_images`.

    Raises
    ------
    ImageError
        If the term cannot be drawn: names those that can.
    """
    return _draw(term, _known(term), number, seed, size)


def _known(term: str) -> Drawable:
    what = drawable(term)
    if what is None:
        near = get_close_matches(term_key(term), list(OCCUPATIONS), 1, 0.7)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise ImageError(
            f"{term!r} cannot be drawn.{hint} Known terms are woman, man, and the occupations"
            f" {', '.join(OCCUPATIONS)}, also together, such as 'female nurse'. For other terms,"
            " upload or generate pictures."
        )
    return what


def _draw(
    term: str, what: Drawable, number: int, seed: int, size: int
) -> tuple[Image, PillowImage]:
    # Of the term's meaning, not its spelling: "nurse" and "a nurse" are the same portraits.
    key = f"{what.occupation}|{what.group}|{seed}|{number}"
    seed_of_term = int.from_bytes(hashlib.sha256(key.encode()).digest()[:6], "big")
    group = what.group or GROUPS[number % 2]
    portrait = sample_portrait(what.occupation, group, seed_of_term)
    image = draw(portrait, size)
    record = ImageRecord(
        pixel_hash(image), " ".join(term.split()), size, size, "drawn", describe(portrait),
        {"occupation": what.occupation, "group": group, "seed": seed_of_term, "size": size},
    )  # fmt: skip
    made_by = call_of(drawn_image, term, number, seed=seed, size=size)
    return remember(Image(record, lambda: draw(portrait, size)), made_by.item(0)), image


PLANTED: Final[Mapping[str, float]] = {
    "nurse": 0.90, "secretary": 0.95, "teacher": 0.70, "judge": 0.30, "electrician": 0.02,
}  # fmt: skip
"""Share of women whom `DrawnPainter` draws by default; in other occupations half are women."""


@recorded_class
class DrawnPainter:
    """A painter of drawn portraits whose bias is known: a truth to find, for lessons and tests.

    Parameters
    ----------
    shares : mapping of str to float, optional
        Occupation to the share of women, in [0, 1]; by default `biaslab.images.drawn.PLANTED`.
    seed : int
        The same seed gives the same pictures.
    size : int
        Width and height in pixels.

    Raises
    ------
    ImageError
        If an occupation cannot be drawn, or a share is none.
    """

    name = "drawn-painter"

    def __init__(
        self, shares: Mapping[str, float] | None = None, *, seed: int = 0, size: int = SIZE
    ) -> None:
        self.shares = dict(PLANTED if shares is None else shares)
        self.seed, self.size = seed, size
        for occupation, share in self.shares.items():
            if _known(occupation).group is not None or not 0 <= share <= 1:
                raise ImageError(
                    f"The share of women of {occupation!r} is {share}. Give an occupation and a"
                    " share from 0 to 1."
                )

    def share(self, term: str) -> float:
        """Return the share of women among portraits of a term, in [0, 1]."""
        what = _known(term)
        if what.group is not None:
            return float(what.group == WOMAN)
        return self.shares.get(what.occupation, 0.5)

    def paint(self, prompt: str, number: int, context: JobContext) -> Painted:
        """See `biaslab.images.Painter.paint`; the occupation is a word of the prompt."""
        context.checkpoint()
        words = re.findall(r"[a-z]+", prompt.lower())
        occupation = next((word for word in words if word in OCCUPATIONS), None)
        if occupation is None:
            raise EndpointAnswerError(
                f"The prompt {prompt!r} names no occupation that can be drawn. Use one of"
                f" {', '.join(OCCUPATIONS)}."
            )
        key = hashlib.sha256(f"{prompt}|{self.seed}|{number}".encode()).digest()
        rng = np.random.default_rng(int.from_bytes(key[:8], "big"))
        group = WOMAN if rng.random() < self.share(occupation) else MAN
        portrait = sample_portrait(occupation, group, int(rng.integers(2**48)))
        return Painted(png(draw(portrait, self.size)), {"occupation": occupation, "group": group})
