"""Run calls of one function in several threads, without blocking interpreter exit."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from contextvars import Context, copy_context
from typing import Generic, TypeVar

from biaslab.background import start_thread

In = TypeVar("In")
Out = TypeVar("Out")


class SideBySide(Generic[In, Out]):
    """Concurrent calls of a function; outcomes come in the order of their ends.

    A pool of ``concurrent.futures`` would keep the interpreter from ending until its calls have
    returned, which takes minutes where a service does not answer.

    Parameters
    ----------
    function : callable
        Takes one item.

    Attributes
    ----------
    under_way : int
        Calls begun whose outcome is still pending.
    """

    def __init__(self, function: Callable[[In], Out]) -> None:
        self._function = function
        self._items: queue.SimpleQueue[tuple[Context, In] | None] = queue.SimpleQueue()
        self._outcomes: queue.SimpleQueue[Out | BaseException] = queue.SimpleQueue()
        self._threads: list[threading.Thread] = []
        self.under_way = 0

    def begin(self, item: In) -> None:
        """Call the function with `item`, concurrently."""
        self.under_way += 1
        if self.under_way > len(self._threads):
            self._threads.append(start_thread("biaslab-service", self._work))
        # What a call waits for is closed with the job that began it.
        self._items.put((copy_context(), item))

    def next(self, timeout: float) -> Out | None:
        """Return the outcome of the next call to end, or None after `timeout` seconds.

        Raises
        ------
        BaseException
            The exception of the call.
        """
        try:
            outcome = self._outcomes.get(timeout=timeout)
        except queue.Empty:
            return None
        self.under_way -= 1
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome

    def dismiss(self) -> None:
        """Let each thread end after its running call."""
        for _ in self._threads:
            self._items.put(None)

    def end(self) -> Iterator[Out]:
        """Wait for running calls, and return the outcomes of successful ones."""
        self.dismiss()
        for thread in self._threads:
            thread.join()
        yield from self.ended()

    def ended(self) -> Iterator[Out]:
        """Return the outcomes of successful calls that have ended, without waiting."""
        while not self._outcomes.empty():
            outcome = self._outcomes.get()
            if not isinstance(outcome, BaseException):
                yield outcome

    def _work(self) -> None:
        while (item := self._items.get()) is not None:
            try:
                context, given = item
                self._outcomes.put(context.run(self._function, given))
            except BaseException as error:  # noqa: BLE001  # raised by next()
                self._outcomes.put(error)
