"""Spread work on many replicates over the cores if there is enough of it."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from biaslab.threads.leaving import JOB

THREADS_WAIT = ("OMP_WAIT_POLICY", "passive")
"""Variable and value by which threads of torch sleep until they have work, and do not spin: beside
a busy process they would take the cores from each other. It is read when torch is imported."""
_WORTH_A_THREAD = 4_000_000
"""Numbers to go through below which another thread takes longer to start than it saves."""
_MOST = 8
_BLOCKS = 6
"""Blocks of a portion: so many take one thread long enough."""


def spread(work: Callable[[int], None], count: int, numbers: int) -> None:
    """Run ``work(0)`` to ``work(count - 1)``, in threads if that is faster.

    - `work`: does one of them; should spend its time in numpy, which lets other threads run.
    - `count`: number of items.
    - `numbers`: how many numbers they go through altogether.
    - Raises `JobStopped` when the job that this runs in was cancelled.
    """
    threads = min(_cores(), count, _MOST, numbers // _WORTH_A_THREAD)
    left = iter(range(count))
    leave = JOB.get()  # helpers have no context of their own

    def take() -> None:
        """Run remaining items one by one; threads share the iterator."""
        for number in left:
            leave()
            work(number)

    if threads < 2:
        take()
        return
    with ThreadPoolExecutor(threads - 1) as pool:
        helpers = [pool.submit(take) for _ in range(threads - 1)]
        take()
    for helper in helpers:
        helper.result()


def spread_portions(work: Callable[[range], None], count: int, block: int, numbers: int) -> None:
    """Run ``work`` on portions of ``range(0, count, block)``, in threads if that is faster.

    - `work`: does the blocks that begin at its numbers, and can use the same memory for all of
      them: fresh memory takes as long as many a computation.
    - `count`, `block`: number of items, and of those in a block.
    - `numbers`: as of `spread`.
    - Raises `JobStopped` as of `spread`.
    """
    size = _BLOCKS * block

    def portion(number: int) -> None:
        work(range(number * size, min((number + 1) * size, count), block))

    spread(portion, -(-count // size), numbers)


def _cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
