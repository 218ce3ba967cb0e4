"""Pause Python's collector of reference cycles while a large table is read."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_lock = threading.Lock()
_paused = 0
_was_enabled = False


@contextmanager
def collection_paused() -> Iterator[None]:
    """Pause the collector, which would look through all rows of a table again and again.

    Also a decorator. Calls may overlap, in any thread; the last one to end resumes the collector.
    """
    global _paused, _was_enabled
    with _lock:
        if not _paused:
            _was_enabled = gc.isenabled()
            gc.disable()
        _paused += 1
    try:
        yield
    finally:
        with _lock:
            _paused -= 1
            if not _paused and _was_enabled:
                gc.enable()
