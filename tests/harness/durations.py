"""Where the time of a test run goes: seconds of the clock and of the processors for each test.

``make durations`` writes them to ``tests/durations.csv``.
"""

from __future__ import annotations

import csv
import os
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

KEPT = Path(__file__).resolve().parents[1] / "durations.csv"
_CPU = "cpu_seconds"


class CpuSeconds:
    """A pytest plugin for the process that runs a test: measures the processor time of each.

    Browsers, servers and kernels that the process has started count, whoever's test uses them.
    """

    def __init__(self) -> None:
        self._began = 0.0

    def pytest_runtest_logstart(self) -> None:
        """Read the clock of the processors before a test."""
        self._began = _cpu_seconds()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> None:
        """Attach what a test took to its last report, which other processes read too."""
        if call.when == "teardown":
            item.user_properties.append((_CPU, max(0.0, _cpu_seconds() - self._began)))


class Durations:
    """A pytest plugin that adds up the set-up, call and teardown of each test.

    Parameters
    ----------
    path : Path
        The table to write when the run ends.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self.cpu_seconds: dict[str, float] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add one phase of one test."""
        self.seconds[report.nodeid] += report.duration
        for name, value in report.user_properties:
            if name == _CPU and isinstance(value, float):
                self.cpu_seconds[report.nodeid] = value

    def pytest_sessionfinish(self) -> None:
        """Write the table, longest first."""
        with self.path.open("w", encoding="utf-8", newline="") as file:
            table = csv.writer(file, lineterminator="\n")
            table.writerow(["seconds", _CPU, "test"])
            table.writerows(
                (f"{seconds:.2f}", f"{self.cpu_seconds.get(test, 0.0):.2f}", test)
                for test, seconds in sorted(self.seconds.items(), key=lambda row: -row[1])
            )


def seconds_by_file(path: Path = KEPT) -> dict[str, float]:
    """Add up the seconds of each file in a table; nothing where there is no table."""
    found: defaultdict[str, float] = defaultdict(float)
    if path.is_file():
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                found[row["test"].partition("::")[0]] += float(row["seconds"])
    return dict(found)


def _cpu_seconds() -> float:
    """Processor time of this process and of all that it started, ended or not."""
    return sum(os.times()[:4]) + sum(_cpu_seconds_of_descendants())


def _cpu_seconds_of_descendants() -> Iterator[float]:
    for process in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):  # It may have ended since.
            yield sum(process.cpu_times()[:4])
