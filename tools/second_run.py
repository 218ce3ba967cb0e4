"""Run pytest, and what failed once more: for CI, where one chance failure refuses a change.

``python tools/second_run.py --failures=build/flakes.csv python -m pytest ...`` runs the command.
Only when all tests ran and some failed (pytest's exit code 1) do these run again, alone. A session
that was interrupted, crashed or collected nothing has failed.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence

import pytest

AGAIN = ("--last-failed", "--last-failed-no-failures=none")


def main(arguments: Sequence[str]) -> int:
    """Run the command; return the exit code of the run that decides."""
    failures, *command = arguments
    first = _run([*command, failures.replace("--failures", "--failures-table")])
    if first != pytest.ExitCode.TESTS_FAILED:
        return first
    print("\nWhat failed runs once more. A test that fails twice has failed.\n", flush=True)
    return _run([*command, *AGAIN])


def _run(command: Sequence[str]) -> int:
    return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
