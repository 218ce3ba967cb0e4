"""Work on many replicates, spread over the cores where there is enough of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

_WORTH_A_THREAD = 4_000_000
"""Numbers to go through below which another thread takes longer to start than it saves."""
_MOST = 8


def spread(work: Callable[[int], None], count: int, numbers: int) -> None:
    """Do ``work(0)`` to ``work(count - 1)``, in threads if that is worth it.

    Parameters
    ----------
    work : callable
        Does one of them; should spend its time in numpy, which lets other threads run.
    count : int
        How many there are.
    numbers : int
        How many numbers they go through altogether.
    """
    threads = min(_cores(), count, _MOST, numbers // _WORTH_A_THREAD)
    left = iter(range(count))
    if threads < 2:
        _take(work, left)
        return
    with ThreadPoolExecutor(threads - 1) as pool:
        helpers = [pool.submit(_take, work, left) for _ in range(threads - 1)]
        _take(work, left)
    for helper in helpers:
        helper.result()


def _take(work: Callable[[int], None], left: Iterator[int]) -> None:
    """Do what is left, one after another; threads that share it take what the others have not."""
    for number in left:
        work(number)


def _cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
