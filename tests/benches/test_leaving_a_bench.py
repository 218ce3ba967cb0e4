"""Who leaves a bench takes its jobs along, and nothing of it stays in memory."""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Iterator
from typing import Any

import pytest

import biaslab as bl
import biaslab_widgets
from biaslab.jobs.job import Job, JobContext, abort_all, start
from biaslab_widgets.benches import BENCHES
from biaslab_widgets.benches.posterior.bench import PosteriorController
from biaslab_widgets.core.answers.live import LIVE, ONE_PERSON
from biaslab_widgets.core.subjects.sources import classifier_sources
from harness.emitted import PATIENCE_S, Emitted
from harness.ready_benches import NEW


class Held:
    """Keeps the thread of computing jobs busy until it is let go."""

    def __init__(self) -> None:
        self.inside, self.release = threading.Event(), threading.Event()

    def __call__(self, context: JobContext | None = None) -> None:
        self.inside.set()
        assert self.release.wait(PATIENCE_S)
        (context or JobContext()).checkpoint()


@pytest.fixture
def held() -> Iterator[Held]:
    held = Held()
    yield held
    held.release.set()


def nobody_works() -> None:
    """Wait until no thread has anything of a bench in its hands."""
    for thread in threading.enumerate():
        if thread.name == "biaslab-debounce":
            thread.join(PATIENCE_S)
    done = threading.Event()

    class Last:
        owner = ONE_PERSON

        def work(self) -> None:
            done.set()

    LIVE.enqueue(Last())
    assert done.wait(PATIENCE_S)
    start(int).result(PATIENCE_S)


@pytest.mark.parametrize("bench", [entry.name for entry in BENCHES])
def test_a_bench_that_is_left_ends_its_jobs_and_is_forgotten(bench: str, held: Held) -> None:
    driven = NEW[bench]()
    made, emitted = driven.controller, driven.emitted
    made.change({})
    nobody_works()
    running, queued = made.jobs.start(held), made.jobs.start(int)
    assert held.inside.wait(PATIENCE_S)
    made.close()
    assert queued.status == "cancelled"
    held.release.set()
    assert running.wait(PATIENCE_S)
    assert running.status == "cancelled"
    nobody_works()
    before = len(emitted.log)
    made.change({})
    made.work()
    assert len(emitted.log) == before
    gone = weakref.ref(made)
    del driven, made, running, queued
    nobody_works()
    gc.collect()
    assert gone() is None


def begun(bench: Any) -> Job[Any]:
    """A long run that draws."""
    job, drawing = bench.run(), threading.Event()
    job.on_progress(lambda _: drawing.set())
    assert drawing.wait(PATIENCE_S)
    return job


def test_closing_a_widget_cancels_its_run() -> None:
    bench = biaslab_widgets.PosteriorBench(bl.observers.classifier(dim=2), draws=20_000)
    job = begun(bench)
    bench.close()
    assert job.wait(PATIENCE_S)
    assert job.status == "cancelled"


def test_aborting_everything_leaves_what_there_is_on_the_screen() -> None:
    emitted = Emitted()
    made = PosteriorController(classifier_sources(bl.observers.classifier(dim=2)), emitted)
    made.change({"draws": 20_000})
    job, drawing = made.start(), threading.Event()
    job.on_progress(lambda now: drawing.set() if now.message else None)
    assert drawing.wait(PATIENCE_S)
    abort_all()
    assert job.wait(PATIENCE_S)
    assert job.status == "aborted"
    shown = emitted.until(
        lambda state: (
            state["answer"]["state"] in ("ready", "empty")
            and not (state["answer"]["picture"] or {"run": {"running": False}})["run"]["running"]
        )
    )["answer"]
    if shown["state"] == "empty":  # it was still warming up
        assert shown["message"]["title"] == "Stopped before the first draw"
    else:
        assert shown["picture"]["run"]["partial"]
    made.close()
