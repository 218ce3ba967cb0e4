"""Cache of what a vision-language model computed: embeddings of pictures, and answers.

The log score of a concept does not depend on the other concepts, so that an added concept or
template costs only its own scores.
"""

from __future__ import annotations

import base64
import hashlib
import math
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager

import numpy as np
from numpy.typing import NDArray

from biaslab.subjects.stored_values import StoredValues, ValueStore
from biaslab.subjects.vision_language.clip import Clip
from biaslab.subjects.vision_language.pictures import Picture

EMBEDDINGS = "picture-embedding/1"
"""Kind of value in the store: raise the number when the format changes."""
_VECTORS_AT_ONCE = 256
"""Number of values per write to the store."""
EMBEDDINGS_NOT_CACHED = "Embeddings of pictures are not cached"
Vectors = NDArray[np.float32]
Look = Callable[[Sequence[Picture]], Iterable[tuple[Sequence[Picture], Vectors]]]
"""Batches of pictures, with their vectors."""


def stored_embeddings(store: ValueStore | None, notes: list[str]) -> StoredValues:
    """Return the store of embeddings; `notes` collects a note when it cannot be used."""
    return StoredValues(store, EMBEDDINGS, _VECTORS_AT_ONCE, notes, EMBEDDINGS_NOT_CACHED)


def embeddings_of(
    clip: Clip,
    pictures: Sequence[Picture],
    width: int,
    *,
    lock: AbstractContextManager[object],
    stored: StoredValues,
    key: Callable[[str], str],
    look: Look,
    on_cached: Callable[[int], None],
) -> Vectors:
    """Return vectors of pictures: cached, stored, and new ones.

    New vectors are cached and stored even if an error ends the computation.

    - `clip`: model with the cache.
    - `pictures`: one picture may belong to several terms: it is embedded once.
    - `width`: numbers of a vector.
    - `lock`: held while the cache changes.
    - `stored`: see `stored_embeddings`.
    - `key`: from a picture's hash to its key in the store.
    - `look`: embeds new pictures.
    - `on_cached`: called with the number of pictures that have a vector already.
    - Returns ndarray of float32, shape (pictures, width): each of length 1.
    """
    names = [picture.hash for picture in pictures]
    with lock:
        vectors = {name: clip.pictures[name] for name in names if name in clip.pictures}
        for name in vectors:
            clip.pictures.move_to_end(name)
    new = {p.hash: p for p in pictures if p.hash not in vectors}
    if new and stored.is_used:
        from_store = _stored(stored, {key(name): name for name in new}, width)
        vectors |= from_store
        with lock:
            clip.remember(list(from_store), list(from_store.values()))
        new = {name: p for name, p in new.items() if name not in from_store}
    if count := len(names) - len(new):
        on_cached(count)
    try:
        for some, rows in look(list(new.values())):
            hashes = [picture.hash for picture in some]
            with lock:
                clip.remember(hashes, rows)
            fresh = dict(zip(hashes, rows, strict=True))
            vectors |= fresh
            if stored.is_used:
                stored.put({key(name): _written(vector) for name, vector in fresh.items()})
    finally:
        stored.flush()
    return np.stack([vectors[name] for name in names])


def _stored(stored: StoredValues, names: dict[str, str], width: int) -> dict[str, Vectors]:
    out = {}
    for key, text in stored.find(names).items():
        vector = _read_vector(text)
        if vector is not None and len(vector) == width:
            out[names[key]] = vector
    return out


def _written(vector: Vectors) -> str:
    return base64.b64encode(vector.astype("<f4").tobytes()).decode("ascii")


def _read_vector(text: str) -> Vectors | None:
    """Parse a stored vector; None if it is damaged, so that it is computed again."""
    try:
        vector = np.frombuffer(base64.b64decode(text, validate=True), dtype="<f4")
    except ValueError:
        return None
    sound = len(vector) > 0 and bool(np.isclose(float(vector @ vector), 1.0, atol=1e-3))
    return vector.astype(np.float32) if sound else None


ANSWERS = "picture-answer/1"
"""Kind of value in the store: raise the number when the format changes."""
ANSWERS_NOT_CACHED = "Answers about pictures are not cached"
_ROWS = 60_000
"""Size of the cache in pictures times templates; the least recently used go first."""
_SCORES_AT_ONCE = 4_096
"""Number of values per write to the store."""
Scores = NDArray[np.float64]
Part = tuple[Sequence[Picture], Scores]
Ask = Callable[[Sequence[Picture], Sequence[str], Sequence[str]], Iterable[Part]]
"""Batches of pictures, with their log scores (pictures, templates, concepts)."""


class AnswerCache:
    """Log scores by picture, template and concept.

    - `rows`: size of the cache in pictures times templates.
    """

    def __init__(self, rows: int = _ROWS) -> None:
        self.most = rows
        self._lock = threading.Lock()
        self._rows: OrderedDict[tuple[str, str], dict[str, float]] = OrderedDict()

    def clear(self) -> None:
        """Forget all."""
        with self._lock:
            self._rows.clear()

    def of(self, picture: str, templates: Sequence[str], concepts: Sequence[str]) -> Scores:
        """Return log scores of a picture (templates, concepts); NaN if unknown."""
        out = np.full((len(templates), len(concepts)), math.nan)
        with self._lock:
            for t, template in enumerate(templates):
                row = self._rows.get((picture, template))
                if row is not None:
                    self._rows.move_to_end((picture, template))
                    out[t] = [row.get(concept, math.nan) for concept in concepts]
        return out

    def put(
        self, picture: str, templates: Sequence[str], concepts: Sequence[str], scores: Scores
    ) -> None:
        """Cache log scores of a picture (templates, concepts); NaN is skipped."""
        with self._lock:
            for template, row in zip(templates, scores.tolist(), strict=True):
                known = {c: x for c, x in zip(concepts, row, strict=True) if not math.isnan(x)}
                if known:
                    self._rows.setdefault((picture, template), {}).update(known)
                    self._rows.move_to_end((picture, template))
            while len(self._rows) > self.most:
                self._rows.popitem(last=False)


class StoredAnswers:
    """Log scores in a store, under the content of a model.

    - `store`: None stores nothing.
    - `model`: returns the content hash of the model, which takes seconds for a large one.
    - `notes`: collects a note when the store cannot be used.
    """

    def __init__(
        self, store: ValueStore | None, model: Callable[[], str], notes: list[str]
    ) -> None:
        self._store = StoredValues(store, ANSWERS, _SCORES_AT_ONCE, notes, ANSWERS_NOT_CACHED)
        self._model = model

    def find(
        self, pictures: Sequence[str], templates: Sequence[str], concepts: Sequence[str]
    ) -> dict[str, Scores]:
        """Return stored log scores of pictures, (templates, concepts), with NaN.

        - `pictures`: their hashes.
        """
        if not (self._store.is_used and pictures):
            return {}
        model = self._model()
        places = {
            _key(model, picture, template, concept): (picture, t, c)
            for picture in pictures
            for t, template in enumerate(templates)
            for c, concept in enumerate(concepts)
        }
        out: dict[str, Scores] = {}
        for key, text in self._store.find(places).items():
            picture, t, c = places[key]
            scores = out.setdefault(picture, np.full((len(templates), len(concepts)), math.nan))
            scores[t, c] = _read_score(text)
        return out

    def put(
        self, picture: str, templates: Sequence[str], concepts: Sequence[str], scores: Scores
    ) -> None:
        """Store log scores of a picture (templates, concepts), in batches."""
        if not self._store.is_used:
            return
        model = self._model()
        self._store.put(
            {
                _key(model, picture, template, concept): repr(score)
                for template, row in zip(templates, scores.tolist(), strict=True)
                for concept, score in zip(concepts, row, strict=True)
                if math.isfinite(score)
            }
        )

    def flush(self) -> None:
        """Write pending scores."""
        self._store.flush()


def answers_of(
    pictures: Sequence[Picture],
    templates: Sequence[str],
    concepts: Sequence[str],
    cache: AnswerCache,
    stored: StoredAnswers,
    ask: Ask,
    on_cached: Callable[[int], None],
) -> Scores:
    """Return log scores of pictures: cached, stored, and new ones.

    New scores are cached and stored even if an error ends the computation.

    - `pictures`: one picture may belong to several terms: it is scored once.
    - `templates`, `concepts`: all must be answerable.
    - `ask`: scores pictures for templates and concepts.
    - `on_cached`: called with the number of pictures whose scores are complete.
    - Returns ndarray, shape (pictures, templates, concepts).
    """
    unique = {picture.hash: picture for picture in pictures}
    by_picture = {name: cache.of(name, templates, concepts) for name in unique}
    incomplete = [name for name, cached in by_picture.items() if np.isnan(cached).any()]
    for name, cached in stored.find(incomplete, templates, concepts).items():
        by_picture[name] = np.where(np.isnan(by_picture[name]), cached, by_picture[name])
        cache.put(name, templates, concepts, cached)
    if whole := sum(not np.isnan(by_picture[picture.hash]).any() for picture in pictures):
        on_cached(whole)
    try:
        for names, at, which in _alike(by_picture):
            question = [templates[t] for t in at], [concepts[c] for c in which]
            for some, scores in ask([unique[name] for name in names], *question):
                for picture, cached in zip(some, scores, strict=True):
                    by_picture[picture.hash][np.ix_(at, which)] = cached
                    cache.put(picture.hash, *question, cached)
                    stored.put(picture.hash, *question, cached)
    finally:
        stored.flush()
    return np.stack([by_picture[picture.hash] for picture in pictures])


def _alike(scores: dict[str, Scores]) -> Iterator[tuple[list[str], list[int], list[int]]]:
    """Group pictures with the same missing scores."""
    groups: dict[bytes, list[str]] = {}
    for name, row in scores.items():
        lacks = np.isnan(row)
        if lacks.any():
            groups.setdefault(lacks.tobytes(), []).append(name)
    for names in groups.values():
        lacks = np.isnan(scores[names[0]])
        at, which = lacks.any(axis=1), lacks.any(axis=0)
        yield names, np.flatnonzero(at).tolist(), np.flatnonzero(which).tolist()


def _key(model: str, picture: str, template: str, concept: str) -> str:
    return hashlib.sha256(f"{model}|{picture}|{template}\0{concept}".encode()).hexdigest()


def _read_score(text: str) -> float:
    """Parse a stored log score; NaN if it is damaged, so that it is computed again."""
    try:
        score = float(text)
    except ValueError:
        return math.nan
    return score if math.isfinite(score) else math.nan
