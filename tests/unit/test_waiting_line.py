"""A bench that waits for its turn: the line on its screen, leaving it, a smaller run."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from biaslab.jobs.job import MOST_WAITING, Job, JobContext, JobGroup, start
from biaslab.jobs.progress import JobProgress
from biaslab_widgets.core.answers.waiting_line import WaitingLine
from harness.deferred import Deferred
from harness.server import wait_until

sentences = Deferred("harness.sentence_controller")
pytestmark = pytest.mark.usefixtures("no_other_jobs")


def wait_for(gate: threading.Event, context: JobContext | None = None) -> None:
    context = context or JobContext()
    context.report(30, 100, "drawing")
    gate.wait(60)


@pytest.fixture
def gate() -> Iterator[threading.Event]:
    """Open, so that jobs that wait for it end."""
    opened = threading.Event()
    yield opened
    opened.set()


@pytest.fixture
def running(gate: threading.Event) -> Job[None]:
    """Somebody else's job, which runs until the gate opens."""
    job = JobGroup("Posterior").start(wait_for, gate)
    wait_until(lambda: job.progress.done == 30, "the state of the line")
    return job


def test_a_job_knows_what_is_ahead_of_it_while_it_is_queued(
    gate: threading.Event, running: Job[None]
) -> None:
    second, third = start(wait_for, gate), start(wait_for, gate)
    assert list(second.ahead) == [running]
    assert list(third.ahead) == [running, second]
    assert not running.ahead
    second.cancel()
    assert list(third.ahead) == [running]
    gate.set()
    third.wait(60)
    assert not third.ahead


def test_the_line_names_the_benches_and_marks_the_own_job(
    gate: threading.Event, running: Job[None], monkeypatch: pytest.MonkeyPatch
) -> None:
    start(wait_for, gate)
    group = JobGroup("Sentences")
    line = WaitingLine(group, lambda _: None, lambda: True)
    group.start_awaited(wait_for, gate)
    progress = JobProgress(30, 100, "drawing", 40.0)
    monkeypatch.setattr(type(running), "progress", property(lambda _: progress))
    shown = line.line()
    assert [(job["title"], job["place"], job["own"]) for job in shown["jobs"]] == [
        ("Posterior", 0, False),
        ("A notebook or script", 1, False),
        ("Sentences", 2, True),
    ]
    assert shown["jobs"][0]["seconds_left"] == 40.0
    assert shown["smaller"] is True


def test_a_run_whose_service_is_not_asked_yet_says_what_it_waits_for(gate: threading.Event) -> None:
    others = [JobGroup("Rating", f"person {n}") for n in range(MOST_WAITING)]
    jobs = [one.start_waiting(wait_for, gate) for one in others]
    wait_until(lambda: all(job.status == "running" for job in jobs), "all services are asked")
    group = JobGroup("Rating", "the ninth")
    emitted: list[Any] = []
    line = WaitingLine(group, emitted.append)
    assert group.start_waiting(wait_for, gate).status == "queued"
    shown = line.line()
    assert shown["note"].startswith("Waiting: 8 other services are being asked")
    assert [(job["place"], job["own"]) for job in shown["jobs"]] == [(0, False)] * 8 + [(1, True)]
    wait_until(lambda: bool(emitted), "the screen says so")
    line.close()


def test_work_that_nobody_waits_for_shows_no_line(
    gate: threading.Event, running: Job[None]
) -> None:
    group = JobGroup("Posterior")
    line = WaitingLine(group, lambda _: None)
    group.start(wait_for, gate)
    assert running.status == "running"
    assert line.line()["jobs"] == []


def test_what_the_bench_itself_prepares_is_no_line(gate: threading.Event) -> None:
    group = JobGroup("Posterior")
    line = WaitingLine(group, lambda _: None)
    group.start(wait_for, gate)
    job = group.start_awaited(wait_for, gate)
    assert job.status == "queued"
    assert line.line()["jobs"] == []


def test_the_line_comes_to_the_screen_and_goes_with_the_turn(
    gate: threading.Event, running: Job[None]
) -> None:
    emitted: list[dict[str, Any]] = []
    group = JobGroup("Sentences")
    line = WaitingLine(group, emitted.append)
    job = group.start_awaited(wait_for, gate)
    wait_until(lambda: bool(emitted), "the state of the line")
    assert [one["place"] for one in emitted[0]["line"]["jobs"]] == [0, 1]
    gate.set()
    job.wait(60)
    wait_until(lambda: not emitted[-1]["line"]["jobs"], "the state of the line")
    assert line.leave() is False
    assert running.finished


def test_leaving_the_line_cancels_the_job_and_nothing_else(
    gate: threading.Event, running: Job[None]
) -> None:
    emitted: list[dict[str, Any]] = []
    group = JobGroup("Sentences")
    line = WaitingLine(group, emitted.append)
    job = group.start_awaited(wait_for, gate)
    assert line.leave() is True
    assert job.status == "cancelled"
    assert running.status == "running"
    assert not gate.is_set()
    assert line.line()["jobs"] == []


def test_a_smaller_run_is_shown_now_and_not_computed_again(
    gate: threading.Event, running: Job[None]
) -> None:
    scored: list[int] = []
    bench = sentences.Bench()
    (model,) = bench.controller.opening.sources.values()
    scorer = model.open()
    score = scorer.score

    def counted(lm: Any, pairs: Any, **options: Any) -> Any:
        scored.append(len(pairs))
        return score(lm, pairs, **options)

    object.__setattr__(scorer, "score", counted)
    bench.answer(step=3)
    job = bench.controller.test()
    assert job.status == "queued"
    wait_until(lambda: bool(bench.state["line"]["jobs"]), "the state of the line")
    assert bench.state["line"]["smaller"] is True
    assert bench.reply("smaller-run")["ok"]
    pairs = len(bench.pairs)
    assert bench.state["answer"]["picture"]["run"]["done"] == pairs
    assert job.status == "queued"
    assert running.status == "running"
    asked = sum(scored)
    gate.set()
    job.wait(60)
    assert sum(scored) == asked
    assert bench.controller.result is not None


def test_a_bench_without_a_smaller_run_offers_and_computes_none() -> None:
    bench = sentences.Bench()
    bench.answer(step=3)
    assert bench.controller.has_smaller_run() is False
    reply = bench.reply("smaller-run")
    assert not reply["ok"]
    assert "no smaller run" in reply["message"]


def test_a_run_that_left_the_line_is_no_error(gate: threading.Event, running: Job[None]) -> None:
    bench = sentences.Bench()
    bench.answer(step=3)
    job = bench.controller.test()
    wait_until(lambda: bool(bench.state["line"]["jobs"]), "the state of the line")
    bench.reply("leave-line")
    assert job.status == "cancelled"
    wait_until(lambda: not bench.state["line"]["jobs"], "the state of the line")
    shown = bench.until(lambda picture: not picture["run"]["running"])
    assert shown["models"][0]["state"] == "stopped"
    assert bench.state["answer"]["state"] != "error"
    assert running.status == "running"
    gate.set()
