"""Heavy work in a process: it is stopped or killed, and takes nothing along when it ends."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import biaslab as bl
from biaslab.errors import JobError
from biaslab.jobs import job as jobs
from biaslab.jobs.job import Job, JobGroup, JobStopped
from biaslab.jobs.processes import Heavy, SubjectReference, WorkProcess, heavy, worker
from biaslab.jobs.workers import NO_LIMITS, SERVED, JobLimits
from biaslab.people.access import Access, Role, acting_as
from biaslab.subjects import load_shared
from biaslab_widgets.core.subjects.sources import classifier_sources, sources
from harness import heavy_work
from harness.server import wait_until

LONG = 60
LIMITS = JobLimits(grace_s=0.1, keep_s=0.1, in_process=True)
PATIENT = JobLimits(grace_s=LONG, in_process=True)


@pytest.fixture(scope="module", autouse=True)
def one_process() -> Iterator[None]:
    """All tests here use one process, for as long as it lives."""
    yield
    jobs._processes.kill()
    jobs._answerers.kill()


def start(
    probe: Any, *args: Any, limits: JobLimits = PATIENT, forwarded: Any = (), **kwargs: Any
) -> Job[Any]:
    return JobGroup(owner="a", limits=limits).start(heavy(probe, forwarded), *args, **kwargs)


def begun(job: Job[Any]) -> Job[Any]:
    wait_until(lambda: job.progress.done > 0, "The first step")
    return job


def pid() -> int:
    found = start(heavy_work.process).result(LONG)
    assert isinstance(found, int)
    return found


def test_heavy_work_runs_in_one_process_that_stays_for_later_jobs() -> None:
    first = pid()
    assert first != os.getpid()
    assert pid() == first


def test_an_answer_is_made_aside_where_many_share_the_process() -> None:
    served = JobGroup(owner="a", limits=SERVED)
    here = os.getpid()
    assert served.answer(heavy(heavy_work.process)) != here
    assert JobGroup(limits=NO_LIMITS).answer(heavy(heavy_work.process)) == here
    with pytest.raises(ValueError, match="math domain"):
        served.answer(heavy(math.sqrt), -1.0)
    served.close()
    with pytest.raises(JobStopped):
        served.answer(heavy(heavy_work.process))


def test_without_such_limits_it_runs_in_a_thread_as_ever() -> None:
    job = JobGroup(limits=NO_LIMITS).start(heavy(heavy_work.process))
    assert job.result(LONG) == os.getpid()
    assert job.name == "process"


def test_wrong_arguments_are_told_at_once() -> None:
    with pytest.raises(TypeError):
        start(heavy_work.count)


def test_progress_partial_results_and_calls_come_back() -> None:
    seen: list[int] = []
    job = start(heavy_work.count, 5, forwarded=("hook",), hook=seen.append)
    assert job.result(LONG) == 5
    assert seen == [1, 2, 3, 4, 5]
    assert job.progress.done == 5
    assert job.progress.message == "counting"


def test_it_works_under_the_access_of_who_started_it(tmp_path: Path) -> None:
    with acting_as(Access("anna", Role.VISITOR, tmp_path)):
        job = start(heavy_work.user)
    assert job.result(LONG) == "anna"


def test_an_aborted_run_returns_what_it_has_and_the_process_stays() -> None:
    before = pid()
    job = begun(start(heavy_work.count_on))
    job.abort()
    assert job.result(LONG) >= 1
    assert job.status == "aborted"
    assert pid() == before


def test_a_cancelled_run_leaves_and_the_process_stays() -> None:
    before = pid()
    job = begun(start(heavy_work.count_on))
    job.cancel()
    assert job.wait(LONG)
    assert (job.status, job.partial) == ("cancelled", None)
    assert pid() == before


def test_a_deaf_run_is_killed_and_the_next_one_begins() -> None:
    before = pid()
    job = begun(start(heavy_work.deaf, limits=LIMITS))
    waiting = start(heavy_work.process)
    assert waiting.status == "queued"
    job.cancel()
    assert waiting.result(LONG) != before
    assert job.status == "cancelled"
    with pytest.raises(ProcessLookupError):
        os.kill(before, 0)


def test_a_deaf_run_that_reaches_the_limit_of_time_keeps_what_it_handed_on() -> None:
    limits = JobLimits(max_run_s=0.2, grace_s=0.1, keep_s=0.1, in_process=True)
    pid()  # the start of a process is no part of the run
    job = start(heavy_work.deaf, limits=limits)
    assert job.wait(LONG)
    assert job.status == "aborted"
    assert job.ran_out_of_time
    assert job.partial in ("so far", None)


def test_a_crash_fails_its_run_alone() -> None:
    job, other = start(heavy_work.crash), start(heavy_work.identity, 7)
    with pytest.raises(JobError, match=r"ended before the run did \(signal 9\).*try again"):
        job.result(LONG)
    assert other.result(LONG) == 7


@pytest.mark.skipif(os.name != "posix", reason="the system limits no process")
def test_a_run_that_exhausts_its_memory_fails_with_a_sentence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    small = WorkProcess(memory=600_000_000)
    monkeypatch.setattr(jobs, "_processes", jobs._Processes(small))
    assert start(heavy_work.greedy, 50).result(LONG) == 6_250_000
    with pytest.raises(JobError, match=r"needs more than 0\.6 GB of memory"):
        start(heavy_work.greedy, 900).result(LONG)
    assert start(heavy_work.identity, 7).result(LONG) == 7
    small.kill()


def test_an_error_is_raised_here_with_where_it_came_from() -> None:
    job = start(heavy_work.fail)
    with pytest.raises(ZeroDivisionError, match="on purpose"):
        job.result(LONG)
    assert "heavy_work.py" in job.traceback


def test_a_result_that_cannot_be_handed_on_is_an_error() -> None:
    with pytest.raises(JobError, match="could not be handed on"):
        start(heavy_work.unpicklable).result(LONG)


def test_what_is_printed_there_disturbs_nothing() -> None:
    assert start(heavy_work.loud).result(LONG) == 7


def test_a_callback_that_raises_ends_the_run_and_its_process() -> None:
    def hook(_n: int) -> None:
        raise ValueError("no more")

    job = start(heavy_work.count, 10**9, forwarded=("hook",), hook=hook)
    with pytest.raises(ValueError, match="no more"):
        job.result(LONG)
    assert start(heavy_work.identity, 7).result(LONG) == 7


def test_a_subject_is_opened_there_by_its_name_and_only_once() -> None:
    opener = partial(load_shared, "imdb-sentiment")
    reference: SubjectReference[Any] = SubjectReference(opener(), opener)
    first, second = (start(heavy_work.address, reference).result(LONG) for _ in range(2))
    assert first == second
    assert first[0] not in (None, os.getpid())
    assert first[2] == reference.subject.labels


@pytest.mark.parametrize("made", [sources, classifier_sources])
def test_subjects_of_the_app_travel_by_name(made: Any) -> None:
    for source in made().values():
        found = start(heavy_work.process_and_name, source.reference()).result(LONG)
        assert found == (pid(), source.name)


def test_what_exists_here_only_is_asked_here() -> None:
    subject = bl.observers.classifier(dim=2)
    job = start(heavy_work.identity, SubjectReference(subject))
    assert job.result(LONG) is subject


def test_a_heavy_function_is_called_as_it_is() -> None:
    probe: Heavy[int] = heavy(heavy_work.count)
    assert probe(3) == 3


def test_light_jobs_do_not_wait_for_heavy_ones() -> None:
    job = begun(start(heavy_work.count_on))
    light = JobGroup(owner="b").start(int, 7)
    assert light.result(LONG) == 7
    assert job.status == "running"
    job.cancel()
    job.wait(LONG)


@pytest.mark.parametrize(
    ("callers", "own"),
    [("/autogroup-12 nice 0\n", "5"), ("/autogroup-12 nice 15\n", "19"), ("", "before")],
)
def test_its_session_yields_to_the_callers_where_linux_keeps_sessions(
    callers: str, own: str, tmp_path: Path
) -> None:
    (tmp_path / "callers").write_text(callers)
    (tmp_path / "own").write_text("before")
    worker._yield_to(tmp_path / "callers", tmp_path / "own")
    worker._yield_to(tmp_path / "missing", tmp_path / "own")
    assert (tmp_path / "own").read_text() == own
