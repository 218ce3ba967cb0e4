"""Subjects that a process keeps open, within a share of the memory of each device."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from biaslab.subjects.memory import memory_by_device
from biaslab.subjects.memory_limits import allowed_memory

S = TypeVar("S")


class OpenSubjects(Generic[S]):
    """Cache of open subjects; the least recently used one is closed first.

    Parameters
    ----------
    allowed : callable, optional
        Returns the bytes that all of them may take on a device such as "cpu" or "cuda:0".
    """

    def __init__(self, allowed: Callable[[str], int] = allowed_memory) -> None:
        self._allowed = allowed
        self._open: OrderedDict[Hashable, S] = OrderedDict()
        self._opening: dict[Hashable, threading.Lock] = {}
        self._guard = threading.Lock()

    def get(self, key: Hashable, opener: Callable[[], S], expected: dict[str, int]) -> S:
        """Return the open subject of a key; open it once, however many threads ask.

        Parameters
        ----------
        key : hashable
        opener : callable
            Opens the subject; what it raises is not cached.
        expected : dict of str to int
            Bytes that it will take, by device; they are freed before it is opened.
        """
        with self._guard:
            opening = self._opening.setdefault(key, threading.Lock())
        with opening:
            with self._guard:
                if key in self._open:
                    self._open.move_to_end(key)
                    return self._open[key]
                self._make_room(expected)
            subject = opener()
            with self._guard:
                self._open[key] = subject
                self._make_room({}, keep=key)
            return subject

    def drop(self, subject: object = None) -> None:
        """Close a subject, or all of them."""
        with self._guard:
            for key in [k for k, one in self._open.items() if subject is None or one is subject]:
                del self._open[key]

    def _make_room(self, expected: dict[str, int], keep: Hashable = None) -> None:
        """Close subjects until each device has room; the one to keep stays, however large."""
        taken = {key: memory_by_device(subject) for key, subject in self._open.items()}
        for device in {*expected, *(name for each in taken.values() for name in each)}:
            allowed = self._allowed(device)
            used = expected.get(device, 0) + sum(each.get(device, 0) for each in taken.values())
            for key in list(self._open):
                if used <= allowed:
                    break
                if key != keep and taken[key].get(device, 0):
                    used -= taken.pop(key)[device]
                    del self._open[key]
                    self._opening.pop(key, None)
