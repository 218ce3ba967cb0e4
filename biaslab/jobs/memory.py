"""Memory that requests may hold: one budget of a process, in which each person has a share.

What a request can grow asks here before it grows: bodies of requests, messages, uploads and draws.
"""

from __future__ import annotations

import threading
from collections import Counter, deque
from types import TracebackType
from typing import Final

from biaslab.errors import MemoryBudgetError
from biaslab.people.access import current_access

OF_MACHINE: Final = 0.5
"""Of this machine's memory, what requests may hold together where one person works alone."""
OF_SERVER: Final = 0.25
"""The same where others reach the process, whose subjects and work process need the rest."""
OF_ONE: Final = 0.25
"""Of the budget of such a process, what one person may hold."""


class MemoryBudget:
    """Counts what people hold, and refuses what is over.

    Parameters
    ----------
    most : int, optional
        Bytes that all may hold together; by default `OF_MACHINE` of this machine's memory.
    most_of_one : int, optional
        Bytes that one person may hold; by default all of them.
    """

    def __init__(self, most: int | None = None, most_of_one: int | None = None) -> None:
        self._lock = threading.RLock()
        self._held: Counter[str] = Counter()
        # Garbage may be collected at any moment, also while the lock is held.
        self._returned: deque[tuple[str, int]] = deque()
        self._most, self._most_of_one = most, most_of_one

    def set_limits(self, most: int | None = None, most_of_one: int | None = None) -> None:
        """Set what all and what one person may hold; by default the shares of a server."""
        self._most = most or int(OF_SERVER * _machine())
        self._most_of_one = most_of_one or int(OF_ONE * self._most)

    @property
    def most(self) -> int:
        """Bytes that all may hold together."""
        if self._most is None:
            self._most = int(OF_MACHINE * _machine())
        return self._most

    @property
    def size(self) -> int:
        """Bytes that are held."""
        with self._lock:
            self._take_back()
            return self._held.total()

    def of(self, owner: str) -> int:
        """Return the bytes that a person holds."""
        with self._lock:
            self._take_back()
            return self._held[owner]

    def free(self, owner: str) -> int:
        """Return the bytes that a person may still ask for."""
        with self._lock:
            own = self.most if self._most_of_one is None else self._most_of_one
            return max(min(self.most - self.size, own - self.of(owner)), 0)

    def hold(self, size: int = 0, owner: str | None = None) -> Held:
        """Return so many bytes, held until they are given back.

        Parameters
        ----------
        size : int
        owner : str, optional
            Whose they are; by default the person for whom the caller works.

        Raises
        ------
        MemoryBudgetError
            If the person, or all together, would hold too much.
        """
        held = Held(self, current_access().user if owner is None else owner)
        held.resize(size)
        return held

    def give_back(self, owner: str, size: int) -> None:
        """Take bytes back without waiting for anybody; `Held` calls this."""
        self._returned.append((owner, size))

    def _take_back(self) -> None:
        while self._returned:
            owner, size = self._returned.popleft()
            self._count(owner, -size)

    def _count(self, owner: str, by: int) -> None:
        self._held[owner] += by
        if not self._held[owner]:
            del self._held[owner]

    def change(self, owner: str, by: int) -> None:
        """Count bytes more or less; `Held` calls this.

        Raises `MemoryBudgetError` as `hold`.
        """
        with self._lock:
            if by > 0 and by > (free := self.free(owner)):
                own = self._most_of_one is not None and self.most - self.size > free
                whose = "left for you on this server" if own else "left for everybody together"
                left = f"{free / 1e6:,.0f} MB are {whose}"
                raise MemoryBudgetError(
                    f"This needs {by / 1e6:,.0f} MB of memory, and {left}."
                    " Close pages that you no longer need, choose less, or try again later.",
                    free,
                )
            self._count(owner, by)


class Held:
    """Bytes that somebody holds; given back by `close`, and when nobody refers to it any more.

    Attributes
    ----------
    owner : str
        Whose they are.
    size : int
        How many.
    """

    def __init__(self, budget: MemoryBudget, owner: str) -> None:
        self._budget, self.owner, self.size = budget, owner, 0

    def resize(self, size: int) -> None:
        """Hold so many bytes from now on.

        Raises `MemoryBudgetError` if that is too much; then it holds what it held.
        """
        self._budget.change(self.owner, size - self.size)
        self.size = size

    def grow(self, by: int) -> None:
        """Hold so many bytes more, as `resize`."""
        self.resize(self.size + by)

    def close(self) -> None:
        """Give them back."""
        self.resize(0)

    def __enter__(self) -> Held:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __del__(self) -> None:
        if self.size:
            self._budget.give_back(self.owner, self.size)


def _machine() -> int:
    from biaslab.subjects.pretrained.memory import total_memory

    return total_memory("cpu")


MEMORY: Final = MemoryBudget()
"""The budget of this process."""
