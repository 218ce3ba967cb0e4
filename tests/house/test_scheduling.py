"""The processes of a test run share its groups: one takes all browser tests."""

from __future__ import annotations

from collections import deque
from types import SimpleNamespace
from typing import cast

import pytest

from harness import scheduling
from harness.scheduling import by_group, next_group

READS = ("tests/benches/rating",)
PAGES = [f"tests/benches/bench{n}/test_story.py" for n in range(4)]
OTHERS = [f"tests/unit/test_{n}.py" for n in range(12)]
IDS = [f"{page}::test_{n}" for page in PAGES for n in range(4)]
IDS += [f"{file}::test_{n}" for file in OTHERS for n in range(3)]


@pytest.fixture
def _made_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scheduling, "opens_pages", PAGES.__contains__)


class Node:
    """A process: it runs a test when it knows the next one, or that it is to end."""

    def __init__(self, name: str) -> None:
        self.gateway = SimpleNamespace(id=name)
        self.shutting_down = False
        self.queue: deque[int] = deque()
        self.ran: list[str] = []

    def send_runtest_some(self, indices: list[int]) -> None:
        self.queue.extend(indices)

    def shutdown(self) -> None:
        self.shutting_down = True


class Run:
    """A test run of several processes, which take turns."""

    def __init__(self, processes: int) -> None:
        config = SimpleNamespace(option=SimpleNamespace(), getvalue=lambda _: ["popen"] * processes)
        self.schedule = by_group(cast(pytest.Config, config), None)
        self.nodes: list[Node] = []
        for number in range(processes):
            self.add(f"gw{number}")
        self.schedule.schedule()

    def add(self, name: str) -> Node:
        node = Node(name)
        self.nodes.append(node)
        self.schedule.add_node(node)
        self.schedule.add_node_collection(node, IDS)
        return node

    def turn(self) -> bool:
        """Let each process run a test if it can; whether one did."""
        any_ran = False
        for node in self.nodes:
            if len(node.queue) > 1 or (node.queue and node.shutting_down):
                index = node.queue.popleft()
                node.ran.append(IDS[index])
                self.schedule.mark_test_complete(node, index)
                any_ran = True
        return any_ran

    def crash(self, node: Node) -> None:
        """Lose a process, and put another in its place."""
        self.nodes.remove(node)
        self.schedule.remove_node(node)
        self.add(f"{node.gateway.id}-again")
        self.schedule.schedule()


def pages_of(node: Node) -> list[str]:
    return [test for test in node.ran if "test_story" in test]


@pytest.mark.usefixtures("_made_up")
@pytest.mark.parametrize("processes", [1, 2, 3])
def test_every_test_runs_once_and_one_process_has_all_browser_tests(processes: int) -> None:
    run = Run(processes)
    while run.turn():
        pass
    assert sorted(test for node in run.nodes for test in node.ran) == sorted(IDS)
    assert all(node.shutting_down for node in run.nodes)
    first, *others = run.nodes
    assert pages_of(first) == first.ran[:16]
    assert not any(pages_of(node) for node in others)
    assert run.schedule.tests_finished


@pytest.mark.usefixtures("_made_up")
@pytest.mark.parametrize(
    ("lost", "turns", "browsers"), [(0, 2, 2), (0, 9, 2), (0, 17, 1), (1, 2, 1), (1, 17, 1)]
)
def test_a_process_that_crashes_is_replaced_and_nothing_is_left(
    lost: int, turns: int, browsers: int
) -> None:
    run = Run(2)
    for _ in range(turns):
        run.turn()
    gone = run.nodes[lost]
    run.crash(gone)
    while run.turn():
        pass
    assert {*gone.ran, *(test for node in run.nodes for test in node.ran)} == set(IDS)
    assert all(node.shutting_down for node in run.nodes)
    assert sum(bool(pages_of(node)) for node in [gone, *run.nodes]) == browsers


@pytest.mark.usefixtures("_made_up")
@pytest.mark.parametrize(("left", "chosen"), [(30.0, ""), (100.0, PAGES[2])])
def test_a_second_browser_is_started_only_for_much(left: float, chosen: str) -> None:
    seconds = dict.fromkeys(PAGES[2:], left / 2)
    assert next_group(PAGES[2:], takes_pages=False, seconds=seconds) == chosen
    assert next_group([*PAGES[2:], OTHERS[0]], takes_pages=False, seconds=seconds) == OTHERS[0]


def test_browser_tests_are_known_by_their_imports() -> None:
    known = scheduling.opens_pages
    assert known("tests/benches/rating/test_story.py")
    assert not known("tests/benches/rating/test_bench.py")
