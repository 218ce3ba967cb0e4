"""Where the time of a test run goes: a table of seconds by file and of the longest tests.

``make durations`` writes it to ``tests/durations.csv``.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from pathlib import Path

import pytest

KEPT = Path(__file__).resolve().parents[1] / "durations.csv"
LONG_S = 2.0
"""A test that takes at least so many seconds has a row of its own."""


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

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add one phase of one test."""
        self.seconds[report.nodeid] += report.duration

    def pytest_sessionfinish(self) -> None:
        """Write the table: the files, then the long tests, each longest first."""
        files: defaultdict[str, float] = defaultdict(float)
        for test, seconds in self.seconds.items():
            files[test.partition("::")[0]] += seconds
        long = {test: seconds for test, seconds in self.seconds.items() if seconds >= LONG_S}
        with self.path.open("w", encoding="utf-8", newline="") as file:
            table = csv.writer(file, lineterminator="\n")
            table.writerow(["seconds", "of"])
            for rows in (files, long):
                ordered = sorted(rows.items(), key=lambda row: -row[1])
                table.writerows((f"{seconds:.1f}", name) for name, seconds in ordered)


def seconds_by_file(path: Path = KEPT) -> dict[str, float]:
    """Read the seconds of each file from a table; nothing where there is no table."""
    if not path.is_file():
        return {}
    with path.open(encoding="utf-8", newline="") as file:
        rows = [(row["of"], float(row["seconds"])) for row in csv.DictReader(file)]
    return {name: seconds for name, seconds in rows if "::" not in name}
