"""A pytest plugin that says of each item how it ended and what it executed.

``BIASLAB_RESULTS`` is the number of a socket, or a path. `tools/validate.py` reads lines of JSON
from the socket, and the next item begins when it has kept the result: an interruption loses no
other item than the one that runs. `tools/affected.py` reads files, one of each process of
pytest-xdist.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import socket
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest

from harness import executed
from harness.executed import Executed, joined


class ItemResults:
    """Reports items.

    An item executed what it called itself, what the collection of its file called, and what its
    fixtures of a wider scope called, whichever item they were made for; its process loaded what all
    items before it loaded.
    """

    def __init__(self, tell: Callable[[bytes], None]) -> None:
        self.tell = tell
        self.loaded: Executed = {}
        self.own: Executed = {}
        self.shared: defaultdict[tuple[str, str], Executed] = defaultdict(dict)
        self.reports: list[pytest.TestReport] = []

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(self, collector: pytest.Collector) -> Generator[None, Any, Any]:
        """Keep what the collection of a file executed."""
        self._take()
        try:
            return (yield)
        finally:
            self._keep("", collector.nodeid.partition("::")[0])

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(
        self, fixturedef: pytest.FixtureDef[Any]
    ) -> Generator[None, object, object]:
        """Keep what a fixture executed that later items find ready."""
        if fixturedef.scope == "function":
            return (yield)
        self.own = joined(self.own, self._take())
        try:
            return (yield)
        finally:
            self._keep(fixturedef.argname, fixturedef.baseid)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Tell that an item begins, and how it ended; nothing of one that is interrupted."""
        self._tell(began=item.nodeid)
        self._take()
        self.own, self.reports = {}, []
        begun, used = time.monotonic(), sum(os.times()[:4])
        outcome = yield
        self.own = joined(self.own, self._take())
        names = {"", *getattr(item, "fixturenames", ())}
        shared = [
            masks
            for (name, base), masks in self.shared.items()
            if name in names and (name or base) and item.nodeid.startswith(base)
        ]
        self._tell(
            item=item.nodeid,
            **_outcome(self.reports),
            wall_s=round(time.monotonic() - begun, 2),
            cpu_s=round(sum(os.times()[:4]) - used, 2),
            executed=joined(self.own, *shared),
            loaded=sorted(self.loaded),
        )
        return outcome

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep the report of a phase."""
        self.reports.append(report)

    def _take(self) -> Executed:
        taken = executed.take()
        self.loaded = joined(self.loaded, {name: 1 for name, mask in taken.items() if mask & 1})
        return taken

    def _keep(self, name: str, base: str) -> None:
        self.shared[name, base] = joined(self.shared[name, base], self._take())

    def _tell(self, **said: object) -> None:
        self.tell(f"{json.dumps(said)}\n".encode())


def _outcome(reports: list[pytest.TestReport]) -> dict[str, object]:
    """Sum up the phases of an item: failed if one failed, skipped if one was."""
    seed = next((v for r in reports for name, v in r.user_properties if name == "next_seed"), None)
    for report in reports:
        if report.failed:
            return {"outcome": "failed", "said": _last_line(report.longreprtext), "seed": seed}
    for report in reports:
        if report.skipped and not hasattr(report, "wasxfail"):
            reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else "skipped"
            return {"outcome": "skipped", "said": reason.removeprefix("Skipped: "), "seed": seed}
    return {"outcome": "passed", "said": "", "seed": seed}


def _last_line(text: str) -> str:
    errors = [line[1:].strip() for line in text.splitlines() if line.startswith("E ")]
    return (errors or text.strip().splitlines() or [""])[0][:200]


def _to_socket(number: int) -> Callable[[bytes], None]:
    tool = socket.socket(fileno=number)
    if sys.platform == "linux":  # the item that runs ends in order when the tool is killed
        set_signal_of_parents_death = 1
        ctypes.CDLL(None).prctl(set_signal_of_parents_death, signal.SIGINT)

    def tell(line: bytes) -> None:
        tool.sendall(line)
        if not tool.recv(1):
            pytest.exit("The tool that keeps the results has ended.")

    return tell


def _to_file(path: str) -> Callable[[bytes], None]:
    executed.move(f"{path}.flags")

    def tell(line: bytes) -> None:
        with Path(path).open("ab") as file:
            file.write(line)

    return tell


def pytest_configure(config: pytest.Config) -> None:
    """Report from the processes that run items."""
    place = os.environ["BIASLAB_RESULTS"]
    if place.isdigit():
        tell = _to_socket(int(place))
    elif getattr(config.option, "numprocesses", None):
        return
    else:
        worker = os.environ.get("PYTEST_XDIST_WORKER", "main")
        tell = _to_file(f"{place}.{worker}.jsonl")
    config.pluginmanager.register(ItemResults(tell))
