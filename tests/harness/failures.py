"""What failed, and how busy the machine was then: the beginning of every search for a flake."""

from __future__ import annotations

import csv
import os
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

COLUMNS = ("time", "commit", "load", "test", "error")


class Failures:
    """A pytest plugin that appends a row to a table for each failure, when it happens.

    Parameters
    ----------
    path : Path
        The table; made where it is missing.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._commit = _commit()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Append a failure of any phase."""
        if not report.failed:
            return
        is_new = not self.path.exists()
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a", encoding="utf-8", newline="") as file:
            table = csv.writer(file, lineterminator="\n")
            if is_new:
                table.writerow(COLUMNS)
            now = datetime.now(UTC).isoformat(timespec="seconds")
            load = f"{os.getloadavg()[0]:.1f}"
            table.writerow((now, self._commit, load, report.nodeid, _error(report)))


def _error(report: pytest.TestReport) -> str:
    crash = getattr(report.longrepr, "reprcrash", None)
    text = str(report.longrepr) if crash is None else f"{report.when}: {crash.message}"
    return " ".join(text.split())[:300]


def _commit() -> str:
    command = ["git", "rev-parse", "--short", "HEAD"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip()
