"""One thread for matrix products: more of them spin where other work keeps the cores busy.

Work that is spread over threads of its own, or too small to be, computes in such a block: that of a
live answer needs the other core for the browser and the server of the very same redraw.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

_lock = threading.Lock()
_found: tuple[int, ThreadpoolController] | None = None
_inside = 0
_limit: Any = None


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """A block in which numpy and scipy multiply with one thread, in the whole process.

    Blocks of several threads may overlap: the last one to end puts back what was there before the
    first. Looking for the libraries takes some milliseconds: it is done again only where modules
    were imported since.
    """
    _enter()
    try:
        yield
    finally:
        _leave()


@contextmanager
def one_openmp_thread() -> Iterator[None]:
    """A block in which what this thread hands to OpenMP, as torch does, is done by itself.

    Little work on two threads is no faster than on one, and many times slower where something else
    keeps the cores busy: threads spin while they wait for each other. Only the calling thread is
    limited. Where ``torch.set_num_threads`` was called, matrix products keep to that.
    """
    from threadpoolctl import ThreadpoolController

    global _found
    with _lock:
        if _found is None or _found[0] != len(sys.modules):
            _found = len(sys.modules), ThreadpoolController()
        libraries = _found[1].select(user_api="openmp").lib_controllers
    before = [library.get_num_threads() for library in libraries]
    for library in libraries:
        library.set_num_threads(1)
    try:
        yield
    finally:
        for library, number in zip(libraries, before, strict=True):
            library.set_num_threads(number)


def _enter() -> None:
    global _found, _inside, _limit
    from threadpoolctl import ThreadpoolController

    with _lock:
        _inside += 1
        if _inside > 1:
            return
        if _found is None or _found[0] != len(sys.modules):
            _found = len(sys.modules), ThreadpoolController()
        _take_over(_found[1])
        _limit = _found[1].limit(limits=1, user_api="blas")


def _leave() -> None:
    global _inside, _limit
    with _lock:
        _inside -= 1
        if not _inside and _found is not None:
            _take_over(_found[1])
            _limit.restore_original_limits()
            _limit = None


def _take_over(found: ThreadpoolController) -> None:
    """Let this thread set the number: OpenBLAS ignores all but the thread that last did."""
    for library in found.select(internal_api="openblas").lib_controllers:
        library.clear_controlling_thread(force=True)
