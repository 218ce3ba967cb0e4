"""Models of transformers are built one at a time in a process.

While it builds a model, transformers replaces methods of its own, torch's initialisers and torch's
default precision for all threads, and then puts back what it found. Of two threads at once, one
puts back what the other had replaced: from then on models have random weights, or untied ones.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

_lock = threading.RLock()


@contextmanager
def building() -> Iterator[None]:
    """Let no other thread build a model within a block, here or in a library that reads models."""
    with _lock:
        yield
