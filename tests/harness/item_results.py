"""A pytest plugin that tells `tools/validate.py` what each item said and executed, as it ends.

It writes lines of JSON to the socket whose number is in ``BIASLAB_RESULTS``, and begins the next
item when the tool has kept the result: an interruption loses no other item than the one that runs.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import socket
import sys
import time
from collections.abc import Generator
from typing import Any

import pytest

from harness import executed
from harness.executed import Executed, joined


class ItemResults:
    """Reports items to a socket.

    An item executed what it called itself, and what collection and the fixtures that it may share
    called; its process loaded what all items before it loaded.
    """

    def __init__(self, tool: socket.socket) -> None:
        self.tool = tool
        self.shared: Executed = {}
        self.own: Executed = {}
        self.reports: list[pytest.TestReport] = []

    def pytest_collection_finish(self) -> None:
        """Keep what collection executed."""
        self._take(to_all=True)

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(
        self, fixturedef: pytest.FixtureDef[Any]
    ) -> Generator[None, object, object]:
        """Keep what fixtures executed that later items find ready."""
        shared = fixturedef.scope != "function"
        if shared:
            self._take(to_all=False)
        try:
            return (yield)
        finally:
            if shared:
                self._take(to_all=True)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Tell that an item begins, and how it ended; nothing of one that is interrupted."""
        self._tell(began=item.nodeid)
        self._take(to_all=False)
        self.own, self.reports = {}, []
        begun, used = time.monotonic(), sum(os.times()[:4])
        outcome = yield
        self._take(to_all=False)
        self._tell(
            item=item.nodeid,
            **_outcome(self.reports),
            wall_s=round(time.monotonic() - begun, 2),
            cpu_s=round(sum(os.times()[:4]) - used, 2),
            executed=joined(self.shared, self.own),
        )
        return outcome

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep the report of a phase."""
        self.reports.append(report)

    def _take(self, *, to_all: bool) -> None:
        taken = executed.take()
        loaded = {name: 1 for name, mask in taken.items() if mask & 1}
        self.shared = joined(self.shared, taken if to_all else loaded)
        self.own = joined(self.own, taken)

    def _tell(self, **said: object) -> None:
        self.tool.sendall(f"{json.dumps(said)}\n".encode())
        if not self.tool.recv(1):
            pytest.exit("The tool that keeps the results has ended.")


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


def pytest_configure(config: pytest.Config) -> None:
    """Report, and end in order when the tool that reads is killed."""
    if sys.platform == "linux":
        set_signal_of_parents_death = 1
        ctypes.CDLL(None).prctl(set_signal_of_parents_death, signal.SIGINT)
    tool = socket.socket(fileno=int(os.environ["BIASLAB_RESULTS"]))
    config.pluginmanager.register(ItemResults(tool))
