"""The checks of `make lint` and `make typecheck`, so that `make test` holds them too."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(sys.executable).parent
FOLDERS = ("biaslab", "widgets", "tests", "tools", "benchmarks", "notebooks")
SOURCES = [name for name in (*FOLDERS, "hatch_build.py") if (ROOT / name).exists()]
FRONT_END = [sys.executable, "tools/front_end.py", "run"]
CHECKS = {
    "ruff check": [str(BIN / "ruff"), "check", "--quiet", *SOURCES],
    "ruff format": [str(BIN / "ruff"), "format", "--check", "--quiet", *SOURCES],
    "mypy": [str(BIN / "mypy"), "--no-error-summary"],
    "import rules": [str(BIN / "lint-imports"), "--no-cache"],
    "front end: style and types": [*FRONT_END, "check"],
    "front end: tests": [*FRONT_END, "test"],
}


@pytest.mark.parametrize("name", CHECKS)
def test_check_passes(name: str) -> None:
    done = subprocess.run(CHECKS[name], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.fail(f"{name}:\n{(done.stdout + done.stderr)[-6000:]}", pytrace=False)
