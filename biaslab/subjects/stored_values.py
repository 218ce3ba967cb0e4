"""Store computed values in batches; if the store fails, note it and go on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

from biaslab.errors import StoreError


class ValueStore(Protocol):
    """Store of computed texts under keys: a `biaslab.Store`."""

    def keep_values(self, kind: str, values: Mapping[str, str]) -> None:
        """Keep values under keys: see `biaslab.Store.keep_values`."""

    def kept_values(self, kind: str, keys: Iterable[str]) -> dict[str, str]:
        """Return the stored values of these keys: see `biaslab.Store.kept_values`."""


class StoredValues:
    """Texts of one kind in a store.

    - `store`: None stores nothing.
    - `kind`: kind of value, as named in the store.
    - `at_once`: number of texts per write: the most that a killed run loses.
    - `notes`: collects a note when the store cannot be used.
    - `lost`: how that begins, such as ``"Embeddings of pictures are not cached"``.
    """

    def __init__(
        self, store: ValueStore | None, kind: str, at_once: int, notes: list[str], lost: str
    ) -> None:
        self._store, self._kind, self._at_once = store, kind, at_once
        self._notes, self._lost = notes, lost
        self._waiting: dict[str, str] = {}

    @property
    def is_used(self) -> bool:
        """Whether there is a working store."""
        return self._store is not None

    def find(self, keys: Iterable[str]) -> dict[str, str]:
        """Return the stored texts of these keys."""
        if self._store is None:
            return {}
        try:
            return self._store.kept_values(self._kind, keys)
        except StoreError as error:
            self._give_up(error)
            return {}

    def put(self, values: Mapping[str, str]) -> None:
        """Add texts under their keys; write them when there are enough."""
        if self._store is not None:
            self._waiting |= values
            if len(self._waiting) >= self._at_once:
                self.flush()

    def flush(self) -> None:
        """Write pending texts."""
        if self._store is not None and self._waiting:
            try:
                self._store.keep_values(self._kind, self._waiting)
            except StoreError as error:
                self._give_up(error)
        self._waiting = {}

    def _give_up(self, error: StoreError) -> None:
        self._notes.append(f"{self._lost}: {error}")
        self._store = None
