"""Samplers of several threads take turns, and so do language models that write.

Pyro keeps its handlers, and torch its generators, in one place for all threads: two samplers at
once would stop with an error inside Pyro, or draw from each other's random numbers.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

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
