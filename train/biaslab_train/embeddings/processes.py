"""Run work in local processes that end with the caller."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import TypeVar

from biaslab.errors import TrainingError

In = TypeVar("In")
Out = TypeVar("Out")


@contextmanager
def pool(processes: int) -> Iterator[ProcessPoolExecutor]:
    """Open a pool of fresh processes that ends with the block and with its process.

    Processes are spawned, so that it works from a notebook, from threads and on every system.

    Raises `TrainingError` when one of them was ended from outside.
    """
    context = multiprocessing.get_context("spawn")
    before = {child.pid for child in multiprocessing.active_children()}
    executor = ProcessPoolExecutor(processes, mp_context=context, initializer=_begin)
    try:
        yield executor
        executor.shutdown()
    except BaseException as error:
        # Running tasks may take hours more: an interrupted command ends now.
        ours = [c for c in multiprocessing.active_children() if c.pid not in before]
        for child in ours:
            child.terminate()
        executor.shutdown(cancel_futures=True)
        if isinstance(error, BrokenProcessPool):
            raise TrainingError(
                "A worker process was killed, by a person or by the system, which does so when"
                " memory runs out. Finished work is kept. Repeat the same command to continue,"
                " with fewer --processes if memory ran out."
            ) from error
        raise


def in_order(function: Callable[[In], Out], items: Iterable[In], processes: int) -> Iterator[Out]:
    """Run ``map(function, items)`` in several processes, with little memory."""
    stream = iter(items)
    first = next(stream, None)
    second = next(stream, None)
    if first is None:
        return
    if second is None or processes == 1:
        yield function(first)
        if second is not None:
            yield function(second)
        yield from map(function, stream)
        return
    with pool(processes) as executor:
        running: deque[Future[Out]] = deque(executor.submit(function, i) for i in (first, second))
        for item in stream:
            if len(running) > 2 * processes:
                yield running.popleft().result()
            running.append(executor.submit(function, item))
        while running:
            yield running.popleft().result()


def _begin() -> None:
    """Start a process that ignores Ctrl-C, and ends when the parent has died."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
