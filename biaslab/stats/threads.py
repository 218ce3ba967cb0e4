"""Threads that calculate: one for each matrix product, and one sampler at a time.

Threads of matrix products spin when other cores are busy. Work that is spread over threads of its
own, or too small to be, computes in a block with one thread: that of a live answer needs the other
core for the browser and the server of the very same redraw.

Samplers of several threads take turns, and so do language models that write. Pyro keeps its
handlers, and torch its generators, in one place for all threads: two samplers at once would stop
with an error inside Pyro, or draw from each other's random numbers.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController


_lock = threading.Lock()
_controller: tuple[int, ThreadpoolController] | None = None
_inside = 0
_limit: Any = None


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Let numpy and scipy multiply with one thread within a block.

    Blocks of several threads may overlap: the last one to end restores the setting from before the
    first. Searching for the libraries takes some milliseconds: it is repeated only when modules
    were imported since.
    """
    _enter()
    try:
        yield
    finally:
        _leave()


@contextmanager
def one_openmp_thread() -> Iterator[None]:
    """Let this thread run OpenMP work, such as torch's, on one thread within a block.

    Little work on two threads is no faster than on one, and many times slower when other work
    keeps the cores busy: threads spin while they wait for each other. Only the calling thread is
    limited. After ``torch.set_num_threads`` was called, matrix products use that setting.
    """
    from threadpoolctl import ThreadpoolController

    global _controller
    with _lock:
        if _controller is None or _controller[0] != len(sys.modules):
            _controller = len(sys.modules), ThreadpoolController()
        libraries = _controller[1].select(user_api="openmp").lib_controllers
    before = [library.get_num_threads() for library in libraries]
    for library in libraries:
        library.set_num_threads(1)
    try:
        yield
    finally:
        for library, number in zip(libraries, before, strict=True):
            library.set_num_threads(number)


def _enter() -> None:
    global _controller, _inside, _limit
    from threadpoolctl import ThreadpoolController

    with _lock:
        _inside += 1
        if _inside > 1:
            return
        if _controller is None or _controller[0] != len(sys.modules):
            _controller = len(sys.modules), ThreadpoolController()
        _take_over(_controller[1])
        _limit = _controller[1].limit(limits=1, user_api="blas")


def _leave() -> None:
    global _inside, _limit
    with _lock:
        _inside -= 1
        if not _inside and _controller is not None:
            _take_over(_controller[1])
            _limit.restore_original_limits()
            _limit = None


def _take_over(controller: ThreadpoolController) -> None:
    """Let this thread set the number: OpenBLAS obeys only the thread that set it last."""
    for library in controller.select(internal_api="openblas").lib_controllers:
        library.clear_controlling_thread(force=True)


_TURN = threading.Lock()
_LOOK_S = 0.1


@contextmanager
def sampler_turn(look: Callable[[], object]) -> Iterator[None]:
    """Wait until no other thread is within such a block, and keep the others waiting.

    Parameters
    ----------
    look : callable
        Called while this waits; what it raises ends the wait.
    """
    while not _TURN.acquire(timeout=_LOOK_S):
        look()
    try:
        yield
    finally:
        _TURN.release()
