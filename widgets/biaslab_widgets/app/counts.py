"""What the server counts for its metrics."""

from __future__ import annotations

import threading


class Counts:
    """Numbers since the start of this process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.answers = 0
        self.refusals = 0

    def sent(self) -> None:
        """Count a message to a page."""
        with self._lock:
            self.answers += 1

    def refused(self) -> None:
        """Count a request that was refused."""
        with self._lock:
            self.refusals += 1


COUNTS = Counts()
