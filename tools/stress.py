"""Run tests many times beside a busy machine, to find those that fail by chance.

``python tools/stress.py [--times=20] [test ...]`` runs the named tests, or those of the files that
changed since the last commit that others have (`--since`): each time in another order within its
group, beside two busy processes for each core, and once with interrupts ignored, as under `nohup`.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUSY = "while True: pass"
BURNERS_PER_CORE = 2


def changed_tests(since: str) -> list[str]:
    """Test files that differ from a commit, new ones included."""
    commands = (
        ["git", "diff", "--name-only", "--diff-filter=d", since],
        ["git", "ls-files", "--others", "--exclude-standard"],
    )
    found = {
        name
        for command in commands
        for name in subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout.splitlines()
    }
    return sorted(name for name in found if Path(name).match("tests/**/test_*.py"))


@contextmanager
def busy_machine() -> Iterator[None]:
    """Keep every core busy, at the priority of the tests."""
    burners = [
        subprocess.Popen([sys.executable, "-c", BUSY])
        for _ in range(BURNERS_PER_CORE * (os.cpu_count() or 1))
    ]
    try:
        yield
    finally:
        for burner in burners:
            burner.kill()
            burner.wait()


def main(arguments: Sequence[str]) -> int:
    """Run the tests; return how many runs had a failure."""
    parser = argparse.ArgumentParser(description=__doc__, prog="stress")
    parser.add_argument("tests", nargs="*", help="files or node ids")
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--since", default="HEAD", help="of files that changed since, by default")
    given = parser.parse_args(arguments)
    tests = given.tests or changed_tests(given.since)
    if not tests:
        print(f"No test file differs from {given.since}. Name the tests to run.")
        return 1
    failed = []
    with busy_machine():
        for run in range(given.times):
            print(f"\nRun {run + 1} of {given.times}", flush=True)
            if _run(tests, run, interrupts=run > 0) != 0:
                failed.append(run + 1)
    print(f"\n{len(failed)} of {given.times} runs failed{f': {failed}' if failed else ''}.")
    return len(failed)


def _run(tests: Sequence[str], seed: int, interrupts: bool) -> int:
    command = [sys.executable, "-m", "pytest", "-n0", "-q", f"--shuffle={seed}"]
    command += ["--failures-table=build/flakes.csv", "-m", "validate or not validate", *tests]
    before = signal.signal(signal.SIGINT, signal.SIG_DFL if interrupts else signal.SIG_IGN)
    try:
        return subprocess.run(command, cwd=ROOT, check=False).returncode
    finally:
        signal.signal(signal.SIGINT, before)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
