"""Which tests stay together in one process, which process takes them, and which begin first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest

from harness.durations import seconds_by_file

ROOT = Path(__file__).resolve().parents[2]
BROWSER_IMPORTS = ("playwright", "harness.stage", "harness.story")
WORTH_A_BROWSER_S = 90.0
"""A second process starts a Chromium and servers only when so much is left of the browser tests."""


def group(nodeid: str) -> str:
    """Name the tests that share a process: those of one file."""
    return nodeid.partition("::")[0]


@cache
def opens_pages(name: str) -> bool:
    """Whether a file has browser tests: its imports say so.

    The process that hands out the tests knows them by their names alone.
    """
    path = ROOT / name
    text = path.read_text("utf-8") if path.is_file() else ""
    return any(module in text for module in BROWSER_IMPORTS)


def longest_first(items: list[pytest.Item]) -> None:
    """Order tests so that the longest groups begin first: no process then waits long for another.

    Browser tests come before all others: the one process that takes them has most to do.
    """
    seconds = defaultdict(float, seconds_by_file())

    def place(item: pytest.Item) -> tuple[bool, float, str]:
        name = group(item.nodeid)
        return not opens_pages(name), -seconds[name], name

    items.sort(key=place)


def shuffle_groups(items: list[pytest.Item], seed: int) -> None:
    """Put the tests of each group into another order; the groups keep theirs."""
    random = Random(seed)
    order: defaultdict[str, float] = defaultdict(random.random)
    groups = {name: place for place, name in enumerate(dict.fromkeys(map(_group_of, items)))}
    items.sort(key=lambda item: (groups[_group_of(item)], order[item.nodeid]))


def _group_of(item: pytest.Item) -> str:
    return group(item.nodeid)


def next_group(waiting: Iterable[str], takes_pages: bool, seconds: Mapping[str, float]) -> str:
    """Choose what a process does next; empty where it had better end.

    Parameters
    ----------
    waiting : iterable of str
        Groups that nobody has begun, longest first.
    takes_pages : bool
        Whether it is the process of the browser tests. It turns to others when these are begun.
    seconds : mapping of str to float
        What each group takes. Another process turns to browser tests when there is nothing else
        and enough of them are left.
    """
    pages: list[str] = []
    others: list[str] = []
    for name in waiting:
        (pages if opens_pages(name) else others).append(name)
    if takes_pages:
        return next(iter(pages + others), "")
    if others or not pages:
        return next(iter(others), "")
    return pages[0] if sum(seconds[name] for name in pages) > WORTH_A_BROWSER_S else ""


def by_group(config: pytest.Config, log: Any) -> Any:
    """A scheduler of pytest-xdist that keeps groups together and all browser tests in one process.

    Three Chromiums with their servers at once are more than two cores carry, and each process
    would start them for itself.
    """
    from xdist.scheduler import LoadScopeScheduling

    # By itself it begins with the groups of most tests, which are not those that take longest.
    config.option.loadscopereorder = False

    seconds = defaultdict(float, seconds_by_file())

    class ByGroup(LoadScopeScheduling):
        _with_browser: Any = None

        def _split_scope(self, nodeid: str) -> str:
            return group(nodeid)

        def _takes_pages(self, node: Any) -> bool:
            holder = self._with_browser
            if holder not in self.assigned_work or holder.shutting_down:
                self._with_browser = node
            return self._with_browser is node

        def _next(self, node: Any) -> str:
            return next_group(self.workqueue, self._takes_pages(node), seconds)

        def _reschedule(self, node: Any) -> None:
            # A process waits until it knows the test after the next, or that there is none.
            while not node.shutting_down and self._pending_of(self.assigned_work[node]) <= 2:
                if self._next(node):
                    self._assign_work_unit(node)
                else:
                    node.shutdown()

        def remove_node(self, node: Any) -> Any:
            work = self.assigned_work[node]
            # A group that is done is not handed out again.
            self.assigned_work[node] = {n: one for n, one in work.items() if not all(one.values())}
            return super().remove_node(node)

        def _assign_work_unit(self, node: Any) -> None:
            # At the start every process gets a group, whatever is left for it.
            if name := self._next(node):
                self.workqueue.move_to_end(name, last=False)
            super()._assign_work_unit(node)

    return ByGroup(config, log)
