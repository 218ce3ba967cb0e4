"""A value that is computed once per key, of which only the newest is kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

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
