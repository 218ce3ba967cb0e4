"""Answers that are kept: the newest of a bench, and those that all sessions share."""

from __future__ import annotations

import marshal
import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

import numpy as np

from biaslab.records.calls import Call
from biaslab.records.result import Result

V = TypeVar("V")


class Latest(Generic[V]):
    """Keeps the value of the newest key, so that the same question is not worked out twice."""

    def __init__(self) -> None:
        self._kept: tuple[object, V] | None = None

    def of(self, key: object, compute: Callable[[], V]) -> V:
        """The value of a key: the kept one, or what `compute` returns, which is kept then."""
        if self._kept is None or self._kept[0] != key:
            self._kept = (key, compute())
        return self._kept[1]

    def get(self, key: object) -> V | None:
        """The value that is kept of a key; None where it is of another."""
        return self._kept[1] if self._kept is not None and self._kept[0] == key else None

    def put(self, key: object, value: V) -> None:
        """Keep a value that was worked out elsewhere."""
        self._kept = (key, value)

    @property
    def newest(self) -> V | None:
        """The value that is kept, whatever its key."""
        return None if self._kept is None else self._kept[1]

    def forget(self) -> None:
        """Keep nothing."""
        self._kept = None


Key = tuple[int, Hashable]


@dataclass(frozen=True)
class _Kept:
    about: weakref.ref[Any]
    value: Any
    size: int


class SharedAnswers:
    """Keeps the answers that were asked for last, each computed once however many ask.

    Only what is a function of an open subject and of the question may be kept here. The subject
    itself, not its name, is part of what an answer is found by: another person's subject of the
    same name, or the same file opened again, is another subject.

    - `most`: answers kept.
    - `most_bytes`: their size together, roughly: that of their arrays and records.
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

        - `about`: the open subject, or the result that is drawn; told from others by its identity.
        - `question`: all else that the answer depends on.
        - `compute`: what it raises is raised, and nothing is kept.
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


R = TypeVar("R", bound=Result)
_KEPT = 64


class RecordedLater:
    """Remembers how results can be made again.

    A bench makes a result at each edit, of pairs or pictures by the hundred. Describing all of
    them takes longer than the edit may, so it waits until the result is saved, exported or read.
    """

    def __init__(self) -> None:
        # Results are held: another one must not be taken for one of them.
        self._calls: OrderedDict[int, tuple[Result, Callable[[], Call]]] = OrderedDict()
        self._made: OrderedDict[int, tuple[Result, Result]] = OrderedDict()

    def put(self, result: Result, call: Callable[[], Call]) -> None:
        """Remember the call that makes a result."""
        self._calls[id(result)] = (result, call)
        while len(self._calls) > _KEPT:
            self._calls.popitem(last=False)

    def of(self, result: R) -> R:
        """The same result with its call; the same object each time."""
        if id(result) in self._made:
            made: R = self._made[id(result)][1]  # type: ignore[assignment]
            return made
        if id(result) not in self._calls:
            return result
        call = self._calls[id(result)][1]()
        made = replace(result, provenance=replace(result.provenance, call=call))
        self._made[id(result)] = (result, made)
        while len(self._made) > _KEPT:
            self._made.popitem(last=False)
        return made
