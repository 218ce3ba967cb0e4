"""An interrupt of a notebook's kernel aborts its jobs; a restart leaves no process behind."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from harness.deferred import Deferred
from harness.server import wait_until

jupyter_client = Deferred("jupyter_client.manager")

LONG = 120.0
SETUP = """
import asyncio, os, threading
import biaslab as bl
from biaslab_widgets import PosteriorBench
bench = PosteriorBench(bl.observers.classifier(dim=2), draws=20_000)
def begin():
    global job
    begun = threading.Event()
    job = bench.run()
    job.on_progress(lambda _: begun.set())
    assert begun.wait(60)
"""
ENDED = "assert job.wait(60); print(job.status, end='')"


class Kernel:
    """A kernel without a notebook."""

    def __init__(self) -> None:
        self.manager, self.client = jupyter_client.start_new_kernel(startup_timeout=LONG)

    def begin(self, code: str) -> str:
        """Run a cell; its number."""
        return str(self.client.execute(code))

    def end(self, cell: str, until: str = "") -> str:
        """What a cell writes and raises, up to its end or to a text."""
        said = ""
        while True:
            told: Any = self.client.get_iopub_msg(timeout=LONG)
            if told["parent_header"].get("msg_id") != cell:
                continue
            content = told["content"]
            match told["msg_type"]:
                case "stream":
                    said += content["text"]
                    if until and until in said:
                        return said
                case "error":
                    said += content["ename"]
                case "status" if content["execution_state"] == "idle":
                    return said

    def hear(self, text: str) -> None:
        """Wait until this is written, whichever cell's it is."""
        said = ""
        while text not in said:
            told: Any = self.client.get_iopub_msg(timeout=LONG)
            if told["msg_type"] == "stream":
                said += told["content"]["text"]

    def run(self, code: str) -> str:
        """Run a cell to its end."""
        return self.end(self.begin(code))


@pytest.fixture(scope="module")
def started() -> Iterator[Kernel]:
    made = Kernel()
    try:
        yield made
    finally:
        made.manager.shutdown_kernel(now=True)


@pytest.fixture
def kernel(started: Kernel) -> Kernel:
    """The kernel of all tests, set up again when one has restarted it."""
    assert started.run(f"if 'begin' not in globals(): exec({SETUP!r})") == ""
    return started


def test_an_interrupt_while_no_cell_runs_aborts_what_runs(kernel: Kernel) -> None:
    for _ in range(2):
        told = "job.on_done(lambda job: print('over:', job.status, flush=True))"
        assert kernel.run(f"begin(); {told}") == ""
        kernel.manager.interrupt_kernel()
        kernel.hear("over: aborted")  # without another message, which would wake the kernel


@pytest.mark.parametrize(
    ("waits", "error"),
    [
        ("job.result()", "KeyboardInterrupt"),
        ("threading.Event().wait()", "KeyboardInterrupt"),
        ("await asyncio.sleep(600)", "CancelledError"),
    ],
)
def test_an_interrupted_cell_aborts_what_runs(kernel: Kernel, waits: str, error: str) -> None:
    cell = kernel.begin(f"begin(); print('waiting', flush=True); {waits}")
    assert kernel.end(cell, until="waiting\n") == "waiting\n"
    kernel.manager.interrupt_kernel()
    kernel.client.kernel_info()  # a cell that awaits hears of it with the next message only
    assert kernel.end(cell) == error
    assert kernel.run(ENDED) == "aborted"


def test_what_an_interrupted_run_has_is_its_result(kernel: Kernel) -> None:
    drawn = (
        "drawn = threading.Event()\n"
        "def look(change):\n"
        "    if change['new']['done'] and bench.answer['picture']['run']['draws']: drawn.set()\n"
        "bench.observe(look, 'progress')\n"
        "begin(); assert drawn.wait(60)\n"
        "run, shown = bench.answer['picture']['run'], bench.progress\n"
        "assert shown['total'] == run['total'] > 0, (shown, run)\n"
        "print('waiting', flush=True); job.result()"
    )
    cell = kernel.begin(drawn)
    assert kernel.end(cell, until="waiting\n") == "waiting\n"
    kernel.manager.interrupt_kernel()
    assert kernel.end(cell) == "KeyboardInterrupt"
    assert kernel.run("print(bench.result.partial, end='')") == "True"
    # The answer that shows the end comes from another thread, and may still be on its way.
    shown = (
        "over = threading.Event()\n"
        "bench.observe(lambda _: bench._shows_run or over.set(), 'progress')\n"
        "assert not bench._shows_run or over.wait(60)"
    )
    assert kernel.run(shown) == ""


def test_a_cell_that_fails_by_itself_aborts_nothing(kernel: Kernel) -> None:
    assert kernel.run("begin(); 1 / 0") == "ZeroDivisionError"
    assert kernel.run("print(job.status, end='')") == "running"
    assert kernel.run(f"job.cancel(); {ENDED}") == "cancelled"


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks for processes in /proc")
def test_a_restart_leaves_no_process_behind(kernel: Kernel) -> None:
    kernel.run(
        "from biaslab_train.embeddings.processes import pool\n"
        "def work():\n"
        "    with pool(1) as some:\n"
        "        print(some.submit(os.getpid).result(), flush=True)\n"
        "        threading.Event().wait()"
    )
    cell = kernel.begin("begin(); work()")
    worker = int(kernel.end(cell, until="\n"))
    assert Path(f"/proc/{worker}").exists()
    kernel.manager.restart_kernel(now=True)
    wait_until(lambda: not Path(f"/proc/{worker}").exists(), "The end of a worker", LONG)
