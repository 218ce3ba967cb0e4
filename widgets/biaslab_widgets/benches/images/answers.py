"""What models said of pictures, by content and term: what is here is never asked again."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from biaslab.images.image import Image, ImageRecord


@dataclass(frozen=True)
class ImageQuestion:
    """What a model is asked of every picture.

    Attributes
    ----------
    templates : tuple of str
    concepts : tuple of str
    """

    templates: tuple[str, ...]
    concepts: tuple[str, ...]


def asked_of(image: Image | ImageRecord) -> str:
    """What a picture's answers follow from; a simulated model looks at the term too."""
    return f"{image.hash}|{image.term}"


class _Answers:
    """One model's log scores: a row for each picture, a column for each template and concept."""

    def __init__(self) -> None:
        self.rows: dict[str, int] = {}
        self.columns: dict[tuple[str, str], NDArray[np.float64]] = {}
        self.failures: dict[str, str] = {}
        self.version = 0
        self.seconds = 0.0

    def places(self, keys: Sequence[str]) -> NDArray[np.int64]:
        rows = self.rows
        return np.array([rows.get(one, -1) for one in keys], dtype=np.int64)

    def column(self, key: tuple[str, str]) -> NDArray[np.float64]:
        """A column that is long enough for all rows."""
        found = self.columns.get(key)
        if found is None or len(found) < len(self.rows):
            longer = np.full(max(256, 2 * len(self.rows)), np.nan)
            if found is not None:
                longer[: len(found)] = found
            found = self.columns[key] = longer
        return found


class AnswerCache:
    """Answers as they come in, from the thread of a run; looked at by the live worker.

    Models are known by their names on the screen.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._of: dict[str, _Answers] = {}

    def version(self, model: str) -> int:
        """Counts up whenever answers of a model come in."""
        with self._lock:
            return self._of[model].version if model in self._of else 0

    def put(
        self,
        model: str,
        keys: Sequence[str],
        question: ImageQuestion,
        log_scores: NDArray[np.float64],
    ) -> None:
        """Take answers.

        Parameters
        ----------
        model : str
        keys : sequence of str, length n
            Of the pictures, see `asked_of`.
        question : ImageQuestion
        log_scores : ndarray, shape (n, templates, concepts)
        """
        with self._lock:
            held = self._of.setdefault(model, _Answers())
            for one in keys:
                held.rows.setdefault(one, len(held.rows))
                held.failures.pop(one, None)
            places = held.places(keys)
            for k, template in enumerate(question.templates):
                for c, concept in enumerate(question.concepts):
                    held.column((template, concept))[places] = log_scores[:, k, c]
            held.version += 1

    def fail(self, model: str, picture: str, reason: str) -> None:
        """Note that a picture cannot be tested."""
        with self._lock:
            held = self._of.setdefault(model, _Answers())
            held.failures[picture] = reason
            held.version += 1

    def forget_failures(self, model: str) -> None:
        """Let pictures that could not be tested be tried again."""
        with self._lock:
            if model in self._of and self._of[model].failures:
                self._of[model].failures.clear()
                self._of[model].version += 1

    def failures(self, model: str) -> dict[str, str]:
        """Why pictures could not be tested, by their keys."""
        with self._lock:
            return dict(self._of[model].failures) if model in self._of else {}

    def of(self, model: str, keys: Sequence[str], question: ImageQuestion) -> NDArray[np.float64]:
        """Log scores (n, templates, concepts); NaN where nothing is known."""
        shape = (len(keys), len(question.templates), len(question.concepts))
        out = np.full(shape, np.nan)
        with self._lock:
            held = self._of.get(model)
            if held is None:
                return out
            places = held.places(keys)
            there = places >= 0
            for k, template in enumerate(question.templates):
                for c, concept in enumerate(question.concepts):
                    if (template, concept) in held.columns:
                        out[there, k, c] = held.column((template, concept))[places[there]]
        return out

    def known(self, model: str, keys: Sequence[str], question: ImageQuestion) -> NDArray[np.bool_]:
        """Which pictures are answered."""
        return whole(self.of(model, keys, question))

    def seen(self, model: str, keys: Sequence[str]) -> NDArray[np.bool_]:
        """Which pictures were shown before, whatever was asked."""
        with self._lock:
            held = self._of.get(model)
            if held is None:
                return np.zeros(len(keys), dtype=bool)
            found: NDArray[np.bool_] = held.places(keys) >= 0
            return found

    def spend(self, model: str, seconds: float) -> None:
        """Note how long asking took, beside what it took before."""
        with self._lock:
            self._of.setdefault(model, _Answers()).seconds += seconds

    def seconds(self, model: str) -> float:
        """How long asking took, in all."""
        with self._lock:
            return self._of[model].seconds if model in self._of else 0.0


def whole(log_scores: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which pictures have a log score of every template and concept."""
    return np.asarray(np.isfinite(log_scores).all(axis=(1, 2)), dtype=bool)


def softmax(log_scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Probabilities over the last axis, as `ConceptAnswers` has them."""
    risen = np.exp(log_scores - log_scores.max(axis=-1, keepdims=True))
    out: NDArray[np.float64] = risen / risen.sum(axis=-1, keepdims=True)
    return out
