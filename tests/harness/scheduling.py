"""Which tests stay together in one process, and which begin first."""

from __future__ import annotations

from collections import defaultdict
from pathlib import PurePosixPath
from random import Random
from typing import Any

import pytest

from harness.durations import seconds_by_file


def group(nodeid: str) -> str:
    """Name the tests that share a process: those of one bench's pages, else those of one file."""
    path = PurePosixPath(nodeid.partition("::")[0])
    return str(path.parent if path.parent.name.startswith("page") else path)


def longest_first(items: list[pytest.Item]) -> None:
    """Order tests so that the longest groups begin first: no process then waits long for another.

    Browser tests come before all others, so that each process starts its Chromium and its servers
    once.
    """
    seconds: defaultdict[str, float] = defaultdict(float)
    for file, taken in seconds_by_file().items():
        seconds[group(file)] += taken

    def place(item: pytest.Item) -> tuple[bool, float, str]:
        name = group(item.nodeid)
        return item.get_closest_marker("browser") is None, -seconds[name], name

    items.sort(key=place)


def shuffle_groups(items: list[pytest.Item], seed: int) -> None:
    """Put the tests of each group into another order; the groups keep theirs."""
    random = Random(seed)
    order: defaultdict[str, float] = defaultdict(random.random)
    groups = {name: place for place, name in enumerate(dict.fromkeys(map(_group_of, items)))}
    items.sort(key=lambda item: (groups[_group_of(item)], order[item.nodeid]))


def _group_of(item: pytest.Item) -> str:
    return group(item.nodeid)


def by_group(config: pytest.Config, log: Any) -> Any:
    """A scheduler of pytest-xdist that keeps groups together, and in the order they have."""
    from xdist.scheduler import LoadScopeScheduling

    # By itself it begins with the groups of most tests, which are not those that take longest.
    config.option.loadscopereorder = False

    class ByGroup(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return group(nodeid)

    return ByGroup(config, log)
