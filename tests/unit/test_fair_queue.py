"""Owners take turns: the order is fair, is what is shown, and passes nobody over for ever."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from biaslab.jobs.workers import FairQueue


@dataclass(eq=False)
class Item:
    owner: str
    number: int

    def __repr__(self) -> str:
        return f"{self.owner}{self.number}"


def filled(text: str, queue: FairQueue[Item]) -> list[Item]:
    items = [Item(one[0], int(one[1:])) for one in text.split()]
    for item in items:
        queue.add(item)
    return items


def taken(queue: FairQueue[Item], under_way: list[Item]) -> list[str]:
    """Take all, one at a time: each ends before the next begins."""
    names = []
    under_way = list(under_way)
    while len(queue):
        if under_way:
            ended = under_way.pop(0)
            queue.ended(ended.owner, under_way)
        item = queue.take(under_way)
        assert item is not None
        names.append(repr(item))
        under_way.append(item)
    return names


def test_owners_take_turns_and_each_is_served_in_the_own_order() -> None:
    queue: FairQueue[Item] = FairQueue()
    filled("a1 a2 a3 b1 b2 c1", queue)
    assert taken(queue, []) == ["a1", "b1", "c1", "a2", "b2", "a3"]


def test_who_comes_while_somebody_computes_is_served_before_their_next() -> None:
    queue: FairQueue[Item] = FairQueue()
    filled("a1 a2 a3", queue)
    running = queue.take([])
    assert running is not None
    filled("b1 c1", queue)
    assert [repr(one) for one in queue.order([running])] == ["b1", "c1", "a2", "a3"]
    assert taken(queue, [running]) == ["b1", "c1", "a2", "a3"]


def test_a_stream_of_new_owners_passes_nobody_over() -> None:
    queue: FairQueue[Item] = FairQueue()
    filled("a1 a2", queue)
    running, names = queue.take([]), []
    for number in range(6):
        queue.add(Item(f"new{number}", number))
        assert running is not None
        queue.ended(running.owner, [])
        running = queue.take([])
        names.append(repr(running))
    assert "a2" in names[:2]


def test_an_owner_holds_no_more_places_than_allowed_and_a_lone_person_all() -> None:
    queue: FairQueue[Item] = FairQueue(places=8, per_owner=2)
    filled("a1 a2 a3 a4 b1", queue)
    under_way: list[Item] = []
    while (item := queue.take(under_way)) is not None:
        under_way.append(item)
    assert sorted(map(repr, under_way)) == ["a1", "a2", "b1"]
    alone: FairQueue[Item] = FairQueue(places=8, per_owner=2)
    for number in range(4):
        alone.add(Item("", number))
    assert [alone.take([]) is not None for _ in range(4)] == [True] * 4


def test_what_left_is_not_taken() -> None:
    queue: FairQueue[Item] = FairQueue()
    first, second = filled("a1 b1", queue)
    queue.remove(first)
    queue.remove(first)
    assert first not in queue
    assert queue.count("a") == 0
    assert queue.order([]) == [second]


@given(st.lists(st.sampled_from("abcd"), max_size=12), st.integers(0, 3))
def test_the_order_that_is_shown_is_that_in_which_they_are_taken(
    owners: list[str], begun: int
) -> None:
    queue: FairQueue[Item] = FairQueue()
    for number, owner in enumerate(owners):
        queue.add(Item(owner, number))
    under_way: list[Item] = []
    for _ in range(min(begun, len(owners))):
        if under_way:
            queue.ended(under_way.pop().owner, [])
        item = queue.take([])
        assert item is not None
        under_way = [item]
    shown = [repr(one) for one in queue.order(under_way)]
    assert taken(queue, under_way) == shown
    assert len(shown) == len(owners) - min(begun, len(owners))
