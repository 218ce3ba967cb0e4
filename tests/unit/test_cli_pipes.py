"""The command line when the reader of its output goes early, as in ``biaslab catalog | head``."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.parametrize("command", [["catalog", "weat-6"], ["--help"]])
@pytest.mark.parametrize("unbuffered", [False, True])
def test_a_reader_that_goes_leaves_no_traceback(command: list[str], unbuffered: bool) -> None:
    options = ["-u"] if unbuffered else []
    process = subprocess.Popen(
        [sys.executable, *options, "-m", "biaslab.cli", *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    with process.stderr:
        said = process.stderr.read().decode()
    assert said == ""
    # Of its help, argparse itself takes such an error for none.
    assert process.wait() == (0 if "--help" in command else 141)
