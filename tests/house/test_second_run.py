"""The second run in CI: what failed by chance passes, and a session that was aborted does not."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
READS = ("tools/second_run.py",)
CONFTEST = """
from pathlib import Path
from harness.failures import Failures

def pytest_addoption(parser):
    parser.addoption("--failures-table", type=Path)

def pytest_configure(config):
    if table := config.getoption("--failures-table"):
        config.pluginmanager.register(Failures(table))
"""
ONCE = """
from pathlib import Path

def test_by_chance():
    seen = Path(__file__).with_name("seen")
    before = seen.exists()
    seen.touch()
    assert before, "a busy machine"
"""
ALWAYS = "\ndef test_always():\n    assert False, 'broken'\n"


def second_run(folder: Path, tests: str) -> subprocess.CompletedProcess[str]:
    """Run the tool over some tests, which stand in a folder of their own."""
    (folder / "conftest.py").write_text(CONFTEST)
    (folder / "test_some.py").write_text(tests)
    (folder / "pytest.ini").write_text("[pytest]\n")
    pytest_command = [sys.executable, "-m", "pytest", "-p", "no:xdist"]
    tool = TESTS.parent / "tools" / "second_run.py"
    return subprocess.run(
        [sys.executable, str(tool), "--failures=flakes.csv", *pytest_command],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(TESTS)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_chance_failure_passes_and_is_written_down(tmp_path: Path) -> None:
    done = second_run(tmp_path, ONCE)
    assert done.returncode == 0, done.stdout
    assert "1 failed" in done.stdout
    assert "1 passed" in done.stdout
    with (tmp_path / "flakes.csv").open(encoding="utf-8") as file:
        (row,) = csv.DictReader(file)
    assert row["test"] == "test_some.py::test_by_chance"
    assert "a busy machine" in row["error"]
    assert float(row["load"]) >= 0


def test_what_fails_twice_has_failed(tmp_path: Path) -> None:
    assert second_run(tmp_path, ONCE + ALWAYS).returncode == pytest.ExitCode.TESTS_FAILED


@pytest.mark.parametrize(
    ("end", "code"),
    [
        ("pytest.exit('aborted', returncode=3)", 3),
        ("raise KeyboardInterrupt", pytest.ExitCode.INTERRUPTED),
    ],
)
def test_an_aborted_session_fails_without_a_second_run(tmp_path: Path, end: str, code: int) -> None:
    aborted = f"import pytest\n\ndef test_ends():\n    {end}\n"
    done = second_run(tmp_path, ONCE + aborted + ALWAYS)
    assert done.returncode == code, done.stdout
    assert "once more" not in done.stdout
