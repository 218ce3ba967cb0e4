"""Samplers of several threads, which share what Pyro and torch have once in a process."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import biaslab as bl
from biaslab.stats.threads import sampler_turn
from harness.needs import needs

LONG = 60


def test_a_second_thread_waits_and_looks_whether_to_go_on() -> None:
    within, leave, looked = threading.Event(), threading.Event(), threading.Event()
    order: list[str] = []

    def first() -> None:
        with sampler_turn(lambda: None):
            within.set()
            assert leave.wait(LONG)
            order.append("first")

    def second() -> None:
        with sampler_turn(looked.set):
            order.append("second")

    threads = [threading.Thread(target=work) for work in (first, second)]
    threads[0].start()
    assert within.wait(LONG)
    threads[1].start()
    assert looked.wait(LONG)
    leave.set()
    for thread in threads:
        thread.join(LONG)
    assert order == ["first", "second"]


def test_whoever_leaves_the_wait_takes_no_turn() -> None:
    def look() -> None:
        raise InterruptedError

    with sampler_turn(lambda: None), pytest.raises(InterruptedError), sampler_turn(look):
        pytest.fail("another is within")
    with sampler_turn(look):
        pass


def test_an_error_within_lets_the_next_one_in() -> None:
    with pytest.raises(InterruptedError), sampler_turn(lambda: None):
        raise InterruptedError
    with sampler_turn(lambda: pytest.fail("nobody is within")):
        pass


@needs("pyro")
def test_a_call_while_a_job_samples_draws_what_it_draws_alone() -> None:
    subject = bl.load("imdb-sentiment")
    few = {"chains": 4, "draws": 60, "warmup": 30}
    alone = bl.sample_posterior(subject, "positive", **few, rng=0)
    job = bl.start(bl.sample_posterior, subject, "positive", **few, rng=1)
    beside = bl.sample_posterior(subject, "positive", **few, rng=0)
    assert job.result(LONG).points.shape == alone.points.shape
    np.testing.assert_allclose(beside.points, alone.points, rtol=1e-3, atol=1e-3)
