"""Threads end before the interpreter does, and none keeps it from ending."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap

import pytest

LONG = 60
"""Seconds after which a process here has failed to end."""
SOON = "from biaslab.threads import background; background.GRACE_S, background.EXIT_S = 0.1, 0.2"
LATE = "from biaslab.threads import background; background.GRACE_S = background.EXIT_S = 600"


def started(code: str, before: str = "") -> subprocess.Popen[str]:
    """A process that runs the code."""
    return subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", f"{before}\n{textwrap.dedent(code)}"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def ended(code: str, before: str = "") -> tuple[int, str, str]:
    """Exit status of a process that runs the code, and what it wrote to its outputs."""
    process = started(code, before)
    try:
        out, err = process.communicate(timeout=LONG)
    finally:
        process.kill()
    return process.returncode, out, err


def test_a_job_that_looks_is_cancelled_and_its_clean_up_is_done() -> None:
    code = """
        import threading
        from biaslab.jobs.job import start
        inside = threading.Event()
        def probe(context):
            inside.set()
            try:
                while True:
                    context.checkpoint()
            finally:
                print("cleaned up", flush=True)
        job, queued = start(probe), start(print, "begun all the same")
        job.on_done(lambda job: print("told", flush=True))
        assert inside.wait(60)
    """
    assert ended(code, LATE) == (0, "cleaned up\n", "")


def test_a_job_that_never_looks_is_ended_between_two_steps() -> None:
    code = """
        import threading
        from biaslab.jobs.job import start
        inside = threading.Event()
        def probe():
            inside.set()
            while True:
                sum(range(1000))
        job = start(probe)
        assert inside.wait(60)
    """
    assert ended(code, SOON) == (0, "", "")


def test_a_job_that_never_returns_keeps_no_program_alive() -> None:
    code = """
        import threading
        from biaslab.jobs.job import start, start_waiting
        inside = threading.Barrier(3)
        for begin in (start, start_waiting):
            begin(lambda: (inside.wait(), threading.Event().wait()))
        inside.wait()
    """
    assert ended(code, SOON) == (0, "", "")


def test_a_service_that_does_not_answer_keeps_no_program_alive() -> None:
    code = """
        import threading
        import biaslab as bl
        from biaslab.jobs.job import start_waiting
        inside = threading.Event()
        def answer(text):
            inside.set()
            threading.Event().wait()
        job = start_waiting(bl.rate, answer, keep=False)
        assert inside.wait(60), job
    """
    assert ended(code, SOON) == (0, "", "")


def test_timers_and_pauses_are_over_at_once() -> None:
    code = """
        from biaslab.threads.background import pause, start_thread, start_timer
        start_timer(600, lambda: print("too late"))
        start_thread("sleeper", lambda: print("slept on:", pause(600), flush=True))
    """
    assert ended(code, LATE) == (0, "slept on: False\n", "")


def test_answers_that_nobody_will_see_are_not_made() -> None:
    code = """
        import threading
        from biaslab_widgets.core.answers.live import LIVE
        inside, release = threading.Event(), threading.Event()
        class Task:
            owner = "anna"
            def work(self):
                inside.set()
                assert release.wait(60)
                raise RuntimeError("said to nobody")
        class Never:
            owner = "anna"
            def work(self):
                print("asked all the same")
        LIVE.enqueue(Task())
        assert inside.wait(60)
        LIVE.enqueue(Never())
        background._stops.append(release.set)
    """
    assert ended(code, LATE) == (0, "", "")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_process_does_not_wait_for_its_parents_threads() -> None:
    code = """
        import os, sys, threading
        from biaslab.jobs.job import start
        inside, release = threading.Event(), threading.Event()
        job = start(lambda: (inside.set(), release.wait()))
        assert inside.wait(60)
        pid = os.fork()
        if not pid:
            sys.exit(7)
        print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)
        release.set()
        job.wait()
    """
    assert ended(code, LATE) == (0, "7\n", "")


@pytest.mark.skipif(sys.platform == "win32", reason="sends a POSIX signal")
def test_ctrl_c_ends_the_wait_for_threads() -> None:
    code = """
        import signal, threading
        from biaslab.threads.background import on_exit, start_thread
        # Where the tests run in the background of a shell, they were told to ignore it.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        start_thread("endless", threading.Event().wait)
        on_exit(lambda: print("leaving", flush=True))
    """
    process = started(code, LATE)
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "leaving\n"
        while process.poll() is None:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(0.1)
            except subprocess.TimeoutExpired:
                continue
        assert process.returncode in (0, -signal.SIGINT)
    finally:
        process.kill()
        process.communicate()
