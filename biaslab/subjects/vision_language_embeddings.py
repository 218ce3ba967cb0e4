"""Embeddings of pictures by a CLIP-type model: remembered, kept in a store, or computed."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager

import numpy as np
from numpy.typing import NDArray

from biaslab.subjects.kept_values import KeptValues, ValueStore
from biaslab.subjects.pictures import Picture
from biaslab.subjects.vision_language_clip import Clip

EMBEDDINGS = "picture-embedding/1"
"""Of the store's values: raise the number when it changes what is kept."""
_AT_ONCE = 256
"""After which the store is written to."""
NOT_KEPT = "Embeddings of pictures are not cached"
Vectors = NDArray[np.float32]
Look = Callable[[Sequence[Picture]], Iterable[tuple[Sequence[Picture], Vectors]]]
"""Batches of pictures, with their vectors."""


def kept_embeddings(store: ValueStore | None, notes: list[str]) -> KeptValues:
    """Embeddings in a store; `notes` takes what to tell when it cannot be used."""
    return KeptValues(store, EMBEDDINGS, _AT_ONCE, notes, NOT_KEPT)


def embeddings_of(
    clip: Clip,
    pictures: Sequence[Picture],
    width: int,
    *,
    lock: AbstractContextManager[object],
    kept: KeptValues,
    key: Callable[[str], str],
    look: Look,
    known: Callable[[int], None],
) -> Vectors:
    """Vectors of pictures: remembered ones, those of the store, and new ones.

    What was looked at is remembered and kept even where looking ends with an error.

    Parameters
    ----------
    clip : Clip
        That remembers them.
    pictures : sequence of Picture
        The same one may come under several terms: it is looked at once.
    width : int
        Numbers of a vector.
    lock : context manager
        Held while what is remembered is changed.
    kept : KeptValues
        See `kept_embeddings`.
    key : callable
        From a picture's hash to its key in the store.
    look : callable
        At pictures that are new.
    known : callable
        Called with how many of the pictures need not be looked at.

    Returns
    -------
    ndarray of float32, shape (pictures, width)
        Each of length 1.
    """
    names = [picture.hash for picture in pictures]
    with lock:
        found = {name: clip.pictures[name] for name in names if name in clip.pictures}
        for name in found:
            clip.pictures.move_to_end(name)
    new = {p.hash: p for p in pictures if p.hash not in found}
    if new and kept.is_used:
        stored = _stored(kept, {key(name): name for name in new}, width)
        found |= stored
        with lock:
            clip.remember(list(stored), list(stored.values()))
        new = {name: p for name, p in new.items() if name not in stored}
    if count := len(names) - len(new):
        known(count)
    try:
        for some, rows in look(list(new.values())):
            hashes = [picture.hash for picture in some]
            with lock:
                clip.remember(hashes, rows)
            fresh = dict(zip(hashes, rows, strict=True))
            found |= fresh
            if kept.is_used:
                kept.put({key(name): _written(vector) for name, vector in fresh.items()})
    finally:
        kept.flush()
    return np.stack([found[name] for name in names])


def _stored(kept: KeptValues, names: dict[str, str], width: int) -> dict[str, Vectors]:
    out = {}
    for key, text in kept.find(names).items():
        vector = _read(text)
        if vector is not None and len(vector) == width:
            out[names[key]] = vector
    return out


def _written(vector: Vectors) -> str:
    return base64.b64encode(vector.astype("<f4").tobytes()).decode("ascii")


def _read(text: str) -> Vectors | None:
    """A stored vector; None where what is stored is damaged: it is computed anew."""
    try:
        vector = np.frombuffer(base64.b64decode(text, validate=True), dtype="<f4")
    except ValueError:
        return None
    sound = len(vector) > 0 and bool(np.isclose(float(vector @ vector), 1.0, atol=1e-3))
    return vector.astype(np.float32) if sound else None
