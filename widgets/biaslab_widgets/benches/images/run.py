"""A test of several models on the same pictures; what a model has said is never asked again."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from biaslab.errors import ImageError
from biaslab.images.image import Image, ImageRecord
from biaslab.jobs.job import JobContext, JobStopped
from biaslab.records.wording import counted, prose
from biaslab.stats.threads import one_openmp_thread
from biaslab.store import Store
from biaslab_widgets.core.bench.model_tests import (
    ModelRun,
    PartOfRun,
    TestRun,
    own_store,
    run_models,
)


@dataclass(frozen=True)
class ImageQuestion:
    """What a model is asked of every picture."""

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
        column = self.columns.get(key)
        if column is None or len(column) < len(self.rows):
            longer = np.full(max(256, 2 * len(self.rows)), np.nan)
            if column is not None:
                longer[: len(column)] = column
            column = self.columns[key] = longer
        return column


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

        - `keys`: of the pictures, see `asked_of`.
        - `log_scores`: ndarray, shape (n, templates, concepts).
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
            is_held: NDArray[np.bool_] = held.places(keys) >= 0
            return is_held

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


_FIRST, _MOST = 16, 512
_SECONDS = 0.2
"""About how long the pictures take that are asked about at once."""
_SMALL = 20_000_000
"""Parameters below which a model is small."""


@dataclass(eq=False, kw_only=True)
class ImageTestRun(TestRun):
    """A run over pictures.

    - `cache`: where answers go.
    - `images`: the pictures as they are now: what comes meanwhile is tested too.
    - `question`: what an opened model is asked now.
    - `more_may_come`: waits a moment where pictures are being drawn, and returns whether they are.
    """

    cache: AnswerCache
    images: Callable[[], Sequence[Image]]
    question: Callable[[Any], ImageQuestion]
    more_may_come: Callable[[], bool] = lambda: False


def run_test(
    run: ImageTestRun,
    on_change: Callable[[], object] = lambda: None,
    store: Store | None = None,
    context: JobContext | None = None,
) -> ImageTestRun:
    """Ask about what has no answers yet, model by model; blocks.

    Stopping keeps what is answered.

    - `on_change`: called from this thread whenever there is something new to show.
    - `store`: where embeddings outlive the process; by default the person's own.
    - `context`: progress, and stops.
    """
    place = store or own_store()

    def test_one(model: ModelRun, part: PartOfRun) -> None:
        _test(run, model, on_change, place, part)

    run_models(run, test_one, on_change, context)
    return run


def _test(
    run: ImageTestRun,
    model: ModelRun,
    on_change: Callable[[], object],
    store: Store | None,
    context: PartOfRun,
) -> None:
    subject = model.source.open()
    run.cache.forget_failures(model.name)
    began = time.perf_counter()
    try:
        # Whoever edits meanwhile finds the new words asked as well.
        while not context.should_stop:
            # Asked first: what is drawn between the two questions is not missed.
            more = run.more_may_come()
            if left := _missing(run, model, subject):
                _ask_about(run, model, subject, left, on_change, store, context)
            elif not more:
                break
        # Looked up here: of a large model it takes seconds.
        _ = getattr(subject, "content_hash", None)
    except JobStopped:
        pass
    finally:
        run.cache.spend(model.name, time.perf_counter() - began)
    if left := _missing(run, model, subject):
        model.state, model.message = "stopped", f"Not tested: {counted(len(left), 'picture')}."
    else:
        model.state = "done"


def _missing(run: ImageTestRun, model: ModelRun, subject: Any) -> list[Image]:
    """Pictures without answers, terms in turn, so that every term has some when it is stopped."""
    images = run.images()
    question = run.question(subject)
    keys = [asked_of(image) for image in images]
    known = run.cache.known(model.name, keys, question)
    failed = run.cache.failures(model.name)
    model.scored = int(known.sum()) + sum(
        one in failed for one, k in zip(keys, known, strict=True) if not k
    )
    place: dict[str, int] = {}
    ranked = []
    for i in np.flatnonzero(~known).tolist():
        if keys[i] in failed:
            continue
        rank = place[images[i].term] = place.get(images[i].term, -1) + 1
        ranked.append((rank, i))
    return [images[i] for _, i in sorted(ranked)]


def _ask_about(
    run: ImageTestRun,
    model: ModelRun,
    subject: Any,
    left: Sequence[Image],
    on_change: Callable[[], object],
    store: Store | None,
    context: PartOfRun,
) -> None:
    """Ask about pictures, some at a time, until the question is another."""
    question = run.question(subject)
    at, some = 0, _FIRST
    while at < len(left) and not context.should_stop and run.question(subject) == question:
        part = left[at : at + some]
        began = time.perf_counter()
        try:
            ask(run.cache, model.name, subject, part, question, store, context.checkpoint)
        except ImageError:
            _one_by_one(run, model, subject, part, question, store, context)
        at += len(part)
        took = time.perf_counter() - began
        if took < _SECONDS / 2:
            some = min(2 * some, _MOST)
        elif took > 2 * _SECONDS:
            some = max(some // 2, 1)
        model.scored = min(model.scored + len(part), run.count())
        context.tell()
        on_change()


def ask(
    cache: AnswerCache,
    name: str,
    subject: Any,
    images: Sequence[Image],
    question: ImageQuestion,
    store: Store | None = None,
    between: Callable[[], None] | None = None,
) -> None:
    """Ask a model about pictures, and put what it says into the cache."""
    with one_openmp_thread() if _is_small(subject) else nullcontext():
        answers = subject.answers(
            list(images), question.concepts, question.templates, store=store, between=between
        )
    cache.put(name, [asked_of(image) for image in images], question, answers.log_scores)


def _is_small(subject: Any) -> bool:
    """Whether a picture is too little work to share between threads of the CPU."""
    model = getattr(subject, "model", None)
    count = getattr(model, "num_parameters", None)
    on_cpu = str(getattr(subject, "device", "cpu")) == "cpu"
    return on_cpu and callable(count) and int(count()) < _SMALL


def _one_by_one(
    run: ImageTestRun,
    model: ModelRun,
    subject: Any,
    images: Sequence[Image],
    question: ImageQuestion,
    store: Store | None,
    context: PartOfRun,
) -> None:
    """Where one of several cannot be opened any more: which one, and the others all the same."""
    for image in images:
        try:
            ask(run.cache, model.name, subject, [image], question, store, context.checkpoint)
        except ImageError as error:
            run.cache.fail(model.name, asked_of(image), prose(error))
