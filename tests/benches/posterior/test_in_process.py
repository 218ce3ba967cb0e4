"""On a page that is served to others, the posterior is drawn in a process that can be killed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import biaslab as bl
from biaslab.jobs import job as jobs
from biaslab.jobs.job import JobGroup
from biaslab.jobs.processes import heavy
from biaslab.jobs.workers import JobLimits
from biaslab_widgets.benches.posterior.bench import PosteriorController
from biaslab_widgets.core.subjects.sources import classifier_sources
from harness import heavy_work
from harness.emitted import Emitted
from harness.server import wait_until

LONG = 60
SERVED = JobLimits(grace_s=LONG, keep_s=LONG, in_process=True)


@pytest.fixture(scope="module", autouse=True)
def one_process() -> Iterator[None]:
    """All tests here use one process."""
    yield
    jobs._processes.kill()


@pytest.fixture
def emitted() -> Emitted:
    return Emitted()


@pytest.fixture
def bench(emitted: Emitted) -> Iterator[PosteriorController]:
    made = PosteriorController(classifier_sources("imdb-sentiment"), emitted)
    made.jobs.owner, made.jobs.limits = "a", SERVED
    made.state |= {"chains": 4, "draws": 60}
    made.opening.sources["imdb-sentiment"].open()
    yield made
    made.close()


def process() -> int:
    found = JobGroup(owner="b", limits=SERVED).start(heavy(heavy_work.process)).result(LONG)
    assert isinstance(found, int)
    return found


def test_the_draws_are_those_of_a_thread_and_come_while_it_runs(
    bench: PosteriorController, emitted: Emitted
) -> None:
    bench.change({"generation": 1})
    (process,) = jobs._processes._all
    before = process._number
    job = bench.start()
    result = job.result(LONG)
    assert process._number > before
    picture = emitted.until(lambda s: (s["answer"]["picture"] or {}).get("trust") is not None)
    assert picture is not None
    assert sum(log["traces"]["version"] > 0 for log in emitted.log if "traces" in log) > 0
    subject = bench.opening.sources["imdb-sentiment"].open()
    # In the thread of jobs: Pyro samples in one thread at a time.
    job = JobGroup().start(bl.sample_posterior, subject, "positive", chains=4, draws=60, rng=0)
    here = job.result(LONG)
    np.testing.assert_allclose(result.of("positive").points, here.points, rtol=1e-3, atol=1e-3)


def test_nuts_of_a_session_that_left_ends_and_the_next_one_begins(
    bench: PosteriorController,
) -> None:
    before = process()
    bench.state |= {"engine": "nuts", "chains": 2, "draws": 20_000}
    bench.change({"generation": 1})
    job = bench.start()
    wait_until(lambda: job.progress.done > 0, "The first draws")
    waiting = JobGroup(owner="b", limits=SERVED).start(heavy(heavy_work.process))
    assert waiting.status == "queued"
    bench.close()
    assert waiting.result(LONG) == before
    assert job.status == "cancelled"


def test_a_run_that_is_stopped_shows_what_it_has(
    bench: PosteriorController, emitted: Emitted
) -> None:
    bench.state |= {"draws": 20_000}
    bench.change({"generation": 1})
    job = bench.start()
    wait_until(lambda: _draws(emitted) > 0, "Draws")
    job.abort()
    result: Any = job.result(LONG)
    assert result.partial
    assert job.status == "aborted"


def _draws(emitted: Emitted) -> int:
    picture = emitted.state.get("answer", {}).get("picture")
    return picture["run"]["draws"] if picture else 0
