import gc
import os
import signal
import subprocess
import sys
import textwrap
import threading
import weakref

import pytest

from biaslab.errors import JobCancelledError, JobError, JobTimeoutError
from biaslab.jobs import job as jobs
from biaslab.jobs import progress
from biaslab.jobs.context import current_context, reporting_to
from biaslab.jobs.job import (
    MOST_WAITING,
    JobContext,
    JobGroup,
    JobProgress,
    JobStatus,
    abort_all,
    start,
    start_waiting,
)
from biaslab.threads.leaving import leave_if_cancelled

LONG = 30  # seconds after which a wait in these tests has failed


class Gate:
    """A probe that says when it is in, and stays until it is let go."""

    def __init__(self):
        self.entered = threading.Event()
        self.release = threading.Event()

    def __call__(self, value="through"):
        self.entered.set()
        assert self.release.wait(LONG)
        return value


@pytest.fixture
def gate():
    gate = Gate()
    yield gate
    gate.release.set()


def steps(context, gate, keep=True):
    """Keep 1, then stay at the gate, then stop at a checkpoint or return "whole"."""
    if keep:
        context.keep(1)
    gate()
    context.checkpoint()
    return "whole"


def started(gate, *args, **kwargs):
    job = start(steps, gate=gate, *args, **kwargs)  # noqa: B026
    assert gate.entered.wait(LONG)
    return job


def test_a_job_gives_what_the_function_returns():
    job = start(divmod, 7, 2)
    assert job.result(LONG) == (3, 1)
    assert job.status is JobStatus.DONE
    assert job.status == "done"
    assert job.finished
    assert job.exception is None
    assert job.traceback == ""


def test_start_returns_at_once_and_the_status_follows(gate):
    job = start(gate)
    waiting = start(int)
    assert gate.entered.wait(LONG)
    assert (job.status, waiting.status) == ("running", "queued")
    assert not job.finished
    gate.release.set()
    assert waiting.result(LONG) == 0
    assert job.status == "done"


def test_jobs_run_one_after_the_other_in_one_thread_that_is_not_the_callers():
    running, most, threads = [], [], set()

    def probe():
        running.append(1)
        most.append(len(running))
        threads.add(threading.get_ident())
        running.pop()

    for job in [start(probe) for _ in range(20)]:
        job.result(LONG)
    assert max(most) == 1
    assert len(threads) == 1
    assert threading.get_ident() not in threads


def test_starts_from_many_threads_all_run():
    jobs_started = []
    threads = [
        threading.Thread(target=lambda n=n: jobs_started.append(start(int, n))) for n in range(20)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(job.result(LONG) for job in jobs_started) == list(range(20))


def test_what_waits_for_somebody_else_lets_others_pass():
    gate, inside = threading.Event(), threading.Semaphore(0)

    def wait():
        inside.release()
        return gate.wait(LONG)

    waiting = [start_waiting(wait) for _ in range(MOST_WAITING + 1)]
    try:
        for _ in range(MOST_WAITING):
            assert inside.acquire(timeout=LONG)
        assert start(int, 7).result(LONG) == 7
        assert waiting[-1].status == "queued"
        waiting[-1].cancel()
        assert waiting[-1].status == "cancelled"
    finally:
        gate.set()
    assert all(job.result(LONG) for job in waiting[:-1])
    assert start_waiting(lambda: start(int, 7).result(LONG)).result(LONG) == 7


def test_only_a_function_that_takes_a_context_is_given_one():
    def without(**others):
        return others

    def with_one(*, context=None):
        return context

    assert start(without).result(LONG) == {}
    assert isinstance(start(with_one).result(LONG), JobContext)
    assert start(with_one, context="mine").result(LONG) == "mine"
    assert start(lambda context: context, "mine").result(LONG) == "mine"


def test_a_probe_finds_the_context_of_its_job():
    def probe():
        context = current_context()
        context.report(2, 4, "half")
        with reporting_to(None):
            current_context().keep("of a part that reports to nobody")
        context.keep("partial")
        return type(context)

    job = start(probe)
    assert job.result(LONG) is not JobContext
    assert (job.progress.done, job.progress.message) == (2, "half")
    assert type(current_context()) is JobContext


def test_a_context_outside_a_job_does_nothing():
    context = JobContext()
    context.report(1, 2, "m")
    context.keep(3)
    context.checkpoint()
    assert not context.should_stop


def test_wrong_arguments_are_told_by_start():
    with pytest.raises(TypeError, match="nonsense"):
        start(lambda items: items, nonsense=1)


# Stopping


def test_a_job_cancelled_in_the_queue_never_begins(gate):
    first = start(gate)
    ran = []
    second = start(ran.append, 1)
    second.cancel()
    assert second.status == "cancelled"
    assert second.finished
    gate.release.set()
    first.result(LONG)
    start(int).result(LONG)
    assert ran == []
    with pytest.raises(JobCancelledError, match="Start it again"):
        second.result(LONG)


def test_a_job_aborted_in_the_queue_is_cancelled(gate):
    start(gate)
    second = start(int)
    second.abort()
    assert second.status == "cancelled"


def test_cancel_discards_what_was_kept(gate):
    job = started(gate)
    assert job.partial == 1
    job.cancel()
    assert job.stopping
    assert job.status == "running"
    gate.release.set()
    with pytest.raises(JobCancelledError):
        job.result(LONG)
    assert job.status == "cancelled"
    assert job.partial is None
    assert not job.stopping


def test_abort_keeps_what_was_kept(gate):
    job = started(gate)
    job.abort()
    gate.release.set()
    assert job.result(LONG) == 1
    assert job.status == "aborted"


def test_abort_before_anything_was_kept_has_no_result(gate):
    job = started(gate, keep=False)
    job.abort()
    gate.release.set()
    with pytest.raises(JobCancelledError, match="aborted"):
        job.result(LONG)


def test_a_probe_that_returns_early_on_abort_gives_its_partial_result(gate):
    def probe(context):
        gate()
        return "part" if context.should_stop else "whole"

    job = start(probe)
    assert gate.entered.wait(LONG)
    job.abort()
    gate.release.set()
    assert job.result(LONG) == "part"
    assert job.status == "aborted"


def test_a_probe_that_was_through_before_it_saw_the_abort_is_done(gate):
    job = start(gate)
    assert gate.entered.wait(LONG)
    job.abort()
    gate.release.set()
    assert job.result(LONG) == "through"
    assert job.status == "done"


def test_a_probe_that_sees_no_cancel_is_discarded_all_the_same(gate):
    job = start(gate)
    assert gate.entered.wait(LONG)
    job.cancel()
    gate.release.set()
    with pytest.raises(JobCancelledError):
        job.result(LONG)


def test_cancel_after_abort_discards_and_abort_after_cancel_brings_nothing_back(gate):
    job = started(gate)
    job.abort()
    job.cancel()
    job.abort()
    gate.release.set()
    job.wait(LONG)
    assert job.status == "cancelled"


def test_stopping_a_finished_job_changes_nothing():
    job = start(int)
    assert job.result(LONG) == 0
    job.cancel()
    job.abort()
    assert job.status == "done"
    assert job.result() == 0


def test_a_probes_own_error_handling_does_not_swallow_the_stop(gate):
    def probe(context):
        gate()
        try:
            context.checkpoint()
        except Exception:  # noqa: BLE001
            return "swallowed"

    job = start(probe)
    assert gate.entered.wait(LONG)
    job.cancel()
    gate.release.set()
    job.wait(LONG)
    assert job.status == "cancelled"


def test_deep_code_leaves_a_cancelled_job_and_lets_an_aborted_one_finish(gate):
    def probe():
        gate()
        leave_if_cancelled()
        return "finished"

    leave_if_cancelled()  # outside a job nothing happens
    for stop, result in (("abort", "finished"), ("cancel", None)):
        job = start(probe)
        assert gate.entered.wait(LONG)
        getattr(job, stop)()
        gate.release.set()
        job.wait(LONG)
        assert job.partial == result
        gate.entered.clear()
        gate.release.clear()


def test_all_jobs_of_the_process_are_aborted_together(gate):
    job, queued = started(gate), start(int)
    inside, answered = threading.Event(), threading.Event()

    def wait(context):
        inside.set()
        assert answered.wait(LONG)
        return "part" if context.should_stop else "whole"

    waiting = start_waiting(wait)
    assert inside.wait(LONG)
    abort_all()
    answered.set()
    gate.release.set()
    assert job.result(LONG) == 1
    assert (job.status, queued.status) == ("aborted", "cancelled")
    assert waiting.result(LONG) == "part"


# Waiting for somebody else


class Silent:
    """Somebody who does not answer before it is told to."""

    def __init__(self):
        self.asked = threading.Semaphore(0)
        self.answers = threading.Event()

    def __call__(self, context):
        self.asked.release()
        assert self.answers.wait(LONG)
        context.report(1, 1, "too late")
        context.keep("too late")
        context.checkpoint()
        raise ValueError("too late")


@pytest.fixture
def silent():
    silent = Silent()
    yield silent
    silent.answers.set()


def test_a_cancelled_wait_is_over_at_once_and_its_place_is_free(silent):
    lost = [start_waiting(silent) for _ in range(MOST_WAITING)]
    for _ in lost:
        assert silent.asked.acquire(timeout=LONG)
    queued = start_waiting(int, 7)
    assert queued.status == "queued"
    done, heard = [], []
    for job in lost:
        job.on_done(done.append)
        job.on_progress(heard.append)
        job.cancel()
    assert {job.status for job in lost} == {"cancelled"}
    assert done == lost
    assert queued.result(LONG) == 7
    threads = [thread for thread in threading.enumerate() if thread.name == "biaslab-waiting-jobs"]
    silent.answers.set()
    for thread in threads[:MOST_WAITING]:
        thread.join(LONG)
    assert [start_waiting(int, n).result(LONG) for n in range(20)] == list(range(20))
    assert heard == []
    for job in lost:
        assert (job.status, job.exception, job.partial) == ("cancelled", None, None)


def test_an_aborted_wait_keeps_what_comes(silent):
    job = start_waiting(silent)
    assert silent.asked.acquire(timeout=LONG)
    job.abort()
    assert job.stopping
    silent.answers.set()
    assert job.result(LONG) == "too late"


# Owners


def test_who_leaves_takes_its_jobs_along(gate, silent):
    group, other = JobGroup(), JobGroup()
    running = group.start(steps, gate=gate)
    assert gate.entered.wait(LONG)
    queued, of_another = group.start(int), other.start(int, 7)
    waiting = group.start_waiting(silent)
    assert silent.asked.acquire(timeout=LONG)
    group.close()
    assert (queued.status, waiting.status) == ("cancelled", "cancelled")
    assert running.stopping
    gate.release.set()
    assert of_another.result(LONG) == 7
    assert running.status == "cancelled"
    assert group.start(int).status == "cancelled"
    assert group.start_waiting(int).status == "cancelled"


@pytest.mark.usefixtures("small_heap")
def test_a_group_lets_go_of_what_has_finished():
    group = JobGroup()
    job = group.start(int)
    assert job.result(LONG) == 0
    gone = weakref.ref(job)
    start(int).result(LONG)
    del job
    gc.collect()
    assert gone() is None


# Failing


def failing(context):
    context.keep("so far")
    raise ZeroDivisionError("on purpose")


def test_an_exception_is_raised_again_with_its_own_traceback():
    job = start(failing)
    depths = []
    for _ in range(2):
        with pytest.raises(ZeroDivisionError, match="on purpose") as caught:
            job.result(LONG)
        assert caught.traceback[-1].name == "failing"
        depths.append(len(caught.traceback))
    assert depths[0] == depths[1]
    assert job.status == "failed"
    assert isinstance(job.exception, ZeroDivisionError)
    assert "in failing" in job.traceback
    assert "in result" not in job.traceback
    assert job.partial == "so far"


@pytest.mark.parametrize("error", [SystemExit, KeyboardInterrupt])
def test_not_even_an_exit_ends_the_worker(error):
    def probe():
        raise error

    with pytest.raises(error):
        start(probe).result(LONG)
    assert start(int).result(LONG) == 0


# Waiting


def test_a_wait_that_is_too_short_says_so_and_the_job_goes_on(gate):
    job = start(gate)
    with pytest.raises(JobTimeoutError, match="still running"):
        job.result(0)
    with pytest.raises(TimeoutError):
        job.result(0.01)
    assert job.wait(0) is False
    gate.release.set()
    assert job.result(LONG) == "through"


@pytest.fixture
def _interrupts():
    """Let an interrupt interrupt: processes that a shell starts in the background ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.skipif(sys.platform == "win32", reason="sends itself a POSIX signal")
@pytest.mark.usefixtures("_interrupts")
def test_interrupting_the_wait_aborts_the_job_and_keeps_what_there_is(gate):
    waiting = threading.Event()

    def probe(context):
        assert waiting.wait(LONG)
        context.keep("so far")
        os.kill(os.getpid(), signal.SIGINT)
        gate()
        context.checkpoint()

    job = start(probe)

    def wait():
        waiting.set()
        job.result(LONG)

    with pytest.raises(KeyboardInterrupt):
        wait()
    assert job.stopping
    gate.release.set()
    assert job.result(LONG) == "so far"
    assert job.status == "aborted"


def test_a_job_that_would_wait_for_itself_is_told():
    def probe():
        return start(int).result()

    with pytest.raises(JobError, match="Call the function directly"):
        start(probe).result(LONG)


# Callbacks


def reporting(context, pause, resume):
    context.report(1, 4, "one")
    context.report(2, 4, "two")
    pause.set()
    assert resume.wait(LONG)
    context.report(3, 4, "three")
    context.report(4, 4, "four")


def test_progress_arrives_throttled_and_the_last_of_a_burst_without_another_report(gate):
    pause, seen_two, seen = threading.Event(), threading.Event(), []

    def listen(now):
        seen.append(now)
        if now.message == "two":
            seen_two.set()

    first = start(gate)
    job = start(reporting, pause=pause, resume=seen_two)
    job.on_progress(listen)
    gate.release.set()
    job.result(LONG)
    first.result(LONG)
    assert [now.message for now in seen][:2] == ["one", "two"]
    assert seen[-1] == JobProgress(4, 4, "four", 0.0)
    assert job.progress == seen[-1]


def test_at_most_ten_reports_a_second_and_the_last(monkeypatch, gate):
    # A clock that moves 1 ms per report: 1000 reports are one second.
    clock = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: clock[0])
    reports = progress.ProgressReports()
    seen = []
    reports.subscribe(seen.append)
    # Held-back reports go out when the clock says so, not after real time.
    timers = []

    class Timer:
        def __init__(self, delay, call):
            self.due, self.call = clock[0] + delay, call
            timers.append(self)

        def cancel(self):
            timers.remove(self)

    monkeypatch.setattr(progress, "start_timer", Timer)
    for n in range(1000):
        clock[0] += 0.001
        for timer in [t for t in timers if t.due <= clock[0]]:
            timers.remove(timer)
            timer.call()
        reports.report(n, 999, "")
    reports.close()
    assert 9 <= len(seen) <= 11
    assert seen[-1].done == 999
    assert seen[5].seconds_left == pytest.approx((999 - seen[5].done) / 1000, rel=0.02)


def test_a_late_listener_hears_the_last_progress():
    job = start(lambda context: context.report(3, 4, "three"))
    job.result(LONG)
    seen = []
    job.on_progress(seen.append)
    assert [now.done for now in seen] == [3]


def test_a_listener_that_left_hears_nothing(gate):
    first = start(gate)
    job = start(lambda context: context.report(1))
    seen = []
    leave = job.on_progress(seen.append)
    leave()
    leave()
    gate.release.set()
    first.result(LONG)
    job.result(LONG)
    assert seen == []


def test_a_callback_that_raises_is_logged_once_and_kills_nothing(gate, caplog):
    calls, good = [], []
    caplog.handler.filters.clear()  # a server that a test began lets one of a kind through

    def bad(now):
        calls.append(now)
        raise SystemExit("bad callback")

    first = start(gate)
    resume = threading.Event()
    resume.set()
    job = start(reporting, pause=threading.Event(), resume=resume)
    job.on_progress(bad)
    job.on_progress(good.append)
    job.on_done(bad)
    gate.release.set()
    job.result(LONG)
    first.result(LONG)
    start(int).result(LONG)
    assert [type(call) for call in calls] == [JobProgress, jobs.Job]
    assert good[-1].done == 4
    assert caplog.text.count("is not called again") == 2


def test_on_done_is_called_once_whichever_the_end(gate):
    first = start(gate)
    done = []
    job, cancelled = start(int), start(int)
    job.on_done(done.append)
    cancelled.on_done(done.append)
    cancelled.cancel()
    assert done == [cancelled]
    gate.release.set()
    start(int).result(LONG)
    assert done == [cancelled, job]
    first.on_done(done.append)
    assert done[-1] is first


def test_a_callback_may_stop_its_job(gate):
    def probe(context):
        for step in range(10_000):
            context.report(step)
            context.checkpoint()
        return "whole"

    first = start(gate)
    job = start(probe)
    job.on_progress(lambda now: job.cancel())
    gate.release.set()
    first.result(LONG)
    job.wait(LONG)
    assert job.status == "cancelled"


def test_repr_tells_where_it_stands(gate):
    def probe(context):
        context.report(3, 10)
        gate()

    job = start(probe)
    assert gate.entered.wait(LONG)
    assert repr(job) == "<Job probe: running, 3 of 10>"
    gate.release.set()
    job.result(LONG)
    assert repr(job) == "<Job probe: done>"


@pytest.mark.usefixtures("small_heap")
def test_a_finished_job_lets_go_of_its_arguments():
    class Subject:
        pass

    subject = Subject()
    gone = weakref.ref(subject)
    job = start(id, subject)
    job.result(LONG)
    start(int).result(LONG)
    del subject
    gc.collect()
    assert gone() is None


# Processes


def run_script(code):
    return subprocess.run(
        [sys.executable, "-W", "ignore", "-c", textwrap.dedent(code)],
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_process_has_its_own_worker():
    done = run_script(
        """
        import os, threading
        from biaslab.jobs.job import start
        from biaslab.errors import JobError
        entered, release = threading.Event(), threading.Event()
        done = start(int)
        done.result()
        parents = start(lambda: (entered.set(), release.wait()))
        queued = start(int)
        entered.wait()
        pid = os.fork()
        if not pid:
            ok = start(int, 7).result(30) == 7 and done.result() == 0
            for call in (parents.result, parents.cancel, queued.abort):
                try:
                    call()
                    ok = False
                except JobError as error:
                    ok = ok and "belongs to the process that started it" in str(error)
            os._exit(0 if ok else 1)
        assert os.waitpid(pid, 0)[1] == 0
        release.set()
        print(queued.result(30), parents.status)
        """
    )
    assert (done.stdout, done.stderr) == ("0 done\n", "")


def test_steps_that_take_no_time_are_left_out_of_the_rate(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    reports = progress.ProgressReports()
    for done in (64, 128):  # two batches that the store has answered
        reports.skip(64)
        reports.report(done, 576, "")
    assert reports.latest.seconds_left is None
    now[0] = 10.0
    reports.report(130, 576, "")
    assert reports.latest.seconds_left == pytest.approx(446 * 5)
