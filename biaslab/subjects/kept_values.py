"""What a model computed, in a store: written in pieces, and given up with a note where it fails."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

from biaslab.errors import StoreError


class ValueStore(Protocol):
    """Where computed texts are kept under keys: a `biaslab.Store`."""

    def keep_values(self, kind: str, values: Mapping[str, str]) -> None:
        """Keep values under keys: see `biaslab.Store.keep_values`."""

    def kept_values(self, kind: str, keys: Iterable[str]) -> dict[str, str]:
        """Those of the asked keys that were kept: see `biaslab.Store.kept_values`."""


class KeptValues:
    """Texts of one kind in a store.

    Parameters
    ----------
    store : ValueStore or None
        None keeps nothing.
    kind : str
        What they are, as the store calls it.
    at_once : int
        Texts after which the store is written to: what a killed run loses at most.
    notes : list of str
        Takes what to tell when the store cannot be used.
    lost : str
        How that begins, such as ``"Embeddings of pictures are not cached"``.
    """

    def __init__(
        self, store: ValueStore | None, kind: str, at_once: int, notes: list[str], lost: str
    ) -> None:
        self._store, self._kind, self._at_once = store, kind, at_once
        self._notes, self._lost = notes, lost
        self._waiting: dict[str, str] = {}

    @property
    def is_used(self) -> bool:
        """Whether there is a store that works."""
        return self._store is not None

    def find(self, keys: Iterable[str]) -> dict[str, str]:
        """Those of the keys that are kept, with their texts."""
        if self._store is None:
            return {}
        try:
            return self._store.kept_values(self._kind, keys)
        except StoreError as error:
            self._give_up(error)
            return {}

    def put(self, values: Mapping[str, str]) -> None:
        """Keep texts under their keys, when enough have come together."""
        if self._store is not None:
            self._waiting |= values
            if len(self._waiting) >= self._at_once:
                self.flush()

    def flush(self) -> None:
        """Write what is waiting."""
        if self._store is not None and self._waiting:
            try:
                self._store.keep_values(self._kind, self._waiting)
            except StoreError as error:
                self._give_up(error)
        self._waiting = {}

    def _give_up(self, error: StoreError) -> None:
        self._notes.append(f"{self._lost}: {error}")
        self._store = None
