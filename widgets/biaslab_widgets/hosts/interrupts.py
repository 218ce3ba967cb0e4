"""An interrupt of the kernel aborts the jobs that run in it, and keeps what they have.

Python raises ``KeyboardInterrupt`` in the main thread only, and a kernel that runs no cell ignores
interrupts altogether. But a bench computes in other threads, mostly while no cell runs.
"""

from __future__ import annotations

import asyncio
import signal
from typing import Any

from biaslab.background import start_thread
from biaslab.jobs import abort_all

_watched: list[Any] = []


def abort_jobs_on_interrupt() -> None:
    """Watch the kernel that this runs in, once; outside a kernel nothing happens."""
    try:
        from IPython.core.getipython import get_ipython
    except ImportError:
        return
    shell: Any = get_ipython()
    kernel = getattr(shell, "kernel", None)
    if kernel is None or kernel in _watched:
        return
    _watched.append(kernel)
    shell.events.register("post_run_cell", _look_at_cell)
    # The kernel puts this handler back once the message is handled that makes the bench.
    if getattr(kernel, "saved_sigint_handler", None) == signal.SIG_IGN:
        loop = kernel.io_loop.asyncio_loop
        # Any other way would wait for the next message to wake the loop.
        kernel.saved_sigint_handler = lambda *_: loop.call_soon_threadsafe(_abort)


def _look_at_cell(result: Any) -> None:
    """Abort after a cell that was interrupted; one that awaits has no result then."""
    error = None if result is None else result.error_in_exec
    if result is None or isinstance(error, KeyboardInterrupt | asyncio.CancelledError):
        _abort()


def _abort() -> None:
    # Apart from the kernel's own thread: a job's end may wait for an answer that is being made.
    start_thread("biaslab-interrupt", abort_all)
