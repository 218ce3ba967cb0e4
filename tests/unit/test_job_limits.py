"""One person's jobs do not stop those of others: turns, places, limits of time and number."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from biaslab.cli import serve as cli
from biaslab.errors import BiaslabError, JobError
from biaslab.jobs.job import (
    MOST_WAITING,
    MOST_WAITING_OF_ONE,
    Job,
    JobContext,
    JobGroup,
    abandoned,
    is_stuck,
)
from biaslab.jobs.workers import (
    MOST_ABANDONED,
    NO_LIMITS,
    SERVED,
    JobLimits,
    job_limits,
    set_job_limits,
)
from biaslab_widgets.core.answers.waiting_line import WaitingLine
from harness.deferred import Deferred
from harness.emitted import Emitted
from harness.needs import needs
from harness.server import wait_until

health = Deferred("biaslab_widgets.app.pages.status")
LONG = 30
SOON = JobLimits(max_run_s=0.05, max_wait_s=0.05)
"""So short that every run reaches it."""


pytestmark = pytest.mark.usefixtures("no_other_jobs")


@pytest.fixture
def gate() -> Iterator[threading.Event]:
    """Opens at the end, so that threads that ignored it end too."""
    opened = threading.Event()
    yield opened
    opened.set()


def busy(gate: threading.Event, begun: threading.Event | None = None) -> str:
    """Take no notice of a stop."""
    if begun is not None:
        begun.set()
    gate.wait(LONG)
    return "whole"


def counting(context: JobContext) -> int:
    """Keep what there is, until it is stopped."""
    n = 0
    while True:
        n += 1
        context.keep(n)
        context.report(n, 10**9)
        context.checkpoint()


def held(gate: threading.Event, group: JobGroup) -> Job[str]:
    """A job that runs."""
    begun = threading.Event()
    job = group.start(busy, gate, begun)
    assert begun.wait(LONG)
    return job


def test_a_person_with_many_jobs_waits_for_one_of_each_other_person(gate: threading.Event) -> None:
    ended: list[str] = []

    def note(name: str) -> None:
        ended.append(name)

    many, other, third = JobGroup(owner="a"), JobGroup(owner="b"), JobGroup(owner="c")
    running = held(gate, many)
    own = [many.start(note, f"a{n}") for n in range(3)]
    theirs = [other.start(note, "b0"), third.start(note, "c0"), other.start(note, "b1")]
    line = [theirs[0], theirs[1], own[0], theirs[2], own[1], own[2]]
    assert sorted(line, key=lambda job: job.place) == line
    assert [job for job in own[0].ahead if job in (running, *line)] == [running, *theirs[:2]]
    gate.set()
    for job in own + theirs:
        job.result(LONG)
    assert ended == ["b0", "c0", "a0", "b1", "a1", "a2"]


def test_services_that_hang_hold_no_more_than_their_owners_places(gate: threading.Event) -> None:
    tabs = [JobGroup(owner="a") for _ in range(MOST_WAITING)]
    hanging = [tab.start_waiting(busy, gate) for tab in tabs]
    assert JobGroup(owner="b").start_waiting(int, 7).result(LONG) == 7
    assert sum(job.status == "running" for job in hanging) == MOST_WAITING_OF_ONE
    for tab in tabs:
        tab.close()
    assert {job.status for job in hanging} == {"cancelled"}


def test_a_person_may_not_fill_the_queue(gate: threading.Event) -> None:
    group = JobGroup(owner="a", limits=JobLimits(most_queued=2))
    held(gate, JobGroup())
    jobs = [group.start(int) for _ in range(3)]
    assert [job.status for job in jobs] == ["queued", "queued", "failed"]
    with pytest.raises(JobError, match=r"You have 2 runs waiting.*leave its line"):
        jobs[2].result()
    gate.set()
    assert [job.result(LONG) for job in jobs[:2]] == [0, 0]


@pytest.mark.parametrize("start", ["start", "start_waiting"])
def test_a_run_that_reaches_the_limit_keeps_what_it_has(start: str) -> None:
    group = JobGroup(owner="a", limits=SOON)
    job = getattr(group, start)(counting)
    assert job.result(LONG) >= 1
    assert job.status == "aborted"
    assert job.ran_out_of_time


def test_a_run_within_the_limit_is_whole() -> None:
    job = JobGroup(owner="a", limits=JobLimits(max_run_s=LONG)).start(int, 7)
    assert job.result(LONG) == 7
    assert not job.ran_out_of_time


def test_the_bench_says_that_a_run_reached_the_limit() -> None:
    emitted = Emitted()
    group = JobGroup("Posterior", "a", SOON)
    line = WaitingLine(group, emitted)
    group.start_awaited(counting).wait(LONG)
    wait_until(lambda: bool(line.line()["note"]), "The note")
    note = line.line()["note"]
    assert "0.05 seconds, the most that one run may take on this server" in note
    assert "What was computed is kept." in note
    group.limits = NO_LIMITS
    group.start_awaited(int).wait(LONG)
    assert line.line()["note"] == ""
    line.close()


def test_a_job_that_takes_no_notice_of_its_end_lets_others_pass(gate: threading.Event) -> None:
    group = JobGroup(owner="a", limits=JobLimits(grace_s=0.0, keep_s=0.0))
    deaf = held(gate, group)
    waiting = JobGroup(owner="b").start(int, 7)
    deaf.cancel()
    assert waiting.result(LONG) == 7
    assert deaf.wait(LONG)
    assert deaf.status == "cancelled"
    assert not gate.is_set()


def test_a_light_job_waits_for_no_run(gate: threading.Event) -> None:
    held(gate, JobGroup())
    assert JobGroup().start_light(int, 7).result(LONG) == 7


def test_without_limits_the_others_wait_until_it_has_left(gate: threading.Event) -> None:
    deaf = held(gate, JobGroup())
    waiting = JobGroup().start(int, 7)
    deaf.cancel()
    assert deaf.stopping
    assert waiting.status == "queued"
    gate.set()
    assert waiting.result(LONG) == 7


def test_the_time_of_a_queued_job_is_that_of_the_last_of_its_kind(gate: threading.Event) -> None:
    def quick() -> None:
        """Return at once."""

    group = JobGroup("A bench that nothing else has")
    held(gate, JobGroup())
    first = group.start(quick)
    assert first.seconds_left is None
    gate.set()
    first.result(LONG)
    again = threading.Event()
    held(again, JobGroup())
    second = group.start(quick)
    assert second.seconds_left is not None
    again.set()
    second.result(LONG)


def test_a_server_has_limits_and_a_notebook_none() -> None:
    assert JobGroup().limits == job_limits() == NO_LIMITS
    set_job_limits(SERVED)
    try:
        assert JobGroup().limits.max_run_s == 900
    finally:
        set_job_limits(NO_LIMITS)


@pytest.mark.parametrize(
    ("minutes", "seconds"), [(None, "usual"), (0.0, None), (30.0, 1800.0), (-1.0, "refused")]
)
def test_the_command_line_sets_the_limit(minutes: float | None, seconds: object) -> None:
    if seconds == "refused":
        with pytest.raises(BiaslabError, match="--max-run takes minutes from 0"):
            cli._limits(minutes)
        return
    limits = cli._limits(minutes)
    assert seconds == ("usual" if limits is None else limits.max_run_s)
    assert limits is None or limits.in_process


DEAF = JobLimits(grace_s=0.02)


def given_up(gate: threading.Event, owner: str) -> None:
    """Stop a job of an owner that takes no notice, and wait until the others go on without it."""
    job = held(gate, JobGroup(owner=owner, limits=DEAF))
    job.cancel()
    assert job.wait(LONG)


def test_who_left_a_deaf_run_behind_waits_for_its_end_and_nobody_else_does(
    gate: threading.Event,
) -> None:
    given_up(gate, "a")
    assert abandoned() == 1
    own = JobGroup(owner="a", limits=DEAF).start(pow, 2, 3)
    assert JobGroup(owner="b", limits=DEAF).start(pow, 2, 4).result(LONG) == 16
    assert (own.status, own.place) == ("queued", 1)
    gate.set()
    assert own.result(LONG) == 8
    wait_until(lambda: abandoned() == 0, "The end of the thread")


def test_one_person_alone_does_not_wait_for_a_deaf_run(gate: threading.Event) -> None:
    given_up(gate, "")
    assert JobGroup(limits=DEAF).start(pow, 2, 3).result(LONG) == 8


@needs("panel")
def test_deaf_runs_are_counted_and_a_server_full_of_them_says_so(gate: threading.Event) -> None:
    for owner in "abcd"[:MOST_ABANDONED]:
        assert not is_stuck()
        given_up(gate, owner)
    assert is_stuck()
    text = health.open_metrics(SimpleNamespace(_applications={}))
    assert f"\nbiaslab_jobs_abandoned {MOST_ABANDONED}\n" in text
    gate.set()
    wait_until(lambda: not is_stuck(), "The end of the threads")
