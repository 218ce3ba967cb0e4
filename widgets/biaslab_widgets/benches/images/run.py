"""A test of several models on the same pictures."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np

from biaslab.errors import ImageError
from biaslab.images.image import Image
from biaslab.jobs import JobContext, JobStopped
from biaslab.stats.threads import one_openmp_thread
from biaslab.store import Store
from biaslab_widgets.benches.images.answers import AnswerCache, ImageQuestion, asked_of
from biaslab_widgets.core.model_runs import (
    ModelRun,
    PartOfRun,
    TestRun,
    own_store,
    run_models,
)

_FIRST, _MOST = 16, 512
_SECONDS = 0.2
"""About how long the pictures take that are asked about at once."""
_SMALL = 20_000_000
"""Parameters below which a model is small."""


@dataclass(eq=False, kw_only=True)
class ImageTestRun(TestRun):
    """A run over pictures.

    Attributes
    ----------
    cache : AnswerCache
        Where answers go.
    images : callable
        The pictures as they are now: what comes meanwhile is tested too.
    question : callable
        What an opened model is asked now.
    """

    cache: AnswerCache
    images: Callable[[], Sequence[Image]]
    question: Callable[[Any], ImageQuestion]


def run_test(
    run: ImageTestRun,
    on_change: Callable[[], object] = lambda: None,
    store: Store | None = None,
    context: JobContext | None = None,
) -> ImageTestRun:
    """Ask about what has no answers yet, model by model; blocks.

    Stopping keeps what is answered.

    Parameters
    ----------
    run : ImageTestRun
    on_change : callable
        Called from this thread whenever there is something new to show.
    store : Store, optional
        Where embeddings outlive the process; by default the person's own.
    context : JobContext, optional
        Progress, and stops.
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
    left: list[Image] = []
    try:
        # Whoever edits meanwhile finds the new words asked as well.
        while (left := _missing(run, model, subject)) and not context.should_stop:
            _ask_about(run, model, subject, left, on_change, store, context)
        # Looked up here: of a large model it takes seconds.
        _ = getattr(subject, "content_hash", None)
    except JobStopped:
        left = _missing(run, model, subject)
    finally:
        run.cache.spend(model.name, time.perf_counter() - began)
    if left:
        model.state, model.message = "stopped", f"{len(left):,} pictures were not tested."
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
        found = subject.answers(
            list(images), question.concepts, question.templates, store=store, between=between
        )
    cache.put(name, [asked_of(image) for image in images], question, found.log_scores)


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
            run.cache.fail(model.name, asked_of(image), str(error))
