"""Answers that the sessions of a process share: a class asks the same, and it is computed once.

Only what is a function of an open subject and of the question may be kept here. The subject itself,
not its name, is part of what an answer is found by: another person's subject of the same name, or
the same file opened again, is another subject.
"""

from __future__ import annotations

import marshal
import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

V = TypeVar("V")
Key = tuple[int, Hashable]


@dataclass(frozen=True)
class _Kept:
    about: weakref.ref[Any]
    value: Any
    size: int


class SharedAnswers:
    """Keeps the answers that were asked for last, each computed once however many ask.

    Parameters
    ----------
    most : int
        Answers kept.
    most_bytes : int
        Their size together, roughly: that of their arrays and records.
    """

    def __init__(self, most: int = 1024, most_bytes: int = 64 * 1024**2) -> None:
        self._most, self._most_bytes = most, most_bytes
        self._kept: OrderedDict[Key, _Kept] = OrderedDict()
        self._bytes = 0
        self._running: dict[Key, Future[Any]] = {}
        # A weak reference may end, and call back, while the lock is held.
        self._lock = threading.RLock()

    def of(self, about: object, question: Hashable, compute: Callable[[], V]) -> V:
        """The answer to a question about an object: the kept one, or what `compute` returns.

        Parameters
        ----------
        about : object
            The open subject, or the result that is drawn; told from others by its identity.
        question : hashable
            All else that the answer depends on.
        compute : callable
            What it raises is raised, and nothing is kept.
        """
        key = (id(about), question)
        while True:
            with self._lock:
                kept = self._kept.get(key)
                if kept is not None and kept.about() is about:
                    self._kept.move_to_end(key)
                    value: V = kept.value
                    return value
                running = self._running.get(key)
                if running is None:
                    running = self._running[key] = Future()
                    break
            if running.exception() is None:  # else its asker is told, and this one tries itself
                shared: V = running.result()
                return shared
        try:
            value = compute()
        except BaseException as error:
            with self._lock:
                del self._running[key]
            running.set_exception(error)
            raise
        with self._lock:
            del self._running[key]
            self._keep(key, about, value)
        running.set_result(value)
        return value

    def forget(self) -> None:
        """Keep nothing."""
        with self._lock:
            self._kept.clear()
            self._bytes = 0

    def __len__(self) -> int:
        """Answers kept."""
        return len(self._kept)

    def _keep(self, key: Key, about: object, value: object) -> None:
        self._drop(key)
        size = size_of(value)
        try:
            reference = weakref.ref(about, lambda _: self._drop(key))
        except TypeError:  # that it is the same object could not be told later
            return
        self._kept[key] = _Kept(reference, value, size)
        self._bytes += size
        while len(self._kept) > self._most or self._bytes > self._most_bytes:
            self._drop(next(iter(self._kept)))

    def _drop(self, key: Key) -> None:
        with self._lock:
            if (kept := self._kept.pop(key, None)) is not None:
                self._bytes -= kept.size


def size_of(value: object) -> int:
    """Return about how many bytes a result or a record takes."""
    if isinstance(value, np.ndarray):
        return int(value.nbytes)
    if isinstance(value, dict | list | tuple | str | int | float | None):
        try:
            return 4 * len(marshal.dumps(value))
        except ValueError:  # a record that holds objects
            parts = value.values() if isinstance(value, dict) else value
            return sum(map(size_of, parts)) if isinstance(parts, list | tuple) else 1024
    return 1024 + sum(map(size_of, getattr(value, "__dict__", {}).values()))


ANSWERS = SharedAnswers()
"""Those of this process."""
