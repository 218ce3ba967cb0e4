"""What a model that looks at picture and text together has answered: never asked again.

The log score of a concept does not depend on what else is asked, so a concept that is added, or
a template, costs nothing but itself.
"""

from __future__ import annotations

import hashlib
import math
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from biaslab.subjects.kept_values import KeptValues, ValueStore
from biaslab.subjects.pictures import Picture

ANSWERS = "picture-answer/1"
"""Of the store's values: raise the number when it changes what is kept."""
NOT_KEPT = "Answers about pictures are not cached"
_ROWS = 60_000
"""Pictures times templates that are remembered; the ones used longest ago go first."""
_AT_ONCE = 4_096
"""After which the store is written to."""
Scores = NDArray[np.float64]
Part = tuple[Sequence[Picture], Scores]
Ask = Callable[[Sequence[Picture], Sequence[str], Sequence[str]], Iterable[Part]]
"""Batches of pictures, with their log scores (pictures, templates, concepts)."""


class RememberedAnswers:
    """Log scores by picture, template and concept.

    Parameters
    ----------
    rows : int
        Pictures times templates that are remembered.
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
        """Log scores of a picture (templates, concepts); NaN where nothing is known."""
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
        """Remember log scores of a picture (templates, concepts); NaN is nothing."""
        with self._lock:
            for template, own in zip(templates, scores.tolist(), strict=True):
                known = {c: x for c, x in zip(concepts, own, strict=True) if not math.isnan(x)}
                if known:
                    self._rows.setdefault((picture, template), {}).update(known)
                    self._rows.move_to_end((picture, template))
            while len(self._rows) > self.most:
                self._rows.popitem(last=False)


class KeptAnswers:
    """Log scores in a store, under the content of a model.

    Parameters
    ----------
    store : ValueStore or None
        None keeps nothing.
    model : callable
        Gives what names the model: a large one takes seconds to be named.
    notes : list of str
        Takes what to tell when the store cannot be used.
    """

    def __init__(
        self, store: ValueStore | None, model: Callable[[], str], notes: list[str]
    ) -> None:
        self._kept = KeptValues(store, ANSWERS, _AT_ONCE, notes, NOT_KEPT)
        self._model = model

    def find(
        self, pictures: Sequence[str], templates: Sequence[str], concepts: Sequence[str]
    ) -> dict[str, Scores]:
        """Log scores (templates, concepts) of pictures that have some; NaN for those they lack.

        Parameters
        ----------
        pictures : sequence of str
            Their hashes.
        templates, concepts : sequence of str
        """
        if not (self._kept.is_used and pictures):
            return {}
        model = self._model()
        places = {
            _key(model, picture, template, concept): (picture, t, c)
            for picture in pictures
            for t, template in enumerate(templates)
            for c, concept in enumerate(concepts)
        }
        found: dict[str, Scores] = {}
        for key, text in self._kept.find(places).items():
            picture, t, c = places[key]
            own = found.setdefault(picture, np.full((len(templates), len(concepts)), math.nan))
            own[t, c] = _read(text)
        return found

    def put(
        self, picture: str, templates: Sequence[str], concepts: Sequence[str], scores: Scores
    ) -> None:
        """Keep log scores of a picture (templates, concepts), when enough have come together."""
        if not self._kept.is_used:
            return
        model = self._model()
        self._kept.put(
            {
                _key(model, picture, template, concept): repr(score)
                for template, own in zip(templates, scores.tolist(), strict=True)
                for concept, score in zip(concepts, own, strict=True)
                if math.isfinite(score)
            }
        )

    def flush(self) -> None:
        """Write what is waiting."""
        self._kept.flush()


def answers_of(
    pictures: Sequence[Picture],
    templates: Sequence[str],
    concepts: Sequence[str],
    remembered: RememberedAnswers,
    kept: KeptAnswers,
    ask: Ask,
    known: Callable[[int], None],
) -> Scores:
    """Log scores of pictures: remembered ones, those of the store, and new ones.

    What was asked is remembered and kept even where asking ends with an error.

    Parameters
    ----------
    pictures : sequence of Picture
        The same one may come under several terms: it is looked at once.
    templates, concepts : sequence of str
        All of which can be asked.
    remembered : RememberedAnswers
    kept : KeptAnswers
    ask : callable
        Of pictures, templates and concepts.
    known : callable
        Called with how many of the pictures need not be asked about.

    Returns
    -------
    ndarray, shape (pictures, templates, concepts)
    """
    different = {picture.hash: picture for picture in pictures}
    found = {name: remembered.of(name, templates, concepts) for name in different}
    open_ones = [name for name, own in found.items() if np.isnan(own).any()]
    for name, own in kept.find(open_ones, templates, concepts).items():
        found[name] = np.where(np.isnan(found[name]), own, found[name])
        remembered.put(name, templates, concepts, own)
    if whole := sum(not np.isnan(found[picture.hash]).any() for picture in pictures):
        known(whole)
    try:
        for names, at, which in _alike(found):
            asked = [templates[t] for t in at], [concepts[c] for c in which]
            for some, scores in ask([different[name] for name in names], *asked):
                for picture, own in zip(some, scores, strict=True):
                    found[picture.hash][np.ix_(at, which)] = own
                    remembered.put(picture.hash, *asked, own)
                    kept.put(picture.hash, *asked, own)
    finally:
        kept.flush()
    return np.stack([found[picture.hash] for picture in pictures])


def _alike(found: dict[str, Scores]) -> Iterator[tuple[list[str], list[int], list[int]]]:
    """Pictures that lack the same answers, with the templates and concepts to ask."""
    groups: dict[bytes, list[str]] = {}
    for name, own in found.items():
        lacks = np.isnan(own)
        if lacks.any():
            groups.setdefault(lacks.tobytes(), []).append(name)
    for names in groups.values():
        lacks = np.isnan(found[names[0]])
        at, which = lacks.any(axis=1), lacks.any(axis=0)
        yield names, np.flatnonzero(at).tolist(), np.flatnonzero(which).tolist()


def _key(model: str, picture: str, template: str, concept: str) -> str:
    return hashlib.sha256(f"{model}|{picture}|{template}\0{concept}".encode()).hexdigest()


def _read(text: str) -> float:
    """A kept log score; NaN where what is kept is damaged: it is asked anew."""
    try:
        score = float(text)
    except ValueError:
        return math.nan
    return score if math.isfinite(score) else math.nan
