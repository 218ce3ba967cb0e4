"""Memory for files that are on their way: how much of it a person and a process have."""

from __future__ import annotations

import threading
import time
import weakref
from typing import Protocol

from biaslab.errors import ImageError

MOST_OF_ONE_MB = 400
"""Unfinished uploads of one bench."""
MOST_OF_ALL_MB = 1_000
"""Unfinished uploads of a process."""
STALE_S = 120.0
"""An upload to which nothing was added for so long gives way where memory is needed."""


class Holder(Protocol):
    """Whoever holds unfinished uploads."""

    @property
    def size(self) -> int:
        """Bytes that it holds."""

    def drop_stale(self, before: float) -> None:
        """Let go of uploads to which nothing was added since a time of `time.monotonic`."""


class UploadSpace:
    """The memory that unfinished uploads of a process may take together.

    Parameters
    ----------
    most_of_one_mb, most_of_all_mb : float
    """

    def __init__(
        self, most_of_one_mb: float = MOST_OF_ONE_MB, most_of_all_mb: float = MOST_OF_ALL_MB
    ) -> None:
        self._one, self._all = most_of_one_mb, most_of_all_mb
        self._lock = threading.Lock()
        self._holders: weakref.WeakSet[Holder] = weakref.WeakSet()

    @property
    def size(self) -> int:
        """Bytes that are held."""
        return sum(holder.size for holder in list(self._holders))

    def ask(self, holder: Holder, size: int) -> None:
        """Ask for so many bytes more, before they are there.

        Raises
        ------
        ImageError
            If the holder, or all together, would have too many: says what to do.
        """
        with self._lock:
            self._holders.add(holder)
            if holder.size + size > self._one * 1e6:
                raise ImageError(
                    f"Your unfinished uploads hold {self._one:,.0f} MB, the most that is kept for"
                    " one bench. Wait until a file has arrived, and send fewer at once."
                )
            if self.size + size > self._all * 1e6:
                for other in set(self._holders) - {holder}:
                    other.drop_stale(time.monotonic() - STALE_S)
            if self.size + size > self._all * 1e6:
                raise ImageError(
                    "Other people's uploads take all the memory that the server has for them. Try"
                    " again in a few minutes."
                )


SPACE = UploadSpace()
