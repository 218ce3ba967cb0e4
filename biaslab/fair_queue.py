"""A queue that is fair over owners: they take turns, first come first served within each."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable
from typing import Generic, Protocol, TypeVar


class Owned(Protocol):
    """Something that belongs to somebody."""

    @property
    def owner(self) -> str:
        """Whose it is; empty where there is one person only."""


J = TypeVar("J", bound=Owned)


class FairQueue(Generic[J]):
    """Items that wait, in the order in which they are taken.

    Owners who wait take turns. An owner's turn ends when its item has ended, so that whoever comes
    meanwhile is served before the owner's next item; nobody is passed over for ever.

    Parameters
    ----------
    places : int
        Items that are under way at once.
    per_owner : int, optional
        Items of one owner that are under way at once. The empty owner, who is alone, has all
        places.
    """

    def __init__(self, places: int = 1, per_owner: int | None = None) -> None:
        self._places, self._per_owner = places, per_owner
        self._items: list[J] = []
        self._numbers = itertools.count()
        self._turns: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._items)

    def __contains__(self, item: object) -> bool:
        return item in self._items

    def add(self, item: J) -> None:
        """Let an item wait, as its owner's last."""
        self._items.append(item)
        self._turns.setdefault(item.owner, next(self._numbers))

    def remove(self, item: J) -> None:
        """Take an item out, wherever it waits; do nothing if it does not."""
        if item in self._items:
            self._items.remove(item)

    def count(self, owner: str) -> int:
        """Return how many items of an owner wait."""
        return sum(item.owner == owner for item in self._items)

    def take(self, under_way: Iterable[J], held: Collection[str] = ()) -> J | None:
        """Take the item whose turn it is out of the queue; None if no owner may have another.

        Owners in `held` have no turn.
        """
        owners = [item.owner for item in under_way]
        items = [item for item in self._items if item.owner not in held]
        item = self._next(items, owners, self._turns)
        if item is not None:
            self._items.remove(item)
            self._turns[item.owner] = next(self._numbers)
        return item

    def ended(self, owner: str, under_way: Iterable[J]) -> None:
        """End an owner's turn: an item of theirs is no longer under way."""
        still = {item.owner for item in [*self._items, *under_way]}
        self._turns = {one: turn for one, turn in self._turns.items() if one in still}
        if owner in still:
            self._turns[owner] = next(self._numbers)

    def order(self, under_way: Iterable[J], held: Collection[str] = ()) -> list[J]:
        """Return the items in the order in which they are taken, if none comes or leaves.

        Items that are under way are taken to end in their order; owners in `held` come last.
        """
        items = [item for item in self._items if item.owner not in held]
        turns = dict(self._turns)
        owners = [item.owner for item in under_way]
        ordered: list[J] = []
        later = max(turns.values(), default=0)
        while items:
            item = self._next(items, owners, turns) if len(owners) < self._places else None
            later += 1
            if item is None:
                turns[owners.pop(0)] = later
                continue
            items.remove(item)
            ordered.append(item)
            owners.append(item.owner)
            turns[item.owner] = later
        return [*ordered, *(item for item in self._items if item.owner in held)]

    def _next(self, items: list[J], owners: list[str], turns: dict[str, int]) -> J | None:
        first: dict[str, J] = {}
        for item in items:
            first.setdefault(item.owner, item)
        most = self._per_owner
        may = [one for one in first if not one or most is None or owners.count(one) < most]
        if not may:
            return None
        # An owner may be known by another name since its item came.
        newest = max(turns.values(), default=0) + 1
        return first[min(may, key=lambda one: turns.get(one, newest))]
