"""Many drawn portraits whose embeddings a model remembers, as after a first test."""

from __future__ import annotations

import hashlib
from functools import partial

import numpy as np

import biaslab as bl
from biaslab.images.image import Image, ImageRecord, ImageSet
from biaslab.portraits import describe, draw, sample_portrait
from biaslab.subjects import VisionLanguageModel
from biaslab.subjects.vision_language.clip import Clip

MODEL, SPEC = "portrait-clip", "images-experts-helpers"
SHOWN, SIDE = 8, 224
"""Portraits of each term that the model is really shown, and their width in pixels."""
APART = 0.2
"""Length of the noise by which the embeddings of the others differ from one of those."""


def tested_before(count: int) -> tuple[VisionLanguageModel, ImageSet]:
    """The bundled model, and portraits for its spec that it remembers.

    A portrait is drawn whenever it is looked at, as the bench's own are. Of most of them nobody has
    seen the embedding, so that a set of thousands is there within seconds: it is that of a portrait
    of the same term, with some noise.

    - `count`: portraits in all, as many of each term.
    """
    groups = bl.specs.get(SPEC).groups.values()
    terms = [term for group in groups for term in group]
    vlm = bl.load(MODEL, kind="vlm", device="cpu")
    assert isinstance(vlm, VisionLanguageModel)
    images = [_portrait(term, number) for term in terms for number in range(count // len(terms))]
    _remember(vlm, images)
    return vlm, ImageSet.of(images)


def _portrait(term: str, number: int) -> Image:
    group, occupation = term.split()
    portrait = sample_portrait(occupation, "woman" if group == "female" else "man", number)
    name = hashlib.sha256(f"{term}|{number}".encode()).hexdigest()
    record = ImageRecord(name, term, SIDE, SIDE, "drawn", describe(portrait), {"seed": number})
    return Image(record, partial(draw, portrait, SIDE))


def _remember(vlm: VisionLanguageModel, images: list[Image]) -> None:
    clip = vlm.family
    if not isinstance(clip, Clip):
        raise TypeError(f"{vlm.name} has no embeddings of pictures.")
    by_term: dict[str, list[Image]] = {}
    for image in images:
        by_term.setdefault(image.term, []).append(image)
    shown = [image for some in by_term.values() for image in some[:SHOWN]]
    vlm.answers(shown, ["woman", "man"])
    random = np.random.default_rng(1)
    for some in by_term.values():
        seen = np.stack([clip.pictures[image.hash] for image in some[:SHOWN]])
        rest = some[SHOWN:]
        noise = random.standard_normal((len(rest), seen.shape[1])) / np.sqrt(seen.shape[1])
        vectors = seen[np.arange(len(rest)) % len(seen)] + APART * noise
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        clip.remember([image.hash for image in rest], vectors.astype(np.float32))
